"""The JSON of a gate has the fields that its page names, and no others."""

import contextlib
import io
import json
import re
from pathlib import Path

from nofluke.cli import run

PAGE = Path(__file__).parents[2] / "docs/reference/json.md"


def test_every_field_is_explained(tmp_path):
    for name, wrong in (("old", 80), ("new", 78)):
        rows = "".join(f"u{i},{int(i >= wrong)}\n" for i in range(100))
        (tmp_path / f"{name}.csv").write_text("id,accuracy\n" + rows)
    (tmp_path / "nofluke.toml").write_text('[check]\nbaseline = "old.csv"\ncandidate = "new.csv"\n')
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(["gate", str(tmp_path), "--format", "json"]) == 3
    told = json.loads(out.getvalue())
    section = PAGE.read_text("utf-8").split("## Of `gate`")[1]
    named = set(re.findall(r"`(\w+)`", section))

    (check,) = told["checks"]
    (metric,) = check["metrics"]
    assert {*told, *check, *metric, *metric["further"]} <= named

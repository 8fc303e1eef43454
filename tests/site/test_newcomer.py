"""The way of docs/how-to/install.md from nothing to a first certificate, in a new environment."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/install.md"


def commands():
    """What the page runs of nofluke, in its order."""
    text = PAGE.read_text("utf-8").replace("\\\n", " ")
    return [line[2:] for line in text.splitlines() if line.startswith("$ nofluke ")]


@pytest.mark.slow
def test_from_nothing_to_a_certificate_in_five_minutes(tmp_path):
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    here = tmp_path / "venv" / "bin"
    done = subprocess.run(
        [here / "pip", "install", "-q", str(ROOT)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"pip cannot install here: {done.stderr[-300:]}")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    codes = [
        subprocess.run(
            [here / "nofluke", *shlex.split(command)[1:]],
            cwd=tmp_path,
            env={**plain, "NOFLUKE_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            check=False,
        ).returncode
        for command in commands()
    ]

    assert codes == [2, 2, 0]
    assert (tmp_path / "mine.html").stat().st_size > 10_000
    assert time.monotonic() - began < 300


def test_the_page_goes_from_two_refusals_to_an_answer():
    assert [c.split()[1] for c in commands()] == ["certify"] * 3
    assert "--report" in commands()[-1]

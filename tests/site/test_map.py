"""The map and the files to copy name what is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:src|tests|tools|docs)/[\w./-]*)`")


@pytest.mark.parametrize("page", ["docs/map.md", "CONTRIBUTING.md"])
def test_every_path_that_is_named_is_there(page):
    paths = NAMED.findall((ROOT / page).read_text("utf-8"))

    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_storey_is_on_the_map():
    told = (ROOT / "docs/map.md").read_text("utf-8")
    rooms = [
        path.name
        for path in (ROOT / "src/nofluke").iterdir()
        if path.name not in ("__init__.py", "py.typed", "__pycache__")
    ]

    assert [room for room in sorted(rooms) if f"src/nofluke/{room}" not in told] == []


def test_every_kind_of_test_is_on_the_map():
    told = (ROOT / "docs/map.md").read_text("utf-8")
    kinds = [p.name for p in (ROOT / "tests").iterdir() if any(p.rglob("test_*.py"))]

    assert [kind for kind in sorted(kinds) if f"tests/{kind}" not in told] == []


def test_functions_to_copy_are_in_their_files():
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`(\w+)` in `(src/[\w/.]+\.py)`", told)

    assert len(named) > 2
    for function, path in named:
        assert f"def {function}(" in (ROOT / path).read_text("utf-8")

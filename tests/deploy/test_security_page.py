"""SECURITY.md names tests that there are, and says of roles what the code decides."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(test_\w+)`", PAGE)))
TESTS = "\n".join(p.read_text("utf-8") for p in (ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("name", NAMED)
def test_every_test_that_is_named_is_there(name):
    assert re.search(rf"^ *(async )?def {name}\(", TESTS, re.MULTILINE)


def test_every_defence_names_what_shows_it():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 4]
    defences = [row for row in rows if "what they try" not in row and "---" not in row]
    assert len(defences) > 25
    assert [row for row in defences if not re.search(r"`\w+`[^|]*\|$", row)] == []


@pytest.mark.parametrize("number", ["0011", "0012"])
def test_decisions_that_it_rests_on_are_linked(number):
    assert f"docs/decisions/{number}" in PAGE

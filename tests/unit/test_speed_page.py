"""The page of measured speed: who is first, who is not, and what could not be compared."""

import copy
import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def table():
    spec = importlib.util.spec_from_file_location("table", ROOT / "benchmarks/peers/table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entry(who, wall, **more):
    return {"who": who, "how": f"{who}(x)", "note": "", "wall": wall, "cpu": wall, **more}


def contest(question, *entries, **more):
    plain = {"topic": "T", "tolerance": None, "floor": None, "notes": []}
    return {**plain, "question": question, "entries": list(entries), **more}


@pytest.fixture
def report():
    return {
        "date": "2026-01-01 00:00 UTC",
        "machine": {
            "processor": "P",
            "cores": 2,
            "system": "S",
            "python": "3",
            "load before": 0.1,
            "load after": 0.2,
        },
        "versions": {"nofluke": "1", "quick": "2"},
        "absent": {"gone==1": "no such version"},
        "settings": {"seconds": 2, "runs": 7, "limit": 120, "long": 5},
        "contests": [
            contest("Won", entry("nofluke", 0.001), entry("slow", 0.004)),
            contest("Lost", entry("nofluke", 0.4), entry("quick", 0.1, note="less"), memory=1),
        ],
    }


def test_a_faster_peer_is_in_the_list_of_gaps(table, report):
    assert table.gaps(report) == [
        "Lost: quick takes 100 ms, nofluke 400 ms (4 times as long) [less]."
    ]


def test_the_smallest_lead_counts(table, report):
    report["contests"][0]["entries"].append(entry("hair", 0.000999999))

    assert any("hair" in line for line in table.gaps(report))


def test_whoever_failed_is_named_and_is_nobodys_gap(table, report):
    report["contests"][0]["entries"].append(
        {"who": "broken", "how": "b()", "note": "", "failed": "ImportError: x"}
    )

    assert not any("broken" in line for line in table.gaps(report))
    assert "| broken | `b()` | - |  |  | ImportError: x |" in table.page(report)


def test_where_we_failed_is_a_gap(table, report):
    ours = report["contests"][0]["entries"][0]
    del ours["wall"]
    ours["failed"] = "exit code 2"

    assert table.gaps(report)[0] == "Won: nofluke was not measured (exit code 2)."
    assert "first in 0 of 1 contests" in table.page(report)


def test_the_page_counts_who_is_first(table, report):
    made = table.page(report)

    assert "nofluke is first in 1 of 2 contests" in made
    assert made.index("quick takes 100 ms") < made.index("## T")
    assert "| **nofluke** | `nofluke(x)` | 1 ms | 1 ms | 1 |  |" in made
    assert "| slow | `slow(x)` | 4 ms | 4 ms | 4 |  |" in made
    assert "| quick | `quick(x)` | 100 ms | 100 ms | 0.25 | less |" in made
    assert "* gone==1: no such version" in made


def test_the_floor_is_held_against_us(table, report):
    report["contests"][0]["floor"] = {"is": "reading once", "wall": 0.0001, "within": 3}
    assert table.distances(report) == [
        "Won: 10 times the floor (reading once, 100 µs); the aim is 3 times."
    ]
    report["contests"][0]["floor"]["wall"] = 0.0005
    assert table.distances(report) == []


def test_answers_that_differ_are_told(table, report):
    won = report["contests"][0]
    won["tolerance"] = 1e-6
    won["entries"] = [entry("nofluke", 1, answer=0.5), entry("slow", 2, answer=0.5 + 1e-8)]
    assert table.disagreements(report) == []
    for wrong in (0.6, float("nan")):
        won["entries"][1]["answer"] = wrong
        assert table.disagreements(report) == [f"Won: slow says {wrong:.10g}, nofluke 0.5."]
        assert f"slow says {wrong:.10g}" in table.page(report)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.234e-7, "0.123 µs"),
        (9.996e-4, "1 ms"),
        (0.123456, "123 ms"),
        (1.0, "1 s"),
        (150, "150 s"),
    ],
)
def test_seconds_are_read_at_a_glance(table, value, said):
    assert table.seconds(value) == said


def test_a_bar_in_a_call_breaks_no_table(table, report):
    report["contests"][0]["entries"][0]["how"] = "a | b"

    assert "`a \\| b`" in table.page(report)


def test_the_committed_page_is_that_of_the_committed_figures(table):
    figures = json.loads((ROOT / "docs/data/speed.json").read_text("utf-8"))

    page = (ROOT / "docs/reference/speed.md").read_text("utf-8")
    assert table.page(copy.deepcopy(figures)) == page, "run benchmarks/peers/table.py"


def test_the_system_is_told_without_the_name_of_a_build():
    figures = json.loads((ROOT / "docs/data/speed.json").read_text("utf-8"))

    assert re.fullmatch(r"\w+ \d+\.\d+", figures["machine"]["system"])

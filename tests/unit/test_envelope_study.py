"""The study of the paired envelope: its differences, its cells by hand, its claims and its page."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from nofluke import studies
from nofluke.studies import claims
from nofluke.studies.engine import generator
from nofluke.studies.papers.envelope import cells, shapes
from nofluke.studies.papers.envelope.figures import FIGURES

PAGE = Path(__file__).parents[2] / "docs/replications/envelope.md"
CLAIMS = claims.read("nofluke.studies.papers.envelope")


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_differences_have_the_mean_they_say_and_stay_in_bounds(name):
    draw, mean = shapes.SHAPES[name]
    x = draw((200_000,), generator(1, name))
    assert x.min() >= -1
    assert x.max() <= 1
    assert x.mean() == pytest.approx(mean, abs=5 * x.std() / math.sqrt(x.size))


@pytest.mark.parametrize("name", [*shapes.NULLS, *shapes.STREAMS])
def test_nulls_have_no_gain(name):
    draw = (shapes.NULLS | shapes.STREAMS)[name]
    x = draw((200_000,), generator(2, name))
    assert x.mean() <= 5 * x.std() / math.sqrt(x.size)
    assert x.mean() >= -5 * x.std() / math.sqrt(x.size) - 0.0002


@pytest.mark.parametrize("effects", ["normal", "rare"])
def test_clusters_without_a_gain_have_none(effects):
    effect = cells._effects(cells.Groups(effects, 200_000, 0.0, 1), generator(3))
    assert effect.mean() == pytest.approx(0, abs=5 * effect.std() / math.sqrt(effect.size))


def test_thresholds_by_hand():
    (row,) = [r for r in cells.thresholds("note", generator(0)) if r["n"] == 1000]
    assert row["note"] == pytest.approx(math.sqrt(2 * math.log(40) / 1000), rel=1e-12)
    assert row["one_sided"] == pytest.approx(math.sqrt(2 * math.log(20) / 1000), rel=1e-12)
    assert row["bounds_1.05"] == pytest.approx(1.05 * row["note"], rel=1e-12)


def test_three_in_a_row_by_hand(monkeypatch):
    """The first stream crosses thrice from 300 on, the second twice only."""
    path = np.zeros((2, cells.PLANNED))
    path[0], path[1, :200] = 0.5, 1.0
    monkeypatch.setitem(shapes.SHAPES, "rouge", (lambda *_: path, 0.0))
    rows = cells.stopping(cells.Sample("rouge", cells.PLANNED, 2), generator(0))
    (note,) = [row for row in rows if row["test"] == "the note's rule"]
    # 1 until 200 and 0 after it: a mean of 2/3 at 300, .5 at 400 and so on, over eps for long.
    eps = [math.sqrt(2 * math.log(40) / n) for n in range(100, 3001, 100)]
    second = [min(1, 200 / n) > e for n, e in zip(range(100, 3001, 100), eps, strict=True)]
    first = next(k for k in range(2, 30) if second[k] and second[k - 1] and second[k - 2])
    assert note["called"] == 1
    assert note["used"] == pytest.approx((300 + 100 * (first + 1)) / 2)


def test_pooled_repeats_of_one_run_are_as_they_should_be():
    (row,) = cells.repeats(cells.Rounds(1, 2000), generator(4))
    assert row["false_alarms"] <= 0.05 + 5 * row["error"]


def test_claims_are_whole():
    assert {claim.figure for claim in CLAIMS if claim.figure} == set(FIGURES)
    for claim in CLAIMS:
        assert (claim.reproduces == "cannot be checked") == (not claim.figure), claim.id
        assert "|" not in claim.text + claim.reads + claim.reason
        assert claim.reason.endswith(".")
        if claim.figure:
            assert re.search(rf"\b{claim.id}\b", FIGURES[claim.figure].__doc__), claim.id


@pytest.fixture(scope="module")
def study():
    return studies.reproduce("envelope", samples=300, seed=3)


def test_no_verdict_is_another_than_stated(study):
    assert {a.claim.id: (a.verdict, a.found) for a in study.claims if not a.agrees} == {}
    assert sum(a.verdict in ("yes", "no") for a in study.claims) >= 26


def test_tests_with_a_guarantee_keep_it_and_others_do_not(study):
    for row in study.tables["nulls"]:
        if row["test"] in ("star", "hedged_star", "betting", "hoeffding"):
            assert row["false_alarms"] <= 0.05 + 5 * row["error"], row
    (wilcoxon,) = [
        row
        for row in study.tables["nulls"]
        if (row["null"], row["n"], row["test"]) == ("skew", 1000, "wilcoxon")
    ]
    assert wilcoxon["false_alarms"] > 0.8


def test_the_three_sentences_have_their_numbers_from_the_study(study):
    (demo,) = study.tables["demonstration"]
    section = study.page.split("## Three sentences for a product manager", 1)[1].split("\n## ")[0]
    assert f"scored {demo['mean']:.3f} more" in section
    assert f"at least {demo['hedged_star_limit']:.3f} more" in section
    assert len([line for line in section.splitlines() if line.startswith("| ")]) == 5


def test_the_page_that_is_kept_agrees_with_the_claims(study):
    text = PAGE.read_text("utf-8")
    for claim in CLAIMS:
        (line,) = re.findall(rf"^\| {claim.id} \|.*$", text, flags=re.MULTILINE)
        assert claim.text in line
        assert f"| {claim.reproduces} |" in line or "not settled at this size" in line
    for name in study.pictures:
        assert f"](envelope/{name}.svg)" in text
        assert (PAGE.parent / "envelope" / f"{name}.svg").is_file()

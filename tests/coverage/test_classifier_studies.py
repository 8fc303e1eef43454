"""The tables of the documentation are what the studies give.

Quick tests repeat a few settings with another seed; `make study` repeats all of them.
"""

import math
from pathlib import Path

import pytest

from nofluke.studies import classifier_intervals as studies
from nofluke.studies import coverage_tables

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "explanation" / "intervals-for-auc.md"


def stored(study):
    return coverage_tables.load(DOCS / "data" / f"coverage-{study}.csv")


def agree(found, kept):
    """Both are the same binomial share, up to six standard errors of their difference."""
    known = {(row.setting, row.method): row for row in kept}
    for row in found:
        other = known[row.setting, row.method]
        p = (row.rate * row.repeats + other.rate * other.repeats) / (row.repeats + other.repeats)
        slack = math.sqrt(max(p * (1 - p), 0.001) * (1 / row.repeats + 1 / other.repeats))
        assert abs(row.rate - other.rate) < 6 * slack, (row, other)


def test_the_page_shows_the_files():
    names = ("areas", "precisions", "elsewhere", "clusters", "predictive")
    rows = {study: stored(study) for study in names}
    text = PAGE.read_text(encoding="utf-8")

    tables = coverage_tables.of_page(rows)
    assert coverage_tables.filled(text, tables) == text
    assert all(f"<!-- table: {name} -->" in text for name in tables)
    picture = coverage_tables.figure(
        rows["areas"], title="Coverage of intervals for the area under the ROC curve"
    )
    assert PAGE.with_suffix(".svg").read_text(encoding="utf-8") == picture


def test_all_settings_are_there():
    for study, settings, methods in (
        ("areas", studies.AREA_SETTINGS, {*studies.AREA_METHODS, "wald"}),
        (
            "precisions",
            [f"{s} at {s.positives / s.labels.size:g}" for s in studies.PRECISION_SETTINGS],
            {*studies.PRECISION_METHODS, "bootstrap_z"},
        ),
        (
            "elsewhere",
            [f"{s} at {p:g}" for s, p in studies.ELSEWHERE_SETTINGS],
            {*studies.PRECISION_METHODS, "bootstrap_z"},
        ),
        ("clusters", studies.CLUSTER_SETTINGS, set(studies.CLUSTER_METHODS)),
        ("predictive", studies.PREDICTIVE_SETTINGS, set(studies.PREDICTIVE_METHODS)),
    ):
        listed = [(row.setting, row.method) for row in stored(study)]
        assert len(set(listed)) == len(listed)
        assert set(listed) == {(f"{s}", m) for s in settings for m in methods}
    assert len(studies.AREA_SETTINGS) == 84


def test_what_the_notes_say_of_areas():
    by_name = {s.method: s for s in coverage_tables.summaries(stored("areas"))}

    assert by_name["auto"].worst > 0.93
    assert by_name["auto"].short == 0
    assert by_name["wald"].worst < 0.5
    assert by_name["wald"].mean < 0.9 < by_name["logit"].mean < by_name["logit_t"].mean


@pytest.mark.parametrize("at", [0, 11, 50, 83])
def test_areas(at):
    found = studies.area_coverage(studies.AREA_SETTINGS[at], repeats=400, seed=1)
    agree(found, stored("areas"))


@pytest.mark.parametrize("at", [3, 13])
def test_precisions(at):
    setting = studies.PRECISION_SETTINGS[at]
    agree(studies.precision_coverage(setting, repeats=100, seed=1), stored("precisions"))


def test_precisions_elsewhere():
    setting, prevalence = studies.ELSEWHERE_SETTINGS[1]
    agree(
        studies.precision_coverage(setting, prevalence=prevalence, repeats=200, seed=1),
        stored("elsewhere"),
    )


@pytest.mark.parametrize("at", [0, 10, 21])
def test_clusters(at):
    setting = studies.CLUSTER_SETTINGS[at]
    agree(studies.cluster_coverage(setting, repeats=200, seed=1), stored("clusters"))


@pytest.mark.parametrize("at", [2, 11])
def test_predictive_values_exactly(at):
    setting = studies.PREDICTIVE_SETTINGS[at]
    known = {(row.setting, row.method): row for row in stored("predictive")}
    for row in studies.predictive_coverage(setting, prevalence=0.01):
        kept = known[row.setting, row.method]
        assert (row.rate, row.width, row.refused) == pytest.approx(
            (kept.rate, kept.width, kept.refused), rel=1e-4, abs=1e-9
        )


@pytest.mark.slow
@pytest.mark.parametrize("setting", studies.AREA_SETTINGS, ids=str)
def test_every_area(setting):
    found = studies.area_coverage(setting, repeats=2000, seed=2)
    agree(found, stored("areas"))
    default = next(row for row in found if row.method == "auto")
    assert default.rate > 0.93 - 6 * math.sqrt(0.93 * 0.07 / 2000)


@pytest.mark.slow
@pytest.mark.parametrize("setting", studies.PRECISION_SETTINGS, ids=str)
def test_every_average_precision(setting):
    agree(studies.precision_coverage(setting, repeats=400, seed=2), stored("precisions"))


@pytest.mark.slow
@pytest.mark.parametrize("setting", studies.CLUSTER_SETTINGS, ids=str)
def test_every_clustered_area(setting):
    agree(studies.cluster_coverage(setting, repeats=800, seed=2), stored("clusters"))

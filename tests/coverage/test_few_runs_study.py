"""The study of few runs at a reduced size: it finds what its claims and its page say."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from nofluke import quantiles, studies
from nofluke.kernels import quantile_ranks
from nofluke.studies.engine import generator, share
from nofluke.studies.papers.quantiles import page
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS, Accuracy
from nofluke.studies.papers.quantiles.figures import BOOTSTRAP, chosen, over_distributions
from nofluke.studies.papers.quantiles.grid import LEVELS, SIZES, US

PAGE = Path(__file__).parents[2] / "docs/replications/quantiles.md"
FULL = 20_000


@pytest.fixture(scope="module")
def study():
    return studies.reproduce("quantiles", samples=1000, seed=7)


def test_no_verdict_is_another_than_stated(study):
    other = {a.claim.id: (a.verdict, a.found) for a in study.claims if not a.agrees}
    assert other == {}
    assert sum(a.verdict in ("yes", "no") for a in study.claims) >= 25


def test_intervals_of_order_statistics_cover_as_the_binomial_law_says(study):
    rows = chosen(study.tables["intervals"], method=("exact_equal", "exact_shortest", "bootstrap"))
    for row, figure in over_distributions(rows, "coverage"):
        assert figure.value == pytest.approx(row["promised"], abs=5 * figure.error), row


def test_interpolated_intervals_cover_the_uniform_as_promised(study):
    names = ("hutson", "nyblom", "asymptotic", "asymptotic_centered", BOOTSTRAP, "auto")
    rows = chosen(study.tables["intervals"], method=names, distribution="U(0, 1)")
    rows += chosen(study.tables["intervals"], method="hutson", distribution="U(0, 1)")
    for row in rows:
        # An interval that always covers has an error of about 1 / n.
        assert row["coverage"] == pytest.approx(row["promised"], abs=5 * row["coverage_error"]), row


def test_closed_intervals_keep_the_level_for_ties(study):
    rows = chosen(study.tables["discrete"], method="exact_closed")
    assert len(rows) == 5 * 3 * len(US) * len(LEVELS)
    for row in rows:
        assert row["coverage"] >= row["level"] - 5 * row["coverage_error"], row


def test_drawn_resamples_tend_to_the_closed_form(study):
    rows = chosen(study.tables["resampled"], resamples=10_000)
    ratios = [row["length_ratio"] for row in rows]
    assert np.mean(ratios) == pytest.approx(1, abs=0.01)
    difference = [row["difference"] for row in rows]
    assert np.mean(difference) == pytest.approx(0, abs=0.01)


# What "auto" gives at each quantile, as the rule says by hand: two limits (H), two with unequal
# tails (A), only an upper (U) or a lower one (L).
KINDS = {
    0.9: {10: "UUAHALL", 15: "UUHHHLL", 25: "UAHHHAL", 50: "AHHHHHA"},
    0.95: {10: "UUUHLLL", 15: "UUHHHLL", 25: "UUHHHLL", 50: "UHHHHHL"},
}


def kind(n, u, level):
    """By the rule: t1 = (1-u)^n, tn = u^n, a = 1 - level."""
    first, last, a = (1 - u) ** n, u**n, 1 - level
    if max(first, last) <= a / 2:
        return "H"
    return "A" if first + last <= a else "U" if u < 0.5 else "L"


def test_the_default_gives_what_the_rule_says(study):
    auto = chosen(study.tables["intervals"], method="auto", distribution="mixture")
    for level in LEVELS:
        for n in SIZES:
            row = [page._kind(chosen(auto, level=level, n=n, u=u)[0]) for u in US]
            assert "".join(row) == "".join(kind(n, u, level) for u in US)
            assert "".join(row) == KINDS.get(level, {}).get(n, "".join(row))


def margins(level):
    found = []
    for name, distribution in DISTRIBUTIONS.items():
        for n in SIZES:
            rng = generator(11, name, n)
            x = np.sort(distribution.draw((FULL, n), rng), axis=1)
            for u in US:
                answer = quantiles.interval(x, u, level=level)
                truth = distribution.quantile(u)
                coverage = share((answer.lower <= truth) & (truth <= answer.upper))
                found.append((coverage.value - level, coverage.error, name, n, u))
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_the_default_hardly_falls_below_its_level(level):
    for margin, error, *cell in margins(level):
        assert margin >= -0.003 - 4 * error, cell


@pytest.mark.parametrize(("u", "level", "expected"), [(0.95, 0.8, 0.767), (0.97, 0.9, 0.885)])
def test_between_the_two_outermost_runs_a_line_misses_too_often_in_long_tails(u, level, expected):
    # The figures are from 200,000 samples, drawn and interpolated by another program.
    x = np.sort(generator(12, "exponential").exponential(size=(FULL, 10)), axis=1)
    line = quantiles.hutson(x, u, level=level, side="lower")
    exact = quantiles.exact(x, u, level=level, side="lower")
    coverage, promised = (share(a.lower <= -math.log(1 - u)) for a in (line, exact))

    assert 9 < line.ranks[0] < 10
    assert coverage.value == pytest.approx(expected, abs=5 * coverage.error + 0.001)
    assert coverage.value < level - 4 * coverage.error
    assert promised.value > level
    assert quantiles.interval(x, u, level=level).ranks == exact.ranks


@pytest.mark.parametrize("items", [40, 100, 1000, 5000])
@pytest.mark.parametrize("n", [10, 15, 25])
def test_the_default_keeps_its_level_where_accuracies_tie(items, n):
    """Interpolated limits cover down to 0.58 at 0.8 (40 items, n = 15, u = 0.9)."""
    accuracy = Accuracy(items)
    x = np.sort(accuracy.draw((FULL, n), generator(13, f"{items}", n)), axis=1)
    least = []
    for u in US:
        truth = accuracy.quantile(u)
        for level in LEVELS:
            answer = quantiles.interval(x, u, level=level)
            found = share((answer.lower <= truth) & (truth <= answer.upper))
            assert found.value >= level - 0.003 - 4 * found.error, (u, level)
            low, high = (
                quantile_ranks.at_rank(x, rank, side)
                for rank, side in zip(answer.ranks, ("lower", "upper"), strict=True)
            )
            least.append(np.mean((low <= truth) & (truth <= high)) - level)
    if items <= 100:
        assert min(least) < -0.015


def entries(text, heading):
    """Rows of the table under a heading, as lists of cells."""
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return rows[0], rows[2:]


@pytest.mark.parametrize("level", LEVELS)
def test_the_coverage_on_the_page_is_that_of_the_study(study, level):
    heads, rows = entries(PAGE.read_text("utf-8"), f"Coverage and length at level {level:.2f}")
    assert heads == ["n", "u", *page.NAMES.values()]
    assert len(rows) == len(SIZES) * len(US)
    intervals = chosen(study.tables["intervals"], level=level)
    for n, u, *cells in rows:
        for name, cell in zip(page.NAMES, cells, strict=True):
            here = chosen(intervals, n=int(n), u=float(u), method=name)
            assert_agrees(cell, here)


def assert_agrees(cell, rows):
    limits, figures = rows[0]["limits"], re.findall(r"\d+\.\d+", cell)
    if limits == "none":
        assert cell == "–"
        return
    ((_, coverage),) = over_distributions(rows, "coverage")
    # The page has 20 times the samples; its error is added, and that of rounding.
    slack = 5 * coverage.error * math.sqrt(1 + 1000 / FULL) + 0.0005
    assert float(figures[0]) == pytest.approx(coverage.value, abs=slack)
    assert ("↑" in cell, "↓" in cell) == (limits == "upper", limits == "lower")
    assert (len(figures) == 3) == (limits == "both")
    if limits == "both":
        ((_, length),) = over_distributions(rows, "length")
        slack = 5 * length.error * math.sqrt(1 + 1000 / FULL) + 0.005
        assert float(figures[2]) == pytest.approx(length.value, abs=slack)


def test_the_claims_on_the_page_are_those_of_the_study(study):
    _, rows = entries(PAGE.read_text("utf-8"), "The claims")
    assert [row[0] for row in rows] == [a.claim.id for a in study.claims]
    for row, answered in zip(rows, study.claims, strict=True):
        claim = answered.claim
        assert row[1:4] == [claim.where, claim.text, claim.reads]
        assert row[6:] == [claim.reproduces, claim.reason]
        if answered.found is not None:
            value, *error = map(float, re.findall(r"-?\d+(?:\.\d+)?", row[5]))
            spread = answered.found.error * 6 + (error[0] if error else 0) * 6 + 1e-3
            if claim.figure not in EXTREMES:
                assert value == pytest.approx(answered.found.value, abs=spread), claim.id


# The extreme of many cells lies farther out the noisier they are.
EXTREMES = {
    "exact_margin", "binomial_gap", "resampling_noise", "exact_in_tails", "fluctuation_at_80",
    "bootstrap_small", "bootstrap_at_99", "fallback", "mean_margin", "exact_longest",
    "exact_on_runs", "default_on_runs", "bootstrap_on_runs", "bias_on_runs",
}  # fmt: skip


def test_the_page_has_the_parts_that_the_study_writes(study):
    def heads(text):
        return re.findall(r"^#+ .+$", text, flags=re.MULTILINE)

    text = PAGE.read_text("utf-8")
    assert heads(text) == heads(study.page)
    assert "nofluke reproduce quantiles --samples 20000 --seed 0" in text
    assert "Not as in the full study" not in text


@pytest.mark.slow
def test_the_full_study_settles_every_claim_as_stated():
    study = studies.reproduce("quantiles", seed=1)
    assert {a.claim.id: a.verdict for a in study.claims} == {
        a.claim.id: a.claim.reproduces for a in study.claims
    }

"""The study of the best of ten: its cells beside closed forms, its claims and its page."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from nofluke import studies
from nofluke.studies import claims
from nofluke.studies.engine import generator
from nofluke.studies.papers.champion import cells
from nofluke.studies.papers.champion.figures import FIGURES

PAGE = Path(__file__).parents[2] / "docs/replications/champion.md"
CLAIMS = claims.read("nofluke.studies.papers.champion")


def test_claims_are_whole():
    assert {claim.figure for claim in CLAIMS} == set(FIGURES)
    for claim in CLAIMS:
        assert "|" not in claim.text + claim.reads + claim.reason
        assert claim.reason.endswith(".")
        assert re.search(rf"\b{claim.id}\b", FIGURES[claim.figure].__doc__), claim.id


def test_areas_of_the_simulator_are_the_areas_it_says():
    areas = cells._true_areas("spread")
    assert areas.mean() == pytest.approx(0.83)
    assert areas.std(ddof=1) == pytest.approx(0.019)
    labels, scores = cells._draw(np.full(400, 0.83), 0.0, generator(1))
    won = [
        (s[labels == 1][:, None] > s[labels == 0]).mean() for s in scores
    ]  # 400 areas with a standard deviation of 0.03
    assert np.mean(won) == pytest.approx(0.83, abs=5 * 0.03 / math.sqrt(400))


@pytest.mark.parametrize("sd", [0.1, 0.3])
def test_the_mean_area_over_seeds_by_quadrature(sd):
    middle = math.sqrt(2) * stats.norm.ppf(0.83)

    def of_seed(shift):
        return stats.norm.cdf((middle + shift) / math.sqrt(2)) * stats.norm.pdf(shift, 0, sd)

    assert cells._mean_area(middle, sd) == pytest.approx(
        integrate.quad(of_seed, -8 * sd, 8 * sd)[0], abs=1e-10
    )


@pytest.fixture(scope="module")
def study():
    return studies.reproduce("champion", samples=800, seed=2)


def test_no_verdict_is_another_than_stated(study):
    assert {a.claim.id: (a.verdict, a.found) for a in study.claims if not a.agrees} == {}
    assert sum(a.verdict in ("yes", "no") for a in study.claims) >= 24


def test_simulated_maxima_are_those_that_are_computed(study):
    for row in study.tables["maxima"]:
        assert row["value"] == pytest.approx(row["exact"], abs=5 * row["error"]), row


def test_what_pays_for_the_choice_covers_and_what_does_not_does_not(study):
    rows = study.tables["winners"]
    mean = {m: np.mean([r["coverage"] for r in rows if r["method"] == m]) for m in cells.WINNERS}
    # 240 data sets: five standard errors are 0.07.
    assert mean["delong"] < 0.88
    assert mean["hybrid"] > 0.88
    assert mean["projection"] > mean["logit_t"] > mean["delong"]


def test_the_page_that_is_kept_agrees_with_the_claims(study):
    text = PAGE.read_text("utf-8")
    for claim in CLAIMS:
        (line,) = re.findall(rf"^\| {claim.id} \|.*$", text, flags=re.MULTILINE)
        assert claim.text in line
        assert f"| {claim.reproduces} |" in line or "not settled at this size" in line
    for name in study.pictures:
        assert f"](champion/{name}.svg)" in text
        assert (PAGE.parent / "champion" / f"{name}.svg").is_file()

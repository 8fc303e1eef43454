"""The study of guarantees after choosing: its worlds, its judgement, its claims and its page."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from nofluke import Scores, certify, studies
from nofluke.errors import InputError
from nofluke.results import Band
from nofluke.studies import claims
from nofluke.studies.engine import generator
from nofluke.studies.papers.psdme import cells, methods, pools, worlds
from nofluke.studies.papers.psdme.figures import FIGURES

PAGE = Path(__file__).parents[2] / "docs/replications/psdme.md"
CLAIMS = claims.read("nofluke.studies.papers.psdme")


def world(name):
    return worlds.WORLDS[name](5, generator(3, name))


@pytest.mark.parametrize("name", worlds.WORLDS)
def test_the_truth_of_a_world_is_what_it_draws(name):
    of = world(name)
    n = 500_000 // of.K if name == "buffer series" else 20_000
    x = of.draw(n, generator(4, name))[:5]
    truth = of.truth(x, np.arange(5))
    ordered = np.sort(x, axis=1)
    for row, at, before in zip(ordered, truth.at, truth.before, strict=True):
        counted = [np.searchsorted(row, row, side=side) / n for side in ("right", "left")]
        # A correlation of .95 leaves a fortieth of the rows; 1e-7 is the chance of a false alarm.
        worth = n / 40 if name == "buffer series" else n
        radius = math.sqrt(math.log(2 / 1e-7) / (2 * worth))
        assert np.abs(counted[0] - at).max() <= radius
        assert np.abs(counted[1] - before).max() <= radius
    assert (truth.before <= truth.at).all()


@pytest.mark.parametrize("name", ["regression", "alike", "queries", "judged", "buffers"])
@pytest.mark.parametrize("side", ["both", "lower"])
def test_a_band_is_wrong_where_it_misses_the_truth_somewhere(name, side):
    of = world(name)
    rng, hits = generator(5, name, side), 0
    for _ in range(60):
        x = of.draw(30, rng)[:2]
        truth = of.truth(x, np.arange(2))
        for k in range(2):
            answer = certify(
                Scores.from_arrays([x[k]], better="lower"), "top:1", delta=0.6, side=side,
                band="kolmogorov", gamma=0.25, dependence="ignore",
            ).evaluated[0].region  # fmt: skip
            assert isinstance(answer, Band)
            wrong = methods.wrong(worlds.Truth(truth.at[[k]], truth.before[[k]]), answer.limits)
            points = np.sort(x[k])
            just_before = np.nextafter(points, -np.inf)
            low = (answer.lower(points) > truth.at[k]).any()
            high = (answer.upper(just_before) < truth.before[k]).any()
            assert wrong[0] == (low or high)
            hits += int(wrong[0])
    assert 0 < hits < 120


@pytest.mark.parametrize("name", [m for m in methods.METHODS if m != methods.SPLIT])
def test_a_method_is_what_certify_does_with_the_whole_table(name):
    method = methods.METHODS[name]
    scores = Scores.from_arrays(generator(6).random((31, 60)), better="lower")
    whole = certify(
        scores, "top:7", gamma=0.25, rule=method.rule, band=method.band, side=method.side
    )
    found = methods.judge(name, K=31, n=60, M=7, delta=0.1, gamma=0.25)
    one, row = whole.evaluated[0], whole.rows()[0]

    assert found.alpha == pytest.approx(one.alpha, rel=1e-12)
    assert (found.rank, found.method) == (row["rank"], one.region.method)
    np.testing.assert_allclose(found.limits.below, one.region.limits.below, atol=1e-12)
    np.testing.assert_allclose(found.limits.above, one.region.limits.above, atol=1e-12)


def test_the_default_is_what_certify_does_when_nothing_is_said():
    scores = Scores.from_arrays(generator(6).random((31, 60)), better="lower")
    whole = certify(scores, "top:7", gamma=0.25)
    found = methods.judge(methods.DEFAULT, K=31, n=60, M=7, delta=0.1, gamma=0.25)

    assert whole.rule == "fixed_size"
    assert found.half_width == pytest.approx(whole.rows()[0]["half_width"], rel=1e-9)


def test_a_split_has_half_of_the_examples_and_the_whole_error():
    found = methods.judge(methods.SPLIT, K=31, n=200, M=7, delta=0.1, gamma=0.25)
    assert (found.n, found.alpha) == (100, 0.1)
    assert found.half_width == pytest.approx(math.sqrt(math.log(20) / 200))


def test_steps_of_ties_are_what_they_are_said_to_be():
    x, other = np.array([[0.0, 0.0, 1.0, 1.0]]), np.array([[0.0, 0.0, 1.0, 1.0]])
    steps, right = cells._against(x, other)
    assert (steps[0], right[0]) == (0.25, 0)


def test_rates_have_an_error_even_where_nothing_was_wrong():
    found = cells.rate(np.zeros(100), 5)
    assert found.value == 0
    assert 0 < found.error < 0.01


def test_claims_are_whole():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.figure for claim in CLAIMS if claim.figure} == set(FIGURES)
    for claim in CLAIMS:
        assert (claim.reproduces == "cannot be checked") == (not claim.figure), claim.id
        assert "|" not in claim.text + claim.reads + claim.reason
        assert claim.reason.endswith(".")
        if claim.figure:
            assert re.search(rf"\b{claim.id}\b", FIGURES[claim.figure].__doc__), claim.id


@pytest.fixture(scope="module")
def study():
    return studies.reproduce("psdme", samples=400, seed=5)


def test_no_verdict_is_another_than_stated(study):
    assert {a.claim.id: (a.verdict, a.found) for a in study.claims if not a.agrees} == {}
    assert sum(a.verdict in ("yes", "no") for a in study.claims) >= 40


def test_no_rate_exceeds_what_arithmetic_allows(study):
    for part in ("shortlists", "large", "tasks"):
        for row in study.tables[part]:
            assert row["fcr"] <= row["bound"] + 5 * row["fcr_error"], row
    for row in study.tables["adversary"]:
        assert row["fcr"] <= row["bound"] + 5 * row["fcr_error"]
        assert row["fcr"] >= 0.7 * row["bound"] - 5 * row["fcr_error"]


def test_the_page_is_written_by_the_study_and_says_its_size(study):
    assert study.page.startswith("# Guarantees after choosing among many, simulated again\n")
    assert "nofluke reproduce psdme --samples 400 --seed 5\n" in study.page
    assert "Left out, as they were not given" in study.page
    for name, picture in study.pictures.items():
        assert f"](psdme/{name}.svg)" in study.page
        assert picture.count("<circle") == len(methods.METHODS)


def test_the_page_that_is_kept_agrees_with_the_claims():
    text = PAGE.read_text("utf-8")
    for claim in CLAIMS:
        (line,) = re.findall(rf"^\| {claim.id} \|.*$", text, flags=re.MULTILINE)
        assert claim.text in line
        assert f"| {claim.reproduces} |" in line or "not settled at this size" in line
    for name in re.findall(r"\]\((psdme/\w+\.svg)\)", text):
        assert (PAGE.parent / name).is_file()


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds none of the public tables") as caught:
        studies.reproduce("psdme", samples=200, tables=tmp_path)
    assert caught.value.code == "NF425"


def test_a_folder_that_is_not_there_is_refused_as_such(tmp_path):
    with pytest.raises(InputError, match="there is no folder .*nowhere") as caught:
        studies.reproduce("psdme", samples=200, tables=tmp_path / "nowhere")
    assert caught.value.code == "NF425"


def test_tables_are_refused_where_none_are_read(tmp_path):
    with pytest.raises(InputError, match="reads no tables") as caught:
        studies.reproduce("quantiles", samples=200, tables=tmp_path)
    assert caught.value.code == "NF051"


def test_public_tables_are_drawn_again_from_themselves(shared):
    folder = shared / "data"
    if not folder.is_dir():
        pytest.skip("the public tables are not beside the project")
    assert pools.present(folder) == list(pools.TABLES)
    for name, asked in pools.TABLES.items():
        of = pools.pool(str(folder), name)
        x = of.draw(asked.n, generator(2, name))
        assert x.shape == (of.K, asked.n)
        if asked.paired:
            together = np.stack(of.scores)
            assert all(column in together.T.tolist() for column in x.T.tolist()[:5])
        rows = cells.resampled_tables(cells.Table(str(folder), name, 20), generator(3, name))
        assert len(rows) == len(methods.METHODS) + asked.binary
        assert all(row["fcr"] <= row["bound"] + 5 * row["fcr_error"] for row in rows)

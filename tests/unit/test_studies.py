"""The engine of studies, their claims, and the command that runs one."""

import csv
import hashlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from nofluke import quantiles, studies
from nofluke.cli import run
from nofluke.errors import InputError
from nofluke.studies import catalogue, claims, engine
from nofluke.studies.engine import Figure, Part
from nofluke.studies.papers.quantiles import page, resampling, runs, study
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS, Accuracy, decile_range
from nofluke.studies.papers.quantiles.figures import FIGURES, narrowest_pairs

COMMAND_LINE = Path(__file__).parents[2] / "docs/reference/command-line.md"
# Columns that say what was asked, or are computed and not drawn.
EXACT = {
    "distribution", "n", "u", "level", "method", "items", "estimator", "samples", "resamples",
    "lower_rank", "upper_rank", "equal_tails", "promised", "limits", "task", "runs", "truth",
}  # fmt: skip
CLAIMS = claims.read("nofluke.studies.papers.quantiles")


def draw(cell, rng):
    return [{"cell": cell, "x": float(rng.random())}, {"cell": cell, "x": float(rng.random())}]


def test_a_cell_draws_the_same_alone_in_any_order_and_in_other_processes():
    cells = [("a", 1), ("a", 2), ("b", 1)]
    whole = engine.run({"t": Part(draw, cells)}, seed=3)["t"]
    turned = engine.run({"t": Part(draw, cells[::-1])}, seed=3)["t"]
    alone = engine.run({"t": Part(draw, cells[1:2])}, seed=3)["t"]

    assert sorted(whole, key=str) == sorted(turned, key=str)
    assert alone == whole[2:4]
    assert len({row["x"] for row in whole}) == 6


def test_processes_change_nothing():
    part = Part(resampling.resampled, [study.Cell("U(0, 1)", 5, 2), study.Cell("mixture", 5, 2)])
    one = engine.run({"t": part}, seed=1, workers=1)
    assert engine.run({"t": part}, seed=1, workers=2) == one


def test_seed_and_table_enter_the_generator():
    def first(*key):
        return engine.generator(*key).random()

    assert len({first(0, "a", 1), first(1, "a", 1), first(0, "b", 1), first(0, "a", 2)}) == 4


def test_every_figure_has_an_error():
    assert engine.share(np.ones(100, bool)) == (1, pytest.approx(0.0098, abs=1e-4))
    assert engine.share(np.arange(1000) < 900).error == pytest.approx(
        0.3 / math.sqrt(1000), rel=0.01
    )
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert engine.average(x) == (2.5, pytest.approx(math.sqrt(5 / 3 / 4)))
    assert engine.pooled([Figure(1, 3), Figure(2, 4)]) == (1.5, 2.5)


@pytest.mark.parametrize(
    ("rule", "value", "error", "expected"),
    [
        ("equal", 0.86, 0.002, "yes"),
        ("equal", 0.80, 0.005, "no"),
        ("equal", 0.90, 0.005, "no"),
        ("equal", 0.835, 0.005, "not settled at this size"),
        ("at least", 0.99, 0.0, "yes"),
        ("at least", 0.80, 0.005, "no"),
        ("at most", 0.20, 0.0, "yes"),
        ("at most", 0.88, 0.0, "no"),
        ("at most", 0.86, 0.01, "not settled at this size"),
    ],
)
def test_a_verdict_leaves_room_for_four_errors(rule, value, error, expected):
    claim = claims.Claim(
        id="C", where="", text="", reads="", reproduces="yes", reason="", rule=rule, number=0.85,
        tolerance=0.02,
    )  # fmt: skip
    assert claims.verdict(claim, Figure(value, error)) == expected


def test_claims_are_whole():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.figure for claim in CLAIMS if claim.figure} == set(FIGURES)
    for claim in CLAIMS:
        assert (claim.reproduces == "cannot be checked") == (not claim.figure), claim.id
        assert claim.reproduces in ("yes", "no", "cannot be checked")
        assert math.isnan(claim.number) == (not claim.figure)
        assert "|" not in claim.text + claim.reads + claim.reason
        assert claim.reason.endswith(".")
        assert claim.id in FIGURES[claim.figure].__doc__ if claim.figure else True


def test_the_pairs_that_cannot_be_narrowed_by_enumeration():
    pmf = [math.comb(10, j) / 2**10 for j in range(11)]
    good = {(k, l) for k in range(1, 11) for l in range(k, 11) if sum(pmf[k:l]) >= 0.9}  # noqa: E741
    narrowest = {(k, l) for k, l in good if (k + 1, l) not in good and (k, l - 1) not in good}  # noqa: E741

    assert narrowest == {(2, 8), (3, 9)}
    assert narrowest_pairs({}) == (2, 0)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_draws_have_the_quantiles_and_the_mean_of_their_distribution(name):
    distribution = DISTRIBUTIONS[name]
    x = distribution.draw((100_000,), np.random.default_rng(4))
    for u in (0.05, 0.5, 0.95):
        assert np.mean(x <= distribution.quantile(u)) == pytest.approx(u, abs=0.008)
    assert x.mean() == pytest.approx(distribution.mean, abs=5 * x.std() / math.sqrt(x.size))
    assert decile_range(name) == distribution.quantile(0.9) - distribution.quantile(0.1)


@pytest.mark.parametrize("items", [20, 100])
def test_quantiles_of_accuracy_by_quadrature(items):
    def below(k):
        def of_rate(p):
            return stats.binom.cdf(k, items, p) * stats.norm.pdf(p, 0.9, 0.02)

        return integrate.quad(of_rate, 0.75, 1, points=[0.85, 0.9, 0.95])[0]

    for u in (0.05, 0.5, 0.95):
        k = round(Accuracy(items).quantile(u) * items)
        assert below(k - 1) < u <= below(k)


def test_the_transformation_is_that_of_the_library_sample_by_sample():
    x = np.sort(np.random.default_rng(1).random((5, 7)), axis=1)
    levels = (0.01, 0.12, 0.125, 0.2, 0.5, 0.5031, 0.8, 0.875, 0.88, 0.999)
    ours = resampling.transformed(x, np.tile(levels, (5, 1)))
    theirs = np.transpose([quantiles.transformed(x, u) for u in levels])

    np.testing.assert_allclose(ours, theirs, atol=1e-14)


def test_the_order_statistic_of_transformed_draws_is_the_transformed_order_statistic():
    rng = np.random.default_rng(2)
    x, v = np.sort(rng.normal(size=(4, 9)), axis=1), rng.random((4, 9))
    whole = np.sort(resampling.transformed(x, v), axis=1)

    np.testing.assert_allclose(whole, resampling.transformed(x, np.sort(v, axis=1)), atol=1e-14)


@pytest.mark.parametrize(
    ("paper", "choices", "said"),
    [
        ("quantile", {}, "there is no study 'quantile'; there are psdme, "),
        ("quantiles", {"samples": 199}, "samples=199 is too few"),
        ("quantiles", {"seed": -1}, "seed=-1 must be at least 0"),
        ("quantiles", {"workers": 0}, "workers=0 must be at least 1"),
    ],
)
def test_refusals(paper, choices, said):
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        studies.reproduce(paper, **choices)
    assert caught.value.code == "NF051"


def test_the_command_prints_claims_and_writes_tables(tmp_path, capsys):
    tokens = ["--samples", "200", "--workers", "1", "--out", str(tmp_path / "new")]
    assert run(["reproduce", "quantiles", *tokens]) == 0
    out, err = capsys.readouterr()

    for claim in CLAIMS:
        assert re.search(rf"^ {claim.id} ", out, flags=re.MULTILINE), claim.id
    assert f"Of {len(CLAIMS)} claims: " in out
    assert "nofluke reproduce quantiles --samples 200 --seed 0" in out
    assert "The page, the tables and the manifest are in" in err
    tables = tmp_path / "new" / "quantiles"
    assert {p.stem for p in tables.glob("*.csv")} == {
        "intervals", "mean", "estimates", "discrete", "resampled", "real", "claims",
    }  # fmt: skip
    with (tables / "intervals.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6 * 4 * 7 * 4 * len(page.NAMES)
    manifest = json.loads((tables / "manifest.json").read_text("utf-8"))
    assert manifest["samples"] == 200
    written = {p.relative_to(tmp_path / "new").as_posix() for p in (tmp_path / "new").rglob("*.*")}
    others = {"quantiles/manifest.json", "claims.md"}
    assert {*manifest["sha256"], *others} == written  # and no finished cells
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((tmp_path / "new" / name).read_bytes()).hexdigest() == digest
    for path in tables.glob("*.csv"):
        columns = set(path.read_text("utf-8").split("\n", 1)[0].split(","))
        drawn = {c for c in columns - EXACT if not c.endswith("_error")}
        assert path.stem == "claims" or {f"{c}_error" for c in drawn} == columns - EXACT - drawn
    written = (tmp_path / "new" / "quantiles.md").read_text("utf-8")
    assert written.startswith("# Intervals for a quantile over few runs, simulated again\n")


def test_every_option_is_explained(capsys):
    assert run(["reproduce", "--help"]) == 0
    options = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help", "--version"}
    text = COMMAND_LINE.read_text("utf-8").split("## `nofluke reproduce`", 1)[1]

    assert {"--samples", "--quick", "--full", "--seed", "--workers", "--tables", "--out"} <= options
    assert [option for option in sorted(options) if f"`{option}`" not in text] == []


def test_quick_is_a_number_of_samples(capsys):
    assert run(["reproduce", "quantiles", "--quick", "--samples", "300"]) == 2
    assert capsys.readouterr().err.startswith("NF051  --quick means --samples 2000")


def test_a_folder_that_cannot_be_made_is_told_at_once(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["reproduce", "quantiles", "--out", str(tmp_path / "file")]) == 2
    assert "no folder can be made there" in capsys.readouterr().err


def test_an_unknown_study_is_told_on_the_command_line(capsys):
    assert run(["reproduce", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("NF051  there is no study 'nothing'")


def test_what_cannot_be_written_is_told_before_the_simulation(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "reproduce", lambda *_, **__: pytest.fail("simulated"))
    (tmp_path / "file").touch()
    assert run(["reproduce", "quantiles", "--out", str(tmp_path / "file")]) == 2
    assert "no folder can be made there" in capsys.readouterr().err
    assert run(["reproduce", "quantiles", "--quick", "--samples", "300"]) == 2
    assert "leave out all but one" in capsys.readouterr().err


def test_a_folder_that_takes_no_files_is_told_before_the_simulation(capsys, tmp_path, monkeypatch):
    def refuse(*, dir):  # noqa: A002 (the name of tempfile's argument)
        raise PermissionError(13, "Permission denied", dir)

    monkeypatch.setattr(studies, "reproduce", lambda *_, **__: pytest.fail("simulated"))
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert run(["reproduce", "quantiles", "--out", str(tmp_path)]) == 2
    said = f"NF008  --out {tmp_path}: nothing can be written there (Permission denied)"
    assert capsys.readouterr().err.startswith(said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (["--workers", "0"], "--workers 0 must be at least 1"),
        (["--samples", "5"], "--samples 5 is too few"),
        (["--tables", "there"], "Leave --tables out"),
        (
            ["--scheduler", "tcp://a:1"],
            "--scheduler tcp://a:1 is the address of a cluster, and no back end is named; say "
            "--backend dask or --backend ray",
        ),
    ],
)
def test_refusals_of_the_command_name_its_options(tokens, said, capsys):
    assert run(["reproduce", "quantiles", *tokens]) == 2
    assert said in capsys.readouterr().err


def test_a_study_that_is_nearly_named_is_told():
    with pytest.raises(InputError, match=r"envelope\. Did you mean 'champion'\?$"):
        studies.reproduce("Champion")


def test_without_a_name_all_studies_run_and_all_claims_are_listed(tmp_path, monkeypatch, capsys):
    asked = {}

    def fake(paper, **how):
        asked[paper] = how
        return engine.Study(
            paper=paper, tables={}, claims=(), manifest={"command": f"again {paper}"},
            page=f"# {paper}\n", summary=f"{paper} is done.", pictures={"dots": "<svg/>"},
        )  # fmt: skip

    monkeypatch.setattr(studies, "reproduce", fake)
    tokens = ["--quick", "--workers", "1", "--tables", str(tmp_path), "--out", str(tmp_path)]
    assert run(["reproduce", *tokens]) == 0

    assert list(asked) == list(studies.STUDIES)
    assert {how["samples"] for how in asked.values()} == {studies.QUICK}
    assert {paper for paper, how in asked.items() if how["tables"]} == {"psdme"}
    out = capsys.readouterr().out
    for paper in asked:
        assert f"{paper} is done." in out
        assert (tmp_path / f"{paper}.md").read_text("utf-8") == f"# {paper}\n"
        assert (tmp_path / paper / "dots.svg").read_text("utf-8") == "<svg/>"
    assert (tmp_path / "claims.md").read_text("utf-8") == catalogue.markdown()


def test_sizes_are_named_once(capsys):
    assert run(["reproduce", "quantiles", "--quick", "--full"]) == 2
    assert "--quick and --full were given together" in capsys.readouterr().err


def test_real_runs_differ_by_chance_alone_and_are_the_same_again():
    one, again = (runs.trained("breast cancer", 4, 3) for _ in range(2))
    assert one.tolist() == again.tolist()
    assert len(set(one.tolist())) > 1
    assert ((one > 0.8) & (one <= 1)).all()


def test_quantiles_of_the_runs_are_the_truth_of_samples_of_them():
    rows = runs.real(runs.Task("breast cancer", 12, 400), engine.generator(5))
    assert len(rows) == 4 * 7 * 4 * len(page.NAMES)
    for row in rows:
        if row["method"] in ("exact_equal", "exact_shortest"):
            assert row["coverage"] >= row["level"] - 5 * row["coverage_error"], row


def test_without_scikit_learn_claims_about_runs_cannot_be_checked():
    (claim,) = [claim for claim in CLAIMS if claim.id == "R1"]
    without = study._without_runs(claim)
    assert (without.figure, without.reproduces) == ("", "cannot be checked")
    assert study._without_runs(CLAIMS[0]) is CLAIMS[0]
    assert "Left out: scikit-learn is not installed" in page._real([])

"""Public score tables and the reports of people who do this job: sensible answers to both.

They lie beside the project and are not part of it; without them these tests are skipped.
"""

import json
import math

import numpy as np
import pytest

from nofluke import Scores, bands, certify, read
from nofluke.errors import InputError


@pytest.fixture
def data(shared):
    return shared / "data"


@pytest.fixture
def cases(shared):
    return shared / "cases"


def test_the_best_of_twenty_pays_for_the_twenty(cases):
    expected = json.loads((cases / "bands-01.json").read_text())["expected"]
    scores = read(cases / "inputs" / "bands01_best_of_20.csv", better="higher", bounds=(0, 1))
    ranges, values = expected["ranges"], expected["values"]
    for side, key in (("both", "two_sided_halfwidth"), ("auto", "one_sided_halfwidth")):
        answer = certify(scores, "top:1", delta=0.05, side=side)
        row = answer.rows()[0]

        assert answer.K == values["K"]
        assert row["n"] == values["n"]
        assert answer.selected == (values["winner"],)
        assert row["mean"] == pytest.approx(values["winner_mean"], abs=1e-12)
        assert ranges[key][0] <= row["half_width"] <= ranges[key][1]
    two_sided = certify(scores, "top:1", delta=0.05, side="both", band="dkw").rows()[0]
    assert two_sided["half_width"] == pytest.approx(
        expected["reference"]["two_sided_DKW_Bonferroni"], abs=1e-12
    )

    winner = scores.sample(scores.candidates.index(values["winner"]))
    alone = Scores.from_arrays({values["winner"]: winner}, better="higher", bounds=(0, 1))
    ask = {"select": "names:cand05", "delta": 0.05, "side": "both"}
    one = certify(alone, **ask, band="dkw").rows()[0]["half_width"]
    assert one == pytest.approx(0.1921, abs=5e-5)
    exact = certify(alone, **ask, band="kolmogorov").rows()[0]["half_width"]
    assert exact == pytest.approx(0.1884, abs=5e-5)
    assert exact < one < ranges["two_sided_halfwidth"][0]


def test_a_model_that_failed_on_the_hard_items_does_not_win(cases):
    expected = json.loads((cases / "bands-02.json").read_text())["expected"]["values"]
    scores = read(cases / "inputs" / "bands02_missing.csv", better="higher")
    with pytest.raises(InputError, match="'delta' lacks 3"):
        certify(scores, "top:1")
    answer = certify(scores, "top:1", missing="common")

    assert answer.selected == (expected["winner_on_common_items"],)
    assert answer.rows()[0]["n"] == expected["items_all_have"]
    assert answer.rows()[0]["mean"] == pytest.approx(
        expected["mean_over_items_all_have"]["alpha"], abs=1e-12
    )
    note = next(n for n in answer.notes if n.startswith("NF107"))
    assert "7 of 10 examples" in note
    assert "'delta' lacks 3" in note
    worst = certify(scores, "names:delta", missing="worst", rule="bonferroni")
    assert worst.rows()[0]["n"] == 10


def test_swebench_pro_compares_what_everyone_ran(data):
    scores = read(data / "swebench_pro.parquet", binary=True)
    assert scores.better == "higher"  # known of the metric "resolved"
    with pytest.raises(InputError, match="418 examples everyone has"):
        certify(scores, "top:3")
    answer = certify(scores, "top:3", missing="common")

    assert {row["n"] for row in answer.rows()} == {418}
    assert answer.band == "clopper_pearson"
    assert answer.selected[0] == "claude-45sonnet-10132025"
    for row in answer.rows():
        assert 0.3 < row["value"] < row["mean"]
    assert any("11 clusters" in note for note in answer.notes)


def test_alpacaeval_says_what_the_scores_say(data):
    scores = read(data / "alpaca_eval2_weighted.parquet", bounds=(1, 2))
    answer = certify(scores, "top:5", missing="common", gamma=(0.1, 0.05))

    assert answer.n == 797
    assert answer.K == 58
    # An adversarial constant answer tops this table: no interval tells merit from a fooled judge.
    assert answer.selected[0] == "NullModel"
    assert all(
        1 <= row["value"] <= row["mean"] or math.isinf(row["value"]) for row in answer.rows()
    )
    constant = certify(scores, "names:gpt4_1106_preview", missing="common")
    assert constant.rows()[0]["value"] == 1.5


def test_refused_requests_do_not_make_a_server_fast(data):
    ask = {"select": "top:5@median", "missing": "own", "gamma": (0.5, 0.25)}
    path = data / "llmperf_latency.parquet"
    fooled = certify(read(path, better="lower"), **ask)
    assert fooled.selected[:3] == ("lepton_13b", "lepton_70b", "lepton_7b")
    assert any("NF116: column 'error_code' may tell failed rows" in n for n in fooled.notes)

    for failed, rows in (("error_code", 539), ("error_code=429,-1", 393)):
        scores = read(path, better="lower", failed=failed)
        answer = certify(scores, **ask)
        assert int(scores.n_failed.sum()) == rows
        assert answer.selected[0] == "groq_70b"
        assert not any(c.startswith("lepton") for c in answer.selected)
        assert {w["candidate"] for w in answer.winners()} == {"groq_70b"}
        assert not any("NF116" in note for note in answer.notes)
        assert {row["n"] for row in answer.rows()} <= set(range(145, 151))
        with pytest.raises(InputError, match="infinite.*top:5@median"):
            certify(scores, missing="own")
    with pytest.raises(InputError, match="say missing='own'"):
        certify(read(path, better="lower"))


def test_forecasting_errors_with_runaway_tails(data):
    scores = read(data / "fev_bench_errors.parquet")
    assert scores.better == "lower"
    with pytest.raises(InputError, match="'AutoARIMA' lacks 4"):
        certify(scores)
    common = certify(scores, "top:5@median", missing="common", gamma=0.25)
    worst = certify(scores, "top:5@median", missing="worst", gamma=0.25)

    assert common.n == 91
    assert worst.n == 100
    assert worst.selected[0] == "Chronos-2"
    assert all(row["value"] < 10 for row in (*common.rows(), *worst.rows()))
    # Means are carried away by errors up to 3.9e14, so choosing by them is choosing by one row.
    runaway = certify(scores, "names:AutoETS", missing="common", gamma=0.5)
    assert runaway.rows()[0]["mean"] > 1e10
    assert runaway.rows()[0]["value"] < 10


def test_ids_and_decimal_commas(cases):
    runs = [cases / "inputs" / f"table01_run_{x}.csv" for x in "ab"]
    scores = read(runs, better="higher")
    assert scores.complete
    assert len(scores.examples) == 8
    a, b = scores.matrix()
    assert np.mean(a - b) == pytest.approx(0.075, abs=1e-12)

    commas = read(cases / "inputs" / "table02_excel_export.csv", better="higher")
    assert commas.candidates == ("model_a", "model_b")
    assert commas.matrix().mean(axis=1) == pytest.approx([0.7375, 0.6725], abs=1e-12)
    with pytest.raises(InputError, match="f5"):
        read(cases / "inputs" / "table02_excel_export_thousands.csv", better="higher")


def test_a_band_for_negative_zeros_and_few_values(data):
    scores = read(data / "wmt_ted_mqm_ende.parquet", better="higher", columns={"cluster": None})
    answer = certify(scores, "top:3", missing="common", gamma=(0.3, 0.1))
    assert answer.n == 529
    assert all(isinstance(e.region.half_width, float) for e in answer.evaluated)
    assert "-0.0" not in answer.to_json()
    assert answer.band in bands.METHODS

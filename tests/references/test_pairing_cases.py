"""Pairs of reported cases and of public score tables: what others counted or got wrong."""

import json

import numpy as np
import pytest

from nofluke import Scores, read
from nofluke.errors import InputError
from nofluke.scores.metrics import bounds_of
from nofluke.scores.pairing import pair


@pytest.fixture(scope="module")
def inputs(shared):
    return shared / "cases" / "inputs"


def expected(shared, name):
    return json.loads((shared / "cases" / f"{name}.json").read_text())["expected"]["values"]


def test_two_runs_in_different_order(shared, inputs):
    known = expected(shared, "paired-01")
    scores = read([inputs / "paired01_model_a.jsonl", inputs / "paired01_model_b.jsonl"])

    p = pair(scores, "paired01_model_a", "paired01_model_b")

    assert p.counts["pairs"] == len(p.ids) == known["n_pairs"] == 60
    assert p.a.mean() == pytest.approx(known["acc_a"], abs=1e-12)
    assert p.b.mean() == pytest.approx(known["acc_b"], abs=1e-12)
    d = p.b - p.a
    assert -d.mean() == pytest.approx(known["difference"], abs=1e-12)
    assert (int((d < 0).sum()), int((d > 0).sum())) == (
        known["a_only_right"],
        known["b_only_right"],
    )
    assert d.std(ddof=1) / np.sqrt(d.size) == pytest.approx(
        known["paired_se_of_difference"], abs=1e-9
    )
    assert p.counts["identical_scores"] == pytest.approx(42 / 60)
    assert not any(p.counts[k] for k in ("only_a", "only_b", "missing_a", "repeats_b"))


def test_ids_that_look_like_numbers_or_like_missing(shared, inputs):
    known = expected(shared, "table-01")
    scores = read([inputs / "table01_run_a.csv", inputs / "table01_run_b.csv"])

    p = pair(scores, "table01_run_a", "table01_run_b")

    assert p.counts["pairs"] == known["pairs"]
    assert {"007", "7", "NA", "null"} <= set(p.ids)
    assert abs((p.b - p.a).mean()) == pytest.approx(known["mean_difference"], abs=1e-12)


def test_scales_mixed_in_one_column(shared):
    case = json.loads((shared / "cases" / "sequential-02.json").read_text())
    data, known = case["input"], case["expected"]["values"]
    scores = Scores.from_arrays({"a": data["a"], "b": data["b"]}, metric="accuracy")
    named = [
        f"'{c}/{i}: {v:g}'"
        for c in "ab"
        for i, v in zip(
            known[f"offending_positions_{c}"], known[f"offending_values_{c}"], strict=True
        )
    ]

    for bounds in (None, data["range"]):
        with pytest.raises(InputError) as caught:
            bounds_of(scores, bounds)
        assert caught.value.code == "NF010"
        text = str(caught.value)
        assert "bounds=(0, 1)" in text
        assert all(name in text for name in named)
        assert "per cent" not in text
    assert bounds_of(scores, (-100, 100)) == (-100, 100)
    alone = Scores.from_arrays({"a": data["a"], "c": data["a"]}, metric="accuracy")
    assert bounds_of(alone, (0, 100)) == (0, 100)
    p = pair(alone, "a", "c")
    assert dict(zip(p.ids, p.a.tolist(), strict=True))["2"] == 85


def test_livecodebench_pairs_as_its_authors_counted(shared):
    scores = read(shared / "data" / "livecodebench_o1.parquet")

    p = pair(scores, "O1-Mini-2024-09-12", "O1-Preview-2024-09-12")

    counted = [int(((p.a == x) & (p.b == y)).sum()) for x, y in ((1, 1), (0, 0), (1, 0), (0, 1))]
    assert counted == [445, 234, 157, 44]
    assert p.counts["identical_scores"] == pytest.approx((445 + 234) / 880)
    assert len(set(p.cluster.codes.tolist())) == 227
    assert bounds_of(scores) == (0, 1)


def test_swebench_models_ran_different_sets(shared):
    scores = read(shared / "data" / "swebench_pro.parquet")
    a, b = "gpt-4o-paper", "claude-4sonnet-10132025"
    ran = {
        c: set(np.array(scores.examples)[scores.places(k)]) for k, c in enumerate(scores.candidates)
    }

    with pytest.raises(InputError) as caught:
        pair(scores, a, b)
    assert caught.value.code == "NF017"
    p = pair(scores, a, b, missing="common")
    assert set(p.ids) == ran[a] & ran[b]
    assert p.counts["only_a"] == len(ran[a] - ran[b])
    assert p.counts["only_b"] == len(ran[b] - ran[a])
    worst = pair(scores, a, b, missing="worst")
    assert set(worst.ids) == ran[a] | ran[b]
    assert worst.a.sum() == scores.sample(scores.candidates.index(a)).sum()
    assert len(p.cluster.names) == 11


def test_segments_that_nobody_rated(shared):
    scores = read(
        shared / "data" / "wmt_ted_mqm_ende.parquet", columns={"cluster": None}, better="higher"
    )
    a, b = scores.candidates[:2]
    with pytest.raises(InputError, match="Neither has a score on 77 examples") as caught:
        pair(scores, a, b)
    assert "Whoever lacks" not in str(caught.value)
    for missing in ("common", "worst"):
        p = pair(scores, a, b, missing=missing, bounds=(-25, 0))
        assert p.counts["pairs"] == 529
        assert p.counts["missing_a"] == p.counts["missing_b"] == 77


def test_logs_with_prompts_and_answers(inputs):
    path = inputs / "reader01_samples_gsm8k_2026-01-05T10-00-00.jsonl"
    scores = read(path, columns={"candidate": "filter"}, contents=True, reader="table")
    assert scores.candidates == ("flexible-extract", "strict-match")

    p = pair(scores, "strict-match", "flexible-extract")

    assert p.counts["pairs"] == 6
    assert p.counts["inputs_differ"] == 0
    assert 0 < p.counts["identical_outputs"] < 1

"""Corpus comparisons: pairing, what is resampled, what is said."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from nofluke import Scores, read
from nofluke.errors import InputError
from nofluke.kernels import corpus
from nofluke.questions.pooled import compare_pooled
from nofluke.scores.table import Labels


def table(a, b, *, better="lower", cluster=None):
    """A table of two candidates from their kept columns."""
    n = len(next(iter(a.values())))
    scores = Scores.from_arrays(np.zeros((2, n)), candidates=["a", "b"], better=better)
    kept = {name: np.concatenate([a[name], b[name]]).astype(float) for name in a}
    labels = None
    if cluster is not None:
        names = tuple(map(str, sorted(set(cluster))))
        labels = Labels(np.tile(np.asarray(cluster, np.int32), 2), names)
    return replace(scores, kept=kept, cluster=labels)


def recognised(seed, n=300, rates=(0.2, 0.15), unit=1):
    """Errors and words of two speech recognisers on the same utterances."""
    rng = np.random.default_rng(seed)
    words = np.repeat(rng.integers(3, 40, n // unit), unit)
    hard = np.repeat(rng.beta(2, 8, n // unit), unit)
    sides = []
    for rate in rates:
        errors = rng.binomial(words, np.clip(hard * rate / 0.2, 0, 1))
        sides.append({"errors": errors, "words": words})
    return sides


def test_the_figures_are_those_of_the_whole_corpus():
    a, b = recognised(1)

    found = compare_pooled(table(a, b), "a", "b", "errors/words")

    figures = [Fraction(int(s["errors"].sum()), int(s["words"].sum())) for s in (a, b)]
    assert found.a == pytest.approx(float(figures[0]), rel=1e-14)
    assert found.b == pytest.approx(float(figures[1]), rel=1e-14)
    assert found.estimate == pytest.approx(float(figures[1] - figures[0]), rel=1e-12)
    ratios = [s["errors"] / s["words"] for s in (a, b)]
    assert found.per_item.estimate == pytest.approx((ratios[1] - ratios[0]).mean(), rel=1e-12)
    assert found.per_item.se == pytest.approx(
        (ratios[1] - ratios[0]).std(ddof=1) / math.sqrt(300), rel=1e-12
    )


def test_the_same_items_are_drawn_for_both_sides():
    # Hard items are hard for both: the difference is known far better than either side.
    words = np.full(400, 100)
    hard = np.random.default_rng(2).integers(0, 90, 400)
    a = {"errors": hard, "words": words}
    b = {"errors": hard + np.random.default_rng(3).integers(0, 3, 400), "words": words}

    found = compare_pooled(
        table(a, b), "a", "b", "errors/words", alternative="worse", better="lower"
    )

    spread = hard.std() / 100 / math.sqrt(400)
    assert found.bca.se < 0.05 * spread
    assert found.jackknife.se == pytest.approx(found.bca.se, rel=0.15)
    assert found.verdict == "yes"


def test_a_function_of_the_columns_sees_the_same_resamples_as_the_name():
    a, b = recognised(4, n=80)
    scores = table(a, b)

    def wer(columns):
        return columns["errors"].sum() / columns["words"].sum()

    by_name = compare_pooled(scores, "a", "b", "errors/words", n_resamples=300)
    by_hand = compare_pooled(scores, "a", "b", wer, n_resamples=300)

    assert by_hand.statistic == "wer"
    assert by_hand.per_item is None
    for one, other in zip(by_name.rows()[:3], by_hand.rows(), strict=True):
        assert [one[k] for k in ("a", "b", "se", "lower", "upper")] == pytest.approx(
            [other[k] for k in ("a", "b", "se", "lower", "upper")], rel=1e-9
        )


def test_swapped_sides_mirror_the_answer():
    a, b = recognised(5)
    scores = table(a, b)

    one = compare_pooled(scores, "a", "b", "errors/words")
    other = compare_pooled(scores, "b", "a", "errors/words")

    assert (one.a, one.b) == (other.b, other.a)
    for r, m in zip(one.rows(), other.rows(), strict=True):
        assert [m["estimate"], m["lower"], m["upper"]] == pytest.approx(
            [-r["estimate"], -r["upper"], -r["lower"]], rel=1e-9
        )


def test_pairs_are_joined_by_id_and_not_by_row(tmp_path):
    a, b = recognised(6, n=60)
    lines = [
        f"{who},doc{i:02d},{side['errors'][i] / side['words'][i]},{side['errors'][i]},"
        f"{side['words'][i]}"
        for who, side in (("a", a), ("b", b))
        for i in range(60)
    ]
    shuffled = np.random.default_rng(7).permutation(lines)
    answers = []
    for name, rows in (("sorted", lines), ("shuffled", shuffled)):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["model,doc_id,wer,errors,words", *rows]))
        scores = read(path, keep=["errors", "words"], better="lower")
        answers.append(compare_pooled(scores, "a", "b", "errors/words"))

    assert answers[0].rows() == answers[1].rows()
    assert answers[0].estimate == pytest.approx(
        (b["errors"].sum() - a["errors"].sum()) / a["words"].sum()
    )


def test_another_candidate_and_its_gaps_are_ignored(tmp_path):
    a, b = recognised(8, n=40)
    rows = [
        f"{who},{i},0,{side['errors'][i]},{side['words'][i]}"
        for who, side in (("b", b), ("a", a))
        for i in range(40)
    ]
    rows += ["c,0,0,1,9", "c,extra,0,1,9"]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(["model,item,wer,errors,words", *rows]))
    scores = read(path, keep=["errors", "words"], better="lower")

    found = compare_pooled(scores, "a", "b", "errors/words")

    assert found.n == 40
    assert found.a == pytest.approx(a["errors"].sum() / a["words"].sum())
    with pytest.raises(InputError) as refused:
        compare_pooled(scores, "a", "c", "errors/words")
    assert refused.value.code == "NF007"
    common = compare_pooled(scores, "a", "c", "errors/words", missing="common")
    assert common.n == 1
    assert (common.lower, common.upper) == (-math.inf, math.inf)
    assert common.verdict == "not enough evidence"


def test_whole_clusters_are_resampled():
    a, b = recognised(9, n=240, unit=1)
    # Every utterance six times: no more is known than from one copy of each.
    copies = [{k: np.repeat(v, 6) for k, v in side.items()} for side in (a, b)]
    clustered = compare_pooled(
        table(*copies, cluster=np.repeat(np.arange(240), 6)), "a", "b", "errors/words"
    )
    once = compare_pooled(table(a, b), "a", "b", "errors/words")
    naive = compare_pooled(table(*copies), "a", "b", "errors/words")

    assert (clustered.unit, clustered.n_units, clustered.n) == ("cluster", 240, 1440)
    assert clustered.jackknife.se == pytest.approx(once.jackknife.se, rel=1e-9)
    assert clustered.per_item.se == pytest.approx(once.per_item.se, rel=1e-9)
    assert clustered.bca[3:8] == pytest.approx(once.bca[3:8], rel=1e-9)
    assert naive.jackknife.se < 0.5 * once.jackknife.se


def test_clusters_and_functions_go_together():
    a, b = recognised(10, n=60)
    scores = table(a, b, cluster=np.repeat(np.arange(20), 3))

    def wer(columns):
        return columns["errors"].sum() / columns["words"].sum()

    one = compare_pooled(scores, "a", "b", "errors/words", n_resamples=200)
    other = compare_pooled(scores, "a", "b", wer, n_resamples=200)

    assert one.bca[2:] == pytest.approx(other.bca[2:], rel=1e-9)
    assert one.jackknife[2:] == pytest.approx(other.jackknife[2:], rel=1e-9)


@pytest.mark.parametrize("statistic", ["pearson:prediction,target", "spearman:prediction,target"])
def test_correlations_have_no_item_of_their_own(statistic):
    rng = np.random.default_rng(11)
    target = rng.normal(size=150)
    a = {"prediction": target + 2 * rng.normal(size=150), "target": target}
    b = {"prediction": target + 0.5 * rng.normal(size=150), "target": target}

    found = compare_pooled(
        table(a, b, better=None), "a", "b", statistic, alternative="better", n_resamples=500
    )

    assert found.per_item is None
    assert found.better == "higher"
    assert found.b > found.a + 0.2
    assert (found.verdict, found.upper) == ("yes", math.inf)


def test_bleu_from_counts():
    rng = np.random.default_rng(12)
    totals = np.sort(rng.integers(8, 30, (120, 1)), axis=0) - np.arange(4)
    a = rng.binomial(totals, [0.7, 0.45, 0.3, 0.2])
    b = rng.binomial(totals, [0.75, 0.52, 0.36, 0.25])
    length = totals[:, 0]
    names = ["m1", "m2", "m3", "m4", "t1", "t2", "t3", "t4", "sys", "ref"]
    sides = [dict(zip(names, [*m.T, *totals.T, length, length + 1], strict=True)) for m in (a, b)]

    found = compare_pooled(table(*sides), "a", "b", "bleu:" + ",".join(names), alternative="better")

    sums = np.array([sides[0][name].sum() for name in names], float)
    assert found.a == pytest.approx(float(corpus.bleu(sums)))
    assert 20 < found.a < found.b < 60
    assert found.verdict == "yes"


def test_two_sides_that_never_differ_are_not_shown_to_be_equal():
    a, _ = recognised(13)

    found = compare_pooled(table(a, a), "a", "b", "errors/words")

    assert found.estimate == 0
    assert (found.lower, found.upper) == (-math.inf, math.inf)
    assert found.verdict == "not enough evidence"
    assert any(note.startswith("NF151: all resamples") for note in found.notes)


def test_few_units_are_told():
    a, b = recognised(14, n=20)

    assert any(
        "only 20 items" in n for n in compare_pooled(table(a, b), "a", "b", "errors/words").notes
    )
    enough = compare_pooled(table(*recognised(14)), "a", "b", "errors/words")
    assert enough.notes == ()


def test_items_with_nothing_below_the_line_are_named():
    a, b = recognised(15)
    a["words"] = b["words"] = np.where(np.arange(300) < 2, 0, a["words"])

    found = compare_pooled(table(a, b), "a", "b", "errors/words")

    assert found.per_item.n == 298
    assert any("2 items have words = 0" in n and "'0', '1'" in n for n in found.notes)
    assert found.a == pytest.approx(a["errors"].sum() / a["words"].sum())


def test_a_corpus_and_its_items_may_disagree():
    # One side is better on many short items, the other on the few long ones.
    rng = np.random.default_rng(16)
    words = np.where(np.arange(200) < 150, 10, 200)
    a = {"errors": rng.binomial(words, np.where(words == 10, 0.30, 0.10)), "words": words}
    b = {"errors": rng.binomial(words, np.where(words == 10, 0.10, 0.20)), "words": words}

    found = compare_pooled(table(a, b), "a", "b", "errors/words")

    assert found.estimate > 0 > found.per_item.estimate
    assert any(n.startswith("NF150") and "disagree in sign" in n for n in found.notes)
    assert [row["estimand"] for row in found.rows()] == ["pooled"] * 3 + ["per item"]


def test_resamples_on_which_nothing_is_defined_widen_the_limits():
    words = np.zeros(60)
    words[:4] = 10
    a = {"errors": np.where(words > 0, 3, 0), "words": words}
    b = {"errors": np.arange(60) % 4 * (words > 0), "words": words}

    found = compare_pooled(table(a, b), "a", "b", "errors/words", alpha=0.01)

    # No resample has any of the four with probability (56/60)^60 = 0.016, more than 0.005.
    assert (found.lower, found.upper) == (-math.inf, math.inf)
    assert any("undefined on" in note for note in found.notes)


@pytest.mark.parametrize(
    ("better", "alternative", "open_side", "verdict"),
    [
        ("lower", "better", "lower", "yes"),
        ("lower", "worse", "upper", "not enough evidence"),
        ("higher", "better", "upper", "not enough evidence"),
        ("higher", "worse", "lower", "yes"),
    ],
)
def test_which_way_is_better(better, alternative, open_side, verdict):
    scores = table(*recognised(17, rates=(0.3, 0.1)), better="lower")

    found = compare_pooled(scores, "a", "b", "errors/words", better=better, alternative=alternative)

    assert found.estimate < 0
    assert math.isinf(getattr(found, open_side))
    assert found.verdict == verdict


def test_what_is_said_and_kept():
    found = compare_pooled(table(*recognised(18)), "a", "b", "errors/words", seed=3)
    again = compare_pooled(table(*recognised(18)), "a", "b", "errors/words", seed=3)
    other = compare_pooled(table(*recognised(18)), "a", "b", "errors/words", seed=4)

    assert found.to_json() == again.to_json()
    assert found.lower != other.lower
    known = json.loads(found.to_json())
    assert (known["kind"], known["guarantee"]) == ("compare_pooled", "asymptotic")
    assert known["question"]["seed"] == 3
    assert known["per_item"]["n"] == 300
    assert len(known["rows"]) == 4
    assert "b minus a" in known["sentences"][1]
    assert "95 %" in known["sentences"][1]
    assert list(found.frame().columns)[:3] == ["statistic", "estimand", "method"]


WORDS = {"errors": np.array([1, 2, 3]), "words": np.array([5, 6, 7])}


@pytest.mark.parametrize(
    ("change", "options", "code", "text"),
    [
        ({}, {"statistic": "errors/wrods"}, "NF025", "'wrods'"),
        ({}, {"statistic": "errors"}, "NF025", "is not understood"),
        ({}, {"statistic": "bleu:errors,words"}, "NF025", "is not understood"),
        ({}, {"statistic": "kendall:errors,words"}, "NF025", "is not understood"),
        ({}, {"statistic": "pearson:errors,gone"}, "NF025", "keep="),
        ({"words": [0, 0, 0]}, {}, "NF026", "whole corpus"),
        ({"words": [5, -6, 7]}, {}, "NF026", "negative"),
        ({"words": [5, math.nan, 7]}, {}, "NF026", "'1'"),
        ({"words": [5, math.inf, 7]}, {}, "NF026", "infinite"),
        ({"words": [5, 5, 5]}, {"statistic": "spearman:errors,words"}, "NF026", "vary"),
        ({}, {"alternative": "greater"}, "NF008", "alternative"),
        ({}, {"alternative": "better"}, "NF009", "better="),
        ({}, {"missing": "worst"}, "NF008", "missing"),
        ({}, {"missing": "own"}, "NF008", "missing"),
        ({}, {"n_resamples": 30}, "NF008", "at least 400"),
        ({}, {"alpha": 5}, "NF008", "0.05"),
        ({}, {"b": "a"}, "NF008", "two candidates"),
        ({}, {"b": "z"}, "NF011", "'z' is no candidate"),
        ({}, {"seed": None}, "NF008", "repeatable"),
    ],
)
def test_refusals(change, options, code, text):
    side = {**WORDS, **{k: np.array(v, float) for k, v in change.items()}}
    scores = table(side, side, better="lower")  # of the score, which is not the statistic
    asked = {"a": "a", "b": "b", "statistic": "errors/words", **options}

    with pytest.raises(InputError, match=text) as refused:
        compare_pooled(scores, **asked)

    assert refused.value.code == code


def test_failed_rows_and_torn_pairs_are_refused():
    scores = table(WORDS, WORDS, cluster=[0, 0, 1])
    failed = replace(scores, failed=np.array([True] + [False] * 5))
    torn = replace(scores, cluster=Labels(np.array([0, 0, 1, 0, 1, 1], np.int32), ("x", "y")))

    for broken, text in ((failed, "marked as failed"), (torn, "different clusters")):
        with pytest.raises(InputError, match=text) as refused:
            compare_pooled(broken, "a", "b", "errors/words")
        assert refused.value.code == "NF026"


def test_functions_of_one_s_own():
    gappy = {**WORDS, "note": np.array([math.nan, 1, 2])}
    scores = table(gappy, gappy, better=None)

    found = compare_pooled(scores, "a", "b", lambda columns: np.nansum(columns["note"]))
    assert (found.a, found.statistic) == (3, "<lambda>")

    for function, text in [
        (lambda columns: columns["gone"].sum(), "asks for 'gone'.*errors, words, note, score"),
        (lambda columns: columns["words"], "must return one number"),
        (lambda columns: None, "must return one number"),
    ]:
        with pytest.raises(InputError, match=text) as refused:
            compare_pooled(scores, "a", "b", function)
        assert refused.value.code == "NF025"


def test_what_is_no_table_is_refused_with_what_to_do():
    with pytest.raises(InputError, match=r"a NoneType arrived; make them with nofluke\.read"):
        compare_pooled(None, "a", "b", "errors/words")

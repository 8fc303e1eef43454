"""Pairs: joined by id, gaps refused or told, runs averaged, an order that nothing can move."""

import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke import Scores, read
from nofluke.errors import InputError
from nofluke.scores import pairing
from nofluke.scores.pairing import hash_order, pair, unpaired

NAN = math.nan
TWO = Scores.from_arrays(
    {"a": [0.5, 1.0, NAN, NAN], "b": [1.0, NAN, 0.25, NAN]},
    examples=["q1", "q2", "q3", "q4"],
    better="higher",
    bounds=(0, 1),
)


def rows(model, scores, **columns):
    """Rows of one model: id to score, with further columns for each id or for all."""
    return [
        {"model": model, "id": i, "score": s}
        | {c: v[i] if isinstance(v, dict) else v for c, v in columns.items()}
        for i, s in scores.items()
    ]


def codes(pairs):
    return [note[:5] for note in pairs.notes]


def test_pairs_are_joined_by_id_whatever_the_order_of_rows():
    a, b = {"x": 1.0, "y": 0.0, "z": 0.5}, {"z": 0.0, "x": 0.5, "y": 0.75}
    scores = read(rows("a", a) + rows("b", b))

    p = pair(scores, "a", "b")

    assert dict(zip(p.ids, (p.b - p.a).tolist(), strict=True)) == {"x": -0.5, "y": 0.75, "z": -0.5}
    assert (pair(scores, "b", "a").a == p.b).all()
    assert p.counts["pairs"] == 3
    assert p.notes == ()


def test_gaps_are_refused_with_who_lacks_what():
    with pytest.raises(InputError) as caught:
        pair(TWO, "a", "b")

    assert caught.value.code == "NF017"
    for words in (
        "'a' has 1 example without a score ('q3')",
        "'b' has 1 example without a score ('q2')",
        "neither has a score on 1 example ('q4')",
        "compare the 1 examples that both have in full",
    ):
        assert words in str(caught.value)


def test_common_tells_what_is_left_out_and_what_that_does_to_the_means():
    p = pair(TWO, "a", "b", missing="common")

    assert p.ids == ("q1",)
    assert p.counts["missing_a"] == p.counts["missing_b"] == 2
    assert codes(p) == ["NF130"]
    assert "'a' 0.5 (on all its own 0.75), 'b' 1 (on all its own 0.625)" in p.notes[0]


def test_worst_fills_either_side_and_leaves_out_what_nobody_has():
    p = pair(TWO, "a", "b", missing="worst")

    assert p.ids == ("q1", "q2", "q3")
    assert p.a.tolist() == [0.5, 1.0, 0.0]
    assert p.b.tolist() == [1.0, 0.0, 0.25]
    assert codes(p) == ["NF131"]

    costs = Scores.from_arrays({"a": [1, NAN], "b": [2, 3]}, better="lower")
    assert pair(costs, "a", "b", missing="worst", bounds=(0, 9)).a.tolist() == [1, 9]


@pytest.mark.parametrize(
    ("how", "code"), [({}, "NF016"), ({"metric": "wer"}, "NF019"), ({"bounds": (0, 1)}, "NF009")]
)
def test_the_worst_score_must_be_known(how, code):
    scores = Scores.from_arrays({"a": [1, NAN], "b": [1, 0.5]}, **how)
    with pytest.raises(InputError) as caught:
        pair(scores, "a", "b", missing="worst", better="lower" if code == "NF016" else None)
    assert caught.value.code == code


def test_examples_that_both_lack_and_other_candidates_are_of_no_concern():
    rest = {"x": 1.0, "y": 0.0, "z": 0.5}
    some = {"x": 1.0, "y": 1.0}
    scores = read(rows("a", some) + rows("b", some) + rows("c", rest))

    assert pair(scores, "a", "b").ids == ("x", "y")
    with pytest.raises(InputError, match="'c' alone has 1 example .'z'"):
        pair(scores, "a", "c")


def test_ids_of_one_side_alone_are_listed_and_look_alikes_pointed_out():
    a = dict.fromkeys(["1", "2", "q\u200b3", "only"], 1.0)
    b = dict.fromkeys(["1", "02", "q3", "other"], 1.0)
    scores = read(rows("a", a) + rows("b", b))

    with pytest.raises(InputError) as caught:
        pair(scores, "a", "b")

    assert caught.value.code == "NF017"
    text = str(caught.value)
    assert "'a' alone has 3 examples ('2', 'only', 'q\\u200b3')" in text
    assert "2 ids of either side look alike" in text
    assert "'2' and '02'" in text
    assert "'q\\u200b3' and 'q3'" in text
    common = pair(scores, "a", "b", missing="common")
    assert common.ids == ("1",)
    assert "look alike" in common.notes[0]


def test_no_shared_ids_are_no_paired_comparison():
    scores = Scores.from_arrays({"a": [1, 0], "b": [1, 0, 1]})

    for missing in ("raise", "common", "worst"):
        with pytest.raises(InputError, match="interleaving or a switchback") as caught:
            pair(scores, "a", "b", missing=missing, better="higher", bounds=(0, 1))
        assert caught.value.code == "NF018"
        assert "paired=False" in str(caught.value)


def test_no_shared_ids_but_look_alikes_are_an_accident():
    a, b = dict.fromkeys(["001", "002"], 1.0), dict.fromkeys(["1", "2"], 1.0)
    with pytest.raises(InputError, match="2 ids of either side look alike") as caught:
        pair(read(rows("a", a) + rows("b", b)), "a", "b")
    assert caught.value.code == "NF018"
    assert "interleaving" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        ({"missing": "own"}, "paired=False"),
        ({"missing": "none"}, "not one of raise, common, worst"),
        ({"seed": -1}, "seed=-1"),
        ({"b": "a"}, "name two candidates"),
    ],
)
def test_arguments_that_make_no_sense(ask, words):
    with pytest.raises(InputError, match=words) as caught:
        pair(TWO, **{"a": "a", "b": "b"} | ask)
    assert caught.value.code == "NF008"


@pytest.mark.parametrize(("b", "words"), [("bb", "did you mean 'b'"), ("zzz", "are 'a', 'b'")])
def test_who_is_no_candidate(b, words):
    with pytest.raises(InputError, match=words) as caught:
        pair(TWO, "a", b)
    assert caught.value.code == "NF011"


def test_runs_of_an_example_are_averaged_on_each_side():
    scores = read(
        rows("a", {"x": 0.1, "y": 1.0}, seed="1")
        + rows("a", {"x": 0.1, "y": 0.0}, seed="2")
        + rows("a", {"x": 0.1}, seed="3")
        + rows("b", {"x": 0.1, "y": 0.5}, seed="1")
    )

    p = pair(scores, "a", "b")

    assert p.a.tolist() == [0.1, 0.5]  # three times 0.1 is not 0.30000000000000004 / 3
    assert p.counts["repeats_a"] == 3
    assert p.counts["repeats_b"] == 0
    assert p.counts["identical_scores"] == 1
    assert codes(p) == ["NF137", "NF135"]
    assert "'a' 2 to 3, 'b' 1" in p.notes[0]


def test_a_run_without_a_score_is_a_gap_first_or_later():
    full = rows("b", {"x": 1.0, "y": 1.0}, seed="1")
    for seed in "12":
        gappy = [
            {"model": "a", "id": "x", "score": None if s == seed else 0.5, "seed": s} for s in "12"
        ]
        scores = read(gappy + rows("a", {"y": 1.0}, seed="1") + full, better="higher")
        with pytest.raises(InputError, match="'a' has 1 example without a score .'x'"):
            pair(scores, "a", "b")
        assert pair(scores, "a", "b", missing="common").ids == ("y",)
        worst = pair(scores, "a", "b", missing="worst", bounds=(0, 1))
        assert worst.a.tolist() == [0.25, 1.0]  # the half that is known and the worst of the rest
        assert worst.counts["missing_a"] == 1


def test_failed_rows_count_as_the_worst_and_are_counted():
    data = rows("a", {"x": 0.2, "y": 9.0}, error={"x": "", "y": "timeout"})
    data += rows("b", {"x": 0.5, "y": 0.5}, error="")
    scores = read(data, columns={"score": "score"}, metric="error_rate", failed="error")
    assert scores.values.max() == math.inf

    p = pair(scores, "a", "b")

    assert p.a.tolist() == [0.2, 1.0]
    assert (p.counts["failed_a"], p.counts["failed_b"]) == (1, 0)
    assert codes(p) == ["NF110"]
    with pytest.raises(InputError, match="has no bounds"):
        pair(read(data, metric="latency", failed="error"), "a", "b")


def test_infinite_scores_are_refused_by_name():
    scores = Scores.from_arrays({"a": [1, math.inf], "b": [1, 2]})
    with pytest.raises(InputError, match="a/1: inf") as caught:
        pair(scores, "a", "b")
    assert caught.value.code == "NF016"


def test_clusters_go_with_the_pairs():
    scores = Scores.from_arrays(
        {"a": [1, 0, NAN], "b": [0, 0, 1]}, cluster=["u", "v", "v"], better="higher"
    )
    p = pair(scores, "a", "b", missing="common")
    assert [p.cluster.names[c] for c in p.cluster.codes] == ["u", "v"]
    filled = pair(scores, "a", "b", missing="worst", bounds=(0, 1))
    assert [filled.cluster.names[c] for c in filled.cluster.codes] == ["u", "v", "v"]


def test_an_example_in_two_clusters_is_refused():
    data = rows("a", {"x": 1.0, "y": 1.0}, cluster={"x": "u", "y": "u"})
    data += rows("b", {"x": 1.0, "y": 1.0}, cluster={"x": "u", "y": "v"})
    with pytest.raises(
        InputError, match="1 examples lie in more than one .*'y: u and v'"
    ) as caught:
        pair(read(data), "a", "b")
    assert caught.value.code == "NF018"


def test_a_pair_is_there_when_its_last_row_is():
    data = rows("a", {"x": 1.0, "y": 1.0}, time={"x": "5", "y": None})
    data += rows("b", {"x": 0.0, "y": 1.0}, time={"x": "3", "y": "7"})
    assert pair(read(data), "a", "b").time.tolist() == [5, 7]


def test_the_order_is_the_hash_of_seed_and_id():
    ids = [f"q{i}" for i in range(50)] + ["é", "漢字", ""]
    for seed in (0, 7):
        keys = [
            hashlib.blake2b(f"{seed}:".encode() + i.encode(), digest_size=8).digest() for i in ids
        ]
        assert hash_order(ids, seed).tolist() == sorted(range(len(ids)), key=keys.__getitem__)
    assert hash_order(ids, 0).tolist() != hash_order(ids, 1).tolist()
    assert hash_order([], 0).size == 0


def test_equal_hashes_leave_it_to_the_ids(monkeypatch):
    monkeypatch.setattr(pairing, "_hashes", lambda ids, _: np.array([len(i) for i in ids], "u8"))
    for ids in (["bb", "c", "a", "aa"], ["a", "aa", "bb", "c"]):
        assert [ids[i] for i in hash_order(ids, 0)] == ["a", "c", "aa", "bb"]


def test_means_of_runs_are_exact_within_rounding():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(5, 30))
    data = [
        {"model": m, "id": str(i), "score": float(x[s, i] if m == "a" else 0), "seed": str(s)}
        for m in "ab"
        for s in range(5)
        for i in range(30)
    ]
    p = pair(read(data), "a", "b")
    exact = {str(i): sum(map(Fraction, x[:, i].tolist())) / 5 for i in range(30)}
    assert p.a.tolist() == pytest.approx([float(exact[i]) for i in p.ids], rel=1e-14, abs=1e-15)


def test_two_samples_of_their_own():
    scores = Scores.from_arrays({"a": [1, NAN, 0], "b": [1, 0]}, better="higher", bounds=(0, 1))

    with pytest.raises(InputError, match="'a' has 1 example without a score .'a#1'") as caught:
        unpaired(scores, "a", "b")
    assert caught.value.code == "NF007"
    own = unpaired(scores, "a", "b", missing="own")
    assert (own.ids_a, own.a.tolist()) == (("a#0", "a#2"), [1, 0])
    assert own.counts == {
        "n_a": 2,
        "n_b": 2,
        "shared": 0,
        "missing_a": 1,
        "missing_b": 0,
        "repeats_a": 0,
        "repeats_b": 0,
        "failed_a": 0,
        "failed_b": 0,
    }
    assert codes(own) == ["NF131"]
    worst = unpaired(scores, "a", "b", missing="worst")
    assert worst.a.tolist() == [1, 0, 0]
    assert worst.order_a.tolist() == hash_order(worst.ids_a, 0).tolist()


def test_two_samples_that_share_examples_are_refused_unless_told():
    scores = Scores.from_arrays([[1, 0], [0, 0]], cluster=["u", "v"])
    with pytest.raises(InputError, match="share 2 examples"):
        unpaired(scores, "0", "1")
    s = unpaired(scores, "0", "1", overlap="accept")
    assert codes(s) == ["NF139"]
    assert [s.cluster_a.names[c] for c in s.cluster_a.codes] == ["u", "v"]


def test_two_samples_that_share_clusters():
    rows_ = rows("a", {"x": 1.0, "y": 0.0}, cluster={"x": "u", "y": "v"})
    rows_ += rows("b", {"z": 1.0}, cluster="v")
    s = unpaired(read(rows_), "a", "b")
    assert s.notes == (
        "NF139: examples of 1 clusters are in both samples, which are independent only as far as "
        "examples of one cluster are.",
    )


def test_a_candidate_without_any_score():
    scores = Scores.from_arrays({"a": [NAN, NAN], "b": [1, 0]})
    with pytest.raises(InputError, match="no example has all its scores"):
        pair(scores, "a", "b", missing="common")
    scores = Scores.from_arrays({"a": [NAN], "b": [1, 0]})
    with pytest.raises(InputError, match="'a' has no example") as caught:
        unpaired(scores, "a", "b", missing="own")
    assert caught.value.code == "NF002"

"""The audit of methods: known false-alarm rates, and what it says about itself."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from nofluke import Scores
from nofluke.errors import InputError
from nofluke.kernels import stream_tests
from nofluke.questions.methods_audit import audit_methods

TRAP = np.repeat([0.01, -1.0], [99, 1])
TERNARY = np.repeat([1.0, 0.0, -1.0], [5, 90, 5])
SKEW = np.concatenate([np.linspace(0, 0.1, 80), np.linspace(-0.3, -0.1, 20)])
OURS = ("star", "betting", "hedged_star, every item")


def rates(found):
    return {row["method"]: row["false_alarm"] for row in found.rows()}


def allowed(p, streams=2000):
    return p + 5 * math.sqrt(p * (1 - p) / streams)


def test_a_rare_large_loss_fools_t_and_everybody_like_it():
    found = audit_methods(TRAP, n=50, bounds=(-1, 1))

    # With no loss among 50 items t, the bootstrap and sign flips see a gain that never fails.
    unseen = 0.99**50
    error = 5 * math.sqrt(unseen * (1 - unseen) / 2000)
    for method in ("t", "bootstrap", "sign_flip"):
        assert rates(found)[method] == pytest.approx(unseen, abs=error)
    assert rates(found)["wilcoxon"] > 0.95
    assert rates(found)["sign"] > 0.95
    assert rates(found)["t, 10 looks"] > 0.9
    for method in OURS:
        assert rates(found)[method] <= 0.05
    above = {row["method"] for row in found.rows() if row["above_alpha"]}
    assert above == set(rates(found)) - set(OURS)
    assert found.notes[0].startswith("NF152")


@pytest.mark.parametrize("shape", [TRAP, TERNARY, SKEW], ids=["trap", "ternary", "skew"])
@pytest.mark.parametrize(("n", "alpha"), [(200, 0.05), (40, 0.1)])
def test_guaranteed_methods_keep_their_level_on_every_shape(shape, n, alpha):
    found = audit_methods(shape, n=n, alpha=alpha, bounds=(-1, 1), n_streams=1000)

    for method in OURS:
        assert rates(found)[method] <= allowed(alpha, 1000)


def test_symmetric_differences_fool_nobody_who_looks_once():
    found = rates(audit_methods(TERNARY, n=200, bounds=(-1, 1)))

    for method in ("t", "wilcoxon", "sign", "bootstrap", "sign_flip"):
        assert 0.01 < found[method] <= allowed(0.05)
    assert allowed(0.05) < found["t, 10 looks"] < 0.3
    assert found["t"] <= found["t, 10 looks"] >= found["t, 3 looks in a row"]


def test_the_shift_does_not_matter_because_the_mean_is_the_null():
    # A pilot with a clear gain is audited as strictly as one without.
    gain = audit_methods(TERNARY * 0.5 + 0.25, n=100, bounds=(-1, 1), n_streams=500)
    none = audit_methods(TERNARY * 0.5, n=100, bounds=(-1.25, 0.75), n_streams=500)

    assert gain.rows() == none.rows()


def test_a_table_is_asked_in_favour_of_the_second_candidate():
    rng = np.random.default_rng(1)
    a, b = np.clip(rng.normal(0.5, 0.1, (2, 80)), 0, 1)
    b[:2] = 0.0  # rare large losses of b
    higher = Scores.from_arrays({"a": a, "b": b}, better="higher", bounds=(0, 1))
    lower = Scores.from_arrays({"a": 1 - a, "b": 1 - b}, better="lower", bounds=(0, 1))

    one = audit_methods(higher, "a", "b", n=60, n_streams=300)
    other = audit_methods(lower, "a", "b", n=60, n_streams=300)
    array = audit_methods(b - a, n=60, n_streams=300, bounds=(-1, 1))

    assert rates(one) == rates(other) == rates(array)
    assert one.bounds == (-1, 1)
    assert one.digest == higher.digest


def test_a_seed_repeats_the_audit():
    one, again, other = (
        audit_methods(SKEW, n=30, n_streams=200, bounds=(-1, 1), seed=s) for s in (5, 5, 6)
    )

    assert one.to_json() == again.to_json()
    assert one.rows() != other.rows()
    assert audit_methods(SKEW, n_streams=10, bounds=(-1, 1)).n_items == SKEW.size


def test_what_is_said_and_kept():
    found = audit_methods(TRAP, n=50, n_streams=200, bounds=(-1, 1))
    known = json.loads(found.to_json())

    assert (known["kind"], known["guarantee"]) == ("audit_methods", "descriptive")
    assert known["question"]["n"] == 50
    assert len(known["rows"]) == 10
    words = {row["method"]: row["guarantee"] for row in known["rows"]}
    assert (words["t"], words["sign"], words["star"]) == (
        "asymptotic",
        "heuristic",
        "finite-sample",
    )
    assert all(row["se"] > 0 for row in known["rows"])
    assert "wilcoxon in 100 %" in known["sentences"][1]
    quiet = replace(found, audited=tuple(e for e in found.audited if not e.above_alpha))
    assert quiet.sentences()[1:] == ["No method did so clearly more often."]


@pytest.mark.parametrize(
    ("d", "options", "code", "text"),
    [
        ([0.1, 0.2], {"n": 20}, "NF016", "bounds="),
        ([0.1, 2.0], {"n": 20, "bounds": (-1, 1)}, "NF010", "outside"),
        ([0.1, math.nan], {"n": 20, "bounds": (-1, 1)}, "NF007", "NaN"),
        ([0.1] * 30, {"bounds": (-1, 1)}, "NF027", "all 30 differences are 0.1"),
        ([0.1, 0.2], {"bounds": (-1, 1)}, "NF027", "n=2"),
        ([0.1, 0.2], {"n": 20, "bounds": (-1, 1), "alpha": 0}, "NF008", "alpha"),
        ([0.1, 0.2], {"n": 20, "bounds": (-1, 1), "a": "x"}, "NF008", "candidates of a table"),
        (Scores.from_arrays([[0, 1.0]] * 2, better="higher"), {"a": "0"}, "NF008", "both"),
        (Scores.from_arrays([[0, 1.0]] * 2), {"a": "0", "b": "1"}, "NF009", "better="),
        (
            Scores.from_arrays([[0, 1.0]] * 2, better="higher"),
            {"a": "0", "b": "1"},
            "NF016",
            "bounds=",
        ),
    ],
)
def test_refusals(d, options, code, text):
    with pytest.raises(InputError, match=text) as refused:
        audit_methods(d, **options)

    assert refused.value.code == code


def test_looks_in_a_row():
    looks = np.array([[1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]], bool)

    assert stream_tests.in_a_row(looks, 3).tolist() == [False, True, True, False]
    assert stream_tests.in_a_row(looks, 1).tolist() == [True, True, True, False]


def test_resampled_tests_agree_with_those_of_one_sample():
    from nofluke import permutation
    from nofluke.kernels import resampling

    v = np.random.default_rng(2).normal(0.1, 0.4, (300, 25))
    flips = stream_tests.sign_flip_rejects(v, 0.05, 999, np.random.default_rng(3))
    boots = stream_tests.bootstrap_rejects(v, 0.05, 999, np.random.default_rng(4))

    exact = np.array([permutation.sign_flip(row, alternative="better").pvalue for row in v])
    clear = np.abs(exact - 0.05) > 5 * math.sqrt(0.05 * 0.95 / 999)
    assert clear.sum() > 200
    assert (flips == (exact <= 0.05))[clear].all()
    rng = np.random.default_rng(5)
    limits = [
        resampling.bootstrap_interval(row, 0.05, "lower", "percentile", 999, rng)[0] for row in v
    ]
    far = np.abs(limits) > 0.02  # a quarter of a standard error: six of a limit from 999 resamples
    assert far.sum() > 200
    assert (boots == (np.array(limits) > 0))[far].all()

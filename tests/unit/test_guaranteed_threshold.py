"""Thresholds with a promise: ranks in exact arithmetic, the promise by counting every sample."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from nofluke.classify import cost
from nofluke.errors import InputError


def below(k, n, p):
    """P(Binomial(n, p) <= k) as a fraction."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def counts(n, kinds):
    """All ways to split n draws into so many kinds."""
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in counts(n - first, kinds - 1):
            yield (first, *rest)


def chance(of, law):
    ways = math.factorial(sum(of))
    for k in of:
        ways //= math.factorial(k)
    return ways * math.prod(p**k for p, k in zip(law, of, strict=True))


@pytest.mark.parametrize(
    ("n", "target", "delta"), [(29, 0.9, 0.05), (100, 0.9, 0.1), (57, 0.75, 0.01)]
)
def test_ranks_are_the_last_that_keep_the_promise(n, target, delta):
    rng = np.random.default_rng(n)
    y = np.repeat([1, 0], [n, 3])
    s = rng.normal(size=n + 3)
    share = 1 - Fraction(str(target))
    allowed = [k for k in range(1, n + 1) if below(k - 1, n, share) <= delta]

    found = cost.guaranteed_threshold(y, s, recall=target, delta=delta)
    assert found.threshold == np.sort(s[:n])[allowed[-1] - 1]
    assert found.observed == pytest.approx((n - allowed[-1] + 1) / n)
    # Mirrored: the share of negatives strictly above the same rank from the top.
    mirrored = cost.guaranteed_threshold(1 - y, -s, fpr=float(share), delta=delta)
    edge = np.sort(-s[:n])[n - allowed[-1]]
    assert edge < mirrored.threshold <= min([v for v in -s if v > edge], default=math.inf)
    assert mirrored.observed == pytest.approx((allowed[-1] - 1) / n)


@pytest.mark.parametrize("metric", ["recall", "fpr"])
@pytest.mark.parametrize("law", [(0.1, 0.2, 0.7), (0.02, 0.08, 0.9), (0.24, 0.01, 0.75)])
def test_the_promise_of_a_monotone_rate_holds_for_every_law_with_ties(metric, law):
    n, target, delta = 14, {"recall": 0.8, "fpr": 0.2}[metric], 0.1
    scores = np.array([1.0, 2.0, 3.0]) * (1 if metric == "recall" else -1)
    label = int(metric == "recall")
    broken = 0.0
    for of in counts(n, 3):
        x = np.repeat(scores, of)
        found = cost.guaranteed_threshold([label] * n, x, **{metric: target}, delta=delta)
        rate = sum(p for p, v in zip(law, scores, strict=True) if v >= found.threshold)
        bad = rate < target - 1e-12 if metric == "recall" else rate > target + 1e-12
        broken += chance(of, law) * bad

    assert broken <= delta


@pytest.mark.parametrize("grid", [None, [2.5, 1.5, 0.5], [2.5, 0.5]])
@pytest.mark.parametrize(
    "law",
    [
        (0.1, 0.11, 0.2, 0.18, 0.2, 0.21),  # hardly too few positives everywhere
        (0.3, 0.05, 0.2, 0.05, 0.39, 0.01),  # low precision above, hardly too low overall
        (0.02, 0.3, 0.06, 0.12, 0.25, 0.25),
    ],
)
def test_the_promise_of_precision_holds_by_counting_every_sample(grid, law):
    n, target, delta = 8, 0.5, 0.9 if grid is None else 0.3
    kinds = list(product([1.0, 2.0, 3.0], [1, 0]))
    broken = promised = 0.0
    for of in counts(n, 6):
        rows = [kind for kind, k in zip(kinds, of, strict=True) for _ in range(k)]
        s, y = zip(*rows, strict=True)
        found = cost.guaranteed_threshold(y, s, precision=target, delta=delta, grid=grid)
        if found.threshold is None:
            continue
        promised += chance(of, law)
        flagged = [(p, v[1]) for p, v in zip(law, kinds, strict=True) if v[0] >= found.threshold]
        whole = sum(p for p, _ in flagged)
        precision = sum(p for p, y_ in flagged if y_) / whole if whole else 1.0
        broken += chance(of, law) * (precision < target - 1e-12)

    assert promised > 0
    assert broken <= delta


def test_precision_is_certified_above_a_score_and_not_from_the_next_one_seen():
    y, s = np.repeat([0, 1], [50, 150]), np.arange(200.0)
    found = cost.guaranteed_threshold(y, s, precision=0.9)

    edges = np.nextafter(found.tried, -math.inf)
    assert set(edges) <= set(s.tolist())
    assert found.threshold == found.tried[found.certified].min()
    assert found.method == "bonferroni"
    for cut, p in zip(found.tried, found.pvalues, strict=True):
        n, hits = int((s >= cut).sum()), int(y[s >= cut].sum())
        exact = 1 - below(hits - 1, n, Fraction(9, 10)) if hits else 1
        assert p == pytest.approx(float(exact), rel=1e-9)
    assert found.observed >= 0.9


def test_a_fixed_sequence_ends_at_the_first_failure():
    y, s = np.repeat([0, 1, 0, 1], [100, 100, 40, 60]), np.repeat([1, 2, 3, 4], [100, 100, 40, 60])
    stopped = cost.guaranteed_threshold(y, s, precision=0.7, grid=[4, 3, 2])
    assert stopped.certified.tolist() == [True, False, False]
    assert stopped.threshold == 4
    at_once = cost.guaranteed_threshold(y, s, precision=0.7, grid=[3, 4])
    assert at_once.threshold is None
    assert "the first cut-off of the sequence, 3, fails" in at_once.reason
    assert "no threshold for precision >= 0.7" in str(at_once)


@pytest.mark.parametrize(("metric", "target"), [("recall", 0.9), ("fpr", 0.1), ("precision", 0.9)])
def test_with_one_row_fewer_than_needed_there_is_none_and_with_all_there_may_be(metric, target):
    label = int(metric != "fpr")
    wanted = {metric: target}
    needed = cost.guaranteed_threshold([label] * 3, [1.0, 2.0, 3.0], **wanted).n_needed
    extra = int(metric == "precision")  # a rank grid needs a row below

    def found(n):
        return cost.guaranteed_threshold([label] * n, np.arange(float(n)), **wanted)

    short = found(needed - 1 + extra)
    assert short.threshold is short.observed is short.flagged is None
    assert str(needed) in short.reason
    assert found(needed + extra).threshold is not None


def test_several_models_share_the_error_level():
    y, s = np.arange(400) % 2, np.arange(400.0)
    one = cost.guaranteed_threshold(y, s, recall=0.9)
    several = cost.guaranteed_threshold(y, s, recall=0.9, models_tried=5)

    assert (one.alpha, several.alpha) == (0.05, pytest.approx(0.01))
    assert several.threshold < one.threshold
    assert "recall >= 0.9 at 95%" in str(several)


def test_no_cut_off_beyond_infinite_scores_is_promised():
    found = cost.guaranteed_threshold([0] * 100, [math.inf] * 100, fpr=0.2)

    assert found.threshold is None
    assert "inf" in found.reason
    beyond = cost.guaranteed_threshold([0] * 100, [1.0] * 100, fpr=0.2)
    assert beyond.threshold == np.nextafter(1.0, 2)
    assert (beyond.observed, beyond.flagged) == (0, 0)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, "0 targets"),
        ({"recall": 0.9, "fpr": 0.1}, "2 targets"),
        ({"recall": 1.0}, "strictly between"),
        ({"fpr": 0.1, "grid": [1, 2]}, "belongs to precision"),
    ],
)
def test_what_is_no_single_target_is_refused(asked, text):
    with pytest.raises(InputError, match=text) as refused:
        cost.guaranteed_threshold([0, 1], [0.1, 0.9], **asked)
    assert refused.value.code == "NF059"

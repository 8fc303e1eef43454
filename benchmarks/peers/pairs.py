"""Paired tests and intervals for a mean difference, and watching one."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numba
import numpy as np
from benchmarks.peers.contests import Contender, Contest, ours

TOPIC = "Paired differences"
N = B = 10_000
RNG = np.random.default_rng(1)
A = np.clip(RNG.normal(0.6, 0.2, N), 0, 1)
C = np.clip(A + RNG.normal(0.002, 0.1, N), 0, 1)
D = C - A
TERNARY = RNG.choice([-1.0, 0.0, 1.0], N, p=[0.05, 0.9, 0.05])
PLACES, ROOM = RNG.integers(0, N, N), np.empty(N)
FEW_A = (RNG.random(880) < 0.6).astype(float)
FEW_B = np.where(RNG.random(880) < 0.2, 1 - FEW_A, FEW_A)


def _dots() -> float:
    return sum(float(D @ C) for _ in range(B))


def _gathers() -> None:
    for _ in range(B):
        D.take(PLACES, out=ROOM)


def contests() -> Iterator[Contest]:
    """Sign flips, bootstrap, McNemar, corpus statistics, sequences."""
    yield _flips()
    yield _percentile("continuous", D)
    yield _percentile("-1, 0 or 1", TERNARY)
    yield _bca()
    yield _mcnemar()
    yield _bleu()
    yield _sequence()
    yield _one_hypothesis()


def _flips() -> Contest:
    def here():
        from nofluke import permutation

        return lambda: permutation.sign_flip(D, n_resamples=B)

    def scipy_():
        from scipy.stats import permutation_test

        def ask():
            return permutation_test(
                (D,),
                lambda x, axis: x.mean(axis=axis),
                permutation_type="samples",
                n_resamples=B,
                vectorized=True,
                batch=200,
                rng=np.random.default_rng(1),
            )

        return ask

    def truescore_():
        from truescore import paired_permutation

        return lambda: paired_permutation(A, C, n_resamples=B)

    return Contest(
        topic=TOPIC,
        question=f"Sign-flip test of {N:,} differences, {B:,} draws",
        contenders=(
            ours("permutation.sign_flip(d)", here),
            Contender(who="scipy", how="stats.permutation_test, in batches", ready=scipy_),
            Contender(who="truescore", how="paired_permutation(a, b)", ready=truescore_),
        ),
        floor=_dots,
        floor_is=f"{B:,} inner products of {N:,} numbers with numpy",
    )


def _percentile(name: str, d: np.ndarray) -> Contest:
    a, b = np.zeros(d.size), d
    if name == "continuous":
        a, b = A, C

    def here():
        from nofluke.kernels import resampling

        rng = np.random.default_rng(4)
        return lambda: resampling.bootstrap_interval(d, 0.05, "both", "percentile", B, rng)

    def scipy_():
        from scipy.stats import bootstrap

        def ask():
            return bootstrap(
                (d,),
                np.mean,
                n_resamples=B,
                method="percentile",
                batch=500,
                rng=np.random.default_rng(1),
            )

        return ask

    def truescore_():
        from truescore import paired_bootstrap

        return lambda: paired_bootstrap(a, b, n_bootstrap=B)

    def evalstats_():
        from evalstats import pairwise_differences

        scores = np.stack([a, b])
        rng = np.random.default_rng(2)
        return lambda: pairwise_differences(
            scores, 1, 0, method="bootstrap", n_bootstrap=B, rng=rng
        )

    return Contest(
        topic=TOPIC,
        question=f"Percentile bootstrap of the mean of {N:,} differences ({name}), {B:,} resamples",
        contenders=(
            ours('kernels.resampling.bootstrap_interval(d, .., "percentile")', here),
            Contender(who="scipy", how='stats.bootstrap(.., method="percentile")', ready=scipy_),
            Contender(who="truescore", how="paired_bootstrap(a, b)", ready=truescore_),
            Contender(
                who="evalstats",
                how='pairwise_differences(.., method="bootstrap")',
                ready=evalstats_,
            ),
        ),
        floor=_gathers if name == "continuous" else None,
        floor_is=f"{B:,} gathers of {N:,} numbers at places already drawn, with numpy",
    )


def _bca() -> Contest:
    def here():
        from nofluke.kernels import resampling

        rng = np.random.default_rng(4)
        return lambda: resampling.bootstrap_interval(D, 0.05, "both", "bca", B, rng)

    def theirs():
        from scipy.stats import bootstrap

        def ask():
            return bootstrap(
                (D,),
                np.mean,
                n_resamples=B,
                method="BCa",
                batch=500,
                rng=np.random.default_rng(1),
            )

        return ask

    return Contest(
        topic=TOPIC,
        question=f"BCa bootstrap of the mean of {N:,} differences (continuous), {B:,} resamples",
        contenders=(
            ours('kernels.resampling.bootstrap_interval(d, .., "bca")', here),
            Contender(who="scipy", how='stats.bootstrap(.., method="BCa")', ready=theirs),
        ),
    )


def _mcnemar() -> Contest:
    def here():
        from nofluke import means, proportions

        def ask():
            d = FEW_B - FEW_A
            wins, losses = int((d > 0).sum()), int((d < 0).sum())
            return proportions.mcnemar(wins=wins, losses=losses, alternative="different"), means.t(
                d, level=0.95
            )

        return ask

    def errorbars_():
        from errorbars.compare import mcnemar_exact, paired_compare

        return lambda: (mcnemar_exact(FEW_A, FEW_B), paired_compare(FEW_A, FEW_B))

    def truescore_():
        from truescore import mcnemar

        return lambda: mcnemar(FEW_A, FEW_B, midp=False)

    return Contest(
        topic=TOPIC,
        question="Exact McNemar test and interval of the difference, 880 pairs in memory",
        contenders=(
            ours(
                "proportions.mcnemar(wins, losses), means.t(d)",
                here,
                says=lambda found: found[0].pvalue,
            ),
            Contender(
                who="errorbars",
                how="mcnemar_exact(a, b); paired_compare(a, b)",
                ready=errorbars_,
                says=lambda found: found[0].p_value,
                note="interval by the normal law",
            ),
            Contender(
                who="truescore",
                how="mcnemar(a, b, midp=False)",
                ready=truescore_,
                says=lambda found: found.p_value,
                note="interval by the normal law",
            ),
        ),
        tolerance=1e-9,
    )


def _bleu() -> Contest:
    rng = np.random.default_rng(3)
    words = rng.integers(10, 40, 2000)

    def system(share: float) -> np.ndarray:
        totals = [np.maximum(words - k, 1) for k in range(4)]
        right = [rng.binomial(t, share ** (k + 1)) for k, t in enumerate(totals)]
        return np.column_stack([*right, *totals, words, words]).astype(float)

    one, two = system(0.7), system(0.71)

    def here():
        from nofluke.kernels import corpus, resampling

        def ask():
            sums = resampling.bootstrap_sums(np.hstack([one, two]), 1000, np.random.default_rng(5))
            return corpus.bleu(sums[:, 10:]) - corpus.bleu(sums[:, :10])

        return ask

    def theirs():
        from sacrebleu.metrics import BLEU
        from sacrebleu.significance import _bootstrap_resample

        metric = BLEU()
        # Theirs has the lengths first.
        tables = [np.hstack([x[:, 8:], x[:, :8]]).tolist() for x in (one, two)]

        def ask():
            drawn = [_bootstrap_resample(x, metric, 1000)[1] for x in tables]
            return np.array([b.score - a.score for a, b in zip(*drawn, strict=True)])

        return ask

    return Contest(
        topic=TOPIC,
        question="BLEU of two systems, 1,000 paired resamples of 2,000 sentences, from n-grams",
        contenders=(
            ours(
                "kernels.resampling.bootstrap_sums, kernels.corpus.bleu",
                here,
                says=lambda found: float(np.mean(found)),
            ),
            Contender(
                who="sacrebleu",
                how="significance._bootstrap_resample, as its paired test does",
                ready=theirs,
                says=lambda found: float(np.mean(found)),
            ),
        ),
        tolerance=0.1,
    )


def _sequence() -> Contest:
    x = D[:1000]

    def here():
        from nofluke import sequences

        return lambda: sequences.empirical_bernstein(x, level=0.95, bounds=(-1, 1))

    def theirs():
        from truescore import confidence_sequence

        return lambda: confidence_sequence(x, bounds=(-1.0, 1.0))

    return Contest(
        topic=TOPIC,
        question="Interval that may be looked at any time, after 1,000 differences",
        contenders=(
            ours(
                "sequences.empirical_bernstein(d, level=.95, bounds=(-1, 1))",
                here,
                says=lambda found: float(found.upper),
            ),
            Contender(
                who="truescore",
                how="confidence_sequence(d, bounds=(-1, 1))",
                ready=theirs,
                says=lambda found: float(np.min(found.upper_bounds)),
                note="at all 1,000 moments",
            ),
        ),
        tolerance=None,
    )


def _one_hypothesis() -> Contest:
    x = (TERNARY + 1) / 2

    def here():
        from nofluke.kernels import betting

        plan, c = betting.Plan(0.05, N, "fixed"), np.ones(N)
        return lambda: betting.first_passage(x, c, 0.51, plan)

    def theirs():
        from truescore import first_exclusion

        return lambda: first_exclusion(x, 0.51, direction="above")

    def floor():
        @numba.njit(error_model="numpy")
        def recurrence(x):
            wealth, squares = 0.0, 1.0
            for i in range(x.size):
                bet = math.sqrt(1.0 / (squares * (i + 1)))
                wealth += math.log1p(bet * (x[i] - 0.51))
                squares += x[i] * x[i]
            return wealth

        recurrence(x)
        return lambda: recurrence(x)

    return Contest(
        topic=TOPIC,
        question=f"Is a mean above .51 shown anywhere in {N:,} items, by bets",
        contenders=(
            ours('kernels.betting.first_passage(x, 1, .51, "fixed")', here),
            Contender(
                who="truescore",
                how='first_exclusion(x, .51, direction="above")',
                ready=theirs,
                note="predictable weights, wider than bets",
            ),
        ),
        floor=floor(),
        floor_is="a compiled loop of one root, one quotient and one logarithm for each item",
    )

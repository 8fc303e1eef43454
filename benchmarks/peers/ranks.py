"""Boards: rank intervals and the set of those that may be the best."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.peers.contests import Contender, Contest, ours

TOPIC = "Ranks"


def board(K: int, n: int, *, binary: bool = False) -> np.ndarray:
    """Scores of K candidates on n examples that differ in difficulty, shape (K, n)."""
    rng = np.random.default_rng(K)
    base = rng.random(n) * 0.5
    x = np.clip(base + rng.normal(0.2, 0.1, (K, n)) + 0.2 * rng.random(K)[:, None], 0, 1)
    return (x > 0.5).astype(float) if binary else x


def contests() -> Iterator[Contest]:
    """Model confidence set, rank sets, resampled ranks."""
    yield _confidence_set()
    yield _rank_sets()
    yield _resampled_ranks()


def _confidence_set() -> Contest:
    x = board(5, 10_000)

    def here():
        from nofluke.kernels import ranks

        def ask():
            mean = x.mean(axis=1)
            draws = ranks.resampled(x - mean[:, None], 1000, np.random.default_rng(1))
            return ranks.confidence_of_models(mean, draws)

        return ask

    def theirs():
        from arch.bootstrap import MCS

        losses = np.ascontiguousarray(1 - x.T)

        def ask():
            found = MCS(
                losses, 0.05, reps=1000, block_size=1, method="max", bootstrap="circular", seed=1
            )
            found.compute()
            return found.pvalues

        return ask

    return Contest(
        topic=TOPIC,
        question="Model confidence set of 5 candidates, 10,000 examples, 1,000 resamples",
        contenders=(
            ours("kernels.ranks.resampled, confidence_of_models", here),
            Contender(
                who="arch", how='bootstrap.MCS(.., block_size=1, method="max")', ready=theirs
            ),
        ),
    )


def _rank_sets() -> Contest:
    x = board(58, 797)

    def here():
        from nofluke import Scores, rank

        table = Scores.from_arrays(x, better="higher", bounds=(0, 1))
        return lambda: rank(table, method="max_t", n_resamples=4000)

    def theirs():
        from honestboard import Board

        made = Board([f"m{k}" for k in range(len(x))], x)
        return lambda: (made.rank_summary(B=4000), made.confidence_set_best(B=4000))

    return Contest(
        topic=TOPIC,
        question="Rank intervals and who may be best, 58 candidates, 797 examples, 4,000 draws",
        contenders=(
            ours(
                'rank(table, method="max_t", n_resamples=4000)',
                here,
                note="intervals that hold for all candidates at once, tiers, all pairs",
            ),
            Contender(
                who="honestboard",
                how="Board.rank_summary(B=4000), confidence_set_best(B=4000)",
                ready=theirs,
                note="percentiles of resampled ranks, one candidate at a time",
            ),
        ),
    )


def _resampled_ranks() -> Contest:
    x = board(9, 970, binary=True)

    def here():
        from nofluke import Scores, rank

        table = Scores.from_arrays(x, better="higher", binary=True)
        return lambda: rank(table)

    def honest():
        from honestboard import Board

        made = Board([f"m{k}" for k in range(len(x))], x)
        return lambda: (made.rank_summary(), made.confidence_set_best())

    def evalstats_():
        from evalstats import bootstrap_ranks

        names = [f"m{k}" for k in range(len(x))]
        return lambda: bootstrap_ranks(x, names, rng=np.random.default_rng(1))

    return Contest(
        topic=TOPIC,
        question="Ranks of 9 candidates on 970 questions, right or wrong, each by its default",
        contenders=(
            ours("rank(table)", here, note="exact McNemar tests of all pairs, Holm"),
            Contender(
                who="honestboard",
                how="Board.rank_summary(), confidence_set_best()",
                ready=honest,
                note="4,000 resamples",
            ),
            Contender(
                who="evalstats",
                how="bootstrap_ranks(x, names)",
                ready=evalstats_,
                note="10,000 resamples; no intervals of ranks",
            ),
        ),
    )

"""Percentiles of latencies in which a failed request counts as infinitely late."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke import checks
from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.scores.table import Scores

SHARES: Final = (0.5, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """One percentile of one candidate: an order statistic, or the reason why there is none.

    Attributes:
        candidate: Its id.
        share: The share q of rows that are at or below it.
        rank: ceil(n q): the percentile is the value of this rank, the smallest being 1.
        n: Rows that were ranked, failed ones among them.
        failed: How many of them failed.
        missing: Rows without a score, which are not ranked.
        value: The value in the unit of the scores; None where it does not exist.
        reason: Why it does not exist; "" where it does.
    """

    candidate: str
    share: float
    rank: int
    n: int
    failed: int
    missing: int
    value: float | None
    reason: str

    def __str__(self) -> str:
        counts = f"rank {self.rank} of {self.n}, {self.failed} failed"
        if self.missing:
            counts += f", {self.missing} not measured"
        found = self.reason if self.value is None else f"{self.value:g}"
        return f"p{100 * self.share:g} of {self.candidate}: {found} ({counts})"


def percentiles(scores: Scores, shares: Sequence[float] = SHARES) -> tuple[Percentile, ...]:
    """Percentiles of each candidate, exactly as the sample has them; descriptive.

    The q-percentile of n rows is the value of rank ceil(n q), never one between two values. A row
    that failed is ranked behind all others, so a percentile whose rank falls on one does not exist:
    no finite time was kept by that share of the rows. Rows without a score are not ranked and are
    counted.

    Args:
        scores: Scores of which lower is better.
        shares: Shares q in (0, 1].

    Raises:
        InputError: Higher scores are better, or nobody has said; a share outside (0, 1].

    >>> from nofluke import Scores
    >>> table = Scores.from_arrays({"a": [0.2, 0.3, float("inf")]}, better="lower")
    >>> [(p.rank, p.value, p.reason) for p in percentiles(table, (0.5, 0.9))]
    [(2, 0.3, ''), (3, None, 'does not exist: 1 of 3 rows is infinite')]
    >>> print(percentiles(table, (0.5,))[0])
    p50 of a: 0.3 (rank 2 of 3, 0 failed)
    """
    asked = [_share(q) for q in shares]
    if scores.better != "lower":
        raise InputError(
            "percentiles with failures as infinite are for scores of which lower is better, such "
            f"as latencies; better is {scores.better!r}: say better='lower' when you read them.",
            code="NF009",
        )
    failed = scores.n_failed.tolist()
    lost = np.concatenate([scores.empty[:, 0], scores.lost_runs[:, 0]])
    missing = np.bincount(lost, minlength=scores.K).tolist()
    return tuple(
        _one(scores, k, share, failed=failed[k], missing=missing[k])
        for k in range(scores.K)
        for share in asked
    )


def _share(q: float) -> float:
    share = checks.real(q, name="shares")
    if not 0 < share <= 1:
        raise InputError(f"shares={q!r}: a share lies above 0 and up to 1.", code="NF008")
    return share


def _one(scores: Scores, k: int, share: float, *, failed: int, missing: int) -> Percentile:
    part = slice(int(scores.starts[k]), int(scores.starts[k + 1]))
    x = (
        np.where(scores.failed[part], np.inf, scores.values[part])
        if failed and (scores.failed is not None)
        else scores.values[part]
    )
    n = int(x.size)
    rank = max(1, math.ceil(checks.exact(share) * n)) if n else 0
    value = float(np.partition(x, rank - 1)[rank - 1]) if n else math.inf
    return Percentile(
        candidate=scores.candidates[k],
        share=share,
        rank=rank,
        n=n,
        failed=failed,
        missing=missing,
        value=value if math.isfinite(value) else None,
        reason="" if math.isfinite(value) else _reason(n, failed, int(np.isinf(x).sum())),
    )


def _reason(n: int, failed: int, infinite: int) -> str:
    if not n:
        return "does not exist: no row has a score"
    if failed == infinite:
        return f"does not exist: {failed} of {n} requests failed"
    return f"does not exist: {infinite} of {n} rows {'is' if infinite == 1 else 'are'} infinite"

"""The terms of an answer of `runs`, and the plain bootstrap beside it, which undercovers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nofluke.kernels import bootstrap_ranks, quantile_ranks
from nofluke.kernels.quantile_ranks import rational
from nofluke.kernels.quantile_sizes import size_for_limit
from nofluke.quantiles import minimal_n

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.results import Row


class Bootstrap(NamedTuple):
    """The percentile bootstrap of a sample quantile with infinitely many resamples.

    Attributes:
        lower: 1-based rank of its lower limit.
        upper: 1-based rank of its upper limit.
        coverage: Its coverage for every continuous distribution.
    """

    lower: int
    upper: int
    coverage: float


def plain_bootstrap(n: int, u: float, alpha: float) -> Bootstrap:
    """Ranks and coverage of the plain percentile bootstrap for the quantile X_(ceil(n u)).

    The resampled order statistic r is at most X_(j) with probability P(Bin(n, j/n) >= r), so the
    limits are order statistics and need no resampling (Hutson & Ernst 2000).

    Args:
        n: Number of runs.
        u: The quantile, in (0, 1).
        alpha: Error level that it aims at.

    >>> plain_bootstrap(10, 0.5, 0.1)
    Bootstrap(lower=3, upper=7, coverage=0.7734375)
    """
    r = bootstrap_ranks.sample_rank(n, u)
    tail = rational(alpha) / 2
    ranks = bootstrap_ranks.plain_ranks(n, r, float(tail), float(tail))
    coverage = quantile_ranks.exact_coverage(n, u, *ranks)
    return Bootstrap(int(ranks.lower), int(ranks.upper), coverage)


def terms(row: Row, values: Sequence[float]) -> list[str]:
    """Ranks, error levels and coverage of one interval, with the bootstrap for comparison.

    Args:
        row: A row of the answer.
        values: Its runs in ascending order.
    """
    n, u = row["n"], row["quantile"]
    name = row["candidate"] + ("" if row["part"] is None else f" on {row['part']}")
    rank = bootstrap_ranks.sample_rank(n, u)
    head = f"{name}, quantile {u:g}: n = {n}, sample quantile X_({rank})"
    if row["rank_lower"] is None:
        return [f"{head}; no interval"]
    told = [
        f"{head}; method {row['method']}: {row['reason']}",
        f"  ranks {row['rank_lower']:.10g} and {row['rank_upper']:.10g}; error level spent below "
        f"{row['miss_lower']:.6g}, above {row['miss_upper']:.6g}",
        f"  coverage {row['coverage']:.6g}; over all continuous distributions between "
        f"{row['coverage_low']:.6g} and {row['coverage_high']:.6g}",
    ]
    if row["outward"]:
        told.append("  runs tie: the limits are moved outward to the runs just outside these ranks")
    alpha = 1 - row["level"]
    boot = plain_bootstrap(n, u, alpha)
    told.append(
        f"  for comparison only, plain percentile bootstrap: [{values[boot.lower - 1]:.6g}, "
        f"{values[boot.upper - 1]:.6g}], ranks {boot.lower} and {boot.upper}: it aims at "
        f"{1 - alpha:.6g} and covers {boot.coverage:.6g}"
        + (" (it undercovers)" if boot.coverage < 1 - alpha - 1e-12 else "")
    )
    return told


def first_limit(u: float, level: float) -> int:
    """Runs with which there is any limit; for the median there are two or none.

    >>> first_limit(0.5, 0.9), first_limit(0.95, 0.9), first_limit(0.2, 0.99)
    (5, 2, 3)
    """
    return minimal_n(u, level) if u == 0.5 else max(2, min(needed(u, level)))


def missing_limit(row: Row, key: str) -> int | None:
    """Runs that the limit a row lacks needs; None where its method has it by no known number.

    By itself, at the full error level, it needs ``needed_lower`` or ``needed_upper`` runs. Where
    there are so many, it is the other limit beside it that takes too much of the error level.

    Args:
        row: A row of the answer without a limit on this side.
        key: "lower" or "upper".
    """
    alone, n, u, level = row[f"needed_{key}"], row["n"], row["quantile"], row["level"]
    if alone > n or row["method"] == "joint":
        return int(alone)
    if row["method"].startswith("auto"):
        return minimal_n(u, level)
    share = 1 - rational(u) if key == "lower" else rational(u)
    equal = size_for_limit(share, (1 - rational(level)) / 2)
    return equal if equal > n else None


def needed(u: float, level: float) -> tuple[int, int]:
    """Runs that a lower and an upper limit by itself need at this level.

    >>> needed(0.05, 0.9)
    (45, 1)
    """
    alpha = 1 - rational(level)
    return size_for_limit(1 - rational(u), alpha), size_for_limit(rational(u), alpha)

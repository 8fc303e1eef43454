"""What a comparison counts: independent units, each with a mean difference inside known bounds.

Every design ends in the same thing, an array of unit differences in an order that has nothing to
do with scores, so that each method serves every design.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import student, sums
from nofluke.scores.pairing import hash_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 1e-12
_SHARES_SLACK = 1e-9  # shares typed as decimals need not sum to one in binary


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """Independent units of a comparison, in the order of a hash of their ids.

    Attributes:
        x: Mean difference (b minus a) of each unit, shape (n,).
        bounds: Lowest and highest possible difference.
        word: What a unit is: "pairs", "clusters", "blocks".
        estimand: What the mean is a mean of.
        estimate: The mean difference of the sample.
        se: Its standard error, trusted for large n only.
        df: Degrees of freedom of the t interval.
        asymptotic: Name of that interval.
        sizes: Size (items, or total weight) of each unit, where the estimand weights by it.
        max_size: Largest size a unit can have, declared in advance.
        voided: Whether ``max_size`` was taken from the data, which voids the guarantee.
        dependent: Whether units follow each other in time, which takes the guarantee away.
        population: Size of the fixed benchmark that the units are a random part of.
        ordered: Whether the units can be watched one at a time (blocks cannot).
    """

    x: NDArray[np.float64]
    bounds: tuple[float, float]
    word: str
    estimand: str
    estimate: float
    se: float
    df: float
    asymptotic: str
    sizes: NDArray[np.float64] | None = None
    max_size: float | None = None
    voided: bool = False
    dependent: bool = False
    population: int | None = None
    ordered: bool = True

    @property
    def n(self) -> int:
        """Number of independent units."""
        return int(self.x.size)

    @property
    def counted(self) -> str:
        """The number of units in words."""
        return counted(self.n, self.word)

    @property
    def range(self) -> float:
        """Range of a score, half that of a difference."""
        return (self.bounds[1] - self.bounds[0]) / 2


def counted(n: int, word: str) -> str:
    """A number of units in words.

    >>> counted(1, "pairs"), counted(2, "clusters")
    ('1 pair', '2 clusters')
    """
    return f"{n} {word.removesuffix('s') if n == 1 else word}"


def of_pairs(
    d: NDArray[np.float64], bounds: tuple[float, float], population: int | None = None
) -> Units:
    """Every pair is a unit; ``d`` in hash order, perhaps a random part of a fixed benchmark."""
    left = 1.0 if population is None else max(0.0, 1 - d.size / population)
    return Units(
        x=d,
        bounds=bounds,
        word="pairs",
        estimand="mean difference of a random example"
        if population is None
        else "mean difference over the benchmark",
        estimate=sums.mean(d),
        # A part of a fixed benchmark leaves only the rest in doubt; all of it leaves nothing.
        se=_standard_error(d) * math.sqrt(left) if left else 0.0,
        df=max(1, d.size - 1) if not left else d.size - 1,
        asymptotic="t",
        population=population,
    )


def of_clusters(
    d: NDArray[np.float64],
    codes: NDArray[np.int64],
    names: Sequence[str],
    bounds: tuple[float, float],
    *,
    seed: int,
    weights: NDArray[np.float64] | None = None,
    max_size: float | None = None,
) -> Units:
    """Every cluster is a unit.

    Without ``max_size`` each cluster counts once: the mean over clusters of their mean difference.
    With it each counts by its size: the mean over items, as a ratio of two means over clusters.

    Args:
        d: Differences of the pairs, shape (n,).
        codes: Cluster of each pair, index into ``names``.
        names: Ids of the clusters.
        bounds: Lowest and highest possible difference.
        seed: Seed of the order of the clusters.
        weights: Weight of each pair in its cluster, positive; equal by default.
        max_size: Largest possible size (sum of weights) of a cluster, known in advance.

    Raises:
        InputError: A cluster is larger than ``max_size``.
    """
    present = np.unique(codes)
    present = present[hash_order([names[c] for c in present], seed)]
    place = np.full(len(names), -1)
    place[present] = np.arange(present.size)
    at, w = place[codes], np.ones(d.size) if weights is None else weights
    sizes = np.bincount(at, weights=w).astype(np.float64)
    means = _kept(np.bincount(at, weights=w * d) / sizes, bounds)
    if max_size is None:
        return Units(
            x=means,
            bounds=bounds,
            word="clusters",
            estimand="mean difference of a random cluster, large or small",
            estimate=sums.mean(means),
            se=_standard_error(means),
            df=means.size - 1,
            asymptotic="t",
        )
    too_large = present[sizes > max_size]
    if too_large.size:
        raise InputError(
            f"max_cluster_size={max_size:g}, but {too_large.size} clusters are larger: "
            + some([f"{names[c]}: {sizes[place[c]]:g}" for c in too_large], most=3)
            + ". It is a promise about every cluster that could have come, made before the data "
            "were seen.",
            code="NF010",
        )
    return _by_size(means, sizes, max_size, bounds, word="clusters", asymptotic="cr1_t")


def of_weighted(
    d: NDArray[np.float64],
    weights: NDArray[np.float64],
    bounds: tuple[float, float],
    *,
    max_weight: float | None,
) -> Units:
    """Every pair is a unit that counts by its weight; ``d`` and ``weights`` in hash order."""
    largest = float(weights.max())
    if max_weight is not None and largest > max_weight:
        raise InputError(
            f"max_weight={max_weight:g}, but a weight of {largest:g} arrived. It is a promise "
            "about every example that could have come.",
            code="NF010",
        )
    limit = largest if max_weight is None else max_weight
    return _by_size(
        d,
        weights,
        limit,
        bounds,
        word="pairs",
        asymptotic="weighted_t",
        voided=max_weight is None,
    )


def of_mix(
    d: NDArray[np.float64],
    groups: NDArray[np.int64],
    shares: Sequence[float],
    bounds: tuple[float, float],
) -> Units:
    """Blocks that each hold every group in its share of the deployment mix.

    Each group is cut into J nearly equal blocks, J the size of the smallest group, and unit j is
    the sum over groups of share times the mean of block j. Units are independent, lie within the
    bounds and have exactly the mean of the mix, so every method for a mean serves them.

    Args:
        d: Differences in hash order, shape (n,).
        groups: Group of each, 0..G-1.
        shares: Share of each group in the mix; they sum to one.
        bounds: Lowest and highest possible difference.
    """
    parts = [d[groups == g] for g in range(len(shares))]
    used = [(share, part) for share, part in zip(shares, parts, strict=True) if share > 0]
    J = min(part.size for _, part in used)
    x = _kept(np.sum([share * _block_means(part, J) for share, part in used], axis=0), bounds)
    se, df = _welch(used)
    return Units(
        x=x,
        bounds=bounds,
        word="blocks",
        estimand="mean difference under the mix",
        estimate=math.fsum(share * sums.mean(part) for share, part in used),
        se=se,
        df=df,
        asymptotic="stratified_t",
        ordered=False,
    )


def of_two_samples(
    a: NDArray[np.float64], b: NDArray[np.float64], bounds: tuple[float, float]
) -> Units:
    """Blocks for two samples that share no example; each in hash order.

    The larger sample is cut into as many nearly equal blocks as the smaller one has examples, and
    a unit is one mean minus the other: independent, within the bounds, and with mean exactly that
    of b minus that of a.
    """
    J = min(a.size, b.size)
    se, df = _welch([(-1.0, a), (1.0, b)])
    return Units(
        x=_kept(_block_means(b, J) - _block_means(a, J), bounds),
        bounds=bounds,
        word="blocks",
        estimand="difference of two means, not paired",
        estimate=sums.mean(b) - sums.mean(a),
        se=se,
        df=df,
        asymptotic="welch_t",
        ordered=False,
    )


def shares_of(
    mix: Mapping[str, float], groups: Sequence[str], counts: NDArray[np.int64]
) -> list[float]:
    """The share of each group in the mix.

    Args:
        mix: Share by group.
        groups: All groups, those without an example included.
        counts: Examples of each group, shape (len(groups),).

    Raises:
        InputError: Groups that are unknown or in the mix and without an example, negative shares,
            or a sum that is not one.
    """
    shares = {g: checks.real(s, name=f"mix[{g!r}]") for g, s in mix.items()}
    there = [g for g, n in zip(groups, counts.tolist(), strict=True) if n]
    absent = sorted(g for g in shares if g not in there and (shares[g] or g not in groups))
    if absent:
        raise InputError(
            f"mix= names the groups {some(absent)}, of which there is no example; the groups are "
            f"{some(there, most=8)}.",
            code="NF011",
        )
    total = math.fsum(shares.values())
    if min(shares.values(), default=-1) < 0 or abs(total - 1) > _SHARES_SLACK:
        raise InputError(
            f"mix={dict(mix)!r}: shares must be at least 0 and sum to 1; they sum to {total:g}. "
            "A group that is left out has share 0.",
            code="NF008",
        )
    return [shares.get(g, 0.0) / total for g in groups]


def _by_size(
    means: NDArray[np.float64],
    sizes: NDArray[np.float64],
    max_size: float,
    bounds: tuple[float, float],
    *,
    word: str,
    asymptotic: str,
    voided: bool = False,
) -> Units:
    weight = sums.total(sizes)
    estimate = sums.total(sizes * means) / weight
    n = means.size
    rest = 0.0 if _equal(means) else sums.total((sizes * (means - estimate)) ** 2)
    se = math.sqrt(rest * n / (n - 1)) / weight if n > 1 else math.inf
    return Units(
        x=means,
        bounds=bounds,
        word=word,
        estimand="mean difference weighted by size"
        if word == "clusters"
        else "mean difference under the weights",
        estimate=estimate,
        se=se,
        df=n - 1,
        asymptotic=asymptotic,
        sizes=sizes,
        max_size=max_size,
        voided=voided,
    )


def _block_means(x: NDArray[np.float64], J: int) -> NDArray[np.float64]:
    """Means of J consecutive blocks whose sizes differ by one at most."""
    starts = np.arange(J) * x.size // J
    means = np.add.reduceat(x, starts) / np.diff(np.append(starts, x.size))
    return np.clip(means, x.min(), x.max())  # a mean of equal values, but for rounding


def _kept(x: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.float64]:
    """Means of possible differences, freed of what rounding carried past the bounds."""
    return np.clip(x, *bounds)


def _standard_error(x: NDArray[np.float64]) -> float:
    """0 also where values differ by no more than the rounding of their subtraction."""
    return 0.0 if x.size > 1 and _equal(x) else student.standard_error(x)


def _equal(x: NDArray[np.float64]) -> bool:
    """Whether all values are one value but for the rounding of a subtraction."""
    return bool(np.ptp(x) <= _ROUNDING * np.abs(x).max())


def _welch(parts: Sequence[tuple[float, NDArray[np.float64]]]) -> tuple[float, float]:
    """Standard error of a weighted sum of independent means, and Satterthwaite's freedom."""
    squares = [(share * _standard_error(x)) ** 2 for share, x in parts]
    total = math.fsum(squares)
    if not math.isfinite(total):
        return math.inf, 0
    freedom = math.fsum(s**2 / (x.size - 1) for s, (_, x) in zip(squares, parts, strict=True))
    return math.sqrt(total), total**2 / freedom if freedom > 0 else math.inf

"""Which bin a probability is in: exact at the edges, and by a convention that has a name."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.classify.calibration.probabilities import probabilities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.kernels.isotonic import Groups

EDGES: Final = ("width", "mass", "quantile", "distinct")
CLOSED: Final = ("left", "right")


class Rows(NamedTuple):
    """Checked rows, sorted by forecast in two ways, from which any binning is made.

    Attributes:
        grouped: Ties pooled.
        p: Forecasts in ascending order, ties in the order of the rows, shape (n,).
        y: Whether each of these rows is positive, shape (n,).
        kind: The float that the forecasts were given as, whose decimals count at an edge.
    """

    grouped: Groups
    p: NDArray[np.float64]
    y: NDArray[np.bool_]
    kind: np.dtype[np.floating]


class Convention(NamedTuple):
    """How rows are put into bins; it belongs to every number that rests on bins."""

    bins: int
    edges: str
    closed: str

    @property
    def words(self) -> str:
        """The convention in words."""
        left = self.closed == "left"
        if self.edges == "width":
            return f"{self.bins} bins of equal width, {'[a, b)' if left else '(a, b]'}"
        if self.edges == "mass":
            return f"{self.bins} bins of equal mass, ties in the order of the rows"
        if self.edges == "quantile":
            return f"{self.bins} quantile bins, ties together in the {'first' if left else 'last'}"
        return "a bin for each distinct forecast"


class Bins(NamedTuple):
    """What each bin that is not empty holds, shape (b,) each, in ascending order.

    Attributes:
        number: Number of the bin, from 0.
        lower: Its lower edge; for bins without fixed edges its smallest forecast.
        upper: Its upper edge, or its largest forecast.
        size: Rows.
        positives: Positive rows.
        mean_p: Mean forecast.
        spread: Sum of the squared deviations of the forecasts from it.
        covariance: Sum of the products of the deviations of forecasts and labels.
        ties_split: Whether rows with one forecast and both labels are in several bins.
    """

    number: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    size: NDArray[np.int64]
    positives: NDArray[np.int64]
    mean_p: NDArray[np.float64]
    spread: NDArray[np.float64]
    covariance: NDArray[np.float64]
    ties_split: bool

    @property
    def n(self) -> int:
        """Rows of all bins, which are all rows."""
        return int(self.size.sum())

    @property
    def rate(self) -> NDArray[np.float64]:
        """Share of positives of each bin, shape (b,)."""
        return np.asarray(self.positives / self.size)


def sorted_rows(labels: ArrayLike, p: ArrayLike, *, positive: object = None) -> Rows:
    """Labels and probabilities, checked and sorted once for all conventions."""
    from nofluke.kernels import isotonic

    y, q = probabilities(labels, p, positive=positive)
    given = np.asarray(p).dtype
    kind = given if given.kind == "f" and given.itemsize < 8 else np.dtype(np.float64)
    order = np.argsort(q, kind="stable")
    return Rows(isotonic.groups(y, q), q[order], y[order], kind)


def convention(bins: int, edges: str, closed: str) -> Convention:
    """A convention, checked."""
    return Convention(
        checks.whole(bins, name="bins"),
        checks.choice(edges, EDGES, name="edges"),
        checks.choice(closed, CLOSED, name="closed"),
    )


def binned(rows: Rows, how: Convention) -> Bins:
    """The rows in bins; every row is in exactly one."""
    if how.edges == "mass":
        codes = _by_rank(rows.p.size, how.bins)
        return _collect(
            codes, rows.p, np.ones(rows.p.size, np.int64), rows.y.astype(np.int64), how
        )._replace(ties_split=_splits_ties(rows, codes))
    x, size, positives = rows.grouped
    if how.edges == "distinct":
        codes = np.arange(x.size)
    elif how.edges == "quantile":
        codes = _by_quantile(size, how)
    else:
        codes = by_width(x, how, rows.kind)
    return _collect(codes, x, size, positives, how)


def by_width(
    x: NDArray[np.float64], how: Convention, kind: np.dtype[np.floating]
) -> NDArray[np.int64]:
    """Bin of each probability among bins of equal width, exact for the decimals that were given.

    In doubles 3 * (1/10) is above 0.3 and 0.29 * 100 is below 29. So where a forecast is too close
    to an edge for its product with the number of bins to decide, the decimal that it prints as is
    compared with the edge as a fraction. 0 is in the first bin and 1 in the last.

    Args:
        x: Probabilities, shape (m,), as doubles.
        how: Number of bins, and the side on which they are closed.
        kind: The float they were given as.

    >>> by_width(np.array([0.0, 0.29, 0.3, 1.0]), Convention(10, "width", "left"),
    ...          np.dtype(float)).tolist()
    [0, 2, 3, 9]
    """
    scaled = x * how.bins
    rounded = np.floor(scaled) if how.closed == "left" else np.ceil(scaled) - 1
    codes = rounded.astype(np.int64)
    close = 2 * float(np.finfo(kind).eps) * how.bins
    for i in np.flatnonzero(np.abs(scaled - np.rint(scaled)) <= close).tolist():
        exact = Fraction(str(kind.type(x[i]))) * how.bins
        codes[i] = math.floor(exact) if how.closed == "left" else math.ceil(exact) - 1
    return np.asarray(codes.clip(0, how.bins - 1))


def _by_rank(n: int, bins: int) -> NDArray[np.int64]:
    """Bins whose sizes differ by 1 at most, the larger ones first; shape (n,)."""
    each, more = divmod(n, bins)
    sizes = np.full(bins, each)
    sizes[:more] += 1
    return np.repeat(np.arange(bins), sizes)


def _by_quantile(size: NDArray[np.int64], how: Convention) -> NDArray[np.int64]:
    """All ties in the bin of the first of them in rank, or of the last; shape (m,)."""
    through = np.cumsum(size)
    n = int(through[-1])
    if how.closed == "left":
        return np.asarray((through - size) * how.bins // n)
    return np.asarray(-(-through * how.bins // n) - 1)


def _collect(
    codes: NDArray[np.int64],
    x: NDArray[np.float64],
    size: NDArray[np.int64],
    positives: NDArray[np.int64],
    how: Convention,
) -> Bins:
    """Sums by bin, of cells in ascending order."""
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    rows, ones = np.add.reduceat(size, first), np.add.reduceat(positives, first)
    mean_p = np.add.reduceat(x * size, first) / rows
    cells = np.diff(np.append(first, x.size))
    deviation = x - np.repeat(mean_p, cells)
    surplus = positives - np.repeat(ones / rows, cells) * size
    index = codes[first]
    lower, upper = x[first], x[np.append(first[1:], x.size) - 1]
    if how.edges == "width":
        lower, upper = index / how.bins, (index + 1) / how.bins
    return Bins(
        index,
        lower,
        upper,
        rows,
        ones,
        mean_p,
        np.add.reduceat(deviation**2 * size, first),
        np.add.reduceat(deviation * surplus, first),
        ties_split=False,
    )


def _splits_ties(rows: Rows, codes: NDArray[np.int64]) -> bool:
    """Whether a tie with both labels lies across the border of two bins."""
    _, size, positives = rows.grouped
    last = np.cumsum(size) - 1
    mixed = (positives > 0) & (positives < size)
    return bool((mixed & (codes[last] != codes[last - size + 1])).any())

"""The sign-flip law of a sum: exact by meeting in the middle, or sampled by tables of eight signs.

Given their sizes, differences that are symmetric around 0 have independent signs, each way with
probability 1/2. The p-value is the probability that signs drawn so give a sum at least as large
as the observed one (Fisher 1935, section 21; Pitman 1937).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.kernels.saddlepoint import log_choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Sizes are counted in whole units of 1e-12 of their mean, so that all sums are exact and do not
# depend on the order. Tenths and hundredths differ from their doubles by far less than a unit.
_UNITS = 1e12
# Sums of one half of the sizes; two sorted halves of this length meet within milliseconds.
_STATES = 1 << 16
_SIGNS = 8  # signs in one random byte
_TABULATED = 256 * _SIGNS  # sizes whose tables are made at once


class SignFlip(NamedTuple):
    """A p-value, and whether it is exact or from sampled signs."""

    pvalue: float
    exact: bool


class _Sizes(NamedTuple):
    """Sizes of the differences in whole units, ascending; their signed sum, and what still ties."""

    sizes: NDArray[np.int64]
    observed: int
    slack: int


def sign_flip(
    d: NDArray[np.float64], *, two_sided: bool, n_resamples: int, rng: np.random.Generator
) -> SignFlip:
    """P(sum of s_i d_i >= sum of d_i) over independent fair signs s, or the same of absolute sums.

    Exact where the sums of each half of the sizes are at most 2^16: 32 differences of different
    sizes, or any number that share few sizes. Else n_resamples draws of all signs, of which
    (count + 1) / (n_resamples + 1) is itself a valid p-value (Phipson & Smyth 2010): never 0.

    Args:
        d: Finite differences, shape (n,).
        two_sided: Whether large negative sums count too.
        n_resamples: Draws, where sampling is needed.
        rng: Source of the signs.
    """
    counted = _in_units(d)
    if two_sided and abs(counted.observed) <= counted.slack:
        return SignFlip(1.0, exact=True)
    halves = _halves(counted.sizes)
    threshold = (abs(counted.observed) if two_sided else counted.observed) - counted.slack
    if halves is None:
        sums = _sampled_sums(counted.sizes, n_resamples, rng)
        hits = np.count_nonzero((np.abs(sums) if two_sided else sums) >= threshold)
        return SignFlip((int(hits) + 1) / (n_resamples + 1), exact=False)
    tail = _upper_tail(halves, threshold)
    return SignFlip(min(1.0, 2 * tail if two_sided else tail), exact=True)


def _in_units(d: NDArray[np.float64]) -> _Sizes:
    """Whole units; zeros, which have no sign, are left out.

    Sums that tie in exact decimals may differ here by one unit for each difference: half a unit of
    rounding, twice where the sign differs. As much again is left for the rounding of the scores
    themselves, so that they still tie where they are 2000 times as large as their differences.
    Sums of 10^4 continuous differences fall within so little with a chance below 10^-10, and then
    p is too large.
    """
    d = d[d != 0]
    if not d.size:
        return _Sizes(np.empty(0, np.int64), 0, 0)
    scaled = d / np.abs(d).max()
    mean = math.fsum(np.abs(scaled)) / d.size
    units = np.rint(scaled / mean * min(_UNITS, 2.0**61 / d.size)).astype(np.int64)
    units = units[units != 0]
    return _Sizes(np.sort(np.abs(units)), int(units.sum()), 2 * units.size)


def _halves(sizes: NDArray[np.int64]) -> tuple[_Law, _Law] | None:
    """The laws of the signed sums of two halves of the sizes; None if one would be too long."""
    values, counts = np.unique(sizes, return_counts=True)
    parts: tuple[list[int], list[int]] = ([], [])
    states = [1, 1]
    for at in np.argsort(-counts, kind="stable").tolist():
        smaller = int(states[1] < states[0])
        states[smaller] *= int(counts[at]) + 1
        if states[smaller] > _STATES:
            return None
        parts[smaller].append(at)
    return _law(values[parts[0]], counts[parts[0]]), _law(values[parts[1]], counts[parts[1]])


class _Law(NamedTuple):
    """Values of a sum, ascending, and their probabilities; shape (states,) each."""

    sums: NDArray[np.int64]
    masses: NDArray[np.float64]


def _law(values: NDArray[np.int64], counts: NDArray[np.int64]) -> _Law:
    """Law of the sum over j of values[j] (2 Binomial(counts[j], 1/2) - counts[j])."""
    sums, masses = np.zeros(1, np.int64), np.ones(1)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        steps = value * (2 * np.arange(count + 1, dtype=np.int64) - count)
        sums = (sums[:, None] + steps).ravel()
        masses = (masses[:, None] * _fair(count)).ravel()
    order = np.argsort(sums)
    return _Law(sums[order], masses[order])


def _fair(count: int) -> NDArray[np.float64]:
    """Probabilities of Binomial(count, 1/2), exact where doubles can hold them."""
    if count <= 50:
        return np.array([math.comb(count, k) / 2**count for k in range(count + 1)])
    k = np.arange(1, count + 1, dtype=np.float64)
    logs = np.concatenate([[0.0], log_choose(count, k)])
    return np.asarray(np.exp(logs - count * math.log(2)))


def _upper_tail(halves: tuple[_Law, _Law], threshold: int) -> float:
    """P(A + B >= threshold) for independent sums A and B: all terms positive, none cancels."""
    a, b = halves
    beyond = np.concatenate([np.cumsum(b.masses[::-1])[::-1], [0.0]])
    at = np.searchsorted(b.sums, threshold - a.sums, side="left")
    return float(a.masses @ beyond[at])


def _sampled_sums(
    sizes: NDArray[np.int64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Sums with random signs, shape (n_resamples,).

    The 256 signed sums of each eight sizes are tabulated once; a random byte then looks one up.
    """
    padded = np.zeros(-(-sizes.size // _SIGNS) * _SIGNS, np.int64)
    padded[: sizes.size] = sizes
    sums, looked_up = np.zeros(n_resamples, np.int64), np.empty(n_resamples, np.int64)
    for start in range(0, padded.size, _TABULATED):
        for table in _tables(padded[start : start + _TABULATED].reshape(-1, _SIGNS)):
            signs = np.frombuffer(rng.bytes(n_resamples), np.uint8)
            # A byte cannot lie outside; "clip" spares the check that would find so.
            sums += np.take(table, signs, out=looked_up, mode="clip")
    return sums


def _tables(eights: NDArray[np.int64]) -> NDArray[np.int64]:
    """All signed sums of each eight sizes, shape (groups, 8) -> (groups, 256)."""
    table = np.zeros((len(eights), 1), np.int64)
    for size in eights.T[:, :, None]:
        table = np.concatenate([table + size, table - size], axis=1)
    return table

"""Sums that do not depend on the order of what is summed.

Every addend is split against fixed powers of two into slices whose sums are exact (Rump's
error-free extraction, as used for reproducible summation by Demmel & Nguyen 2013). What is left
below the last slice is dropped from each addend by itself, so the result is the same to the last
bit for every order, every engine and every number of workers. Two slices keep 2 (50 - log2 n)
bits below n times the largest addend: 64 bits at a million addends, where a plain sum has 53.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLICES = 2
_BLOCK = 1 << 14  # doubles per block, so that its two temporaries stay in the cache


def row_means(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each row, shape (K, n) -> (K,); a row with one kind of infinity has that mean.

    Both infinities in one row make NaN.
    """
    k, n = rows.shape
    means = np.empty(k)
    step = max(1, _BLOCK // n)
    for start in range(0, k, step):
        means[start : start + step] = _block_means(rows[start : start + step])
    return means


def mean(x: NDArray[np.float64]) -> float:
    """Mean of ``x``, shape (n,), the same for every order."""
    return float(row_means(x[np.newaxis, :])[0])


def total(x: NDArray[np.float64]) -> float:
    """Sum of ``x``, shape (n,), rounded once: the same for every order.

    ``math.fsum`` in blocks, as a list of all the numbers takes four times the room of the array.

    >>> total(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    blocks = (x[start : start + _BLOCK].tolist() for start in range(0, x.size, _BLOCK))
    return math.fsum(itertools.chain.from_iterable(blocks))


def _block_means(block: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.maximum(block.max(axis=1), -block.min(axis=1))
    finite = np.isfinite(largest)
    if finite.all():
        return _finite_means(block, largest)
    means = np.empty(len(block))
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, and that is the answer
        # Only what is infinite counts: huge finite numbers could add up to another infinity.
        endless = np.where(np.isfinite(block[~finite]), 0.0, block[~finite])
        means[~finite] = endless.sum(axis=1)
    if finite.any():
        means[finite] = _finite_means(block[finite], largest[finite])
    return means


def _finite_means(block: NDArray[np.float64], largest: NDArray[np.float64]) -> NDArray[np.float64]:
    n = block.shape[1]
    bits = math.ceil(math.log2(n)) + 2
    _, exponents = np.frexp(largest)
    if exponents.max() > 1000 - bits or exponents.min() < -900:
        # Too near the ends of the doubles for the slices: scaled by a power of two, exactly.
        scaled = _finite_means(
            np.ldexp(block, -exponents[:, np.newaxis]), np.ldexp(largest, -exponents)
        )
        return np.asarray(np.ldexp(scaled, exponents), dtype=np.float64)
    rest, head = block.copy(), np.empty_like(block)
    sums = []
    for level in range(_SLICES):
        boundary = np.ldexp(1.5, exponents + bits - level * (52 - bits))[:, np.newaxis]
        np.add(rest, boundary, out=head)
        head -= boundary
        rest -= head
        sums.append(head.sum(axis=1))
    return np.asarray((sums[1] + sums[0]) / n, dtype=np.float64)

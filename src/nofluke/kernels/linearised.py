"""Functions of the four cells of a matrix, with variances by whole clusters.

The derivative is taken by a complex step, exact to rounding: f(N + i h e) = f(N) + i h f'(N) for
an h so small that its square vanishes (Squire & Trapp 1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_STEP = 1e-200


class Linear(NamedTuple):
    """A function of sums over clusters, as far as it is linear.

    Attributes:
        value: The function at the sums.
        se: Its standard error by clusters, with the factor G / (G - 1).
    """

    value: float
    se: float


def by_clusters(
    cells: NDArray[np.float64], function: Callable[..., Any], n_clusters: int
) -> Linear:
    """Linearisation (Taylor series) of a function of sums; clusters are independent draws.

    The function must not change where all its arguments are multiplied by one number, as a ratio
    does not; then the parts of the clusters sum to 0 and need no centring.

    Args:
        cells: What is summed, shape (G, k).
        function: Of k sums; analytic there.
        n_clusters: G of the factor G / (G - 1): clusters that the function depends on; at least 2.

    Source: Woodruff 1971; for a ratio, Cochran 1977, section 6.

    >>> import numpy as np
    >>> found = by_clusters(np.array([[1.0, 2.0], [3.0, 4.0], [2.0, 4.0]]), lambda a, b: a / b, 3)
    >>> round(found.value, 4), round(found.se, 6)
    (0.6, 0.091652)
    """
    sums = cells.sum(axis=0)
    gradient = np.empty(sums.size)
    for i in range(sums.size):
        moved = sums.astype(np.complex128)
        moved[i] += 1j * _STEP * max(1.0, float(sums[i]))
        gradient[i] = complex(function(*moved)).imag / (_STEP * max(1.0, float(sums[i])))
    parts = cells @ gradient
    factor = n_clusters / (n_clusters - 1)
    value = complex(function(*sums.astype(np.complex128))).real
    return Linear(value, float(np.sqrt(factor * (parts @ parts))))

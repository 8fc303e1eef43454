"""What was given: scores, one for each candidate, and the covariance of their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_ROUNDING = 1e-8  # relative to the largest variance: less is rounding


def finite_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """One finite score for each candidate, shape (m,)."""
    values = checks.sample(scores, name="scores")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(f"scores are infinite at position {some(bad.tolist())}.", code="NF008")
    return values


def covariance_matrix(covariance: ArrayLike, *, m: int | None = None) -> NDArray[np.float64]:
    """A covariance, singular or not, made exactly symmetric.

    Raises:
        InputError: Not m by m numbers, not symmetric, or with a negative eigenvalue (NF230).
    """
    try:
        given = np.array(covariance, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"covariance holds what is no number ({error}); where delong gives None, the rows do "
            "not tell it.",
            code="NF230",
        ) from None
    size = m if m is not None else (given.shape[0] if given.ndim == 2 else 0)
    if given.shape != (size, size) or size == 0:
        wanted = "(m, m)" if m is None else f"({m}, {m}), a row and a column for each score"
        raise InputError(f"covariance has shape {given.shape}; expected {wanted}.", code="NF230")
    if not np.isfinite(given).all():
        raise InputError("covariance has values that are not finite.", code="NF230")
    matrix = np.asarray((given + given.T) / 2)
    slack = _ROUNDING * float(np.abs(np.diag(matrix)).max())
    apart = float(np.abs(given - given.T).max())
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if apart > slack or lowest < -slack * size:
        what = f"symmetric (off by {apart:.3g})" if apart > slack else "positive semidefinite"
        raise InputError(
            f"covariance is not {what}; its smallest eigenvalue is {lowest:.3g}. Give variances "
            "and covariances of the scores on the same rows, all from one estimate.",
            code="NF230",
        )
    return matrix

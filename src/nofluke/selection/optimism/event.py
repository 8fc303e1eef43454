"""When a candidate wins, given all that is independent of its score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAME = 1e-12  # a variance of a difference, relative to that of the winner: less is a copy


class Event(NamedTuple):
    """When the winner wins: how far its score may fall and rise, in its standard errors."""

    winner: int
    se: float
    below: float
    above: float
    tied: tuple[int, ...]


def logits(
    x: NDArray[np.float64], S: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores on the logit scale, and their covariance there to first order."""
    bad = np.flatnonzero((x <= 0) | (x >= 1))
    if bad.size:
        raise InputError(
            f"scores {some(x[bad].tolist(), most=3)} at position {some(bad.tolist(), most=3)} have "
            "no logit: it needs scores within (0, 1). Use scale='raw'; at an area or a rate of 0 "
            "or 1 no variance is known, and an interval made for that at level 1 - alpha / m holds "
            "after the choice as well.",
            code="NF231",
        )
    slope = 1 / (x * (1 - x))
    return np.log(x) - np.log1p(-x), S * np.outer(slope, slope)


def event_of(x: NDArray[np.float64], y: NDArray[np.float64], Y: NDArray[np.float64]) -> Event:
    """The winner and how far its score may move with what is independent of it held still.

    What is independent of Y_w is Y_j - b_j Y_w with b_j = S_jw / S_ww; j is overtaken at a gap of
    (Y_w - Y_j) / (1 - b_j) below, or of as much above where b_j > 1.
    """
    w = int(np.argmax(x))
    variance = float(Y[w, w])
    if variance <= 0:
        raise InputError(
            f"the winner's score {x[w]:g} has variance {variance:g}, which would make its interval "
            "a point; give the variance it has over new rows, or an interval made for scores at "
            "the boundary, at level 1 - alpha / m.",
            code="NF230",
        )
    differs = np.diag(Y) + variance - 2 * Y[w] > _SAME * variance
    away = 1 - Y[w] / variance
    # A difference that does not depend on Y_w bounds nothing; nor does a copy.
    down, up = differs & (away > _SAME), differs & (away < -_SAME)
    gaps, se = y[w] - y, math.sqrt(variance)
    # Tied are scores that differ by rounding only, here or on the other scale.
    tied = differs & ((x[w] - x <= 4 * np.spacing(abs(x[w]))) | (gaps <= 0))
    return Event(
        winner=w,
        se=se,
        below=float((gaps[down] / away[down]).min(initial=math.inf)) / se,
        above=float((gaps[up] / -away[up]).min(initial=math.inf)) / se,
        tied=(w, *np.flatnonzero(tied).tolist()),
    )

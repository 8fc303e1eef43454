"""An interval for the winner from scores and standard errors alone, under any dependence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from nofluke import checks
from nofluke.errors import InputError
from nofluke.results import Guarantee
from nofluke.selection.optimism.given import finite_scores
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoomInterval(Shown):
    """An interval for the true score of the candidate with the highest one.

    Attributes:
        score: The score it shows; it is no estimate, as it was chosen for being high.
        lower: Lower limit, in units of the scores.
        upper: Upper limit.
        alpha: Error level.
        method: "stepdown" or "simultaneous".
        winner: Its position.
        plausible: How many candidates the wider limit still reckons with.
        m: Number of candidates that could have been chosen.
        bonferroni: Half-width that all m would need.
        guarantee: "asymptotic": scores are normal with these standard errors, in the limit.
    """

    score: float
    lower: float
    upper: float
    alpha: float
    method: str
    winner: int
    plausible: int
    m: int
    bonferroni: float
    guarantee: Guarantee

    def __str__(self) -> str:
        return (
            f"best of {self.m}: {self.score:.4g} [{self.lower:.4g}, {self.upper:.4g}] at "
            f"{100 * (1 - self.alpha):.12g}% (zoom {self.method}, {self.guarantee})"
        )


def zoom_interval(
    scores: ArrayLike,
    se: ArrayLike,
    *,
    level: float = 0.95,
    method: str = "stepdown",
    nu: float | None = None,
    tried: int | None = None,
) -> ZoomInterval:
    """Interval for the true score of the best of m, from scores and their standard errors only.

    Holds under any dependence of the scores. Candidates far behind the winner cost little or
    nothing; where none is far behind, it is Bonferroni's interval. Higher scores win.

    Args:
        scores: Shape (m,), normal around the true scores.
        se: Standard error of each, shape (m,), or one for all. With several the largest counts for
            all, which is safe.
        level: Coverage promised.
        method: "stepdown" (zoom), or "simultaneous" over the candidates that may be best.
        nu: Part of the error level with which "simultaneous" finds those; by default a tenth.
        tried: How many could have been chosen, those without a score here included, none of which
            scored higher than the best; they count as if they had scored as high.

    Raises:
        InputError: A standard error is not above 0, shapes differ, or nu or tried does not fit.

    Source: Zrnic & Fithian 2024, Annals of Statistics 52:1227 (simultaneous) and arXiv 2411.18569
    (zoom).

    >>> behind = [0.7, 0.702, 0.705, 0.71, 0.72, 0.735, 0.76, 0.768, 0.845]
    >>> print(zoom_interval([*behind, 0.858], 0.003, level=0.9))
    best of 10: 0.858 [0.8521, 0.8638] at 90% (zoom stepdown, asymptotic)
    """
    x = finite_scores(scores)
    sigma = _largest(se, x.size)
    alpha = checks.alpha(level=level, alpha=None)
    way = checks.choice(method, ("stepdown", "simultaneous"), name="method")
    m = x.size if tried is None else checks.whole(tried, name="tried", least=x.size)
    winner = int(np.argmax(x))
    gaps = np.sort((x[winner] - x) / sigma)[::-1]
    if way == "stepdown":
        if nu is not None:
            raise InputError("nu= belongs to method='simultaneous'.", code="NF008")
        down, left = _lower_radius(gaps, alpha, m)
        up, _ = _upper_radius(gaps, alpha, m)
    else:
        down, left = _simultaneous(gaps, alpha, alpha / 10 if nu is None else nu, m)
        up = down
    return ZoomInterval(
        score=float(x[winner]),
        lower=float(x[winner] - down * sigma),
        upper=float(x[winner] + up * sigma),
        alpha=alpha,
        method=way,
        winner=winner,
        plausible=left,
        m=m,
        bonferroni=_bonferroni(alpha, m) * sigma,
        guarantee="asymptotic",
    )


def _lower_radius(gaps: NDArray[np.float64], alpha: float, m: int) -> tuple[float, int]:
    """Distance of the lower limit in standard errors, and the candidates left.

    The confidence set holds the true scores from which each candidate j errs by at most R_j, where
    R_j is half its distance to the best, or r if that is more, and the probabilities of all R_j add
    up to alpha. Whoever is ``gap`` behind has R_j >= (gap - r) / 3, so that a bound on r gives one
    on his part of alpha, and this a better bound on r. There are m, those beyond gaps at 0.
    """
    left, rest, best = m, alpha, _bonferroni(alpha, m)
    r = best
    for gap in gaps[:-1].tolist():
        if gap <= 4 * r:
            break
        rest -= 2 * float(ndtr(-(gap - r) / 3))
        left -= 1
        r = _bonferroni(rest, left)
        best = min(best, r)
    return best, left


def _upper_radius(gaps: NDArray[np.float64], alpha: float, m: int) -> tuple[float, int]:
    """Distance of the upper limit: if that is t above, R_j >= (gap + t) / 3, and t >= z."""
    left, rest, best = m, alpha, _bonferroni(alpha, m)
    z, r = _bonferroni(alpha, 1), best
    for gap in gaps[:-1].tolist():
        if gap <= 2 * r:
            break
        rest -= 2 * float(ndtr(-(gap + z) / 3))
        if rest <= 0:
            break
        left -= 1
        r = _bonferroni(rest, left)
        # Every step bounds the same distance, so that the smallest holds.
        best = min(best, r)
    return best, left


def _simultaneous(gaps: NDArray[np.float64], alpha: float, nu: float, m: int) -> tuple[float, int]:
    """Bonferroni's distance over those who may be best, who are found with error nu."""
    part = checks.fraction(nu, name="nu")
    if part > alpha * (1 - 1e-9):  # 1 - 0.95 is a little more than 0.05
        raise InputError(
            f"nu={nu:g} leaves nothing of the error level {alpha:.6g}; give less, such as a tenth.",
            code="NF008",
        )
    behind = int(np.count_nonzero(gaps > 4 * _bonferroni(part, m)))
    left = m - behind
    return _bonferroni(alpha - part, left), left


def _bonferroni(alpha: float, m: int) -> float:
    return -float(ndtri(alpha / 2 / m))


def _largest(se: ArrayLike, m: int) -> float:
    values = checks.sample(np.atleast_1d(np.asarray(se)), name="se")
    if values.size not in (1, m):
        raise InputError(f"se has {values.size} values for {m} scores.", code="NF002")
    if not ((values > 0) & (values < math.inf)).all():
        raise InputError("every standard error must be finite and above 0.", code="NF008")
    return float(values.max())

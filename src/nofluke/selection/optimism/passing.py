"""How often the best of m passes a gate, and how often its naive interval holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np
from scipy.special import ndtri

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import maxima
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Dependence: TypeAlias = Literal["unknown", "positive", "independent", "equicorrelated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassProbability(Shown):
    """Probability that at least one of m candidates passes, each with probability p.

    Attributes:
        lower: The least it can be under this dependence.
        upper: The most; equal to ``lower`` where the dependence settles it.
        p: Probability that one of them passes.
        m: Number of candidates.
        dependence: What was said of how they go together.
        rho: Correlation of each pair, for "equicorrelated" only.
        assumes: What must be true for the range.
    """

    lower: float
    upper: float
    p: float
    m: int
    dependence: Dependence
    rho: float | None
    assumes: str

    @property
    def value(self) -> float | None:
        """The probability, where the dependence settles it; else None."""
        return self.lower if self.lower == self.upper else None

    def __str__(self) -> str:
        range_ = (
            f"{self.lower:.4g}" if self.value is not None else f"{self.lower:.4g}-{self.upper:.4g}"
        )
        return f"{range_} that one of {self.m} passes (dependence {self.dependence})"


_ASSUMES: dict[Dependence, str] = {
    "unknown": "Each passes with probability p; nothing about how they go together.",
    "positive": (
        "Each passes with probability p, and all failing together is at least as likely as under "
        "independence (positive orthant dependence)."
    ),
    "independent": "Each passes with probability p, independently: no shared rows, no shared data.",
    "equicorrelated": "Scores are jointly normal, each pair with correlation rho.",
}


def pass_probability(
    p: float, m: int, *, dependence: str = "unknown", rho: float | None = None
) -> PassProbability:
    """Probability that at least one of m candidates passes a gate that each passes with p.

    Candidates that share rows are dependent, and 1 - (1 - p)^m is then no answer. Without knowledge
    the range is [p, min(1, m p)], which nothing narrows: both ends occur. With positive dependence
    it is [p, 1 - (1 - p)^m].

    Args:
        p: Probability that a single one passes, in [0, 1].
        m: Number of candidates.
        dependence: "unknown", "positive" (as for seeds on the same rows), "independent", or
            "equicorrelated" for normal scores with correlation ``rho``.
        rho: Correlation of each pair, in [0, 1]; with "equicorrelated" only.

    Raises:
        InputError: An argument is out of range, or rho is missing or would be ignored.

    Source: the bounds of Frechet and Bonferroni; Slepian 1962 for normal scores; the one-factor
    integral for equal correlations.

    >>> print(pass_probability(0.05, 10))
    0.05-0.5 that one of 10 passes (dependence unknown)
    >>> print(pass_probability(0.2, 10, dependence="independent"))
    0.8926 that one of 10 passes (dependence independent)
    >>> round(pass_probability(0.2, 10, dependence="equicorrelated", rho=0.9).value, 4)
    0.3565
    """
    chance = _chance(p)
    m = checks.whole(m, name="m")
    how = cast("Dependence", checks.choice(dependence, get_args(Dependence), name="dependence"))
    if (rho is None) == (how == "equicorrelated"):
        raise InputError(
            f"rho={rho!r} with dependence={dependence!r}: a correlation belongs to "
            "dependence='equicorrelated', and that needs one.",
            code="NF008",
        )
    correlation = None if rho is None else common_correlation(rho)
    independent = _independent(chance, m)
    if how == "equicorrelated":
        lower = upper = _normal(chance, m, cast("float", correlation))
    elif how == "independent":
        lower = upper = independent
    else:
        lower, upper = chance, min(1.0, m * chance) if how == "unknown" else independent
    return PassProbability(
        lower=lower,
        upper=upper,
        p=chance,
        m=m,
        dependence=how,
        rho=correlation,
        assumes=_ASSUMES[how],
    )


def maximum_cdf(F: ArrayLike, m: int, *, rho: float = 0.0) -> Any:
    """Distribution function of the largest of m scores, from that of one.

    F^m for independent scores; for rho > 0 that of scores which are jointly normal after a monotone
    change of scale, each pair with correlation rho there.

    Args:
        F: P(one score <= t), a number or an array, at each t asked for.
        m: Number of candidates.
        rho: Correlation of each pair, in [0, 1].

    Raises:
        InputError: A value is no probability, or an argument is out of range.

    >>> maximum_cdf([0.5, 0.9], 2).round(2).tolist()
    [0.25, 0.81]
    """
    m, correlation = checks.whole(m, name="m"), common_correlation(rho)
    given = np.asarray(F)
    values = checks.sample(given.ravel(), name="F").reshape(given.shape)
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError("F must hold probabilities, in [0, 1].", code="NF008")
    if correlation == 0:
        found = values**m
    else:
        each = [1 - _normal(1 - v, m, correlation) for v in values.ravel().tolist()]
        found = np.array(each).reshape(values.shape)
    return float(found) if values.ndim == 0 else found


def naive_coverage(m: int, *, level: float = 0.95, rho: float = 0.0) -> float:
    """How often the usual interval of one candidate holds, when it is that of the best of m.

    Scores are normal with the same true value and known variance, each pair with correlation rho;
    the interval is score +- z sd of the winner. Exact.

    Args:
        m: Number of candidates.
        level: Coverage that the interval has for a candidate named beforehand.
        rho: Correlation of each pair, in [0, 1].

    Raises:
        InputError: An argument is out of range.

    >>> round(naive_coverage(10), 4), round(naive_coverage(10, rho=0.9), 4)
    (0.7763, 0.9305)
    """
    m, correlation = checks.whole(m, name="m"), common_correlation(rho)
    z = -float(ndtri(checks.alpha(level=level, alpha=None) / 2))
    return maxima.exceedance(-z, m, correlation) - maxima.exceedance(z, m, correlation)


def common_correlation(rho: float) -> float:
    """The correlation of every pair in a one-factor model, in [0, 1]."""
    value = checks.real(rho, name="rho")
    if not 0 <= value <= 1:
        raise InputError(
            f"rho={rho!r} must lie in [0, 1]; errors of candidates on the same rows seldom go "
            "against each other.",
            code="NF008",
        )
    return value


def _chance(p: float) -> float:
    value = checks.real(p, name="p")
    if not 0 <= value <= 1:
        raise InputError(f"p={p!r} must lie in [0, 1].", code="NF008")
    return value


def _independent(p: float, m: int) -> float:
    return p if m == 1 or p == 1 else -math.expm1(m * math.log1p(-p))


def _normal(p: float, m: int, rho: float) -> float:
    """The one-factor integral at the gate that one passes with probability p."""
    if p in (0, 1) or m == 1 or rho == 1:
        return p
    if rho == 0:
        return _independent(p, m)
    return maxima.exceedance(-float(ndtri(p)), m, rho)

"""Confidence sequences for the mean of bounded scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import betting as capital
from nofluke.kernels import mixtures, plug_in, sums
from nofluke.methods import Register
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Bounds: TypeAlias = Sequence[float] | None

MEANS: Register[Callable[..., Interval]] = Register("sequence")

# A number fixed before the data, for those who name none. At alpha 0.05 ``normal_mixture`` is at
# most 9 % wider with it than with the best design from n = 250 to 10 000, and 27 to 31 % at 100.
DESIGN: Final = 1000

_BOUNDS: Final = frozenset({"bounds"})


@MEANS.add(guarantee="anytime", needs=_BOUNDS, cite="Howard, Ramdas, McAuliffe & Sekhon 2021")
def normal_mixture(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    design: int = DESIGN,
) -> Interval:
    """Interval for the mean of bounded scores, of a width that is known before the scores.

    Each score is sub-Gaussian with variance (range / 2)^2 (Hoeffding's lemma); the normal mixture
    of Propositions 4 and 5. The watched form of ``means.hoeffding``.

    Args:
        x: Scores so far in order of arrival, shape (n,).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        design: The n for which the interval is made narrow. Fixed before the data: with the n at
            hand in its place nothing would hold at all n together.

    Raises:
        InputError: No bounds, scores outside them, a ``design`` below 1, or not exactly one of
            ``level`` and ``alpha``.

    >>> print(normal_mixture([0, 1] * 500, level=0.95, bounds=(0, 1)))
    0.5 [0.452, 0.548] at 95% (normal_mixture, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)
    design = checks.whole(design, name="design")
    bound = mixtures.normal_mixture_bound(
        asked.n / 4, asked.alpha, design / 4, two_sided=asked.side == "both"
    )
    return _around(asked, bound / asked.n, method="normal_mixture")


@MEANS.add(guarantee="anytime", needs=_BOUNDS, cite="Howard, Ramdas, McAuliffe & Sekhon 2021")
def stitched(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Interval for the mean of bounded scores from their variance, by stitching; nothing to tune.

    Empirical Bernstein: the sum of the scores is sub-exponential in the squared distances of each
    from the mean of those before it (Theorem 4), under the boundary of Theorem 1, which shrinks at
    the rate of the law of the iterated logarithm, sqrt(log log n / n).

    Args:
        x: Scores so far in order of arrival, shape (n,).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``normal_mixture``.

    >>> print(stitched([0.4, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.5 [0.4772, 0.5228] at 95% (stitched, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)
    spread = plug_in.variance(asked.u)[-1]
    bound = float(mixtures.poly_stitching_bound(spread, asked.tail, 1.0, c=1.0))
    return _around(asked, bound / asked.n, method="stitched")


@MEANS.add(guarantee="anytime", needs=_BOUNDS, cite="Howard, Ramdas, McAuliffe & Sekhon 2021")
def bernstein_mixture(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    design: int = DESIGN,
) -> Interval:
    """Interval for the mean of bounded scores from their variance, by a gamma mixture.

    As ``stitched``, under the boundary of Proposition 8: narrower for a long while around its
    design, and of the rate sqrt(log n / n) in the end.

    Args:
        x: Scores so far in order of arrival, shape (n,).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        design: The n for which the interval is made narrow, for scores with a standard deviation
            of a quarter of their range; fixed before the data.

    Raises:
        InputError: As for ``normal_mixture``.

    >>> print(bernstein_mixture([0.4, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.5 [0.4863, 0.5137] at 95% (bernstein_mixture, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)
    spread = float(plug_in.variance(asked.u)[-1])
    v_opt = checks.whole(design, name="design") / 16
    bound = mixtures.gamma_exponential_mixture_bound(spread, asked.tail, v_opt, 1.0)
    return _around(asked, bound / asked.n, method="bernstein_mixture")


@MEANS.add(guarantee="anytime", needs=_BOUNDS, cite="Waudby-Smith & Ramdas 2024, Theorem 2")
def empirical_bernstein(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Interval for the mean of bounded scores from their variance, by predictable weights.

    Its centre is a weighted mean of the scores, which need not be their mean.

    Args:
        x: Scores so far in order of arrival, shape (n,).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``normal_mixture``.

    >>> print(empirical_bernstein([0.4, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.5 [0.4883, 0.5117] at 95% (empirical_bernstein, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)

    def limit(u: NDArray[np.float64]) -> float:
        weights = plug_in.sequence_weights(u, asked.tail)
        return plug_in.lower_limit(u, plug_in.centres(u), weights, asked.tail)

    return _mirrored(asked, limit, method="empirical_bernstein")


@MEANS.add(guarantee="anytime", needs=_BOUNDS, cite="Waudby-Smith & Ramdas 2024, Section 4")
def betting(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    population: int | None = None,
) -> Interval:
    """Interval for the mean of bounded scores by betting: the narrowest without a planned n.

    A mean is left out once a bettor against it has multiplied the stake by 1/alpha (2/alpha on
    each of two sides), now or at an earlier score: what was left out stays out.

    Args:
        x: Scores so far in order of arrival, shape (n,).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        population: Size of a fixed benchmark of which ``x`` is a random subset in random order,
            drawn without replacement; its mean is what is estimated.

    Raises:
        InputError: As for ``normal_mixture``; also more scores than ``population``.

    >>> print(betting([0.4, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.5 [0.4901, 0.5097] at 95% (betting, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)
    drawn_from = checks.population(population, drawn=asked.n)
    plan = capital.Plan(asked.tail, asked.n, "sequence", population=drawn_from)
    return _by_betting(asked, plan, method="betting")


@MEANS.add(
    guarantee="anytime",
    needs=frozenset({"bounds", "planned"}),
    cite="Voracek & Orabona 2025 (2505.22422) averaged with Waudby-Smith & Ramdas 2024",
)
def hedged_star(
    x: ArrayLike,
    *,
    planned: int,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    population: int | None = None,
    weight: float = 0.8,
) -> Interval:
    """Interval for the mean of bounded scores by betting towards a planned number of them.

    Close to the width of Student's interval at n = ``planned``, and valid at every n before and
    after. The bets depend on the level, so that intervals at two levels need not lie in each other.

    Args:
        x: Scores so far in order of arrival, shape (n,).
        planned: Number of scores planned, fixed before the data.
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        population: As for ``betting``.
        weight: Share of the bets that aim at ``planned``, in (0, 1), fixed before the data; the
            rest bet as ``betting`` does.

    Raises:
        InputError: As for ``betting``; also ``planned`` below 1, ``weight`` outside (0, 1).

    >>> print(hedged_star([0.4, 0.6] * 500, planned=1000, level=0.95, bounds=(0, 1)))
    0.5 [0.4926, 0.5073] at 95% (hedged_star, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)
    plan = capital.Plan(
        asked.tail,
        checks.whole(planned, name="planned"),
        "hedged",
        weight=checks.fraction(weight, name="weight"),
        population=checks.population(population, drawn=asked.n),
    )
    return _by_betting(asked, plan, method="hedged_star")


@MEANS.add(guarantee="anytime", cite="Howard, Ramdas, McAuliffe & Sekhon 2021")
def beta_binomial(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = (0, 1),
    design: int = DESIGN,
) -> Interval:
    """Interval for the rate of ones that may be read after every draw; their order is no matter.

    All rates against which a beta mixture around them gives a likelihood ratio below 1/alpha
    (Proposition 6 with the exact psi of a Bernoulli variable); for a one-sided interval a mixture
    over what lies beyond (Proposition 7).

    Args:
        x: Zeros and ones so far, shape (n,).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: The two values that a score can have.
        design: The n for which the interval is made narrow; fixed before the data.

    Raises:
        InputError: A score that is neither of the two; as for ``normal_mixture``.

    >>> print(beta_binomial([0, 1] * 500, level=0.95))
    0.5 [0.4521, 0.5479] at 95% (beta_binomial, n=1000, anytime)
    """
    asked = _asked(x, level, alpha, side, bounds)
    other = asked.u[(asked.u != 0) & (asked.u != 1)]
    if other.size:
        strange = asked.low + (asked.high - asked.low) * other
        raise InputError(
            f"beta_binomial needs scores that are one of two values; {other.size} are not, such "
            f"as {some(strange.tolist(), most=3)}.",
            code="NF014",
        )
    design = checks.whole(design, name="design")
    ones, n = int(asked.u.sum()), asked.n
    if asked.side == "lower":
        limits = mixtures.bernoulli_lower_limit(ones, n, asked.alpha, design), 1.0
    elif asked.side == "upper":
        limits = 0.0, 1 - mixtures.bernoulli_lower_limit(n - ones, n, asked.alpha, design)
    else:
        limits = mixtures.bernoulli_limits(ones, n, asked.alpha, design)
    return _limits(asked, *limits, method="beta_binomial")


class _Asked(NamedTuple):
    """Bounded scores on the scale from 0 to 1, how to come back, and what is asked of them."""

    u: NDArray[np.float64]
    estimate: float
    low: float
    high: float
    alpha: float
    side: checks.Side

    @property
    def n(self) -> int:
        return int(self.u.size)

    @property
    def tail(self) -> float:
        """Error level of one limit."""
        return checks.tail(self.alpha, self.side)


def _asked(
    x: ArrayLike, level: float | None, error: float | None, on: str, bounds: Bounds
) -> _Asked:
    sample, side, alpha = checks.region(x, on, level, error)
    u, low, high = checks.unit(sample, bounds)
    return _Asked(u, sums.mean(sample), low, high, alpha, side)


def _by_betting(asked: _Asked, plan: capital.Plan, *, method: str) -> Interval:
    weights = np.ones(asked.n)

    def limit(u: NDArray[np.float64]) -> float:
        return capital.lower_limit(u, weights, plan)

    return _mirrored(asked, limit, method=method)


def _mirrored(
    asked: _Asked, limit: Callable[[NDArray[np.float64]], float], *, method: str
) -> Interval:
    """The interval of which the upper limit is the lower one of mirrored scores."""
    lower = limit(asked.u) if asked.side != "upper" else 0.0
    upper = 1 - limit(1 - asked.u) if asked.side != "lower" else 1.0
    # Limits that cross are a miss whatever is said; what lies between them is an interval.
    return _limits(asked, min(lower, upper), max(lower, upper), method=method)


def _around(asked: _Asked, radius: float, *, method: str) -> Interval:
    centre = sums.mean(asked.u)
    return _limits(asked, centre - radius, centre + radius, method=method)


def _limits(asked: _Asked, lower: float, upper: float, *, method: str) -> Interval:
    """The interval in the units of the scores, from limits on the scale from 0 to 1."""
    below, above = checks.from_unit(lower, upper, asked.low, asked.high)
    return Interval(
        estimate=asked.estimate,
        lower=asked.low if asked.side == "upper" else below,
        upper=asked.high if asked.side == "lower" else above,
        alpha=asked.alpha,
        side=asked.side,
        method=method,
        guarantee="anytime",
        n=asked.n,
    )

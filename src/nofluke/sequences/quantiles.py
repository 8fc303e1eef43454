"""Confidence sequences for a quantile: runs may be added, and looked at, as long as one likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.special import bdtr

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import quantile_sequences as kernel
from nofluke.kernels.bootstrap_ranks import sample_rank
from nofluke.quantiles import QuantileInterval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.quantiles.answers import Status

# A number of runs fixed before the data, for those who name none: repeated runs are few.
RUNS: Final = 25

# Nearer to the ends 1 - u loses digits that matter, and nobody repeats a million runs.
_LEAST = 1e-6
_METHOD = "beta_binomial"
_ASSUMES = (
    "runs are independent draws of one distribution, taken as they come: none is left out",
    "u, the level, the side and design= were settled before the first run was seen",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantilePath(Shown):
    """The limits for a quantile after each of n runs, all of which hold together.

    Attributes:
        lower: Lower limits after 1, 2, ..., n runs, shape (n,); -inf or the natural bound where
            those runs give none.
        upper: Upper limits, shape (n,); inf or the natural bound where there is none.
        ranks: 1-based ranks of both limits among the runs so far, shape (n, 2), before any
            intersection; 0 and t + 1 say that t runs give none.
        u: The quantile asked for.
        alpha: Error level of all limits together.
        side: "both", or the only side that is bounded.
        design: The n for which the limits were made narrow.
        running: Whether each interval was intersected with all before it.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    ranks: NDArray[np.int64]
    u: float
    alpha: float
    side: checks.Side
    design: int
    running: bool

    @property
    def n(self) -> int:
        """Number of runs."""
        return int(self.lower.size)


def quantile(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Sequence[float] | None = None,
    design: int = RUNS,
) -> QuantileInterval:
    """Interval for a quantile that holds at all numbers of runs at once, so that runs may be added.

    With probability 1 - alpha the intervals after 1, 2, 3, ... runs all contain the quantile xi_u,
    the smallest x with F(x) >= u, whoever decides when to stop and by what. Its price against one
    look: at level 0.9 a lower limit for u = 0.05, alone, exists from 49 runs on instead of 45.

    How it holds, for every F, ties included. Write the runs as X_i = F^-1(U_i) with independent
    uniforms, and let S count the U_i <= u, which is exactly binomial. As F^-1 never falls, X_i <
    xi_u means U_i < u, and U_i <= u means X_i <= xi_u: so at most S runs lie below xi_u, and at
    least S at or below it. If lo <= S <= hi, then X_(lo) <= xi_u <= X_(hi+1), closed limits both.
    The range from lo to hi holds the counts at which a beta mixture of likelihood ratios against u
    is below 1/alpha; that mixture is a martingale, which reaches 1/alpha at any time with
    probability at most alpha (Ville 1939). "both" takes the whole beta law, which gives more of
    alpha to the side where runs are few (``miss``): at level 0.9 both limits for u = 0.05 exist
    from 53 runs on, where two limits at alpha / 2 each would need 63. One side takes the half of
    the law that speaks for it, and all of alpha.

    The order of the runs does not matter for one number of runs. Stop when you like, but report all
    runs seen by then.

    Args:
        x: Runs so far, shape (n,), one value from each independent run; ties and infinities
            allowed.
        u: Which quantile, in (0, 1): 0.05 for the value that one run in twenty stays below.
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible value, in the units of ``x``; the limit where the runs
            give none.
        design: The n for which the interval is made narrow. Fixed before the data: with the n at
            hand in its place nothing would hold at all n together.

    Returns:
        The interval. ``miss`` is how alpha falls to the two limits (about; its sum is guaranteed),
        ``coverage`` the level for all n together, and ``coverage_band`` what the limits of this n
        alone cover of every continuous distribution.

    Raises:
        InputError: Values outside the bounds (NF010), a ``design`` below 1, u outside (0, 1), or so
            extreme that no number of runs within reach gives a limit (NF050).

    Source: Howard & Ramdas 2022 (Sequential estimation of quantiles, Bernoulli 28), the
    beta-binomial mixture of Howard, Ramdas, McAuliffe & Sekhon 2021 (Propositions 6 and 7) in place
    of stitching.

    >>> runs = [0.81, 0.84, 0.79, 0.83, 0.80, 0.85, 0.82, 0.78, 0.83, 0.81, 0.84, 0.82]
    >>> found = quantile(runs, 0.5, level=0.9)
    >>> found.lower, found.upper, found.ranks, found.guarantee
    (0.79, 0.84, (2, 11), 'anytime')
    """
    sample, on, error = checks.region(x, side, level, alpha)
    asked = _asked(u, error, on, design)
    low, high = checks.within(sample, bounds)
    n, ordered = int(sample.size), np.sort(sample)
    lo, hi = _ranks(asked, n)
    status: Status = ("none", "one_sided", "two_sided")[(lo > 0) + (hi <= n)]
    return QuantileInterval(
        estimate=float(ordered[sample_rank(n, asked.u) - 1]),
        lower=float(ordered[lo - 1]) if lo > 0 else low,
        upper=float(ordered[hi - 1]) if hi <= n else high,
        u=asked.u,
        level=1 - error if level is None else level,
        n=n,
        status=status,
        method=_METHOD,
        guarantee="anytime",
        ranks=(lo, hi),
        miss=_shares(asked),
        coverage=1 - error,
        coverage_band=(_coverage(asked.u, n, lo, hi),) * 2,
        n_needed=_needed(asked),
        n_distinct=int(np.unique(ordered).size),
        beyond=0.0,
        assumes=_ASSUMES,
        reason=_reason(asked),
    )


def quantile_path(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Sequence[float] | None = None,
    design: int = RUNS,
    running: bool = False,
) -> QuantilePath:
    """The intervals of ``quantile`` after each of the runs, in their order of arrival.

    As all of them hold together, so does what they have in common (``running``): it is never wider,
    and it depends on the order, as each beginning is another set of runs. Where nothing is left in
    common one of the intervals has missed; the last common one then stays.

    Args:
        x: Runs in order of arrival, shape (n,).
        u: Which quantile, in (0, 1).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible value.
        design: As for ``quantile``.
        running: Intersect each interval with all before it.

    Raises:
        InputError: As for ``quantile``.

    >>> path = quantile_path(range(12), 0.5, level=0.9, running=True)
    >>> path.lower[5:].tolist()
    [-inf, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    """
    sample, on, error = checks.region(x, side, level, alpha)
    asked = _asked(u, error, on, design)
    low, high = checks.within(sample, bounds)
    n = int(sample.size)
    none = np.zeros(n, dtype=np.int64)
    below = kernel.least_counts(asked.mixture, n, error) if on != "upper" else none
    above = kernel.least_counts(asked.mixture.reflected, n, error) if on != "lower" else none
    lower = np.where(below > 0, kernel.running_order(sample, below), low)
    upper = np.where(above > 0, -kernel.running_order(-sample, above), high)
    if running:
        lower, upper = _common(lower, upper)
    return QuantilePath(
        lower=lower,
        upper=upper,
        ranks=np.stack([below, np.arange(2, n + 2) - above], axis=1),
        u=asked.u,
        alpha=error,
        side=on,
        design=asked.design,
        running=running,
    )


def quantile_needs(
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    design: int = RUNS,
) -> tuple[int, int]:
    """Runs from which on ``quantile`` has a lower and an upper limit, whatever the runs say.

    Args:
        u: Which quantile, in (0, 1).
        level: Coverage promised for all n together.
        alpha: Error level, instead of ``level``.
        side: "both": both limits together; "lower" or "upper": each as the only one.
        design: As for ``quantile``.

    Raises:
        InputError: No number of runs within reach gives a limit (NF050).

    >>> quantile_needs(0.05, level=0.9), quantile_needs(0.05, level=0.9, side="lower")
    ((53, 3), (49, 2))
    """
    on, error = checks.side(side), checks.alpha(level=level, alpha=alpha)
    return _needed(_asked(u, error, on, design))


class _Asked(NamedTuple):
    """What is asked for, and the mixture that serves it."""

    u: float
    alpha: float
    side: checks.Side
    design: int
    mixture: kernel.Mixture


def _asked(u: float, error: float, side: checks.Side, design: int) -> _Asked:
    u, design = checks.fraction(u, name="u"), checks.whole(design, name="design")
    if not _LEAST <= u <= 1 - _LEAST:
        raise InputError(
            f"u={u!r} is so near an end that a million runs say nothing about it; ask for a "
            "quantile further inside, such as u=0.05.",
            code="NF050",
        )
    return _Asked(u, error, side, design, kernel.tuned(u, design, two_sided=side == "both"))


def _ranks(asked: _Asked, n: int) -> tuple[int, int]:
    """Ranks of the limits at n runs, 0 and n + 1 where there is none."""
    lo = hi = 0
    if asked.side != "upper":
        lo = kernel.least_count(asked.mixture, n, asked.alpha)
    if asked.side != "lower":
        hi = kernel.least_count(asked.mixture.reflected, n, asked.alpha)
    return lo, n + 1 - hi


def _needed(asked: _Asked) -> tuple[int, int]:
    firsts = (
        kernel.first_size(asked.mixture, asked.alpha),
        kernel.first_size(asked.mixture.reflected, asked.alpha),
    )
    if None in firsts:
        raise InputError(
            f"u={asked.u!r} at alpha={asked.alpha:g} and design={asked.design} needs more than "
            f"{kernel.REACH:.0e} runs for a limit; name a smaller design=.",
            code="NF050",
        )
    return firsts[0] or 0, firsts[1] or 0


def _shares(asked: _Asked) -> tuple[float, float]:
    """How alpha falls to the lower and the upper limit.

    Where the mixture reaches 1/alpha by a count too small, nearly all of it is what its law has
    below u. So alpha falls to the ends as the law does, up to the overshoot.
    """
    below = {"lower": 1.0, "upper": 0.0}.get(asked.side, asked.mixture.share_below)
    return asked.alpha * below, asked.alpha * (1 - below)


def _coverage(u: float, n: int, lo: int, hi: int) -> float:
    """P(lo <= S < hi) for S ~ Bin(n, u)."""
    below = float(bdtr(lo - 1, n, u)) if lo > 0 else 0.0
    return (float(bdtr(hi - 1, n, u)) if hi <= n else 1.0) - below


def _common(
    lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the intervals so far have in common, shape (n,) each; the last of them if nothing."""
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper)
    crossed = lower > upper
    if crossed.any():
        last = int(crossed.argmax()) - 1
        lower[last:], upper[last:] = lower[last], upper[last]
    return lower, upper


def _reason(asked: _Asked) -> str:
    below, above = _needed(asked)
    exist = {
        "lower": f"a lower limit exists from n = {below} on",
        "upper": f"an upper limit exists from n = {above} on",
    }
    told = exist.get(asked.side, f"{exist['lower']}, {exist['upper']}")
    return f"beta mixture of likelihood ratios, narrowest near n = {asked.design}; {told}"

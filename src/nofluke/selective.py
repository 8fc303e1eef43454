"""Level rules: which error level each of m chosen candidates gets, so that the choice is paid for.

The one theorem behind all of them (a shape function in the sense of Blanchard & Roquain 2008;
e-BY with a step-mixture calibrator in the sense of Xu, Wang & Ramdas 2022): fix before the data a
level a(m) for every size m = 1..K of the shortlist, not decreasing in m. Report a level a(m)
region for each of the m chosen. Then, for every way of choosing and every dependence between the
candidates, the expected share of wrong regions (false coverage rate, FCR) is at most

    delta * cost,   cost = (K / delta) * sum over m of (a(m) - a(m-1)) / m.

Proof: let p_k be candidate k's p-value for its own truth, so that its region is wrong only if
p_k <= a(|S|). Then FCP(S) <= (1/|S|) sum_k 1{p_k <= a(|S|)}, and because 1/|S| <= 1/m for every
step m <= |S| below p_k, this is at most sum_k g(p_k) with g(u) = 1/min{m : a(m) >= u} (0 above
a(K)). P(p_k <= u) <= u and g does not grow, so E g(p_k) <= sum_m (a(m) - a(m-1)) / m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import evalues
from nofluke.kernels.roots import safe_edge
from nofluke.methods import Register
from nofluke.shown import Shown

Calibrator: TypeAlias = Callable[[float], float]

# A cost above one by rounding alone is not a broken promise.
_ROUNDING = 1e-9
_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelRule(Shown):
    """A level for every size of the shortlist, fixed before the data.

    Attributes:
        name: The rule, as in ``certify(rule=...)``.
        K: Number of candidates whose data could influence the choice.
        delta: Budget for the false coverage rate.
        levels: ``levels[m - 1]`` is the error level at ``m`` chosen, shape (K,).
        size: The one size the rule is made for, where there is one.
        tau: The power of a power calibrator, where there is one.
        weights: Factors w_k >= 0 by candidate that sum to K; 1 for everyone by default.
        claim: What the levels control for any choice: "fcr", "fcx:SHARE" after ``exceedance``,
            "simultaneous" (and with it the winner), or "none".
        post_hoc: Whether ``delta`` may be chosen after seeing the data: E sup_delta FCP/delta <= 1.
    """

    name: str
    K: int
    delta: float
    levels: NDArray[np.float64]
    size: int | None = None
    tau: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    claim: str = "fcr"
    post_hoc: bool = False

    def __post_init__(self) -> None:
        levels = np.asarray(self.levels, dtype=np.float64)
        if levels.shape != (self.K,) or not ((levels >= 0) & (levels < 1)).all():
            raise InputError(
                f"levels must be K={self.K} numbers in [0, 1), one for each size; they have shape "
                f"{levels.shape}.",
                code="NF013",
            )
        falls = np.flatnonzero(np.diff(levels) < 0)
        if falls.size:
            raise InputError(
                f"levels must not fall as the shortlist grows; they do after m={falls[0] + 1}.",
                code="NF013",
            )

    def alpha(self, m: int, candidate: str | None = None) -> float:
        """Error level for each of ``m`` chosen candidates; 0 where the rule promises nothing.

        Args:
            m: How many candidates were chosen, 1..K.
            candidate: Whose level, for a rule with weights.

        Raises:
            InputError: ``m`` is not in 1..K, or a rule with weights was not told the candidate.
        """
        if checks.whole(m, name="m") > self.K:
            raise InputError(
                f"m={m} candidates cannot be chosen from K={self.K}; K counts everyone tried.",
                code="NF011",
            )
        level = float(self.levels[m - 1])
        if not self.weights:
            return level
        if candidate is None:
            raise InputError(
                "the rule has weights, so alpha() must be told whose level is asked for.",
                code="NF011",
            )
        return level * self.weights.get(candidate, 0.0)

    def cost(self) -> float:
        """Worst-case false coverage rate over ``delta``, for any choice of any size; <= 1 holds."""
        return _cost(self.levels, self.K, self.delta)

    def cost_at(self, size: int) -> float:
        """Worst-case false coverage rate over ``delta`` when exactly ``size`` are always chosen.

        FCR <= K a / size, because at most K a bands are wrong on average.
        """
        return self.K * self.alpha_without_weights(size) / (size * self.delta)

    def alpha_without_weights(self, m: int) -> float:
        """The level at ``m`` for a candidate of weight one."""
        return replace(self, weights={}).alpha(m)

    def covers(self, size: int | None) -> bool:
        """Whether FCR <= delta is proved: for a size fixed in advance, or for any (``None``)."""
        worst = self.cost() if size is None else min(self.cost(), self.cost_at(size))
        return worst <= 1 + _ROUNDING

    def weighted(self, weights: Mapping[str, float]) -> LevelRule:
        """The same rule with more of the budget for some candidates.

        Args:
            weights: Factor by candidate id, >= 0, fixed without looking at these data;
                together they sum to K (a candidate that is not named gets nothing).

        Raises:
            InputError: A weight is negative, or they do not sum to K.
        """
        bad = {c: w for c, w in weights.items() if not 0 <= w < math.inf}
        total = math.fsum(weights.values())
        if bad or not math.isclose(total, self.K, rel_tol=1e-9):
            raise InputError(
                f"weights must be >= 0 and sum to K={self.K}; they sum to {total:g}"
                + (f", and these are not: {some(bad.items())}." if bad else "."),
                code="NF008",
            )
        return replace(self, weights=dict(weights))

    def exceedance(self, share: float) -> LevelRule:
        """The rule for another claim: P(more than ``share`` of the bands are wrong) <= delta.

        Each step of the level at size j is multiplied by (floor(share j) + 1) / j (Markov's
        inequality on the number of wrong bands); share 0 is the simultaneous claim.

        Raises:
            InputError: ``share`` is not in [0, 1), or the rule itself is not valid at any size.
        """
        c = checks.real(share, name="c")
        if not 0 <= c < 1:
            raise InputError(
                f"fcx:{share} must have a share in [0, 1): the part of the shortlist that may be "
                "wrong, such as fcx:0.2.",
                code="NF008",
            )
        if not self.covers(None):
            raise InputError(
                f"rule {self.name!r} does not control the false coverage rate (cost "
                f"{self.cost():.3g} > 1), so it cannot serve the claim fcx:{share}.",
                code="NF013",
            )
        j = np.arange(1, self.K + 1)
        allowed = np.array([math.floor(checks.exact(c) * int(k)) + 1 for k in j])
        steps = np.diff(self.levels, prepend=0.0)
        return replace(self, levels=np.cumsum(steps * allowed / j), claim=f"fcx:{c:g}")


RULES: Register[Callable[..., LevelRule]] = Register("rule")


@RULES.add(guarantee="heuristic", cite="no correction; valid only where nothing was chosen")
def naive(*, K: int, delta: float) -> LevelRule:
    """The level ``delta`` for everyone, as if nothing had been chosen: invalid after selection.

    >>> naive(K=20, delta=0.05).cost()
    20.0
    """
    K, delta = _budget(K, delta)
    levels = np.full(K, delta)
    return LevelRule(name="naive", K=K, delta=delta, levels=levels, claim="none")


@RULES.add(guarantee="finite-sample", cite="Bonferroni; prior on size 1")
def bonferroni(*, K: int, delta: float) -> LevelRule:
    """``delta / K`` for everyone: all K bands hold at once, so any choice is covered.

    >>> bonferroni(K=20, delta=0.1).alpha(5)
    0.005
    """
    K, delta = _budget(K, delta)
    levels = np.full(K, delta / K)
    return LevelRule(name="bonferroni", K=K, delta=delta, levels=levels, claim="simultaneous")


@RULES.add(
    guarantee="finite-sample",
    needs=frozenset({"size"}),
    cite="Benjamini & Yekutieli 2005 at a fixed size; the largest level any calibrator gives",
)
def fixed_size(*, K: int, delta: float, size: int) -> LevelRule:
    """``delta * size / K`` when exactly ``size`` candidates are chosen, a size fixed in advance.

    Below ``size`` it promises nothing (level 0). No calibrator gives a larger level at ``size``:
    a non-increasing f with integral <= 1 has f^{-1}(t) <= 1/t.

    >>> round(fixed_size(K=31, delta=0.1, size=10).alpha(10), 6)
    0.032258
    """
    K, delta = _budget(K, delta)
    return replace(
        sizes(K=K, delta=delta, prior={_size(size, K): 1.0}), name="fixed_size", size=size
    )


@RULES.add(
    guarantee="finite-sample",
    needs=frozenset({"prior"}),
    cite="Blanchard & Roquain 2008, shape functions",
)
def sizes(*, K: int, delta: float, prior: Mapping[int, float] | Sequence[float]) -> LevelRule:
    """``(delta/K) * sum_{j <= m} j prior(j)``: a budget spread over sizes before the data.

    Args:
        K: Number of candidates whose data could influence the choice.
        delta: Budget for the false coverage rate.
        prior: Weight by size, as a mapping {size: weight} or K weights for the sizes 1..K;
            non-negative, summing to at most 1.

    >>> rule = sizes(K=31, delta=0.1, prior={3: 0.5, 10: 0.5})
    >>> round(rule.cost(), 12), rule.alpha(2)
    (1.0, 0.0)
    """
    K, delta = _budget(K, delta)
    nu = _prior(prior, K)
    levels = delta / K * np.cumsum(np.arange(1, K + 1) * nu)
    return LevelRule(name="sizes", K=K, delta=delta, levels=levels)


@RULES.add(guarantee="finite-sample", cite="Benjamini & Yekutieli 2005, Theorem 4")
def benjamini_yekutieli(*, K: int, delta: float) -> LevelRule:
    """``delta m / (K H_K)``, H_K = 1 + 1/2 + ... + 1/K: any size, any dependence.

    >>> round(benjamini_yekutieli(K=31, delta=0.1).alpha(5), 8)
    0.00400498
    """
    K, delta = _budget(K, delta)
    m = np.arange(1, K + 1)
    levels = np.asarray(delta * m / (K * math.fsum(1 / m)), dtype=np.float64)
    return LevelRule(name="benjamini_yekutieli", K=K, delta=delta, levels=levels)


@RULES.add(
    guarantee="finite-sample", cite="shape function of constant width ratio, derived in docs"
)
def minimax(*, K: int, delta: float, side: str = "both") -> LevelRule:
    """Any size; the width stays within one factor of the fixed-size rule's, whatever the size.

    The level is 2 (delta m / 2K)^r for a two-sided band and (delta m / K)^r for a one-sided one,
    with r such that the cost is one: the half-width of a DKW band is then sqrt(r) times that of
    ``fixed_size``, for every m at once.

    Args:
        K: Number of candidates whose data could influence the choice.
        delta: Budget for the false coverage rate.
        side: "both" or a single side of the band the level is for.

    >>> rule = minimax(K=31, delta=0.1)
    >>> round(rule.cost(), 12), round(rule.alpha(31), 6)
    (1.0, 0.035945)
    """
    K, delta = _budget(K, delta)
    sides = 2 if checks.side(side) == "both" else 1
    return LevelRule(name="minimax", K=K, delta=delta, levels=_minimax_levels(K, delta, sides))


@RULES.add(
    guarantee="finite-sample",
    cite="Farzaneh & Simeone 2026 (PS-DME, arXiv 2603.23055); power calibrators, Vovk & Wang 2021",
)
def psdme(
    *,
    K: int,
    delta: float,
    tau: float | str = "optimal",
    size: int | None = None,
    rescale: bool = False,
) -> LevelRule:
    """The source paper's rule: the power calibrator (1-tau) p^(-tau), inverted at K/(delta m).

    Args:
        K: Number of candidates whose data could influence the choice.
        delta: Budget for the false coverage rate.
        tau: A power in (0, 1), or "optimal": 1 + 1/W_{-1}(-delta M/(e K)) at M = ``size``.
        size: The size fixed in advance that "optimal" is for. Without it the power follows the
            size of each shortlist. The paper's proof does not cover that, because a calibrator
            must be fixed before the data; the levels it induces are valid all the same, since
            their cost is below one (0.24 at K=31), and wasteful for the same reason.
        rescale: With "optimal" and no ``size``: put a larger budget inside the logarithm, such
            that the cost is one. Still proved, 2.4 to 5.8 times the level for K from 10 to 2000.

    Returns:
        The rule; ``.tau`` is the power where there is one.

    Raises:
        InputError: ``tau`` is neither in (0, 1) nor "optimal", or ``rescale`` has no use.

    >>> rule = psdme(K=31, delta=0.1, size=5)
    >>> round(rule.tau, 6), round(rule.alpha(5), 9)
    (0.858859, 0.000837463)
    """
    K, delta = _budget(K, delta)
    adaptive = tau == "optimal" and size is None
    if rescale and not adaptive:
        raise InputError(
            "rescale= is for tau='optimal' without a size; a fixed power has nothing to rescale.",
            code="NF008",
        )
    if adaptive:
        inner = _rescaled_budget(K, delta) if rescale else delta
        return LevelRule(name="psdme", K=K, delta=delta, levels=_adaptive_levels(K, inner))
    power = _power(tau, size, K, delta)
    if power == 0:  # delta M/K = 1: the best power is 0, whose limit is the level 1/e
        raise InputError("delta * size / K = 1 leaves nothing to calibrate.", code="NF008")
    levels = evalues.power_inverse(_thresholds(K, delta), power)
    return LevelRule(
        name="psdme", K=K, delta=delta, levels=levels, tau=power, size=size, post_hoc=size is None
    )


@RULES.add(guarantee="finite-sample", cite="Vovk & Wang 2021, mixture of power calibrators")
def mixture(*, K: int, delta: float) -> LevelRule:
    """Any size, and ``delta`` may be chosen after seeing the data: E sup_delta FCP/delta <= 1.

    >>> round(mixture(K=31, delta=0.1).alpha(3), 9)
    0.000118196
    """
    K, delta = _budget(K, delta)
    levels = _mixture_levels(K, delta)
    return LevelRule(name="mixture", K=K, delta=delta, levels=levels, post_hoc=True)


@RULES.add(
    guarantee="finite-sample",
    needs=frozenset({"calibrator"}),
    cite="Vovk & Wang 2021, Proposition 2.1; e-BY, Xu, Wang & Ramdas 2022",
)
def calibrated(*, K: int, delta: float, calibrator: Calibrator) -> LevelRule:
    """The levels a calibrator of your own gives; it must not contain ``delta``.

    Args:
        K: Number of candidates whose data could influence the choice.
        delta: Budget for the false coverage rate; may be chosen after seeing the data.
        calibrator: Function of p in (0, 1], fixed before the data.

    Raises:
        InputError: The function grows somewhere, is negative, or its integral exceeds one.

    >>> rule = calibrated(K=31, delta=0.1, calibrator=lambda p: p**-0.5 - 1)  # Shafer's
    >>> round(rule.alpha(10), 6)
    0.000977
    """
    K, delta = _budget(K, delta)
    _check_calibrator(calibrator)
    levels = np.array([evalues.inverse(calibrator, t) for t in _thresholds(K, delta)])
    rule = LevelRule(name="calibrated", K=K, delta=delta, levels=levels, post_hoc=True)
    if not rule.covers(None):
        raise InputError(
            f"the levels of this calibrator cost {rule.cost():.4g} > 1: its integral exceeds one.",
            code="NF013",
        )
    return rule


def split_breakeven(
    K: int, M: int, delta: float, rule: str | LevelRule = "fixed_size", *, side: str = "both"
) -> float:
    """Share of the data left for evaluation below which splitting is wider than ``rule``.

    Choosing on one part and evaluating on the other at level ``delta`` gives a DKW half-width
    sqrt(log(c/delta) / (2 n_eval)); the rule uses all n at its own level a. They are equal at
    n_eval/n = log(c/delta) / log(c/a), c = 2 for a two-sided band and 1 for a one-sided one.

    Args:
        K: Number of candidates.
        M: Size of the shortlist, fixed in advance.
        delta: Budget for the false coverage rate.
        rule: Name of a rule ("fixed_size", "psdme", ...) or a rule.
        side: "both" or a single side.

    >>> round(split_breakeven(31, 5, 0.1, "psdme"), 4)
    0.3851
    """
    if isinstance(rule, str):
        rule = named(rule, K=K, delta=delta, size=M, side=side)
    c = 2.0 if checks.side(side) == "both" else 1.0
    alpha = rule.alpha_without_weights(M)
    return math.log(c / delta) / math.log(c / alpha) if alpha > 0 else 0.0


def named(
    text: str, *, K: int, delta: float, size: int | None = None, side: str = "both"
) -> LevelRule:
    """The rule a person names: "minimax", "psdme:0.5", "sizes:3,5,10".

    Args:
        text: A name of the register, with a power after ``psdme:`` or sizes after ``sizes:``.
        K: Number of candidates whose data could influence the choice.
        delta: Budget for the false coverage rate.
        size: Size of the shortlist where it is fixed in advance.
        side: Side of the band.

    Raises:
        InputError: The name is unknown or lacks what the rule needs.
    """
    name, _, rest = text.partition(":")
    method = RULES[name]
    options: dict[str, Any] = {}
    if name == "minimax":
        options["side"] = side
    elif name == "psdme":
        options = _psdme_options(rest, size)
    elif name == "sizes":
        options["prior"] = _even_prior(rest)
    elif rest:
        raise InputError(f"rule={text!r}: {name} takes nothing after a colon.", code="NF008")
    elif name == "fixed_size":
        if size is None:
            raise InputError(
                "rule='fixed_size' needs a size fixed in advance, and this selection has none "
                "(a threshold, a margin and names picked after looking choose as many as they "
                "happen to choose). Try rule='minimax', which covers every size.",
                code="NF013",
            )
        options["size"] = size
    elif name == "calibrated":
        raise InputError(
            "rule='calibrated' needs a function; pass "
            "rule=selective.calibrated(K=..., delta=..., calibrator=...).",
            code="NF008",
        )
    return method.call(K=K, delta=delta, **options)


def _psdme_options(rest: str, size: int | None) -> dict[str, Any]:
    if rest and rest != "optimal":
        try:
            return {"tau": float(rest)}
        except ValueError:
            raise InputError(
                f"rule='psdme:{rest}': a power in (0, 1) or 'optimal' stands after the colon.",
                code="NF008",
            ) from None
    return {"size": size} if size is not None else {"rescale": True}


def _even_prior(rest: str) -> dict[int, float]:
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    if not parts or not all(
        part.isascii() and part.isdecimal() and int(part) > 0 for part in parts
    ):
        raise InputError(
            f"rule='sizes:{rest}': the sizes that will be tried stand after the colon, as in "
            "sizes:3,5,10; for unequal weights pass selective.sizes(prior={3: 0.2, 5: 0.8}).",
            code="NF008",
        )
    distinct = sorted({int(part) for part in parts})
    return {size: 1 / len(distinct) for size in distinct}


def _budget(K: int, delta: float) -> tuple[int, float]:
    if checks.whole(K, name="K") > _MOST:
        raise InputError(
            f"K={K} candidates are more than the {_MOST:,} for which levels are worked out.",
            code="NF008",
        )
    return K, checks.fraction(delta, name="delta")


def _cost(levels: NDArray[np.float64], K: int, delta: float) -> float:
    return float(K / delta * (np.diff(levels, prepend=0.0) @ (1 / np.arange(1, K + 1))))


def _thresholds(K: int, delta: float) -> NDArray[np.float64]:
    """What an e-value must reach at each size m = 1..K for its region to exclude the truth."""
    return K / (delta * np.arange(1, K + 1))


def _size(size: int, K: int) -> int:
    if checks.whole(size, name="size") > K:
        raise InputError(f"size={size} is more than the K={K} candidates.", code="NF011")
    return size


def _prior(prior: Mapping[int, float] | Sequence[float], K: int) -> NDArray[np.float64]:
    nu = np.zeros(K)
    items = prior.items() if isinstance(prior, Mapping) else enumerate(prior, start=1)
    for size, weight in items:
        nu[_size(size, K) - 1] = checks.real(weight, name=f"prior[{size}]")
    total = math.fsum(nu)
    if (nu < 0).any() or total > 1 + 1e-12 or total == 0:
        raise InputError(
            f"prior must be non-negative and sum to at most 1 (and more than 0); it sums to "
            f"{total:g}, with smallest weight {nu.min():g}.",
            code="NF008",
        )
    return nu


def _power(tau: float | str, size: int | None, K: int, delta: float) -> float:
    if isinstance(tau, str):
        if tau != "optimal" or size is None:
            raise InputError(f"tau={tau!r} must be a power in (0, 1) or 'optimal'.", code="NF008")
        return evalues.best_power(math.log(delta * _size(size, K) / K) - 1)
    if size is not None:
        _size(size, K)
    return checks.fraction(tau, name="tau")


def _adaptive_levels(K: int, inner: float) -> NDArray[np.float64]:
    log_z = np.minimum(np.log(inner * np.arange(1, K + 1) / K), 0.0) - 1
    return np.asarray(np.exp(evalues.log_levels(log_z)))


@lru_cache(maxsize=64)
def _minimax_levels(K: int, delta: float, sides: int) -> NDArray[np.float64]:
    """Sides * (delta m / (sides K))^r, with r such that the cost is one; shared, so read-only."""
    base = np.log(delta * np.arange(1, K + 1) / (sides * K))

    def levels(r: float) -> NDArray[np.float64]:
        return np.asarray(sides * np.exp(r * base))

    def affordable(r: float) -> bool:
        return _cost(levels(r), K, delta) <= 1

    dear = 1.0
    while not affordable(2 * dear):
        dear *= 2
    solved = levels(1.0 if affordable(1.0) else safe_edge(affordable, 2 * dear, dear))
    solved.setflags(write=False)
    return solved


@lru_cache(maxsize=64)
def _mixture_levels(K: int, delta: float) -> NDArray[np.float64]:
    levels = evalues.mixture_inverse(_thresholds(K, delta))
    levels.setflags(write=False)  # shared by all rules of this K and delta
    return levels


@lru_cache(maxsize=1024)
def _rescaled_budget(K: int, delta: float) -> float:
    """The budget inside the logarithm at which the adaptive levels cost exactly one."""

    def affordable(inner: float) -> bool:
        return _cost(_adaptive_levels(K, inner), K, delta) <= 1

    return 1.0 if affordable(1.0) else safe_edge(affordable, delta, 1.0)


def _check_calibrator(calibrator: Calibrator) -> None:
    if not evalues.is_non_increasing(calibrator) or calibrator(1.0) < 0:
        raise InputError(
            "the calibrator grows somewhere on (0, 1], is negative or gives NaN; it must be "
            "non-increasing and non-negative.",
            code="NF013",
        )
    low, _ = evalues.integral_bounds(calibrator)
    if low > 1 + 1e-6:
        raise InputError(
            f"the calibrator's integral over (0, 1] is at least {low:.6g}; it must be at most 1.",
            code="NF013",
        )

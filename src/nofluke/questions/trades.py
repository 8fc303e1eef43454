"""`trade`: more items, or more runs of each? What each split of the work costs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import power as kernel
from nofluke.questions.powers import t_size
from nofluke.questions.size_asked import moderate
from nofluke.results import Result, Row, percent
from nofluke.scores.pairing import pair
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Components(NamedTuple):
    """What makes the differences of items vary.

    Attributes:
        between: Standard deviation of the items' own mean differences.
        within: Standard deviation of one run's difference about its item's mean: of one run of B
            minus one of A.
    """

    between: float
    within: float

    def sd(self, repeats: int) -> float:
        """Standard deviation of an item's mean difference over so many runs of each side."""
        return math.hypot(self.between, self.within / math.sqrt(repeats))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Trade(Result):
    """Items against runs of each item, for one true gain and one power.

    ``n`` is the number of items of the cheapest split.

    Attributes:
        delta: True gain, in units of the score.
        margin: Gain that is to be exceeded.
        alpha: Error level of the t test.
        side: "lower": one-sided; "both".
        power: Probability with which the gain is shown.
        components: What makes differences vary.
        cost: Cost of an item, whatever is done with it.
        cost_per_run: Cost of one run of one item on both sides.
        splits: One row for each number of runs.
    """

    delta: float
    margin: float
    alpha: float
    side: checks.Side
    power: float
    components: Components
    cost: float
    cost_per_run: float
    splits: tuple[Row, ...]

    @property
    def kind(self) -> str:
        """The word for this answer, ``trade``."""
        return "trade"

    @property
    def cheapest(self) -> Row:
        """The split that costs least; with equal costs the one with fewer runs of each item."""
        return next(row for row in self.splits if row["cheapest"])

    def rows(self) -> list[Row]:
        """One row for each number of runs."""
        return [dict(row) for row in self.splits]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        best = self.cheapest
        runs = "one run" if best["repeats"] == 1 else f"{best['repeats']} runs"
        return [
            f"A true gain of {self.delta:g} is shown with probability {percent(self.power)} by the "
            f"t test at the least cost with {best['n']} items and {runs} of each: "
            f"{best['cost']:g}.",
            f"Items differ by a standard deviation of {self.components.between:.4g}, runs of one "
            f"item by {self.components.within:.4g}; runs without end of each item would still need "
            f"{self._endless()} items.",
        ]

    def _endless(self) -> int:
        tail = self.alpha / 2 if self.side == "both" else self.alpha
        gap = self.delta - self.margin
        # Items that hardly differ would need two, as any t test does.
        between = max(self.components.between, 1e-5 * gap)
        return t_size(gap, between, tail, self.power) or kernel.MOST

    def _fields(self) -> Mapping[str, Any]:
        return {
            "delta": self.delta,
            "margin": self.margin,
            "alpha": self.alpha,
            "side": self.side,
            "power": self.power,
            "between": self.components.between,
            "within": self.components.within,
            "cost": self.cost,
            "cost_per_run": self.cost_per_run,
            "cheapest": self.cheapest["repeats"],
            "sentences": self.sentences(),
        }


def trade(
    delta: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    margin: float = 0.0,
    side: str = "lower",
    between: float | None = None,
    within: float | None = None,
    pilot: ArrayLike | Scores | None = None,
    a: str | None = None,
    b: str | None = None,
    repeats: Sequence[int] = (1, 2, 3, 5, 10),
    cost: float = 0.0,
    cost_per_run: float = 1.0,
) -> Trade:
    """How many items are needed with 1, 2, 3, ... runs of each, and which split is the cheapest.

    The mean difference of an item over K runs of each side has variance between^2 + within^2 / K,
    and items are the units of the t test: runs never are.

    Args:
        delta: The true mean gain, in units of the score.
        alpha: Error level of the t test.
        power: Probability with which the gain is to be shown.
        margin: Gain that is to be exceeded.
        side: "lower": the claim "better"; "both": "different".
        between: Standard deviation of the items' own mean differences.
        within: Standard deviation of one run's difference about its item's mean.
        pilot: Instead of these two: gains of shape (items, runs), or a table with several runs
            of its examples.
        a: With a table, the baseline.
        b: With a table, the candidate.
        repeats: Numbers of runs to be looked at.
        cost: Cost of an item that does not depend on its runs (to write or label it), in money or
            seconds.
        cost_per_run: Cost of one run of one item on both sides.

    Raises:
        InputError: No runs in the pilot (NF032), or arguments out of range.

    Source: Miller 2024 (2411.00640); one-way analysis of variance for the components.

    >>> answer = trade(0.05, between=0.1, within=0.4, cost=3, cost_per_run=1)
    >>> [(row["repeats"], row["n"], row["cost"]) for row in answer.rows()]
    [(1, 422, 1688.0), (2, 224, 1120.0), (3, 158, 948.0), (5, 106, 848.0), (10, 66, 858.0)]
    >>> answer.cheapest["repeats"]
    5
    """
    margin = moderate(checks.real(margin, name="margin"), name="margin")
    gap = _above(delta, margin)
    found, digest = _components(between, within, pilot, a, b)
    error, on = checks.fraction(alpha, name="alpha"), checks.side(side)
    tail = error / 2 if on == "both" else error
    power = checks.fraction(power, name="power")
    per_item = _cost(cost, "cost")
    per_run = _cost(cost_per_run, "cost_per_run")
    splits: list[Row] = []
    for K in sorted({checks.whole(k, name="repeats") for k in repeats}):
        n = t_size(gap, found.sd(K), tail, power)
        if n is None:
            raise InputError(f"no n within reach shows a gain of {delta:g}.", code="NF032")
        splits.append({"repeats": K, "n": n, "runs": n * K, "sd": found.sd(K)})
    if not splits:
        raise InputError(
            "repeats= is empty; give numbers of runs, such as (1, 2, 5).", code="NF008"
        )
    costs = [row["n"] * (per_item + row["repeats"] * per_run) for row in splits]
    best = costs.index(min(costs))
    return Trade(
        guarantee="asymptotic",
        assumes=(
            "items are independent draws, and runs of one item are given the item",
            "the mean of the items is nearly normal, and they vary as planned with",
        ),
        n=splits[best]["n"],
        digest=digest,
        question={
            "delta": delta,
            "alpha": error,
            "power": power,
            "margin": margin,
            "side": on,
            "between": between,
            "within": within,
            "a": a,
            "b": b,
            "repeats": [row["repeats"] for row in splits],
            "cost": per_item,
            "cost_per_run": per_run,
        },
        delta=float(delta),
        margin=margin,
        alpha=error,
        side=on,
        power=power,
        components=found,
        cost=per_item,
        cost_per_run=per_run,
        splits=tuple(
            {**row, "cost": float(c), "cheapest": i == best}
            for i, (row, c) in enumerate(zip(splits, costs, strict=True))
        ),
    )


def _components(
    between: float | None, within: float | None, pilot: Any, a: str | None, b: str | None
) -> tuple[Components, str]:
    if pilot is None:
        if between is None or within is None:
            raise InputError(
                "give between= and within=, two standard deviations, or a pilot= with several "
                "runs of its items.",
                code="NF008",
            )
        return Components(_sd(between, "between"), _sd(within, "within")), ""
    if between is not None or within is not None:
        raise InputError("between=, within= and pilot= say the same; give one.", code="NF008")
    if isinstance(pilot, Scores):
        return _of_table(pilot, a, b), pilot.digest
    try:
        d = np.asarray(pilot, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"pilot= is no array of gains ({error}).", code="NF004") from None
    if d.ndim != 2 or min(d.shape) < 2 or not np.isfinite(d).all():
        raise InputError(
            f"pilot= has shape {d.shape}; expected finite gains of at least two items in rows and "
            "at least two runs of each in columns.",
            code="NF032",
        )
    moderate(float(np.abs(d).max()), name="pilot")
    squares = float(d.var(axis=1, ddof=1).mean())
    return _separated(d.mean(axis=1), squares, squares / d.shape[1]), hashlib.sha256(
        np.ascontiguousarray(d).tobytes()
    ).hexdigest()


def _of_table(scores: Scores, a: str | None, b: str | None) -> Components:
    if a is None or b is None:
        raise InputError("a table needs both a= and b=: whom to compare.", code="NF008")
    pairs = pair(scores, a, b)
    if pairs.a.size < 2:
        raise InputError("the pilot has one item; take at least two.", code="NF032")
    squares = shrunk = 0.0
    for name in (a, b):
        variance, smaller = _within(scores, name, pairs.ids)
        squares, shrunk = squares + variance, shrunk + smaller
    return _separated(pairs.b - pairs.a, squares, shrunk)


def _within(scores: Scores, name: str, ids: Sequence[str]) -> tuple[float, float]:
    """Pooled variance of the runs of an item, and its mean part in the means of the items."""
    k = scores.candidates.index(name)
    used = {example: i for i, example in enumerate(ids)}
    place = np.array([used.get(scores.examples[i], -1) for i in scores.places(k).tolist()])
    x, place = scores.sample(k)[place >= 0], place[place >= 0]
    counts = np.bincount(place, minlength=len(ids))
    means = np.bincount(place, weights=x, minlength=len(ids)) / counts
    freedom = int((counts - 1).sum())
    if freedom == 0:
        raise InputError(
            f"{name!r} has one run of every item, so the pilot cannot tell how runs of one item "
            "differ; run some items again, or give between= and within=.",
            code="NF032",
        )
    variance = float(((x - means[place]) ** 2).sum()) / freedom
    return variance, variance * float((1 / counts).mean())


def _separated(means: NDArray[np.float64], squares: float, shrunk: float) -> Components:
    """The variance of the means minus what runs add to it; 0 where that is negative."""
    return Components(math.sqrt(max(0.0, float(means.var(ddof=1)) - shrunk)), math.sqrt(squares))


def _above(delta: float, margin: float) -> float:
    number = checks.real(delta, name="delta")
    if not margin < number < math.inf:
        raise InputError(f"delta={delta!r} must be a gain above margin={margin:g}.", code="NF008")
    moderate(number, name="delta")
    return number - margin


def _sd(value: float, name: str) -> float:
    number = checks.real(value, name=name)
    if not 0 <= number < math.inf:
        raise InputError(f"{name}={value!r} is no standard deviation.", code="NF008")
    return moderate(number, name=name)


def _cost(value: float, name: str) -> float:
    number = checks.real(value, name=name)
    if not 0 <= number < math.inf:
        raise InputError(f"{name}={value!r} must be at least 0.", code="NF008")
    return moderate(number, name=name)

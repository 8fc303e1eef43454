"""From samples of runs to rows: intervals for quantiles, and the mean's figures beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from nofluke import checks, quantiles
from nofluke.errors import InputError
from nofluke.kernels import student, sums
from nofluke.means import large_samples
from nofluke.quantiles import plans, several
from nofluke.questions import runs_work
from nofluke.questions.runs_answer import quantile_name

if TYPE_CHECKING:
    from nofluke.quantiles import QuantileInterval
    from nofluke.questions.replicates import Sample
    from nofluke.results import Guarantee, Row

LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What was asked of every sample.

    Attributes:
        quantiles: Which quantiles, each in (0, 1).
        level: Confidence asked for.
        method: Method of ``nofluke.quantiles``, or "auto".
        bounds: Lowest and highest possible score.
        guaranteed: Whether coverage must hold for every distribution.
        tail: What is declared about the tails.
        joint: Whether the quantiles of one sample hold at once.
        simultaneous: Whether everything holds at once.
    """

    quantiles: tuple[float, ...]
    level: float
    method: str
    bounds: tuple[float, float] | None
    guaranteed: bool
    tail: str | None
    joint: bool
    simultaneous: bool

    def share(self, count: int, *, joint: bool | None = None) -> float:
        """Confidence of each interval (of each sample, where its quantiles are joint)."""
        if not self.simultaneous:
            return self.level
        m = count * (1 if (self.joint if joint is None else joint) else len(self.quantiles))
        return 1 - (1 - self.level) / m if m > 1 else self.level


class Told(NamedTuple):
    """Rows, with what must be true for them and what is to be noted."""

    rows: tuple[Row, ...]
    assumes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def intervals(found: tuple[Sample, ...], how: How) -> Told:
    """One row for each sample and quantile.

    Raises:
        InputError: No sample has enough runs for anything.
    """
    level = how.share(len(found))
    answers = [(sample, a) for sample in found for a in _of_sample(sample, how, level)]
    rows = [
        _too_few(sample, a, how, level) if isinstance(a, float) else _row(sample, a)
        for sample, a in answers
    ]
    if all(sample.n < LEAST for sample in found):
        names = ", ".join(f"{s.name!r} has {s.n}" for s in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        wanted = "; ".join(
            f"{quantile_name(u)}: {runs_work.first_limit(u, level)} for a first limit, "
            f"{quantiles.minimal_n(u, level)} for two"
            for u in how.quantiles
        )
        raise InputError(
            f"no configuration has two runs ({names}{more}), and one run shows no spread. Runs "
            f"needed at level {level:g}: {wanted}.",
            code="NF043",
        )
    assumes = [text for _, a in answers if not isinstance(a, float) for text in a.assumes]
    return Told(tuple(rows), tuple(dict.fromkeys(assumes)))


def means(found: tuple[Sample, ...], how: How) -> tuple[Row, ...]:
    """Mean, SD, SE and the t interval of the mean of each sample; None where one run shows none."""
    level = how.share(len(found))
    return tuple(_mean(sample, level, how.bounds) for sample in found)


def _mean(sample: Sample, level: float, bounds: tuple[float, float] | None) -> Row:
    head = {"candidate": sample.candidate, "part": sample.part, "n": sample.n, "level": level}
    mean = sums.mean(sample.x)
    if sample.n < LEAST:
        none = dict.fromkeys(("sd", "se", "half_width", "lower", "upper"))
        return {**head, "mean": mean, **none, "guarantee": "asymptotic"}
    told = large_samples.t(sample.x, level=level, bounds=bounds)
    se = student.standard_error(sample.x)
    return {
        **head,
        "mean": mean,
        "sd": se * math.sqrt(sample.n),
        "se": se,
        "half_width": student.radius(se, sample.n - 1, (1 - level) / 2),
        "lower": told.lower,
        "upper": told.upper,
        "guarantee": "heuristic" if sample.folds else told.guarantee,
    }


def _of_sample(sample: Sample, how: How, level: float) -> list[QuantileInterval | float]:
    """The answer for each quantile; only the quantile where one run has no answer."""
    if sample.n < LEAST:
        return list(how.quantiles)
    if how.joint:
        return list(several.joint(sample.x, how.quantiles, level=level, bounds=how.bounds))
    return [
        quantiles.interval(
            sample.x,
            u,
            level=level,
            method=how.method,
            bounds=how.bounds,
            guaranteed=how.guaranteed,
            tail=how.tail,
        )
        for u in how.quantiles
    ]


def _row(sample: Sample, told: QuantileInterval) -> Row:
    none = told.status == "none"
    return {
        "candidate": sample.candidate,
        "part": sample.part,
        "quantile": told.u,
        "n": told.n,
        "n_distinct": int(cast("int", told.n_distinct)),
        "estimate": float(cast("float", told.estimate)),
        "lower": float(cast("float", told.lower)),
        "upper": float(cast("float", told.upper)),
        "level": told.level,
        "status": told.status,
        "method": "none" if none else told.method,
        "guarantee": _guarantee(sample, told),
        "rank_lower": float(told.ranks[0]),
        "rank_upper": float(told.ranks[1]),
        "miss_lower": told.miss[0],
        "miss_upper": told.miss[1],
        "coverage": told.coverage,
        "coverage_low": told.coverage_band[0],
        "coverage_high": told.coverage_band[1],
        "needed": _first_limit(told),
        "needed_lower": int(told.n_needed[0]),
        "needed_upper": int(told.n_needed[1]),
        "beyond": float(cast("float", told.beyond)),
        "outward": bool(told.outward),
        "reason": told.reason,
    }


def _first_limit(told: QuantileInterval) -> int:
    """Runs with which there is any limit; among joint intervals, runs that are enough for it."""
    if told.method == "joint":
        return max(LEAST, min(told.n_needed))
    return runs_work.first_limit(told.u, told.level)


def _guarantee(sample: Sample, told: QuantileInterval) -> Guarantee:
    if told.status == "none":
        return "descriptive"
    return "heuristic" if sample.folds else told.guarantee


def _too_few(sample: Sample, u: float, how: How, level: float) -> Row:
    """The row of a sample without an interval: it is told, and hides nobody else."""
    low, high = how.bounds or (-math.inf, math.inf)
    error = plans.errors(level, None) / (2 * len(how.quantiles) if how.joint else 1)
    below, above = plans.sizes(checks.exact(u), error)
    first = min(below, above) if how.joint else runs_work.first_limit(u, level)
    absent = ("miss_lower", "miss_upper", "coverage", "coverage_low", "coverage_high")
    return {
        "candidate": sample.candidate,
        "part": sample.part,
        "quantile": u,
        "n": sample.n,
        "n_distinct": sample.n,
        "estimate": float(sample.x[0]),
        "lower": low,
        "upper": high,
        "level": level,
        "status": "none",
        "method": "none",
        "guarantee": "descriptive",
        "rank_lower": None,
        "rank_upper": None,
        **dict.fromkeys(absent),
        "needed": first,
        "needed_lower": below,
        "needed_upper": above,
        "beyond": 0.0,
        "outward": False,
        "reason": f"one run shows no spread, and {first} are "
        f"{'enough for a limit' if how.joint else 'needed'}",
    }

"""From two samples of runs to the difference of quantiles, or the quantile of differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from nofluke import quantiles
from nofluke.errors import InputError, some
from nofluke.kernels.bootstrap_ranks import sample_rank
from nofluke.quantiles import differences as two_samples
from nofluke.questions.runs_intervals import LEAST, Told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.quantiles import QuantileInterval
    from nofluke.quantiles.differences import QuantileDifference
    from nofluke.questions.replicates import Sample
    from nofluke.questions.runs_intervals import How
    from nofluke.results import Row

APART = "difference of quantiles"
WITHIN = "quantile of paired differences"


def differences(found: Sequence[Sample], how: How, *, against: str | None, paired: bool) -> Told:
    """One row for each other sample and quantile: b minus a, a being that of ``against``.

    Raises:
        InputError: ``against`` is not among the configurations, or runs do not pair.
    """
    if against is None:
        return Told(())
    ours = {s.part: s for s in found if s.candidate == against}
    if not ours:
        names = dict.fromkeys(s.candidate for s in found)
        raise InputError(
            f"against={against!r} is not among the configurations {some(names)}.", code="NF008"
        )
    others = [s for s in found if s.candidate != against and s.part in ours]
    if not others:
        raise InputError(
            f"against={against!r}: there is no other configuration to compare with it.",
            code="NF008",
        )
    level = how.share(len(others), joint=False)
    told = [
        _answer(ours[other.part], other, u, how, level, paired=paired)
        for other in others
        for u in how.quantiles
    ]
    return Told(
        tuple(row for row, *_ in told),
        tuple(dict.fromkeys(text for _, texts, _ in told for text in texts)),
        tuple(dict.fromkeys(note for *_, notes in told for note in notes)),
    )


def _answer(
    a: Sample, b: Sample, u: float, how: How, level: float, *, paired: bool
) -> tuple[Row, Sequence[str], Sequence[str]]:
    """The row of one pair, with what it assumes and what is to be noted."""
    x, y = _paired(a, b) if paired else (a.x, b.x)
    if min(x.size, y.size) < LEAST:
        return _none(a, b, u, level, WITHIN if paired else APART), (), ()
    if paired:
        within = quantiles.interval(
            y - x,
            u,
            level=level,
            method=how.method,
            bounds=_difference_bounds(how),
            guaranteed=how.guaranteed,
            tail=how.tail,
        )
        return _row(a, b, within, WITHIN), within.assumes, ()
    method = "bonferroni" if how.guaranteed else "mover"
    apart = two_samples.difference(x, y, u, level=level, method=method, bounds=how.bounds)
    return _row(a, b, apart, APART), apart.assumes, apart.notes


def _paired(a: Sample, b: Sample) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores of runs with one id, in one order."""
    place = {run: i for i, run in enumerate(a.runs)}
    alone = sorted(set(a.runs) ^ set(b.runs))
    if alone:
        raise InputError(
            f"{b.name!r} and {a.name!r}: {len(alone)} runs are in one of them only "
            f"({some(alone)}), and paired=True needs the same runs in both; leave the others out, "
            "or compare the quantiles (without paired=True).",
            code="NF007",
        )
    return a.x[[place[run] for run in b.runs]], b.x


def _row(a: Sample, b: Sample, told: QuantileInterval | QuantileDifference, estimand: str) -> Row:
    none, heuristic = told.status == "none", a.folds or b.folds
    return {
        **_head(a, b, told.u, estimand),
        "estimate": float(cast("float", told.estimate)),
        "lower": float(cast("float", told.lower)),
        "upper": float(cast("float", told.upper)),
        "level": told.level,
        "status": told.status,
        "method": told.method,
        "guarantee": "heuristic" if heuristic and not none else told.guarantee,
    }


def _none(a: Sample, b: Sample, u: float, level: float, estimand: str) -> Row:
    return {
        **_head(a, b, u, estimand),
        "estimate": _sample_quantile(b, u) - _sample_quantile(a, u),
        "lower": -math.inf,
        "upper": math.inf,
        "level": level,
        "status": "none",
        "method": "none",
        "guarantee": "descriptive",
    }


def _head(a: Sample, b: Sample, u: float, estimand: str) -> Row:
    return {
        "candidate": b.candidate,
        "against": a.candidate,
        "part": b.part,
        "quantile": u,
        "estimand": estimand,
        "n": b.n,
        "n_against": a.n,
    }


def _sample_quantile(sample: Sample, u: float) -> float:
    return float(np.sort(sample.x)[sample_rank(sample.n, u) - 1])


def _difference_bounds(how: How) -> tuple[float, float] | None:
    if how.bounds is None or not all(map(math.isfinite, how.bounds)):
        return None
    span = how.bounds[1] - how.bounds[0]
    return -span, span

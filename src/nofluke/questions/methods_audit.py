"""`audit_methods`: how often each method calls a gain where there is none, on data like yours."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import betting, stream_tests, sums
from nofluke.questions.corpora import paired, refuse_gaps
from nofluke.results import Guarantee, Result, Row, percent
from nofluke.scores import findings, metrics
from nofluke.scores.sides import two_of
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.scores.sourced import Sourced

_LEAST = 10  # items in a stream: ten looks need one new item each
_BLOCK = 1 << 21  # values of streams in memory at once


class FalseAlarms(NamedTuple):
    """How often one method rejected a true null.

    Attributes:
        method: The method, and how it was looked at.
        guarantee: What it promises for "the mean is at most 0", in one word.
        false_alarm: Share of the streams in which it rejected.
        se: Standard error of that share over streams.
        above_alpha: Whether the share is above the level by more than three standard errors of a
            method that rejects exactly at its level.
    """

    method: str
    guarantee: Guarantee
    false_alarm: float
    se: float
    above_alpha: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MethodsAudit(Result):
    """False-alarm rates of methods on streams drawn from one set of differences.

    Attributes:
        audited: One entry for each method.
        alpha: Level of every one-sided test.
        n_items: Items in a stream.
        n_streams: Streams drawn.
        bounds: Lowest and highest possible difference.
        seed: Seed of the streams; None where a generator was given.
    """

    audited: tuple[FalseAlarms, ...]
    alpha: float
    n_items: int
    n_streams: int
    bounds: tuple[float, float]
    seed: int | None

    @property
    def kind(self) -> str:
        """The word for this question, ``audit_methods``."""
        return "audit_methods"

    def rows(self) -> list[Row]:
        """One row for each method."""
        return [{**entry._asdict(), "alpha": self.alpha} for entry in self.audited]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        head = (
            f"{self.n_streams} streams of {self.n_items} items were drawn from these {self.n} "
            "differences, and each method asked whether the mean exceeds what it truly is; a test "
            f"at {percent(self.alpha)} should call a gain in at most {percent(self.alpha)} of them."
        )
        told = [_told(entry) for entry in self.audited if entry.above_alpha]
        if not told:
            return [head, "No method did so clearly more often."]
        return [head, f"These did so clearly more often: {'; '.join(told)}."]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "alpha": self.alpha,
            "n_items": self.n_items,
            "n_streams": self.n_streams,
            "bounds": list(self.bounds),
            "seed": self.seed,
            "sentences": self.sentences(),
        }


def audit_methods(
    d: ArrayLike | Scores | Sourced,
    a: str | None = None,
    b: str | None = None,
    *,
    n: int | None = None,
    n_streams: int = 2000,
    alpha: float = 0.05,
    bounds: Sequence[float] | None = None,
    seed: int | np.random.Generator = 0,
) -> MethodsAudit:
    """How often each method would call a gain where there is none, on data of this shape.

    Items are drawn with replacement from the differences at hand, n at a time, and each method
    tests whether the mean exceeds what it truly is, the mean of those differences: whatever it
    finds is a false alarm. ``star``, ``betting`` and ``hedged_star`` test the values as they are,
    within their bounds; the others test them minus their mean.

    Args:
        d: Differences in favour of the claim (positive is better), shape (N,), or a table.
        a: With a table, the candidate to be beaten.
        b: With a table, the candidate that is claimed to be better.
        n: Items in a stream; as many as there are differences by default.
        n_streams: Streams; the rates have a standard error of at most 0.5 / sqrt(n_streams).
        alpha: Level of each one-sided test.
        bounds: Lowest and highest possible difference, such as (-1, 1); with a table, those of
            the score, by default the declared ones or those of a well-known metric.
        seed: Seed or generator of the streams.

    Raises:
        InputError: Bounds that are not declared or broken, differences that do not vary, streams
            of fewer than 10 items, unpaired items.

    >>> d = [0.01] * 99 + [-1.0]  # a small gain nearly always, rarely a large loss
    >>> audit = audit_methods(d, n=50, n_streams=500, bounds=(-1, 1))
    >>> {r["method"]: r["false_alarm"] for r in audit.rows() if r["method"] in ("t", "star")}
    {'t': 0.598, 'star': 0.0}
    """
    pilot = _pilot(d, a, b, bounds)
    n = pilot.d.size if n is None else checks.whole(n, name="n")
    alpha = checks.fraction(alpha, name="alpha")
    n_streams = checks.whole(n_streams, name="n_streams")
    _refuse_nothing_to_audit(pilot.d, n)
    counts = _false_alarms(pilot, n, n_streams, alpha, checks.generator(seed))
    told_seed = None if isinstance(seed, np.random.Generator) else int(seed)
    audited = tuple(_entry(name, counts[name], n_streams, alpha) for name in counts)
    return MethodsAudit(
        guarantee="descriptive",
        assumes=(
            "the differences show the shape of the population: a rare large loss that they miss "
            "is missing here too",
            "items are independent draws",
        ),
        n=pilot.d.size,
        digest=pilot.digest,
        notes=(*pilot.notes, *_cautions(audited, alpha)),
        question={
            "a": a,
            "b": b,
            "n": n,
            "n_streams": n_streams,
            "alpha": alpha,
            "bounds": list(pilot.bounds),
            "seed": told_seed,
        },
        audited=audited,
        alpha=alpha,
        n_items=n,
        n_streams=n_streams,
        bounds=pilot.bounds,
        seed=told_seed,
    )


class _Pilot(NamedTuple):
    """The differences at hand, in favour of the claim."""

    d: NDArray[np.float64]
    bounds: tuple[float, float]
    digest: str
    notes: tuple[str, ...]


def _pilot(
    given: Any,
    a: str | None,
    b: str | None,
    bounds: Sequence[float] | None,
) -> _Pilot:
    if a is not None and b is not None:
        given = two_of(given, a, b)
    if not isinstance(given, Scores):
        if a is not None or b is not None:
            raise InputError("a= and b= name candidates of a table, and d is none.", code="NF008")
        d = checks.sample(given, name="d")
        _, low, high = checks.unit(d, bounds)
        return _Pilot(d, (low, high), hashlib.sha256(d.tobytes()).hexdigest(), ())
    if a is None or b is None:
        raise InputError("a table needs both a= and b=: whom to compare.", code="NF008")
    better = checks.better(given.better)
    corpora = paired(given, a, b, ("score",), "raise")
    refuse_gaps(corpora)
    one, other = corpora.a["score"], corpora.b["score"]
    both = np.concatenate([one, other])
    limits = metrics.bounds_of(given, bounds, candidates=(a, b))
    _, low, high = checks.unit(both, limits)
    gain = other - one if better == "higher" else one - other
    cautions = findings.dependence(given, corpora.n)
    return _Pilot(gain, (low - high, high - low), given.digest, (*corpora.notes, *cautions))


def _refuse_nothing_to_audit(d: NDArray[np.float64], n: int) -> None:
    if (d == d[0]).all():
        raise InputError(
            f"all {d.size} differences are {d[0]:g}, so every stream drawn from them is the same; "
            "an audit needs differences that vary.",
            code="NF027",
        )
    if n < _LEAST:
        raise InputError(
            f"n={n} items in a stream are too few to be looked at ten times; take at least "
            f"{_LEAST}.",
            code="NF027",
        )


def _false_alarms(
    pilot: _Pilot, n: int, n_streams: int, alpha: float, rng: np.random.Generator
) -> dict[str, int]:
    """How many of the streams each method rejects."""
    drawing, resampling, flipping = rng.spawn(3)
    mean = sums.mean(pilot.d)
    centred = _without_rounding(pilot.d - mean)
    low, high = pilot.bounds
    unit, null = (pilot.d - low) / (high - low), (mean - low) / (high - low)
    counts: dict[str, int] = {}
    for size in _batches(n_streams, n):
        at = drawing.integers(0, pilot.d.size, size=(size, n))
        rejected = {
            **_usual(centred[at], alpha, resampling, flipping),
            **_guaranteed(unit[at], null, alpha),
        }
        for name, found in rejected.items():
            counts[name] = counts.get(name, 0) + int(found.sum())
    return counts


def _batches(n_streams: int, n: int) -> list[int]:
    # Whole hundreds, so that streams share resamples in the same way whatever the batch.
    step = max(100, _BLOCK // n // 100 * 100)
    return [min(step, n_streams - done) for done in range(0, n_streams, step)]


def _without_rounding(v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values minus their mean, on a grid on which what ties in exact decimals ties here too."""
    unit = 1e-12 * float(np.abs(v).max())
    return np.asarray(np.rint(v / unit) * unit)


def _usual(
    v: NDArray[np.float64],
    alpha: float,
    resampling: np.random.Generator,
    flipping: np.random.Generator,
) -> dict[str, NDArray[np.bool_]]:
    """What the usual methods reject, by name."""
    n = v.shape[1]
    looks = np.unique(np.maximum(2, np.ceil(n * np.arange(1, 11) / 10))).astype(np.int64)
    t = stream_tests.t_rejects(v, alpha, looks)
    B = min(max(999, math.ceil(10 / alpha) - 1), 9999)
    return {
        "t": t[:, -1],
        "wilcoxon": stream_tests.wilcoxon_rejects(v, alpha),
        "sign": stream_tests.sign_rejects(v, alpha),
        "bootstrap": stream_tests.bootstrap_rejects(v, alpha, B, resampling),
        "sign_flip": stream_tests.sign_flip_rejects(v, alpha, B, flipping),
        "t, 10 looks": stream_tests.in_a_row(t, 1),
        "t, 3 looks in a row": stream_tests.in_a_row(t, 3),
    }


def _guaranteed(x: NDArray[np.float64], null: float, alpha: float) -> dict[str, NDArray[np.bool_]]:
    """What the methods for bounded scores reject, by name; x and the null are on 0 to 1."""
    n = x.shape[1]
    whole = np.ones(n)
    plans = {
        "star": betting.Plan(alpha, n, "star"),
        "betting": betting.Plan(alpha, n, "fixed"),
        "hedged_star, every item": betting.Plan(alpha, n, "hedged"),
    }
    return {
        name: np.array([betting.first_passage(row, whole, null, plan) is not None for row in x])
        for name, plan in plans.items()
    }


_GUARANTEES: dict[str, Guarantee] = {
    "t": "asymptotic",
    "wilcoxon": "heuristic",  # a test of symmetry, not of the mean
    "sign": "heuristic",  # a test of the median
    "bootstrap": "asymptotic",
    "sign_flip": "heuristic",
    "t, 10 looks": "heuristic",
    "t, 3 looks in a row": "heuristic",
    "star": "finite-sample",
    "betting": "finite-sample",
    "hedged_star, every item": "anytime",
}


def _entry(name: str, count: int, n_streams: int, alpha: float) -> FalseAlarms:
    share = count / n_streams
    smoothed = (count + 1) / (n_streams + 2)  # no stream rejected is not a standard error of 0
    limit = alpha + 3 * math.sqrt(alpha * (1 - alpha) / n_streams)
    return FalseAlarms(
        method=name,
        guarantee=_GUARANTEES[name],
        false_alarm=share,
        se=math.sqrt(smoothed * (1 - smoothed) / n_streams),
        above_alpha=share > limit,
    )


def _cautions(audited: tuple[FalseAlarms, ...], alpha: float) -> tuple[str, ...]:
    bad = [_told(entry) for entry in audited if entry.above_alpha]
    if not bad:
        return ()
    return (
        f"NF152: on data of this shape and size these methods call a gain where there is none more "
        f"often than {percent(alpha)}: {'; '.join(bad)}.",
    )


def _told(entry: FalseAlarms) -> str:
    return f"{entry.method} in {100 * entry.false_alarm:.3g} % (se {100 * entry.se:.2g})"

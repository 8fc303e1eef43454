"""A pilot: differences seen before the plan is made, and what they would look like at a true gain.

A test is planned for a population of which the mean gain is delta, and a pilot has a mean of its
own. Shifting it would carry scores past their bounds and turn ties into differences; instead its
units are reweighted, by exponential tilting, until their mean is delta. What can happen stays what
it is, and only how often changes, as little as it can.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import power as kernel
from nofluke.questions import designs
from nofluke.questions.claims import Claim
from nofluke.questions.counting import Counting
from nofluke.questions.sides import sides
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FEW = 30


class Tilted(NamedTuple):
    """A pilot whose mean gain is what was asked for.

    Attributes:
        p: Probability of each unit, shape (k,).
        sd: Standard deviation of a unit's part in the mean, in units of the score.
        effective: Kish's effective number of units, 1 / sum p^2.
    """

    p: NDArray[np.float64]
    sd: float
    effective: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """Units of a pilot, positive where they favour the claim.

    Attributes:
        gain: Mean gain of each unit, shape (k,).
        bounds: Lowest and highest possible gain.
        word: What a unit is: "pairs" or "clusters".
        items: Mean number of examples in a unit.
        sizes: Size of each unit where it counts by its size; None where each counts once.
        max_size: Largest possible size.
        binary: Whether scores are 0 or 1, so that gains are -1, 0 or 1.
        digest: Of the input.
        notes: Cautions.
    """

    gain: NDArray[np.float64]
    bounds: tuple[float, float]
    word: str
    items: float
    sizes: NDArray[np.float64] | None
    max_size: float | None
    binary: bool
    digest: str
    notes: tuple[str, ...]

    @property
    def mean(self) -> float:
        """Mean gain of the pilot itself, each unit counted as it is in the estimand."""
        return float(np.average(self.gain, weights=self.sizes))

    def tilted(self, delta: float) -> Tilted:
        """The pilot at a true mean gain of ``delta``.

        Raises:
            InputError: No reweighting has this mean (NF032).
        """
        c = np.ones(self.gain.size) if self.sizes is None else self.sizes
        y = c * (self.gain - delta)
        p = kernel.tilted(y)
        if p is None:
            low, high = float(self.gain.min()), float(self.gain.max())
            raise InputError(
                f"delta={delta:g} cannot be planned from this pilot: its gains go from {low:g} to "
                f"{high:g}, and no reweighting of them has a mean outside. Ask for a gain between "
                "them, take a larger pilot, or plan without one (sd=).",
                code="NF032",
            )
        # Of a ratio of two means the deviation of (size gain - delta size) / mean size counts.
        sd = math.sqrt(float(p @ y**2)) / float(p @ c)
        return Tilted(p, sd, 1 / float(p @ p))

    def scaled(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores and weights on the scale of ``kernels.betting``, shape (k,) each."""
        low, high = self.bounds
        x = np.clip((self.gain - low) / (high - low), 0, 1)
        if self.sizes is None or self.max_size is None:
            return x, np.ones(x.size)
        c = self.sizes / self.max_size
        return x * c, c

    def discordant(self, p: NDArray[np.float64]) -> tuple[float, float]:
        """Probabilities of a win and of a loss."""
        return float(p[self.gain > 0].sum()), float(p[self.gain < 0].sum())

    def mirrored(self) -> Pilot:
        """The pilot of the opposite claim."""
        low, high = self.bounds
        return replace(self, gain=-self.gain, bounds=(-high, -low))


def understood(
    given: ArrayLike | Scores,
    *,
    a: str | None,
    b: str | None,
    bounds: Sequence[float] | None,
    binary: bool | None,
    clusters: Any,
    max_cluster_size: float | None,
    seed: int,
    needs_bounds: bool,
) -> Pilot:
    """The pilot's units, made as ``compare`` makes them.

    Args:
        given: Gains of B over A (positive is better), shape (k,), or a table with a and b.
        a: With a table, the baseline.
        b: With a table, the candidate compared with it.
        bounds: Lowest and highest possible *score*; a gain has twice that range.
        binary: Whether a score is 0 or 1 by its meaning.
        clusters: With a table as in ``compare``; with gains, the cluster of each.
        max_cluster_size: As in ``compare``.
        seed: Seed of the order of units, which does not matter here.
        needs_bounds: Whether the method needs them.

    Raises:
        InputError: The pilot cannot be used as given.
    """
    how: dict[str, Any] = {
        "bounds": bounds,
        "binary": binary,
        "clusters": clusters,
        "max_cluster_size": max_cluster_size,
        "seed": seed,
    }
    if isinstance(given, Scores):
        found = _of_table(given, a, b, needs_bounds=needs_bounds, **how)
    else:
        found = _of_gains(given, a, b, **how)
    if needs_bounds and not all(map(math.isfinite, found.bounds)):
        raise InputError(
            "bounds= is not declared: this method needs the lowest and highest possible score, "
            "such as bounds=(0, 1). Taken from the pilot they would promise nothing.",
            code="NF016",
        )
    if found.gain.min() == found.gain.max():
        raise InputError(
            f"all {found.gain.size} gains of the pilot are {found.gain[0]:g}; a pilot tells how "
            "much gains vary. Take a larger one, or plan without one.",
            code="NF032",
        )
    return replace(found, notes=(*found.notes, *_cautions(found)))


def _of_table(
    scores: Scores,
    a: str | None,
    b: str | None,
    *,
    bounds: Sequence[float] | None,
    binary: bool | None,
    clusters: Any,
    max_cluster_size: float | None,
    seed: int,
    needs_bounds: bool,
) -> Pilot:
    if a is None or b is None:
        raise InputError("a table needs both a= and b=: whom to compare.", code="NF008")
    claim = Claim.understood("better", 0.0, 0.05)
    found = sides(
        scores,
        a,
        b,
        claim,
        bounds=bounds,
        binary=binary,
        needs_bounds=needs_bounds,
        paired=True,
        missing="raise",
        seed=seed,
    )
    counting = Counting(
        clusters=found.labels(clusters, "cluster"),
        groups=None,
        max_cluster_size=max_cluster_size,
        mix=None,
        weights=None,
        max_weight=None,
        population=None,
        planned=None,
        seed=seed,
    )
    counting.check(paired=True)
    units = counting.units(found)
    low, high = units.bounds
    return Pilot(
        gain=found.sign * units.x,
        bounds=(low, high) if found.sign > 0 else (-high, -low),
        word=units.word,
        items=found.n / units.n,
        sizes=units.sizes,
        max_size=units.max_size,
        binary=found.binary and not found.repeated and units.word == "pairs",
        digest=scores.digest,
        notes=(*scores.notes, *found.notes),
    )


def _of_gains(
    given: ArrayLike,
    a: str | None,
    b: str | None,
    *,
    bounds: Sequence[float] | None,
    binary: bool | None,
    clusters: Any,
    max_cluster_size: float | None,
    seed: int,
) -> Pilot:
    if a is not None or b is not None:
        raise InputError("a= and b= name candidates of a table, and pilot is none.", code="NF008")
    d = checks.sample(given, name="pilot")
    largest = float(np.abs(d).max())
    if largest and not 1e-100 <= largest <= 1e100:
        raise InputError(
            f"the pilot's largest gain is {largest:g}; take another unit for the score.",
            code="NF008",
        )
    low, high = checks.bounds((0, 1) if binary else bounds) or (-math.inf, math.inf)
    limits = checks.within(d, (low - high, high - low))
    if binary and not np.isin(d, (-1.0, 0.0, 1.0)).all():
        raise InputError(
            "binary=True, but the pilot has gains other than -1, 0 and 1.", code="NF014"
        )
    if clusters is None or clusters is False:
        units = designs.of_pairs(d, limits)
    else:
        names, codes = np.unique([str(c) for c in clusters], return_inverse=True)
        if codes.size != d.size:
            raise InputError(
                f"clusters= has {codes.size} labels for {d.size} gains; give one for each.",
                code="NF002",
            )
        units = designs.of_clusters(
            d, codes.astype(np.int64), names.tolist(), limits, seed=seed, max_size=max_cluster_size
        )
    return Pilot(
        gain=units.x,
        bounds=limits,
        word=units.word,
        items=d.size / units.n,
        sizes=units.sizes,
        max_size=units.max_size,
        binary=bool(binary) and units.word == "pairs",
        digest=hashlib.sha256(d.tobytes()).hexdigest(),
        notes=(),
    )


def _cautions(pilot: Pilot) -> tuple[str, ...]:
    k = pilot.gain.size
    told = [
        "NF173: plan for units that are not in the pilot: n was chosen by looking at these, and "
        "the promise is for an n that does not depend on what is counted."
    ]
    if k < _FEW:
        told.append(
            f"NF170: the pilot has only {designs.counted(k, pilot.word)}; how much gains vary, and "
            "rare large ones above all, is hardly known from so few, and n neither."
        )
    return tuple(told)

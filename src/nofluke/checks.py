"""The door: what the caller gave becomes what a kernel may trust."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

Better: TypeAlias = Literal["higher", "lower"]
Side: TypeAlias = Literal["both", "lower", "upper"]
# Levels below this have no exact band, and nobody has a use for them.
_LEAST = 1e-305
Missing: TypeAlias = Literal["raise", "common", "own", "worst"]
Weight: TypeAlias = "Callable[[NDArray[np.float64]], ArrayLike]"

_SLACK = 1e-12  # what rounding may take from a weight that never falls in exact arithmetic


def sample(x: ArrayLike, *, name: str = "x") -> NDArray[np.float64]:
    """One-dimensional, not empty, without NaN; infinities may stay (a time-out is +inf)."""
    try:
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} holds values that are not numbers ({error}); give floats or integers.",
            code="NF004",
        ) from None
    if values.ndim != 1 or values.size == 0:
        raise InputError(
            f"{name} has shape {values.shape}; expected one dimension and at least one value.",
            code="NF002",
        )
    missing = np.isnan(values)
    if missing.any():
        raise InputError(
            f"{name} has NaN at position {some(np.flatnonzero(missing).tolist())}; a NaN is a "
            "missing score: "
            "leave it out or give it a value.",
            code="NF007",
        )
    return values


def fraction(value: float, *, name: str) -> float:
    """A number strictly between 0 and 1; a percentage is recognised and refused."""
    number = real(value, name=name)
    if _LEAST <= number < 1:
        return number
    if 0 < number < _LEAST:
        raise InputError(f"{name}={value!r} is below {_LEAST:g}, the least there is.", code="NF008")
    hint = f" If you mean {number:g} %, write {number / 100:g}." if 1 < number <= 100 else ""
    raise InputError(f"{name}={value!r} must lie strictly between 0 and 1.{hint}", code="NF008")


def real(value: float, *, name: str) -> float:
    """A real number, not a truth value, not NaN."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise InputError(f"{name}={value!r} is not a number.", code="NF008")
    return number


def whole(value: object, *, name: str, least: int = 1) -> int:
    """An integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(
            f"{name}={value!r} must be a whole number, at least {least}.", code="NF008"
        )
    return int(value)


def alpha(*, level: float | None, alpha: float | None, default: float | None = None) -> float:
    """The error level from exactly one of ``level`` and ``alpha``.

    Small alphas do not survive ``1 - level``, so a caller that has one gives it as it is.

    Args:
        level: Confidence level, in (0, 1).
        alpha: Error level, in (0, 1).
        default: The level where neither is given; without it one of them must be.
    """
    if level is None and alpha is None:
        level = default
    if (level is None) == (alpha is None):
        given = "both" if level is not None else "neither"
        raise InputError(
            f"exactly one of level= and alpha= is needed, {given} was given; "
            "level=0.95 and alpha=0.05 say the same.",
            code="NF008",
        )
    if alpha is not None:
        return fraction(alpha, name="alpha")
    return 1 - fraction(cast("float", level), name="level")


def region(
    x: ArrayLike, on: str, level: float | None, error: float | None
) -> tuple[NDArray[np.float64], Side, float]:
    """What every region takes: a sample, a side, and exactly one of level and error level."""
    return sample(x), side(on), alpha(level=level, alpha=error)


def gammas(value: float | Iterable[float]) -> tuple[float, ...]:
    """The failure rates asked for, as given, without repeats."""
    listed = list(value) if isinstance(value, Iterable) else [value]
    if not listed:
        raise InputError(
            "gamma is empty; give at least one failure rate, such as 0.1.", code="NF008"
        )
    return tuple(dict.fromkeys(fraction(g, name="gamma") for g in listed))


def choice(value: str, allowed: Sequence[str], *, name: str) -> str:
    """One of the allowed words."""
    if value not in allowed:
        raise InputError(f"{name}={value!r} is not one of {', '.join(allowed)}.", code="NF008")
    return value


def better(value: str | None) -> Better:
    """The orientation, which is declared and never guessed."""
    if value is None:
        raise InputError(
            "better= is not declared: does a higher or a lower score win? Say better='higher' "
            "(accuracy, reward) or better='lower' (loss, latency); it is never guessed from data.",
            code="NF009",
        )
    return cast("Better", choice(value, get_args(Better), name="better"))


def side(value: str) -> Side:
    """Which side of a region is asked for."""
    return cast("Side", choice(value, get_args(Side), name="side"))


def tail(alpha: float, side: Side) -> float:
    """Error level of one limit: a region of two sides spends half on each."""
    return alpha / 2 if side == "both" else alpha


def population(value: int | None, *, drawn: int) -> int:
    """Size of a fixed benchmark of which ``drawn`` scores are a part; 0 where there is none."""
    if value is None:
        return 0
    size = whole(value, name="population")
    if drawn > size:
        raise InputError(
            f"x has {drawn} scores, more than population={size}; each can be drawn only once.",
            code="NF008",
        )
    return size


def bounds(value: Sequence[float] | None) -> tuple[float, float] | None:
    """Lowest and highest possible score, low < high."""
    if value is None:
        return None
    low, high = (real(v, name="bounds") for v in _pair(value))
    if not low < high:
        raise InputError(f"bounds={value!r}: the first must be below the second.", code="NF008")
    return low, high


def within(x: NDArray[np.float64], value: Sequence[float] | None) -> tuple[float, float]:
    """The bounds, infinite where none are declared; a sample that breaks them is refused."""
    low, high = bounds(value) or (-math.inf, math.inf)
    outside = x[(x < low) | (x > high)]
    if outside.size:
        raise InputError(
            f"{outside.size} of {x.size} scores lie outside bounds=({low:g}, {high:g}), such as "
            f"{some(outside.tolist(), most=3)}; widen the bounds: a declared bound is a promise.",
            code="NF010",
        )
    return low, high


def unit(
    x: NDArray[np.float64], value: Sequence[float] | None
) -> tuple[NDArray[np.float64], float, float]:
    """A bounded sample on the scale from 0 to 1, with the lowest and the highest possible score.

    The bounds are a promise about scores not yet seen, so they are declared and never taken from
    the sample; both must be finite.
    """
    if value is None:
        raise InputError(
            "bounds= is not declared: this method needs the lowest and highest possible score, "
            "such as bounds=(0, 1) for a score or bounds=(-1, 1) for a difference of two such "
            "scores. Taken from the data they would promise nothing.",
            code="NF016",
        )
    low, high = within(x, value)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(
            f"bounds=({low:g}, {high:g}) are not finite; no finite-sample interval for a mean "
            "exists without finite bounds.",
            code="NF016",
        )
    return np.asarray((x - low) / (high - low)), low, high


def from_unit(lower: float, upper: float, low: float, high: float) -> tuple[float, float]:
    """The way back of ``unit``: limits on the scale from 0 to 1, in units of the scores.

    Within the bounds, and each from its own bound, so that mirrored scores have mirrored limits.
    """
    span = high - low
    return min(low + span * max(lower, 0.0), high), max(high - span * max(1 - upper, 0.0), low)


def distortion(g: Weight, ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """A weight on [0, 1] at ascending ranks from 0 to 1, freed of rounding; shape (ranks,)."""
    try:
        values = np.array(g(ranks), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"g cannot be evaluated on an array of ranks ({error}); np.vectorize(g) can.",
            code="NF008",
        ) from None
    if values.shape != ranks.shape:
        raise InputError(
            f"g gives shape {values.shape} for ranks of shape {ranks.shape}; expected one value "
            "for each.",
            code="NF008",
        )
    # Both are claims, so that a NaN breaks them.
    if not (abs(values[0]) <= _SLACK and abs(values[-1] - 1) <= _SLACK):
        raise InputError(
            f"g(0)={values[0]:g} and g(1)={values[-1]:g}; expected 0 and 1.", code="NF008"
        )
    rises = np.diff(values) >= -_SLACK
    if not rises.all():
        at = int(np.argmin(rises))
        raise InputError(
            f"g goes from {values[at]:g} at rank {ranks[at]:g} to {values[at + 1]:g} at "
            f"{ranks[at + 1]:g}; a weight must never fall.",
            code="NF008",
        )
    values[0], values[-1] = 0, 1
    return np.asarray(np.maximum.accumulate(np.clip(values, 0, 1)))


def exact(value: float) -> Fraction:
    """The decimal that was typed, as a rational: 0.1 is 1/10, not the nearest double."""
    return Fraction(repr(float(value)))


def generator(seed: int | np.random.Generator | None, *, name: str = "seed") -> np.random.Generator:
    """A generator from a seed; randomness without a seed is refused."""
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        raise InputError(f"{name}= is needed: a random answer must be repeatable.", code="NF008")
    return np.random.default_rng(whole(seed, name=name, least=0))


def _pair(value: Any) -> tuple[float, float]:
    try:
        low, high = value
    except (TypeError, ValueError):
        raise InputError(
            f"bounds={value!r} must be two numbers, (low, high).", code="NF008"
        ) from None
    return low, high

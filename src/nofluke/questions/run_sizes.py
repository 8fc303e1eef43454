"""`runs`: how many runs for limits of a quantile, before any is started."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv

from nofluke import checks, quantiles, sequences
from nofluke.errors import InputError, some
from nofluke.kernels import quantile_ranks as ranks
from nofluke.quantiles import plans
from nofluke.questions.planned_runs import Exists, RunsPlan
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Row

RULES = ("total", "equal", "lower", "upper")

_GRID = (10, 15, 25, 50, 100, 250, 500, 1000)
# More runs than this nobody repeats an evaluation.
_REACH = 10**6
_NODES = (np.arange(512) + 0.5) / 512
# From this probability on that a limit lies beyond the pilot's runs, its length is too short.
_BEYOND = 0.05
_ASSUMES = (
    "Runs are independent draws of one distribution, each giving one value.",
    "The number of runs is fixed in advance, but for the numbers that are valid at any time.",
)


class Limits(NamedTuple):
    """Which limits exist at one n, and at which ranks.

    Attributes:
        exists: "H" both with equal tails, "A" both with unequal ones, "U" and "L" an upper or a
            lower limit at the full error level, "none".
        lower: Rank of the lower limit, 0 if there is none.
        upper: Rank of the upper limit, n + 1 if there is none.
    """

    exists: Exists
    lower: float
    upper: float


def runs(
    u: float,
    level: float,
    *,
    n: int | None = None,
    rule: str = "total",
    design: int = sequences.RUNS,
    width: float | None = None,
    pilot: ArrayLike | Scores | None = None,
    candidate: str | None = None,
) -> RunsPlan:
    """From how many runs on a quantile of their distribution has limits, whatever they will say.

    What exists depends on n, u and the level only. A lower limit needs (1-u)^n <= alpha, an upper
    one u^n <= alpha, both together (1-u)^n + u^n <= alpha, and with equal tails half of alpha each.
    The table says for several n what there is: H, both limits with equal tails (Hutson's fractional
    ranks); A, both with unequal tails, where the smallest or largest run is one of them; U or L,
    only an upper or a lower limit, at all of alpha; none.

    Args:
        u: Which quantile, in (0, 1): 0.05 for the value that one run in twenty stays below.
        level: Confidence, such as 0.9.
        n: A number of runs to be asked about, at least 2.
        rule: Which limits are wanted: "total", "equal", "lower" or "upper" (see ``RunsPlan``).
        design: Runs for which limits that hold at any time are made narrow
            (``sequences.quantile``).
        width: Largest expected length of the interval, in units of the runs; needs a pilot.
        pilot: Earlier runs, shape (m,), or a table with one score from each run. The length at each
            n is expected by its quantiles, interpolated; that is a guess (``heuristic``).
        candidate: Whose runs, where a table has several candidates.

    Raises:
        InputError: u or level outside (0, 1), an unknown rule, a width without a pilot (NF008); a
            pilot that does not fit (NF032); more than a million runs needed (NF050).

    Source: Wilks 1941, Hutson 1999; Howard & Ramdas 2022 for limits at any time.

    >>> answer = runs(0.05, 0.9, n=25)
    >>> answer.n, answer.lower, answer.upper, answer.total, answer.equal
    (45, 45, 2, 45, 59)
    >>> answer.anytime, answer.at(25)["exists"]
    ((49, 2), 'U')
    """
    u, level = checks.fraction(u, name="u"), checks.fraction(level, name="level")
    rule = checks.choice(rule, RULES, name="rule")
    asked = None if n is None else checks.whole(n, name="n", least=2)
    seen, digest = _pilot(pilot, candidate)
    length = None if width is None else _length(width, rule, piloted=seen is not None)
    least = _least(u, level)
    both = sequences.quantile_needs(u, level=level, design=design)
    needed = least[rule]
    if length is not None and seen is not None:
        needed = _long_enough(u, level, seen, length, needed)
    shown = _shown(needed, asked, [*least.values(), *both])
    table = tuple(_row(m, u, level, both, seen) for m in shown)
    return RunsPlan(
        guarantee="finite-sample" if length is None else "heuristic",
        assumes=_ASSUMES,
        n=needed,
        digest=digest,
        notes=_notes(table, asked, least, seen),
        question={"u": u, "level": level, "n": asked, "rule": rule, "design": design}
        | {"width": length, "candidate": candidate},
        u=u,
        level=level,
        rule=rule,
        **least,
        anytime=(
            sequences.quantile_needs(u, level=level, side="lower", design=design)[0],
            sequences.quantile_needs(u, level=level, side="upper", design=design)[1],
        ),
        anytime_both=both,
        design=design,
        asked=asked,
        width=length,
        table=table,
        pilot_runs=None if seen is None else int(seen.size),
    )


def limits_at(n: int, u: float, level: float) -> Limits:
    """Which limits exist at n, and at which ranks; a function of n, u and the level only.

    >>> limits_at(50, 0.05, 0.9).exists, limits_at(10, 0.95, 0.9).exists
    ('A', 'L')
    """
    share, alpha = ranks.rational(u), 1 - ranks.rational(level)
    pair = ranks.asymmetric_hutson(n, share, alpha)
    if pair is not None:
        equal = ranks.power_at_most(max(share, 1 - share), n, alpha / 2)
        return Limits("H" if equal else "A", pair.lower, pair.upper)
    # The limit on the side of the middle, where most runs lie; at the median there is no such side.
    if share < Fraction(1, 2):
        upper = ranks.lone_index(n, share, alpha, "upper")
        if upper <= n:
            return Limits("U", 0, upper)
    elif share > Fraction(1, 2):
        lower = ranks.lone_index(n, share, alpha, "lower")
        if lower >= 1:
            return Limits("L", lower, n + 1)
    return Limits("none", 0, n + 1)


def _least(u: float, level: float) -> dict[str, int]:
    """Fewest runs by each rule."""
    share, alpha = ranks.rational(u), 1 - ranks.rational(level)
    rare = min(share, 1 - share)
    if math.log(float(alpha)) / math.log1p(-float(rare)) > _REACH:
        raise InputError(
            f"the quantile {u!r} at level={level!r} needs more than {_REACH} runs for both limits; "
            "ask for one further from the ends, such as 0.05.",
            code="NF050",
        )
    both = {rule: quantiles.minimal_n(u, level, rule=rule) for rule in ("total", "equal")}
    lower, upper = plans.sizes(share, alpha)
    return {"lower": lower, "upper": upper} | both


def _shown(needed: int, asked: int | None, firsts: list[int]) -> list[int]:
    """The n of the table: the usual ones as far as anything changes, and those that matter."""
    last = max(needed, asked or 0, *firsts)
    usual = [n for i, n in enumerate(_GRID) if i < 5 or _GRID[i - 1] < last]
    return sorted({*usual, *firsts, needed, *([] if asked is None else [asked])})


def _row(
    n: int, u: float, level: float, both: tuple[int, int], seen: NDArray[np.float64] | None
) -> Row:
    found = limits_at(n, u, level)
    row: Row = {
        "n": n,
        "exists": found.exists,
        "lower_rank": found.lower if found.lower > 0 else None,
        "upper_rank": found.upper if found.upper <= n else None,
        "coverage": _coverage(n, u, found),
        "anytime": _anytime(n, both),
    }
    if seen is None:
        return row
    length, beyond = _expected(n, found, seen)
    return row | {"length": length, "beyond_pilot": beyond}


def _coverage(n: int, u: float, found: Limits) -> float | None:
    if found.exists == "none":
        return None
    return ranks.uniform_coverage(n, ranks.rational(u), found.lower, found.upper)


def _anytime(n: int, both: tuple[int, int]) -> str:
    lower, upper = (n >= first for first in both)
    return {(1, 1): "both", (1, 0): "lower", (0, 1): "upper", (0, 0): "none"}[lower, upper]


def _expected(n: int, found: Limits, seen: NDArray[np.float64]) -> tuple[float | None, float]:
    """Expected length at n by the pilot, and how likely a limit lies beyond the pilot's runs.

    X_(h) = Q(U_(h)) with U_(h) ~ Beta(h, n + 1 - h), and Q is the quantile function of the pilot.
    """
    if found.exists not in ("H", "A"):
        return None, 0.0
    m = seen.size
    ends = np.array([1, m]) / (m + 1)
    means, beyond = [], 0.0
    for h in (found.lower, found.upper):
        means.append(float(_quantiles(betaincinv(h, n + 1 - h, _NODES), seen).mean()))
        reach = betainc(h, n + 1 - h, ends)
        beyond = max(beyond, float(reach[0]), 1 - float(reach[1]))
    return means[1] - means[0], beyond


def _quantiles(p: NDArray[np.float64], seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quantiles of the pilot at p: linear between its runs, which stand at i / (m + 1).

    Beyond the smallest and the largest it goes on as an exponential tail would, from the gap to
    their neighbours (Hutson 2002).
    """
    m = seen.size
    inside = np.interp(p, np.arange(1, m + 1) / (m + 1), seen)
    below = np.minimum(np.log((m + 1) * p), 0) * (seen[1] - seen[0])
    above = np.minimum(np.log((m + 1) * (1 - p)), 0) * (seen[-1] - seen[-2])
    return np.asarray(inside + below - above)


def _long_enough(
    u: float, level: float, seen: NDArray[np.float64], width: float, least: int
) -> int:
    """The n from which on the expected length is at most ``width``."""

    def short(n: int) -> bool:
        length = _expected(n, limits_at(n, u, level), seen)[0]
        return length is not None and length <= width

    return _first(short, least, width)


def _first(short: Callable[[int], bool], least: int, width: float) -> int:
    if short(least):
        return least
    long, enough = least, 2 * least
    while not short(enough):
        if enough > _REACH:
            raise InputError(
                f"width={width:g} needs more than {_REACH} runs, going by the pilot; ask for a "
                "longer interval.",
                code="NF050",
            )
        long, enough = enough, 2 * enough
    while enough - long > 1:
        middle = (long + enough) // 2
        long, enough = (long, middle) if short(middle) else (middle, enough)
    return enough


def _notes(
    table: tuple[Row, ...],
    asked: int | None,
    least: dict[str, int],
    seen: NDArray[np.float64] | None,
) -> tuple[str, ...]:
    notes = []
    if seen is not None:
        far = [row["n"] for row in table if row["beyond_pilot"] > _BEYOND]
        notes.append(
            f"NF197: expected lengths are guesses from {seen.size} runs of a pilot, by their "
            "interpolated quantiles"
            + (
                f"; at n = {some(far, most=5)} a limit may lie beyond all of its runs, "
                "where its tail is continued."
                if far
                else "."
            )
        )
    if asked is not None and asked < least["total"]:
        notes.append(
            f"NF198: {asked} runs are too few for both limits, which need {least['total']}; no "
            "method that holds for every distribution has them earlier."
        )
    return tuple(notes)


def _pilot(
    pilot: ArrayLike | Scores | None, candidate: str | None
) -> tuple[NDArray[np.float64] | None, str]:
    """The runs of the pilot in ascending order, and the digest of the input."""
    if pilot is None:
        return None, ""
    if isinstance(pilot, Scores):
        return _fit(_of_table(pilot, candidate)), pilot.digest
    values = checks.sample(pilot, name="pilot")
    return _fit(values), hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def _of_table(scores: Scores, candidate: str | None) -> NDArray[np.float64]:
    names = scores.candidates
    if candidate is None and len(names) != 1:
        raise InputError(
            f"the pilot has runs of {some(list(names))}; say whose with candidate= (--a).",
            code="NF032",
        )
    name = names[0] if candidate is None else candidate
    if name not in names:
        raise InputError(
            f"candidate={name!r} is not in the pilot, which has {some(list(names))}.", code="NF032"
        )
    k = names.index(name)
    if np.unique(scores.places(k)).size < scores.sample(k).size:
        raise InputError(
            "the pilot has several scores of an example; a pilot for runs has one score from each "
            "run. Average over the examples of a run first, and make the run the example.",
            code="NF032",
        )
    return scores.sample(k)


def _fit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.size < 2 or not np.isfinite(values).all():
        raise InputError(
            f"the pilot has {values.size} runs; expected at least two, all finite.", code="NF032"
        )
    return np.sort(values)


def _length(width: Any, rule: str, *, piloted: bool) -> float:
    if not piloted:
        raise InputError("width= needs a pilot=: how far do runs lie apart?", code="NF008")
    if rule in ("lower", "upper"):
        raise InputError(
            f"width= is that of an interval with both limits; rule={rule!r} has one.", code="NF008"
        )
    number = checks.real(width, name="width")
    if not 0 < number < math.inf:
        raise InputError(f"width={width!r} must be a positive length.", code="NF008")
    return number

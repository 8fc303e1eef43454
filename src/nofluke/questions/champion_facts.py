"""What else a champion's card says: the gate, the luck of the best, and a published number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtr

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.questions import champion_reported
from nofluke.questions.champion_entries import refuse_outside
from nofluke.selection.optimism import (
    expected_maximum,
    expected_optimism,
    naive_coverage,
    pass_probability,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.champion_entries import Entries
    from nofluke.questions.champion_intervals import Parts
    from nofluke.questions.champion_rows import Asked
    from nofluke.results import Row

_RHOS = (0.0, 0.5, 0.9)
_LAST = 1e-12  # sums may be off in the last digits


def tied(given: Entries) -> tuple[str, ...]:
    """Candidates other than the winner that show the same score."""
    same = equal(given.values, float(given.values[given.winner]))
    return tuple(given.names[i] for i in same.tolist() if i != given.winner)


def equal(values: NDArray[np.float64], number: float) -> NDArray[np.int64]:
    """Positions of the values that are a number but for the last digits of a sum."""
    return np.flatnonzero(np.abs(values - number) <= _LAST * np.abs(values).max())


def decomposition(parts: Parts | None) -> Row | None:
    """The variances of seeds and rows, under one name each for areas, means and clusters."""
    if parts is None:
        return None
    shared = hasattr(parts, "shared_variance")
    return {
        "seed_variance": getattr(parts, "true_seed_variance" if shared else "seed_variance"),
        "row_variance": getattr(parts, "shared_variance" if shared else "row_variance"),
        "correlation": parts.mean_correlation,
        "se_mean": parts.se,
        "se_one": parts.se_one,
        "wrong_se": parts.wrong_se,
        "df": parts.df,
        "p_equal": parts.p_equal,
    }


def reached(value: float, gate: float, better: str) -> bool:
    """Whether a score is at the gate or on its good side; sums may be off in the last digits.

    >>> reached(sum([0.1] * 3) / 3, 0.1, "higher"), reached(0.81, 0.82, "higher")
    (True, False)
    """
    ahead = value - gate if better == "higher" else gate - value
    return ahead >= -_LAST * max(1.0, abs(gate))


def gate_result(given: Entries, asked: Asked, gate: float | None, planned: float) -> Row | None:
    """The gate under both rules: what was planned, and the best."""
    if gate is None:
        return None
    at = checks.real(gate, name="gate")
    if math.isinf(at):
        raise InputError(
            f"gate={gate!r} is reached by all or by none; give a number.", code="NF008"
        )
    refuse_outside(given, np.array([at]), "gate")
    best = float(given.values[given.winner])
    values = {"planned": planned, "best": best}
    sizes = asked.sizes
    noise = None if sizes is None else champion_reported.noise(values, at, asked.alpha, sizes)
    return {
        "gate": at,
        "planned_passes": reached(planned, at, given.better),
        "best_passes": reached(best, at, given.better),
        "count": sum(reached(v, at, given.better) for v in given.values.tolist()),
        "of": given.m,
        "noise": noise,
    }


def passing(gate: Row | None, tried: int) -> Row | None:
    """The chance that one of all passes, if each passes as often as those at hand did."""
    if gate is None or not gate["count"]:
        return None
    p = gate["count"] / gate["of"]
    unknown = pass_probability(p, tried)
    independent = pass_probability(p, tried, dependence="independent").upper
    return {
        "p": p,
        "m": tried,
        "lower": unknown.lower,
        "upper": unknown.upper,
        "independent": independent,
    }


def optimism(given: Entries, asked: Asked) -> tuple[Row, ...]:
    """How far the best of equally good candidates is ahead of its truth on average.

    Nothing where no spread is seen, which is ignorance of it and no luck of 0.
    """
    m = asked.tried
    if given.rows is not None:
        matrix = given.covariance
        return (_observed(given, asked, matrix),) if matrix.any() else ()
    se = 0.0 if asked.sizes is None else asked.sizes.se(float(given.values.mean()))
    if not se > 0:
        return ()
    return tuple(_equal(m, se, rho, asked.level, "implied") for rho in _RHOS)


def _equal(m: int, se: float, rho: float, level: float, source: str) -> Row:
    return {
        "rho": rho,
        "se": se,
        "m": m,
        "value": expected_maximum(m, sd=se, rho=rho),
        "naive_coverage": naive_coverage(m, level=level, rho=rho),
        "source": source,
    }


def _observed(given: Entries, asked: Asked, matrix: NDArray[np.float64]) -> Row:
    """At the covariance of the rows; for those not in the data the mean correlation stands in."""
    found = expected_optimism(matrix, seed=asked.seed)
    rho = min(max(found.mean_correlation or 0.0, 0.0), 1.0)
    se = math.sqrt(float(np.diag(matrix).mean()))
    told = _equal(asked.tried, se, rho, asked.level, "rows")
    if asked.tried == given.m:
        told["value"] = found.value
    return told


def published_one(
    given: Entries, value: float | str | None, decimals: int | None = None
) -> Row | None:
    """A published number among the others: its rank, and how far it is from them.

    The p-value by rank needs no distribution: if it was any one of them with equal chance, its rank
    is as good or better with this probability. The one by t takes scores for normal. A number
    that no run shows, and that runs round to, is that of the nearest; the others that do are ties.
    """
    if value is None:
        return None
    number, at, slack = _which(given, value, decimals)
    refuse_outside(given, np.array([number]), "published")
    others = given.values if at is None else np.delete(given.values, at)
    ahead = given.sign * (others - number)
    total, exact = others.size + 1, at is not None and slack == _LAST
    told: Row = {
        "value": number,
        "written": value.strip() if isinstance(value, str) and not exact else None,
        "candidate": None if at is None else given.names[at],
        "rounded": slack > _LAST,
        "rank": 1 + int((ahead > slack).sum()),
        "of": total,
        "pvalue_rank": (1 + int((ahead >= -slack).sum())) / total,
        "others_mean": float(others.mean()),
        "others_sd": None,
        "t": None,
        "df": None,
        "pvalue_t": None,
        "beyond": at is None and bool((ahead < -slack).all()),
    }
    if others.size > 1 and np.ptp(others) > 0:
        sd, df = float(others.std(ddof=1)), others.size - 1
        shown = number if at is None else float(given.values[at])
        t = (shown - told["others_mean"]) / (sd * math.sqrt(1 + 1 / others.size))
        tail = float(stdtr(df, -given.sign * t))
        told |= {"others_sd": sd, "t": t, "df": df, "pvalue_t": tail}
    return told


def _which(given: Entries, value: Any, decimals: int | None) -> tuple[float, int | None, float]:
    """The number, the candidate that has it, the first of equals, and what counts as a tie.

    Nobody has it exactly where a published number is rounded; then it is that of the nearest.
    """
    if isinstance(value, str) and value.startswith("name:"):
        at = position(given, value, option="published")
        return float(given.values[at]), at, _LAST
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise InputError(
            f"published={value!r} is neither a finite number nor 'name:' with a candidate.",
            code="NF254",
        )
    same = equal(given.values, number)
    if same.size:
        return number, int(same[0]), _LAST
    places = champion_reported.places_of(value) if isinstance(value, str) else None
    places = decimals if places is None else places
    nearest = int(np.argmin(np.abs(given.values - number)))
    half = 0.0 if places is None else 0.5 * 10.0**-places + _LAST
    if abs(given.values[nearest] - number) <= half:
        return number, nearest, half
    return number, None, _LAST


def position(given: Entries, text: str, *, option: str) -> int:
    """Where the candidate that ``name:...`` names stands."""
    name = text.removeprefix("name:")
    if name not in given.names:
        raise InputError(
            f"{option}={text!r}: there is no candidate {name!r}; there are {some(given.names)}.",
            code="NF254",
        )
    return given.names.index(name)

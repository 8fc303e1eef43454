"""The figure that each claim is compared with, read from the tables of the study."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import TypeAlias

import numpy as np
from scipy.special import bdtr

from nofluke import quantiles
from nofluke.studies.engine import Figure, Row, pooled

Tables: TypeAlias = Mapping[str, list[Row]]

FIGURES: dict[str, Callable[[Tables], Figure]] = {}

TAILS, MIDDLE = (0.05, 0.1, 0.9, 0.95), (0.25, 0.5, 0.75)
USUAL, HIGH = (0.9, 0.95), (0.9, 0.95, 0.99)
EXACT, BOOTSTRAP = "exact_shortest", "semiparametric_bootstrap"


def chosen(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """Rows whose columns have the value wanted, or one of several."""
    sets = {k: v if isinstance(v, tuple) else (v,) for k, v in wanted.items()}
    return [row for row in rows if all(row[k] in v for k, v in sets.items())]


def over_distributions(rows: Iterable[Row], column: str) -> list[tuple[Row, Figure]]:
    """The mean of a column over distributions, for each method, n, u and level."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key = tuple(row[k] for k in ("method", "n", "u", "level"))
        groups.setdefault(key, []).append(row)
    return [
        (group[0], pooled(Figure(row[column], row[f"{column}_error"]) for row in group))
        for group in groups.values()
    ]


def _add(measure: Callable[[Tables], Figure]) -> Callable[[Tables], Figure]:
    FIGURES[measure.__name__] = measure
    return measure


def _off(rows: list[Row]) -> list[Figure]:
    """Coverage minus level, mean of distributions."""
    return [
        Figure(figure.value - row["level"], figure.error)
        for row, figure in over_distributions(rows, "coverage")
    ]


def _least(figures: Iterable[Figure]) -> Figure:
    return min(figures, key=lambda figure: figure.value)


def _farthest(figures: Iterable[Figure]) -> Figure:
    found = max(figures, key=lambda figure: abs(figure.value))
    return Figure(abs(found.value), found.error)


def _largest(rows: list[Row], column: str) -> Figure:
    row = max(rows, key=lambda row: float(row[column]))
    return Figure(row[column], row[f"{column}_error"])


def _least_coverage(rows: list[Row]) -> Figure:
    return _least(Figure(row["coverage"], row["coverage_error"]) for row in rows)


def _cells(rows: Iterable[Row]) -> dict[tuple[object, ...], Row]:
    return {(row["distribution"], row["n"], row["u"], row["level"]): row for row in rows}


def _of_cells(holds: list[bool]) -> Figure:
    """A share of cells, with the error as if cells were drawn."""
    share = sum(holds) / len(holds)
    return Figure(share, math.sqrt(share * (1 - share) / len(holds)))


@_add
def exact_margin(tables: Tables) -> Figure:
    """C4."""
    return _least(_off(chosen(tables["intervals"], method=("exact_equal", EXACT))))


@_add
def half_open_coverage(tables: Tables) -> Figure:
    """C4a."""
    rows = chosen(tables["discrete"], method="exact_half_open", items=100, level=0.9)
    return _least_coverage(rows)


@_add
def binomial_gap(tables: Tables) -> Figure:
    """C5."""
    rows = chosen(tables["intervals"], method=("exact_equal", EXACT))
    found = over_distributions(rows, "coverage")
    return _farthest(Figure(f.value - row["promised"], f.error) for row, f in found)


@_add
def narrowest_pairs(_: Tables) -> Figure:
    """C6; from the binomial distribution itself."""
    n, u, level = 10, 0.5, 0.9

    def covers(k: int, upper: int) -> bool:
        return k < upper and float(bdtr(upper - 1, n, u) - bdtr(k - 1, n, u)) >= level

    pairs = [pair for pair in product(range(1, n + 1), repeat=2) if covers(*pair)]
    return Figure(sum(not covers(k + 1, m) and not covers(k, m - 1) for k, m in pairs), 0.0)


@_add
def interpolated_guarantee(_: Tables) -> Figure:
    """C7."""
    return Figure(quantiles.hutson(range(10), 0.5, level=0.9).coverage_band[0], 0.0)


@_add
def asymptotic_in_tails(tables: Tables) -> Figure:
    """C9."""
    return _least(_off(chosen(tables["intervals"], method="asymptotic", n=10, u=TAILS)))


@_add
def asymptotic_asymmetry(tables: Tables) -> Figure:
    """C9a."""
    rows = chosen(tables["intervals"], method="asymptotic", n=10, level=0.9, u=(0.05, 0.95))
    by_u = {row["u"]: figure for row, figure in over_distributions(rows, "coverage")}
    error = math.hypot(by_u[0.95].error, by_u[0.05].error)
    return Figure(by_u[0.95].value - by_u[0.05].value, error)


@_add
def asymptotic_minimal_n(_: Tables) -> Figure:
    """C11."""
    return Figure(quantiles.minimal_n(0.99, level=0.9, rule="asymptotic"), 0.0)


@_add
def asymptotic_exists(tables: Tables) -> Figure:
    """C12."""
    rows = chosen(tables["intervals"], method="asymptotic", level=USUAL)
    return Figure(float(np.mean([row["limits"] == "both" for row in rows])), 0.0)


@_add
def plain_bootstrap_in_tails(tables: Tables) -> Figure:
    """C14."""
    rows = chosen(tables["intervals"], method="bootstrap", level=0.9, u=TAILS)
    return _least(figure for _, figure in over_distributions(rows, "coverage"))


@_add
def plain_bootstrap_of_median(tables: Tables) -> Figure:
    """C14a."""
    rows = chosen(tables["intervals"], method="bootstrap", level=0.9, u=0.5)
    return _least(figure for _, figure in over_distributions(rows, "coverage"))


@_add
def outside_bounds(tables: Tables) -> Figure:
    """C17."""
    return _largest(chosen(tables["intervals"], method=BOOTSTRAP, level=USUAL), "outside")


@_add
def clipping(tables: Tables) -> Figure:
    """C18; on the same samples, and therefore without error."""
    rows = chosen(tables["intervals"], method=BOOTSTRAP)
    return Figure(max(abs(row["clipped_coverage"] - row["coverage"]) for row in rows), 0.0)


@_add
def resampling_noise(tables: Tables) -> Figure:
    """C23."""
    groups: dict[tuple[object, ...], list[Figure]] = {}
    for row in chosen(tables["resampled"], resamples=(2000, 5000, 10_000)):
        figures = groups.setdefault((row["u"], row["level"], row["resamples"]), [])
        figures.append(Figure(row["difference"], row["difference_error"]))
    return _farthest(pooled(figures) for figures in groups.values())


def _best(tables: Tables, column: str, us: tuple[float, ...]) -> Figure:
    """Share of cells where the sample quantile is the best of the source's three estimators."""
    cells: dict[tuple[object, ...], dict[str, float]] = {}
    for row in chosen(tables["estimates"], u=us):
        cell = cells.setdefault((row["distribution"], row["n"], row["u"]), {})
        cell[row["estimator"]] = abs(row[column])
    rivals = ("interpolated", "bootstrap_median")
    return _of_cells([all(c["sample"] <= c[rival] for rival in rivals) for c in cells.values()])


@_add
def sample_quantile_best_rmse(tables: Tables) -> Figure:
    """C33."""
    return _best(tables, "rmse", (*TAILS, *MIDDLE))


@_add
def sample_quantile_best_bias(tables: Tables) -> Figure:
    """C33a."""
    return _best(tables, "bias", (*TAILS, *MIDDLE))


@_add
def sample_quantile_best_low(tables: Tables) -> Figure:
    """C33b."""
    return _best(tables, "rmse", (0.05, 0.1))


@_add
def bias_in_tails(tables: Tables) -> Figure:
    """C34."""
    skew = ("U(0, 1)", "Beta(20, 2)", "Beta(2, 20)")
    two = ("interpolated", "bootstrap_median")
    rows = chosen(tables["estimates"], distribution=skew, estimator=two, u=TAILS)
    return _farthest(Figure(row["bias"], row["bias_error"]) for row in rows)


@_add
def uniform_to_normal(tables: Tables) -> Figure:
    """C34a."""
    rows = chosen(tables["estimates"], estimator="sample", u=0.05, n=10)
    of = {row["distribution"]: row for row in rows}
    one, other = of["U(0, 1)"], of["N(0.9, 0.02)"]
    ratio = one["rmse"] / other["rmse"]
    relative = math.hypot(*(row["rmse_error"] / row["rmse"] for row in (one, other)))
    return Figure(ratio, ratio * relative)


@_add
def normal_bias(tables: Tables) -> Figure:
    """C35a."""
    three = ("sample", "interpolated", "bootstrap_median")
    rows = chosen(tables["estimates"], distribution="N(0.9, 0.02)", estimator=three)
    return _farthest(Figure(row["bias"], row["bias_error"]) for row in rows)


@_add
def exact_in_tails(tables: Tables) -> Figure:
    """C36."""
    rows = chosen(tables["intervals"], method=("exact_equal", EXACT), n=(10, 15), u=TAILS)
    return _least(_off(rows))


@_add
def bootstrap_in_middle(tables: Tables) -> Figure:
    """C36a."""
    return _farthest(_off(chosen(tables["intervals"], method=BOOTSTRAP, u=MIDDLE, level=HIGH)))


@_add
def exact_in_middle(tables: Tables) -> Figure:
    """C36b."""
    two = {"u": MIDDLE, "level": HIGH, "limits": "both"}
    return _farthest(_off(chosen(tables["intervals"], method=EXACT, **two)))


@_add
def bootstrap_at_fifty(tables: Tables) -> Figure:
    """C36c."""
    return _farthest(_off(chosen(tables["intervals"], method=BOOTSTRAP, n=50, level=HIGH)))


@_add
def exact_closeness(tables: Tables) -> Figure:
    """C37."""
    two = {"n": 10, "level": USUAL, "limits": "both"}
    exact = over_distributions(chosen(tables["intervals"], method=EXACT, **two), "coverage")
    rows = chosen(tables["intervals"], method=BOOTSTRAP, **two)
    other = {(r["u"], r["level"]): f for r, f in over_distributions(rows, "coverage")}
    found = []
    for row, figure in exact:
        level, rival = row["level"], other[row["u"], row["level"]]
        gap = abs(figure.value - level) - abs(rival.value - level)
        found.append(Figure(gap, math.hypot(figure.error, rival.error)))
    return pooled(found)


@_add
def exact_longest(tables: Tables) -> Figure:
    """C37a."""
    two = {"level": HIGH, "limits": "both"}
    exact = _cells(chosen(tables["intervals"], method=EXACT, **two))
    names = ("asymptotic", BOOTSTRAP)
    rivals = [_cells(chosen(tables["intervals"], method=name, **two)) for name in names]
    return _of_cells(
        [
            all(row["length"] > rival[cell]["length"] for rival in rivals if cell in rival)
            for cell, row in exact.items()
        ]
    )


@_add
def bootstrap_small(tables: Tables) -> Figure:
    """C38."""
    rows = chosen(tables["intervals"], method=BOOTSTRAP, level=0.9, n=(10, 15))
    return _least_coverage(rows)


@_add
def bootstrap_exists(tables: Tables) -> Figure:
    """C38a."""
    rows = chosen(tables["intervals"], method=BOOTSTRAP)
    return Figure(float(np.mean([row["limits"] == "both" for row in rows])), 0.0)


@_add
def bootstrap_at_25(tables: Tables) -> Figure:
    """C38b."""
    return _farthest(_off(chosen(tables["intervals"], method=BOOTSTRAP, n=25, level=0.9)))


@_add
def bootstrap_at_50(tables: Tables) -> Figure:
    """C38c."""
    return _farthest(_off(chosen(tables["intervals"], method=BOOTSTRAP, n=50, level=0.9)))


@_add
def longest(tables: Tables) -> Figure:
    """C39."""
    return _largest(chosen(tables["intervals"], method=BOOTSTRAP, level=0.99), "length")


@_add
def bootstrap_at_99(tables: Tables) -> Figure:
    """C39a."""
    return _least_coverage(chosen(tables["intervals"], method=BOOTSTRAP, level=0.99))


@_add
def saving_at_80(tables: Tables) -> Figure:
    """C40; lengths of one cell belong to the same samples, so their errors mostly cancel."""
    rows = chosen(tables["intervals"], method=BOOTSTRAP)
    long = {cell[:3]: row for cell, row in _cells(chosen(rows, level=0.9)).items()}
    ratios = []
    for cell, row in _cells(chosen(rows, level=0.8)).items():
        ratio = row["length"] / long[cell[:3]]["length"]
        ratios.append(Figure(ratio, ratio * row["length_error"] / row["length"]))
    return pooled(ratios)


@_add
def fluctuation_at_80(tables: Tables) -> Figure:
    """C40a."""
    spreads, parts = [], []
    for level in (0.8, 0.9):
        rows = chosen(tables["intervals"], method=EXACT, level=level, limits="both")
        spread = float(np.std([row["coverage"] for row in rows]))
        noise = math.sqrt(float(np.mean([row["coverage_error"] ** 2 for row in rows])))
        spreads.append(spread)
        parts.append(noise / spread / math.sqrt(len(rows)))
    ratio = spreads[0] / spreads[1]
    return Figure(ratio, ratio * math.hypot(*parts))


@_add
def mean_shortest(tables: Tables) -> Figure:
    """C42."""
    means = {(r["distribution"], r["n"], r["level"]): r["length"] for r in tables["mean"]}
    names = (EXACT, "asymptotic", BOOTSTRAP)
    rows = chosen(tables["intervals"], method=names, limits="both")
    return _of_cells(
        [row["length"] > means[row["distribution"], row["n"], row["level"]] for row in rows]
    )


@_add
def mean_margin(tables: Tables) -> Figure:
    """C42a."""
    rows = chosen(tables["mean"], level=USUAL)
    return _least(Figure(r["coverage"] - r["level"], r["coverage_error"]) for r in rows)


@_add
def fallback(tables: Tables) -> Figure:
    """C44."""
    rows = chosen(tables["intervals"], level=0.9)
    asymptotic = _cells(chosen(rows, method="asymptotic"))
    cells = _cells(chosen(rows, method=BOOTSTRAP))
    fails = [row for cell, row in cells.items() if asymptotic[cell]["limits"] != "both"]
    return _least_coverage(fails)


def _off_real(tables: Tables, **wanted: object) -> list[Figure]:
    """Coverage minus level on real runs, mean of tasks."""
    return _off(chosen(tables["real"], **wanted))


@_add
def exact_on_runs(tables: Tables) -> Figure:
    """R1."""
    return _least(_off_real(tables, method=("exact_equal", EXACT)))


@_add
def default_on_runs(tables: Tables) -> Figure:
    """R2."""
    return _least(_off_real(tables, method="auto"))


@_add
def bootstrap_on_runs(tables: Tables) -> Figure:
    """R3."""
    rows = chosen(tables["real"], method=BOOTSTRAP, level=0.9, u=TAILS, n=(10, 15))
    return _least(figure for _, figure in over_distributions(rows, "coverage"))


@_add
def bias_on_runs(tables: Tables) -> Figure:
    """R4."""
    rows = chosen(tables["real"], method=EXACT, level=0.9)
    return _farthest(Figure(row["bias"], row["bias_error"]) for row in rows)

"""What is measured in each cell of the grid: coverage, length, bias."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels import student
from nofluke.studies.engine import average, share
from nofluke.studies.papers.quantiles import methods
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS, Accuracy, decile_range
from nofluke.studies.papers.quantiles.grid import LEVELS, US, Cell, DiscreteCell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.studies.engine import Row


def intervals(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Coverage and length of every method, at all quantiles and levels, on the same samples."""
    x = np.sort(DISTRIBUTIONS[cell.distribution].draw((cell.samples, cell.n), rng), axis=1)
    rows = []
    for u in US:
        truth = DISTRIBUTIONS[cell.distribution].quantile(u)
        for level in LEVELS:
            for name, method in methods.INTERVALS.items():
                answer = method(x, u, level=level)
                lower, upper = np.asarray(answer.lower), np.asarray(answer.upper)
                rows.append(
                    {
                        "distribution": cell.distribution,
                        "n": cell.n,
                        "u": u,
                        "level": level,
                        "method": name,
                        "lower_rank": answer.ranks[0],
                        "upper_rank": answer.ranks[1],
                        "equal_tails": bool(np.isclose(*answer.miss)),
                        "promised": answer.coverage,
                        **_measured(lower, upper, truth, decile_range(cell.distribution)),
                    }
                )
    return rows


def mean_intervals(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Coverage and length of Student's interval for the mean, which the source shows beside."""
    distribution = DISTRIBUTIONS[cell.distribution]
    x = distribution.draw((cell.samples, cell.n), rng)
    center, se = x.mean(axis=1), x.std(axis=1, ddof=1) / math.sqrt(cell.n)
    rows = []
    for level in LEVELS:
        reach = student.radius(1.0, cell.n - 1, (1 - level) / 2) * se
        unit = decile_range(cell.distribution)
        measured = _measured(center - reach, center + reach, distribution.mean, unit)
        head = {"distribution": cell.distribution, "n": cell.n, "level": level}
        rows.append({**head, "method": "mean_t", **measured})
    return rows


def estimates(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Bias and root mean squared error of point estimates, relative to the true quantile."""
    x = np.sort(DISTRIBUTIONS[cell.distribution].draw((cell.samples, cell.n), rng), axis=1)
    rows = []
    for u in US:
        truth = DISTRIBUTIONS[cell.distribution].quantile(u)
        for name, estimator in methods.ESTIMATORS.items():
            relative = np.asarray(estimator(x, u)) / truth - 1
            bias, squared = average(relative), average(relative**2)
            rmse = math.sqrt(squared.value)
            head = {"distribution": cell.distribution, "n": cell.n, "u": u, "estimator": name}
            bias_columns = {"bias": bias.value, "bias_error": bias.error}
            rmse_columns = {"rmse": rmse, "rmse_error": squared.error / rmse / 2}
            rows.append({**head, **bias_columns, **rmse_columns})
    return rows


def discrete(cell: DiscreteCell, rng: np.random.Generator) -> list[Row]:
    """Coverage where values are shares of a few test items, so that runs are often equal."""
    accuracy = Accuracy(cell.items)
    x = np.sort(accuracy.draw((cell.samples, cell.n), rng), axis=1)
    rows = []
    for u in US:
        truth = accuracy.quantile(u)
        for level in LEVELS:
            for name, (method, closed) in methods.DISCRETE.items():
                answer = method(x, u, level=level)
                lower, upper = np.asarray(answer.lower), np.asarray(answer.upper)
                inside = (lower <= truth if closed else lower < truth) & (truth <= upper)
                coverage, error = share(inside)
                head = {"items": cell.items, "n": cell.n, "u": u, "level": level, "method": name}
                rows.append({**head, "coverage": coverage, "coverage_error": error})
    return rows


def _measured(
    lower: NDArray[np.float64], upper: NDArray[np.float64], truth: float, unit: float
) -> Row:
    """Limits that exist, coverage, length, and limits outside [0, 1]; each with its error.

    A limit that does not exist is infinite and never misses; such an interval has no length.
    """
    below, above = bool(np.isfinite(lower).all()), bool(np.isfinite(upper).all())
    limits = {(True, True): "both", (True, False): "lower", (False, True): "upper"}
    coverage, error = share((lower <= truth) & (truth <= upper))
    row: Row = {
        "limits": limits.get((below, above), "none"),
        "coverage": coverage,
        "coverage_error": error,
        "length": None,
        "length_error": None,
        "outside": None,
        "outside_error": None,
        "clipped_coverage": None,
        "clipped_coverage_error": None,
    }
    if below and above:
        row["length"], row["length_error"] = average((upper - lower) / unit)
        row["outside"], row["outside_error"] = share((lower < 0) | (upper > 1))
        clipped = (np.clip(lower, 0, 1) <= truth) & (truth <= np.clip(upper, 0, 1))
        row["clipped_coverage"], row["clipped_coverage_error"] = share(clipped)
    return row

"""How often intervals of a classifier's numbers hold the truth, in simulation.

Every function here draws seeded samples of one setting, asks the public functions for intervals,
and counts. `tools/classifier_intervals.py` runs them all and writes the tables of
docs/explanation/intervals-for-auc.md.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.classify.auc_intervals import auc_interval, logit_limits
from nofluke.classify.precision_recall import average_precision
from nofluke.studies.classifier_scores import Binormal, Clustered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from nofluke.classify.auc_intervals import AreaInterval
    from nofluke.classify.precision_recall import AveragePrecision
    from nofluke.results import Interval

SIZES = ((5, 50), (10, 100), (20, 20), (50, 50), (50, 950), (100, 100), (200, 800))
AREA_SETTINGS = tuple(
    Binormal(m, n, area, sd)
    for (m, n), area, sd in product(SIZES, (0.6, 0.75, 0.9, 0.97), (0.5, 1.0, 2.0))
)
AREA_METHODS = ("delong", "logit", "logit_t", "newcombe", "envelope", "auto")

PRECISION_SETTINGS = tuple(
    Binormal(m, n, area, sd)
    for (m, n), area, sd in product(
        ((10, 90), (10, 990), (20, 180), (50, 50), (50, 450), (200, 800)),
        (0.7, 0.9, 0.97),
        (1.0, 2.0),
    )
)
PRECISION_METHODS = ("bootstrap", "boyd", "band")

CLUSTER_SETTINGS = tuple(
    Clustered(clusters, 6, kind, area)
    for kind, clusters, area in product(("pure", "mixed", "random"), (6, 10, 20, 50), (0.75, 0.9))
)
CLUSTER_METHODS = ("obuchowski", "bootstrap", "delong")


class Coverage(NamedTuple):
    """What one method did in one setting.

    Attributes:
        setting: Its settings, written out.
        method: Name of the method.
        repeats: Samples drawn.
        hits: Intervals that held the truth.
        width: Mean width of the intervals.
        bias: Mean of the estimates minus the truth.
    """

    setting: str
    method: str
    repeats: int
    hits: int
    width: float
    bias: float

    @property
    def rate(self) -> float:
        """Share of intervals that held the truth."""
        return self.hits / self.repeats


class Summary(NamedTuple):
    """One method over many settings."""

    method: str
    mean: float
    worst: float
    where: str
    short: float
    width: float


def area_coverage(
    setting: Binormal, *, repeats: int, methods: Sequence[str] = AREA_METHODS, seed: int = 0
) -> list[Coverage]:
    """Intervals for the area under the ROC curve, every method on the same samples.

    "wald" is "delong" as most programs give it: of no width where the variance is 0.
    """
    y = setting.labels

    def ask(rng: np.random.Generator) -> dict[str, Interval]:
        s = setting.scores(rng)
        found = {method: auc_interval(y, s, method=method) for method in methods}
        return found | ({"wald": _wald(found["delong"])} if "delong" in found else {})

    return count(f"{setting}", ask, setting.area, repeats=repeats, seed=seed)


def precision_coverage(
    setting: Binormal,
    *,
    repeats: int,
    prevalence: float | None = None,
    methods: Sequence[str] = PRECISION_METHODS,
    n_resamples: int = 500,
    seed: int = 0,
) -> list[Coverage]:
    """Intervals for average precision at a prevalence, by default that of the rows.

    "bootstrap_z" is "bootstrap" with normal quantiles.
    """
    y = setting.labels
    pi = setting.positives / y.size if prevalence is None else prevalence

    def ask(rng: np.random.Generator) -> dict[str, Interval]:
        s = setting.scores(rng)
        found = {
            method: average_precision(
                y, s, prevalence=prevalence, method=method, n_resamples=n_resamples, seed=rng
            )
            for method in methods
        }
        return found | (
            {"bootstrap_z": _normal(found["bootstrap"])} if "bootstrap" in found else {}
        )

    truth, name = setting.average_precision(pi), f"{setting} at {pi:g}"
    return count(name, ask, truth, repeats=repeats, seed=seed)


def cluster_coverage(
    setting: Clustered,
    *,
    repeats: int,
    methods: Sequence[str] = CLUSTER_METHODS,
    n_resamples: int = 1000,
    seed: int = 0,
) -> list[Coverage]:
    """Intervals for the area from clustered rows; "delong" takes the rows to be independent."""

    def ask(rng: np.random.Generator) -> dict[str, Interval]:
        y, s, codes = setting.draw(rng)
        return {
            method: auc_interval(
                y,
                s,
                method=method,
                clusters=None if method == "delong" else codes,
                n_resamples=n_resamples,
                seed=rng,
            )
            for method in methods
        }

    return count(f"{setting}", ask, setting.area, repeats=repeats, seed=seed)


def count(
    setting: str,
    ask: Callable[[np.random.Generator], Mapping[str, Interval]],
    truth: float,
    *,
    repeats: int,
    seed: int,
) -> list[Coverage]:
    """Count how often each method's interval holds the truth.

    Args:
        setting: Its name, which together with the seed starts the generator.
        ask: Draws one sample and answers with an interval for each method.
        truth: The number that the intervals are for.
        repeats: Samples.
        seed: Seed of the study.
    """
    rng = np.random.default_rng([seed, zlib.crc32(setting.encode())])
    hits: dict[str, int] = {}
    sums: dict[str, np.ndarray] = {}
    for _ in range(repeats):
        for method, found in ask(rng).items():
            hits[method] = hits.get(method, 0) + (found.lower <= truth <= found.upper)
            added = np.array([found.upper - found.lower, found.estimate - truth])
            sums[method] = sums.get(method, 0.0) + added
    return [
        Coverage(setting, method, repeats, hits[method], *(sums[method] / repeats).tolist())
        for method in hits
    ]


def summaries(rows: Iterable[Coverage], *, short_of: float = 0.93) -> list[Summary]:
    """Mean and worst coverage of each method, and the share of settings below ``short_of``."""
    by_method: dict[str, list[Coverage]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row)
    return [_summary(method, of, short_of) for method, of in by_method.items()]


def _wald(delong: AreaInterval) -> Interval:
    if not delong.boundary:
        return delong
    return replace(delong, lower=delong.estimate, upper=delong.estimate)


def _normal(found: AveragePrecision) -> Interval:
    if found.boundary or found.se is None:
        return found
    value = found.estimate
    limits = logit_limits(value, 1 - value, found.se, np.inf, found.alpha, found.side)
    return replace(found, lower=limits.lower, upper=limits.upper)


def _summary(method: str, rows: list[Coverage], short_of: float) -> Summary:
    worst = min(rows, key=lambda row: row.rate)
    return Summary(
        method=method,
        mean=float(np.mean([row.rate for row in rows])),
        worst=worst.rate,
        where=worst.setting,
        short=float(np.mean([row.rate < short_of for row in rows])),
        width=float(np.mean([row.width for row in rows])),
    )

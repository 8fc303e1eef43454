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
from nofluke.classify.prevalence import METHODS as PREDICTIVE_METHODS
from nofluke.classify.prevalence import ppv_at
from nofluke.errors import InputError
from nofluke.studies.classifier_scores import Binormal, Clustered, Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

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

ELSEWHERE_SETTINGS = tuple(
    (Binormal(rows, rows, area), prevalence)
    for rows, area, prevalence in product((50, 200, 1000), (0.8, 0.95), (0.2, 0.05, 0.01))
)

CLUSTER_SETTINGS = tuple(
    Clustered(clusters, 6, kind, area)
    for kind, clusters, area in product(("pure", "mixed", "random"), (6, 10, 20, 50), (0.75, 0.9))
)
CLUSTER_METHODS = ("obuchowski", "bootstrap", "delong")

PREDICTIVE_SETTINGS = tuple(
    Decision(m, n, recall, fpr)
    for (m, n), recall, fpr in product(
        ((20, 80), (50, 50), (50, 950), (200, 800)), (0.6, 0.8, 0.95), (0.2, 0.05, 0.01)
    )
)


class Coverage(NamedTuple):
    """What one method did in one setting.

    Attributes:
        setting: Its settings, written out.
        method: Name of the method.
        repeats: Samples drawn; 0 where all samples were enumerated.
        rate: Share of intervals that held the truth.
        width: Mean width of the intervals.
        bias: Mean of the estimates minus the truth.
        refused: Share of samples for which the method has no interval; they count in nothing else.
    """

    setting: str
    method: str
    repeats: int
    rate: float
    width: float
    bias: float
    refused: float = 0.0


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

    return count(setting, ask, setting.area, repeats=repeats, seed=seed)


def precision_coverage(
    setting: Binormal,
    *,
    repeats: int,
    prevalence: float | None = None,
    methods: Sequence[str] = PRECISION_METHODS,
    n_resamples: int = 300,
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
    rows = count(setting, ask, truth, repeats=repeats, seed=seed)
    return [row._replace(setting=name) for row in rows]


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

    return count(setting, ask, setting.area, repeats=repeats, seed=seed)


def predictive_coverage(
    setting: Decision, *, prevalence: float, methods: Sequence[str] = PREDICTIVE_METHODS
) -> list[Coverage]:
    """Intervals for the precision at another prevalence, over all matrices: no simulation.

    Matrices that a method refuses (nobody flagged; without false positives also "mercaldo" and
    "delta") are left out, and their probability is told.
    """
    truth = setting.precision(prevalence)
    sums = {method: np.zeros(4) for method in methods}
    for probability, cells in setting.matrices():
        for method in methods:
            try:
                found = ppv_at(prevalence, *cells, method=method)
            except InputError:
                continue
            sums[method] += probability * np.append(1.0, _outcome(found, truth))
    rows = []
    for method, (asked, *of) in sums.items():
        rate, width, bias = (float(total / asked) for total in of)
        rows.append(Coverage(f"{setting}", method, 0, rate, width, bias, 1 - float(asked)))
    return rows


def count(
    setting: object,
    ask: Callable[[np.random.Generator], Mapping[str, Interval]],
    truth: float,
    *,
    repeats: int,
    seed: int,
) -> list[Coverage]:
    """Count how often each method's interval holds the truth.

    Args:
        setting: What is drawn; written out and together with the seed it starts the generator.
        ask: Draws one sample and answers with an interval for each method.
        truth: The number that the intervals are for.
        repeats: Samples.
        seed: Seed of the study.
    """
    rng = np.random.default_rng([seed, zlib.crc32(repr(setting).encode())])
    sums: dict[str, NDArray[np.float64]] = {}
    for _ in range(repeats):
        for method, found in ask(rng).items():
            sums[method] = sums.get(method, np.zeros(3)) + _outcome(found, truth)
    return [
        Coverage(f"{setting}", method, repeats, *(of / repeats).tolist())
        for method, of in sums.items()
    ]


def summaries(rows: Iterable[Coverage], *, short_of: float = 0.93) -> list[Summary]:
    """Mean and worst coverage of each method, and the share of settings below ``short_of``."""
    by_method: dict[str, list[Coverage]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row)
    return [_summary(method, of, short_of) for method, of in by_method.items()]


def _outcome(found: Interval, truth: float) -> NDArray[np.float64]:
    """Whether the interval holds the truth, its width, how far the estimate is off."""
    holds = found.lower <= truth <= found.upper
    return np.array([holds, found.upper - found.lower, found.estimate - truth])


def _wald(delong: AreaInterval) -> Interval:
    if not delong.boundary:
        return delong
    return replace(delong, lower=delong.estimate, upper=delong.estimate)


def _normal(found: AveragePrecision) -> Interval:
    if found.boundary or found.se is None:
        return found
    value = found.estimate
    limits = logit_limits(value, 1 - value, found.se, np.inf, alpha=found.alpha, side=found.side)
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

"""What is measured in each cell: numbers of the chapter, maxima, winners, layers of variance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from nofluke.classify import confusion, cost, curves, prevalence
from nofluke.selection import optimism, summary_only
from nofluke.studies.engine import Figure, average, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.studies.engine import Row

AREAS = (0.78, 0.80, 0.79, 0.83, 0.77, 0.81, 0.79, 0.82, 0.78, 0.80)
MATRIX = (40, 20, 10, 930)  # true and false positives, false and true negatives
GATE, LEVEL = 0.82, 0.95
M, POSITIVE, NEGATIVE = 10, 50, 950
_SPREAD = 0.019  # of true areas over seeds, as the chapter's ten have it
_RESAMPLES = 4000  # of the quantile in hybrid limits; more change no figure


def numbers(_: str, __: np.random.Generator) -> list[Row]:
    """The chapter's own numbers, each by the function that answers for it."""
    known = summary_only(AREAS, better="higher")
    matrix = confusion.metrics(*MATRIX)
    bill = cost.total(*MATRIX, c_fp=1, c_fn=20)
    nobody = cost.total(0, 0, 50, 950, c_fp=1, c_fn=20)
    area = curves.auc(np.repeat([1, 0], [POSITIVE, NEGATIVE]), np.arange(1000.0))
    found = {
        "mean": known.mean,
        "sum of squares": 9 * known.sd**2,
        "standard deviation": known.sd,
        "maximum": AREAS[known.best],
        "gap": known.gap,
        "gate by the mean": float(known.mean >= GATE),
        "gate by the maximum": float(AREAS[known.best] >= GATE),
        **{name.replace("_", " "): _known(getattr(matrix, of)) for name, of in _METRICS.items()},
        "precision at 1 %": prevalence.ppv_at(0.01, *MATRIX).estimate,
        "pairs": area.pairs,
        "cost": bill.estimate,
        "cost of nobody": nobody.estimate,
        "threshold": cost.bayes_threshold(c_fp=1, c_fn=20),
        "factor of the bound": optimism.optimism_bound(M, tau=1.0).bound,
        "standard error of one area": optimism.implied_se(
            0.83, n_positive=POSITIVE, n_negative=NEGATIVE
        ),
    }
    return [{"number": name, "value": float(value)} for name, value in found.items()]


_METRICS = {
    "accuracy": "accuracy",
    "recall": "recall",
    "specificity": "specificity",
    "false_positive_rate": "fpr",
    "precision": "precision",
    "negative_predictive_value": "npv",
    "balanced_accuracy": "balanced_accuracy",
}


def _known(interval: Any) -> float:
    """The estimate; a metric of this matrix is never undefined."""
    return float(interval.estimate)


class Maximum(NamedTuple):
    """The largest of m normal scores around the same truth, correlated alike."""

    m: int
    rho: float
    samples: int


def maxima(cell: Maximum, rng: np.random.Generator) -> list[Row]:
    """Lead of the maximum, passing a limit of chance 0.2, coverage of its plain interval."""
    common = rng.standard_normal((cell.samples, 1))
    own = rng.standard_normal((cell.samples, cell.m))
    largest = (math.sqrt(cell.rho) * common + math.sqrt(1 - cell.rho) * own).max(axis=1)
    passing = optimism.pass_probability(
        0.2, cell.m, dependence="equicorrelated", rho=cell.rho
    ).value
    figures = {
        "lead": (average(largest), optimism.expected_maximum(cell.m, rho=cell.rho)),
        "passes": (share(largest >= -ndtri(0.2)), passing),
        "covers": (
            share(np.abs(largest) <= -ndtri((1 - LEVEL) / 2)),
            optimism.naive_coverage(cell.m, level=LEVEL, rho=cell.rho),
        ),
    }
    return [
        {
            "m": cell.m,
            "rho": cell.rho,
            "number": name,
            "value": f.value,
            "error": f.error,
            "exact": x,
        }
        for name, (f, x) in figures.items()
    ]


def opposed(cell: Maximum, rng: np.random.Generator) -> list[Row]:
    """The lead of the larger of two whose errors are each other's negatives."""
    lead = average(np.abs(rng.standard_normal(cell.samples)))
    alone = optimism.expected_maximum(2)
    return [{"lead": lead.value, "lead_error": lead.error, "independent": alone}]


class Seeds(NamedTuple):
    """Ten seeds on 50 positive and 950 negative rows.

    Attributes:
        rho: Correlation of the errors of two seeds on a row.
        truth: "equal" or "spread" true areas.
        samples: Data sets.
    """

    rho: float
    truth: str
    samples: int


def winners(cell: Seeds, rng: np.random.Generator) -> list[Row]:
    """Whether intervals of the best area hold its true area, and which estimate lies above it."""
    areas, held, over = _true_areas(cell.truth), _tally(), _tally()
    for _ in range(cell.samples):
        labels, scores = _draw(areas, cell.rho, rng)
        found = _intervals(labels, scores)
        for name, (winner, interval) in found.items():
            held[name].append(interval.lower <= areas[winner] <= interval.upper)
            over[name].append(interval.estimate - areas[winner])
    return [
        {
            **cell._asdict(),
            "method": name,
            "coverage": (covered := share(held[name])).value,
            "coverage_error": covered.error,
            "lead": (lead := average(np.array(over[name]))).value,
            "lead_error": lead.error,
        }
        for name in held
    ]


WINNERS = ("delong", "logit_t", "projection", "hybrid")


def _tally() -> dict[str, list[float]]:
    return {name: [] for name in WINNERS}


def _intervals(
    labels: NDArray[np.int64], scores: NDArray[np.float64]
) -> dict[str, tuple[int, Any]]:
    """Each method's winner and interval; the plain ones take the best area as if it were alone."""
    paid = {
        name: optimism.hybrid_auc(labels, scores, method=name, n_resamples=_RESAMPLES)
        for name in ("projection", "hybrid")
    }
    best = paid["hybrid"].winner
    plain = {
        name: curves.auc_interval(labels, scores[best], method=name)
        for name in ("delong", "logit_t")
    }
    return {name: (best, interval) for name, interval in (plain | paid).items()}


def _true_areas(truth: str) -> NDArray[np.float64]:
    """0.83 each, or normal scores around it."""
    places = ndtri((np.arange(M) + 0.5) / M)
    spread = _SPREAD * places / places.std(ddof=1) if truth == "spread" else np.zeros(M)
    return np.asarray(0.83 + spread)


def _draw(
    areas: NDArray[np.float64], rho: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Labels, and scores with unit normal errors whose law gives the areas."""
    labels = np.repeat([1, 0], [POSITIVE, NEGATIVE])
    apart = math.sqrt(2) * ndtri(areas)
    hard = math.sqrt(rho) * rng.standard_normal(labels.size)
    own = math.sqrt(1 - rho) * rng.standard_normal((len(areas), labels.size))
    return labels, apart[:, np.newaxis] * labels + hard + own


class Layers(NamedTuple):
    """Seeds whose true areas are drawn, on rows that are drawn: two layers of variance.

    Attributes:
        rho: Correlation of the errors of two seeds on a row.
        sd: Standard deviation of the distance of the classes over seeds.
        samples: Data sets.
    """

    rho: float
    sd: float
    samples: int


def layers(cell: Layers, rng: np.random.Generator) -> list[Row]:
    """Both parts of the variance beside what they are, and intervals of the recipe's mean area."""
    middle = math.sqrt(2) * ndtri(0.83)
    truth, critical = _mean_area(middle, cell.sd), stdtrit(M - 1, 1 - (1 - LEVEL) / 2)
    seed, shared, means, held, wrong = [], [], [], [], []
    for _ in range(cell.samples):
        drawn = _areas_of(middle + cell.sd * rng.standard_normal(M))
        labels, scores = _draw(drawn, cell.rho, rng)
        found = optimism.decompose(labels, scores)
        seed.append(found.seed_variance)
        shared.append(found.shared_variance)
        means.append(found.estimate)
        held.append(found.lower <= truth <= found.upper)
        wrong.append(abs(found.estimate - truth) <= critical * found.wrong_se)
    spread = np.array(means)
    total = float(spread.var(ddof=1))
    parts = average(np.array(seed) / M + np.array(shared))
    figures: dict[str, Figure] = {
        "variance over seeds": average(np.array(seed)),
        "variance shared by seeds": average(np.array(shared)),
        "both parts over variance of the mean": Figure(
            parts.value / total, math.sqrt(2 / cell.samples) + parts.error / total
        ),
        "coverage": share(held),
        "coverage by s / sqrt(10)": share(wrong),
    }
    return [
        {"rho": cell.rho, "sd": cell.sd, "number": name, "value": f.value, "error": f.error}
        for name, f in figures.items()
    ]


def _areas_of(apart: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(ndtr(apart / math.sqrt(2)))


def _mean_area(middle: float, sd: float) -> float:
    """E of the area over seeds: normal scores with one more normal part."""
    return float(ndtr(middle / math.sqrt(2 + sd**2)))

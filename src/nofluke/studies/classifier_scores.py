"""Scores with known truths: what the studies of classifiers draw, and the numbers they aim at.

Positives are normal with mean delta and standard deviation sd, negatives standard normal. Labels
are fixed: the numbers of positives and negatives are part of a setting.
"""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import bdtr, ndtr, ndtri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Binormal(NamedTuple):
    """Independent rows.

    Attributes:
        positives: How many of each sample are positive.
        negatives: How many are negative.
        area: The true area under the ROC curve.
        sd: Standard deviation of positive scores; that of negative ones is 1.
    """

    positives: int
    negatives: int
    area: float
    sd: float = 1.0

    def __str__(self) -> str:
        return f"{self.positives}+{self.negatives} area {self.area:g} sd {self.sd:g}"

    @property
    def delta(self) -> float:
        """Mean of positive scores: the area is Phi(delta / sqrt(1 + sd^2))."""
        return float(ndtri(self.area)) * math.hypot(1.0, self.sd)

    @property
    def labels(self) -> NDArray[np.bool_]:
        """Positives first."""
        return np.arange(self.positives + self.negatives) < self.positives

    def scores(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """One sample, shape (positives + negatives,)."""
        noise = rng.normal(size=self.positives + self.negatives)
        return np.where(self.labels, self.delta + self.sd * noise, noise)

    def average_precision(self, prevalence: float) -> float:
        """The true average precision: the mean over positives of the precision at their score.

        At recall u the threshold is delta - sd Phi^-1(u), which the share Phi(sd Phi^-1(u) - delta)
        of negatives passes; precision there is a continuous function of u on [0, 1].

        >>> round(Binormal(1, 1, 0.5).average_precision(0.2), 12)
        0.2
        """

        def precision(u: float) -> float:
            passed = (1 - prevalence) * float(ndtr(self.sd * ndtri(u) - self.delta))
            return prevalence * u / (prevalence * u + passed)

        parts = [1e-12, 1e-6, 1e-3, 0.05, 0.5, 0.95, 1.0]
        return math.fsum(quad(precision, *span, epsabs=1e-11)[0] for span in pairwise(parts))


class Clustered(NamedTuple):
    """Rows in clusters that share a normal effect, with correlation 1/2 within a cluster.

    Attributes:
        clusters: How many clusters each sample has.
        size: Rows of each cluster.
        kind: "pure" (all rows of a cluster are of one class, a fifth of the clusters positive),
            "mixed" (half of the rows of every cluster positive) or "random" (a quarter of all rows,
            drawn anew).
        area: The true area for a positive and a negative of different clusters.
    """

    clusters: int
    size: int
    kind: str
    area: float

    def __str__(self) -> str:
        return f"{self.kind} {self.clusters}x{self.size} area {self.area:g}"

    def draw(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
        """Labels, scores and clusters of one sample."""
        codes = np.repeat(np.arange(self.clusters), self.size)
        if self.kind == "pure":
            y = codes < max(2, self.clusters // 5)
        elif self.kind == "mixed":
            y = np.tile(np.arange(self.size) < self.size // 2, self.clusters)
        else:
            y = rng.permutation(codes.size) < codes.size // 4
        shared, own = rng.normal(size=self.clusters)[codes], rng.normal(size=codes.size)
        return y, (shared + own) / math.sqrt(2) + math.sqrt(2) * ndtri(self.area) * y, codes


class Decision(NamedTuple):
    """The matrix of one threshold.

    Attributes:
        positives: How many rows are positive.
        negatives: How many are negative.
        recall: Probability that a positive is flagged.
        fpr: Probability that a negative is flagged.
    """

    positives: int
    negatives: int
    recall: float
    fpr: float

    def __str__(self) -> str:
        return f"{self.positives}+{self.negatives} recall {self.recall:g} fpr {self.fpr:g}"

    def precision(self, prevalence: float) -> float:
        """The true precision at a prevalence."""
        right, wrong = prevalence * self.recall, (1 - prevalence) * self.fpr
        return right / (right + wrong)

    def matrices(
        self, *, left_out: float = 1e-9
    ) -> Iterator[tuple[float, tuple[int, int, int, int]]]:
        """Probability and cells (TP, FP, FN, TN) of every matrix.

        Counts of a class that are together less probable than ``left_out`` are left out.
        """
        tps = _likely(self.positives, self.recall, left_out)
        fps = _likely(self.negatives, self.fpr, left_out)
        for (tp, p), (fp, q) in product(tps, fps):
            yield p * q, (tp, fp, self.positives - tp, self.negatives - fp)


def _likely(n: int, rate: float, left_out: float) -> list[tuple[int, float]]:
    counts = np.arange(n + 1)
    probabilities = np.diff(bdtr(counts, n, rate), prepend=0.0)
    kept = probabilities > left_out / (n + 1)
    return list(zip(counts[kept].tolist(), probabilities[kept].tolist(), strict=True))

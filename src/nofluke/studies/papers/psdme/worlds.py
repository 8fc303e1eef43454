"""Where scores come from: K candidates whose distribution functions are known exactly.

Lower scores are better everywhere. A world draws n examples at a time; for the scores of those that
were chosen it tells F(x) and F(x-), the true distribution function at each score and just before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.special import erf, ndtr, ndtri

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


class Truth(NamedTuple):
    """F at the scores and just before them, sorted along the examples; shape (M, n) both."""

    at: Numbers
    before: Numbers


class World(Protocol):
    """K candidates on the same examples."""

    @property
    def K(self) -> int:  # noqa: N802 (the paper's symbol)
        """Number of candidates."""

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Scores of n new examples, shape (K, n)."""

    def truth(self, scores: Numbers, chosen: NDArray[np.intp]) -> Truth:
        """The true distribution functions of the chosen at their scores, shape (M, n)."""


@dataclass(frozen=True, slots=True)
class Regression:
    """Absolute errors of K linear predictors of y = x'b + noise, x and noise standard normal.

    Candidate k predicts x'(b + shift_k), so that its error is the size of a normal variable with
    variance 1 + |shift_k|^2. All predict the same examples, so errors are strongly correlated.

    Attributes:
        shifts: Shape (K, d).
    """

    shifts: Numbers

    @property
    def K(self) -> int:  # noqa: N802 (the paper's symbol)
        """Number of candidates."""
        return len(self.shifts)

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Absolute errors."""
        x = rng.standard_normal((self.shifts.shape[1], n))
        return np.abs(rng.standard_normal(n) - self.shifts @ x)

    def truth(self, scores: Numbers, chosen: NDArray[np.intp]) -> Truth:
        """A half-normal distribution function."""
        sd = np.sqrt(1 + (self.shifts[chosen] ** 2).sum(axis=1))
        at = np.sort(erf(scores / (sd[:, np.newaxis] * math.sqrt(2))), axis=1)
        return Truth(at, at)


@dataclass(frozen=True, slots=True)
class Alike:
    """K independent candidates with the same uniform scores."""

    K: int

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Uniforms."""
        return rng.random((self.K, n))

    def truth(self, scores: Numbers, chosen: NDArray[np.intp]) -> Truth:
        """The identity."""
        del chosen
        at = np.sort(scores, axis=1)
        return Truth(at, at)


@dataclass(frozen=True, slots=True)
class Graded:
    """Scores with few values, correlated over prompts and more so within a family.

    A prompt's latent quality for candidate k is normal; the score is the value whose step of the
    candidate's own ladder it falls on.

    Attributes:
        values: The possible scores, ascending, shape (s,).
        below: P(score <= value) by candidate, shape (K, s), the last column 1.
        family: Family of each candidate, shape (K,).
        shares: Parts of the latent variance that a prompt has for all, and for a family.
    """

    values: Numbers
    below: Numbers
    family: NDArray[np.intp]
    shares: tuple[float, float]

    @property
    def K(self) -> int:  # noqa: N802 (the paper's symbol)
        """Number of candidates."""
        return len(self.below)

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Scores of n prompts."""
        of_all, of_family = self.shares
        common = rng.standard_normal(n)
        family = rng.standard_normal((int(self.family.max()) + 1, n))[self.family]
        own = rng.standard_normal((self.K, n))
        latent = math.sqrt(of_all) * common + math.sqrt(of_family) * family
        latent += math.sqrt(1 - of_all - of_family) * own
        steps = ndtri(self.below[:, :-1])
        return np.asarray(self.values[(latent[:, :, None] > steps[:, None, :]).sum(axis=2)])

    def truth(self, scores: Numbers, chosen: NDArray[np.intp]) -> Truth:
        """Steps at the possible scores."""
        place = np.searchsorted(self.values, np.sort(scores, axis=1))
        padded = np.pad(self.below[chosen], ((0, 0), (1, 0)))
        at = np.take_along_axis(padded, place + 1, axis=1)
        return Truth(at, np.take_along_axis(padded, place, axis=1))


@dataclass(frozen=True, slots=True)
class Buffers:
    """Buffer occupancies: mostly zero, otherwise lognormal; one by run, or a series in time.

    Attributes:
        empty: P(buffer is empty) by candidate, shape (K,).
        memory: Correlation of the latent series at one step; 0 for independent runs.
    """

    empty: Numbers
    memory: float = 0.0

    @property
    def K(self) -> int:  # noqa: N802 (the paper's symbol)
        """Number of candidates."""
        return self.empty.size

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Occupancies, in order of time."""
        z = rng.standard_normal((self.K, n))
        fresh = math.sqrt(1 - self.memory**2)
        for t in range(1, n if self.memory else 0):
            z[:, t] = self.memory * z[:, t - 1] + fresh * z[:, t]
        filled = (ndtr(z) - self.empty[:, None]) / (1 - self.empty[:, None])
        return np.where(filled > 0, np.exp(1.5 * ndtri(np.clip(filled, 1e-300, 1 - 1e-16))), 0.0)

    def truth(self, scores: Numbers, chosen: NDArray[np.intp]) -> Truth:
        """A jump at 0 and a lognormal law beyond."""
        x, p = np.sort(scores, axis=1), self.empty[chosen][:, np.newaxis]
        with np.errstate(divide="ignore"):
            at = p + (1 - p) * ndtr(np.log(x) / 1.5)
        return Truth(at, np.where(x > 0, at, 0.0))


@dataclass(frozen=True, slots=True)
class Pool:
    """Measured scores drawn again with replacement, so that the table itself is the truth.

    Attributes:
        scores: Shape (K, N), lower is better.
        paired: Whether a draw takes the same example for all candidates.
    """

    scores: tuple[Numbers, ...]
    paired: bool

    @property
    def K(self) -> int:  # noqa: N802 (the paper's symbol)
        """Number of candidates."""
        return len(self.scores)

    @property
    def means(self) -> Numbers:
        """Mean score of each candidate, shape (K,)."""
        return np.array([x.mean() for x in self.scores])

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Scores of n examples of the table."""
        if self.paired:
            return np.stack(self.scores)[:, rng.integers(0, self.scores[0].size, n)]
        return np.stack([x[rng.integers(0, x.size, n)] for x in self.scores])

    def truth(self, scores: Numbers, chosen: NDArray[np.intp]) -> Truth:
        """The empirical distribution functions of the whole table."""
        x = np.sort(scores, axis=1)
        ends = [np.sort(self.scores[k]) for k in chosen]
        counted = [
            [np.searchsorted(of, row, side=side) / of.size for of, row in zip(ends, x, strict=True)]
            for side in ("right", "left")
        ]
        return Truth(np.array(counted[0]), np.array(counted[1]))


def regression(K: int, rng: np.random.Generator) -> Regression:
    """Ten predictors, shifts of three tenths of the noise in each."""
    return Regression(0.3 * rng.standard_normal((K, 10)))


def alike(K: int, _: np.random.Generator) -> Alike:
    """Independent candidates, none better than another."""
    return Alike(K)


def queries(_: int, rng: np.random.Generator) -> Graded:
    """43 strategies of decoding a query: greedy, sampled, best of several, refined in turns.

    Losses are 1 minus a rounded overlap of result rows: most are 0 or 1.
    """
    sizes = (1, 6, 18, 18)
    family = np.repeat(np.arange(4), sizes)
    right = np.array([0.55, 0.5, 0.62, 0.6])[family] + rng.uniform(-0.03, 0.03, family.size)
    half = np.array([0.05, 0.1, 0.18])
    below = np.column_stack([right + (1 - right) * step for step in (0.0, *half)])
    below = np.column_stack([below, np.ones(family.size)])
    return Graded(np.arange(5) / 4, below, family, (0.5, 0.2))


def judged(K: int, rng: np.random.Generator) -> Graded:
    """Judge scores from 1 to 10, turned round so that lower is better."""
    quality = rng.uniform(-0.2, 0.2, K)
    steps = np.linspace(-1.6, 2.2, 9)
    below = ndtr(steps[np.newaxis, :] - quality[:, np.newaxis])
    below = np.column_stack([below, np.ones(K)])
    return Graded(np.arange(10.0), below, np.zeros(K, np.intp), (0.3, 0.0))


def buffers(K: int, rng: np.random.Generator) -> Buffers:
    """One value by run."""
    return Buffers(rng.uniform(0.75, 0.9, K))


def buffer_series(K: int, rng: np.random.Generator) -> Buffers:
    """One value every quarter of a second in a single run."""
    return Buffers(rng.uniform(0.75, 0.9, K), memory=0.95)


WORLDS: dict[str, Callable[[int, np.random.Generator], World]] = {
    "regression": regression,
    "alike": alike,
    "queries": queries,
    "judged": judged,
    "buffers": buffers,
    "buffer series": buffer_series,
}

"""The six distributions of the source, and accuracy on a finite number of test items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sample: TypeAlias = NDArray[np.float64]

_MIXED = ((0.8, 0.03), (0.9, 0.02))


@dataclass(frozen=True, slots=True)
class Normal:
    """N(mu, sigma), sigma a standard deviation: as a variance, 24 % of draws would exceed 1."""

    mu: float
    sigma: float

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Sample:
        """Independent draws."""
        return rng.normal(self.mu, self.sigma, shape)

    def quantile(self, u: float) -> float:
        """The inverse distribution function."""
        return self.mu + self.sigma * float(special.ndtri(u))

    @property
    def mean(self) -> float:
        """The expectation."""
        return self.mu


@dataclass(frozen=True, slots=True)
class Beta:
    """Beta(a, b); Beta(1, 1) is the uniform distribution."""

    a: float
    b: float

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Sample:
        """Independent draws."""
        return rng.beta(self.a, self.b, shape)

    def quantile(self, u: float) -> float:
        """The inverse distribution function."""
        return float(special.betaincinv(self.a, self.b, u))

    @property
    def mean(self) -> float:
        """The expectation."""
        return self.a / (self.a + self.b)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Half N(0.8, 0.03), half N(0.9, 0.02)."""

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Sample:
        """Independent draws."""
        (mu, sigma), (nu, tau) = _MIXED
        second = rng.random(shape) < 0.5
        x = rng.standard_normal(shape)
        return np.where(second, nu + tau * x, mu + sigma * x)

    def quantile(self, u: float) -> float:
        """The inverse distribution function, by bisection to the last digit."""
        low, high = 0.0, 2.0
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if _mixture_below(middle) < u else (low, middle)
        return high

    @property
    def mean(self) -> float:
        """The expectation."""
        return sum(mu for mu, _ in _MIXED) / 2


def _mixture_below(t: float) -> float:
    return float(sum(special.ndtr((t - mu) / sigma) for mu, sigma in _MIXED) / 2)


DISTRIBUTIONS: dict[str, Normal | Beta | Mixture] = {
    "N(0.9, 0.02)": Normal(0.9, 0.02),
    "Beta(20, 2)": Beta(20, 2),
    "Beta(2, 20)": Beta(2, 20),
    "Beta(15, 15)": Beta(15, 15),
    "U(0, 1)": Beta(1, 1),
    "mixture": Mixture(),
}


def decile_range(name: str) -> float:
    """Distance of the 90 % from the 10 % quantile: the unit of lengths."""
    distribution = DISTRIBUTIONS[name]
    return distribution.quantile(0.9) - distribution.quantile(0.1)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of right answers on ``items`` test items, where the true rate of runs is N(.9, .02)."""

    items: int

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Sample:
        """Independent draws; rates above 1, three in ten million, are 1."""
        rates = np.minimum(rng.normal(0.9, 0.02, shape), 1)
        return rng.binomial(self.items, rates) / self.items

    def quantile(self, u: float) -> float:
        """Smallest k / items that at least a share u of runs does not exceed."""
        return int(np.searchsorted(_below(self.items), u)) / self.items


@lru_cache
def _below(items: int) -> NDArray[np.float64]:
    """P(right answers <= k) for k = 0..items, by Gauss-Hermite quadrature over the rate."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    rates = np.minimum(0.9 + 0.02 * nodes, 1)
    k = np.arange(items + 1)
    below = special.bdtr(k[:, np.newaxis], items, rates)
    return np.asarray(below @ (weights / weights.sum()))

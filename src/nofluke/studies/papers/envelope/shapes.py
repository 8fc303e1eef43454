"""Differences of two scores between 0 and 1, as evaluations have them: gains, and true nulls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

Draw: TypeAlias = "Callable[[tuple[int, ...], np.random.Generator], Numbers]"

BOUNDS = (-1.0, 1.0)


def sparse2(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Right or wrong, rarely different: 1.5 % gains, 0.5 % losses."""
    u = rng.random(shape)
    return (u < 0.015) - 1.0 * (u > 0.995)


def sparse10(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Right or wrong: 6 % gains, 4 % losses."""
    u = rng.random(shape)
    return (u < 0.06) - 1.0 * (u > 0.96)


def acc30(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Right or wrong, often different: 16 % gains, 14 % losses."""
    u = rng.random(shape)
    return (u < 0.16) - 1.0 * (u > 0.86)


def rouge(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """The note's three humps: near zero, clear gains, clear losses."""
    u = rng.random(shape)
    near = np.clip(rng.normal(0, 0.04, shape), -0.1, 0.1)
    gains, losses = rng.uniform(0.2, 0.5, shape), -rng.uniform(0.15, 0.75, shape)
    return np.where(u < 0.22, gains, np.where(u > 0.9, losses, near))


def tight(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Small and nearly normal, a gain of 0.01."""
    return np.clip(rng.normal(0.01, 0.06, shape), -0.29, 0.31)


def likert(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Differences of a judge's five grades."""
    steps = np.linspace(-0.75, 0.75, 7)
    return rng.choice(steps, shape, p=[0.01, 0.04, 0.17, 0.52, 0.19, 0.055, 0.015])


def trap(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """A gain of 0.01 nearly always, a loss of 1 in a hundredth: no gain on average."""
    return np.where(rng.random(shape) < 0.99, 0.01, -1.0)


def coin(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Plus or minus one: no gain, as spread as can be."""
    return np.where(rng.random(shape) < 0.5, 1.0, -1.0)


def sparse(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """5 % gains, 5 % losses: no gain."""
    u = rng.random(shape)
    return (u < 0.05) - 1.0 * (u > 0.95)


def skew(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Small gains in 80 %, larger losses in 20 %: no gain."""
    gains, losses = rng.uniform(0, 0.1, shape), rng.uniform(-0.3, -0.1, shape)
    return np.where(rng.random(shape) < 0.8, gains, losses)


def rare_losses(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """Tiny gains in 95 %, large losses in 5 %: no gain."""
    gains, losses = rng.uniform(0, 0.04, shape), rng.uniform(-0.48, -0.28, shape)
    return np.where(rng.random(shape) < 0.95, gains, losses)


def flat_rouge(shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
    """The note's humps, with signs tossed: no gain."""
    return rouge(shape, rng) * np.where(rng.random(shape) < 0.5, 1.0, -1.0)


# Shapes with their means.
SHAPES: dict[str, tuple[Draw, float]] = {
    "sparse2": (sparse2, 0.01),
    "sparse10": (sparse10, 0.02),
    "acc30": (acc30, 0.02),
    "rouge": (rouge, 0.22 * 0.35 - 0.1 * 0.45),
    "tight": (tight, 0.01),
    "likert": (likert, 0.01625),
    "trap": (trap, 0.99 * 0.01 - 0.01),
}
NULLS: dict[str, Draw] = {
    "trap": trap,
    "skew": skew,
    "rare losses": rare_losses,
    "sparse": sparse,
}
STREAMS: dict[str, Draw] = {"coin": coin, "sparse": sparse, "flat rouge": flat_rouge}

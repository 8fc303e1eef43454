"""Where Laplace noise comes from: the operating system, a generator, or a list in a test."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable


@runtime_checkable
class Noise(Protocol):
    """A source of draws; none of them is ever part of an answer."""

    def laplace(self, scale: float) -> float:
        """One draw of the Laplace law with mean 0 and this scale."""
        ...


Rng: TypeAlias = "Noise | np.random.Generator | None"


class OperatingSystem:
    """Draws from the operating system's randomness: no seed exists that could be found out.

    >>> OperatingSystem().laplace(0.0)
    0.0
    """

    def __init__(self) -> None:
        self._source = random.SystemRandom()

    def laplace(self, scale: float) -> float:
        """One draw, by the inverse of the distribution function on either side."""
        size = -scale * math.log(1 - self._source.random())
        return size if self._source.getrandbits(1) else 0.0 - size


class Given:
    """Draws that are known beforehand, for tests; the scale that was asked for is ignored.

    Args:
        draws: In the order in which the rule asks for them.

    >>> given = Given([0.5, -0.25])
    >>> given.laplace(1.0), given.laplace(2.0)
    (0.5, -0.25)
    """

    def __init__(self, draws: Iterable[float]) -> None:
        self._draws = iter(draws)

    def laplace(self, scale: float) -> float:
        """The next of the draws.

        Raises:
            InputError: There is none left (NF368).
        """
        try:
            return float(next(self._draws))
        except StopIteration:
            raise InputError(
                f"the rule asks for one more draw of Laplace noise (scale {scale:g}) than were "
                "given; give more, or none at all for the operating system's.",
                code="NF368",
            ) from None


def source(rng: Rng) -> Noise:
    """What draws the noise: the operating system unless something else is given.

    Raises:
        InputError: Neither a generator nor a source of noise (NF368). A bare seed is refused: who
            knows it can take the noise away again.
    """
    if rng is None:
        return OperatingSystem()
    if isinstance(rng, np.random.Generator):
        return _Generated(rng)
    if isinstance(rng, Noise):
        return rng
    raise InputError(
        f"rng={rng!r} is no source of noise; leave it out for the operating system's randomness, "
        "or give a numpy.random.Generator in a simulation.",
        code="NF368",
    )


class _Generated:
    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def laplace(self, scale: float) -> float:
        return float(self._rng.laplace(scale=scale)) if scale > 0 else 0.0

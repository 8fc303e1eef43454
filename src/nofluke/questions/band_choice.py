"""Which band `auto` takes: by n, level, failure rates and side, and never by the scores."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from nofluke import bands, checks
from nofluke.kernels import order_statistics
from nofluke.results import Limits

# Above this n a curved band is tried only where constant width does not certify all that is asked:
# its ranks are better by a hundredth or so then, and its level takes a few tenths of a second.
_CURVED_FROM_NEED = 8_000
# Above this n the level of a curved band takes seconds, and constant width costs little.
_CURVED_UP_TO = 20_000


class Chosen(NamedTuple):
    """A band method, how it is truncated, and why it was chosen."""

    method: str
    gamma_max: float | None
    why: str


@lru_cache(maxsize=4096)
def choose(
    n: int, alpha: float, gammas: tuple[float, ...], side: checks.Side, *, whole: bool = False
) -> Chosen:
    """The band that certifies most of the failure rates asked for, and those at the best ranks.

    Decided by n, the error level, the failure rates and the side: never by the data. The band of
    constant width is kept where none is better.

    Args:
        n: Number of draws.
        alpha: Error level.
        gammas: The failure rates asked for.
        side: Side of the band.
        whole: Whether the whole curve is needed, so that nothing may be truncated.
    """
    plain = bands.sharpest(n)
    if alpha == 0 or n > _CURVED_UP_TO:
        return Chosen(plain, None, f"n={n} is past {_CURVED_UP_TO}" if alpha else "its level is 0")
    gamma_max = None if side == "both" or whole else max(gammas)
    flat = _ranks(bands.limits(plain, n, alpha, side), n, gammas)
    if n > _CURVED_FROM_NEED and None not in flat:
        return Chosen(plain, None, f"ranks {_told(flat)} of {n}, near what any band gives")
    curved = _ranks(bands.limits("berk_jones", n, alpha, side, gamma_max), n, gammas)
    if _score(curved) < _score(flat):
        name, kept, shown, other = "berk_jones", gamma_max, curved, flat
    else:
        name, kept, shown, other = plain, None, flat, curved
    rival = "the band of constant width" if name == "berk_jones" else "berk_jones"
    return Chosen(name, kept, f"ranks {_told(shown)} of {n}, against {_told(other)} by {rival}")


def _ranks(found: Limits, n: int, gammas: tuple[float, ...]) -> list[int | None]:
    """Ranks certified at each failure rate, seen from below; mirrored bands have the same."""
    if found.radius is not None:
        return [order_statistics.certifying_rank(n, found.radius, g) for g in gammas]
    below = np.asarray(found.below)
    curve = below if below.any() else np.asarray(1 - found.above[::-1])
    return [order_statistics.first_reaching(curve, g) for g in gammas]


def _score(ranks: list[int | None]) -> tuple[int, int]:
    certified = [rank for rank in ranks if rank is not None]
    return -len(certified), sum(certified)


def _told(ranks: list[int | None]) -> str:
    return ", ".join("none" if rank is None else str(rank) for rank in ranks)

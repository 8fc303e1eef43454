"""Crossing probabilities of the empirical distribution function, and levels solved from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import numpy as np
from benchmarks.peers.contests import Contender, Contest, ours

TOPIC = "Bands: crossing probabilities and critical levels"
PUBLISHED = "Moscovich & Nadler 2017"
DIRECTLY = "Khmaladze & Shinjikashvili 2001"
NOT_THERE = (
    "crossprob, by the authors of the algorithm with transforms, is in no package registry and "
    "was not measured. What stands for it is written from the papers: direct sums, compiled; "
    "transforms called from Python one by one, which costs them most of their advantage."
)


def contests() -> Iterator[Contest]:
    """Two-sided and one-sided, whole levels, and SciPy's Kolmogorov laws."""
    for n, local in ((1_000, 1.07e-3), (10_000, 7e-4)):
        yield _two_sided(n, local)
    yield _one_sided(2_000)
    yield _level(2_000)
    yield _smirnov(10_000)
    yield _kolmogorov(140)


def _two_sided(n: int, local: float) -> Contest:
    def boundary():
        from nofluke.kernels import levels

        b = levels.boundary("berk_jones", n, local)
        return b, np.ascontiguousarray(1 - b[::-1])

    def here():
        from nofluke.kernels.crossing import crossing_probability

        b, _ = boundary()
        return lambda: crossing_probability(b, gap=b[::-1])

    def by(way: str):
        def ready():
            from benchmarks.peers import published

            b, B = boundary()
            walk = getattr(published, way)
            return lambda: 1 - walk(b, B)

        return ready

    return Contest(
        topic=TOPIC,
        question=f"Probability that a Berk-Jones band misses somewhere, two-sided, n = {n:,}",
        contenders=(
            ours("kernels.crossing.crossing_probability(b, gap)", here, says=float),
            Contender(who=PUBLISHED, how="transforms", ready=by("by_fft"), says=float),
            Contender(who=DIRECTLY, how="direct sums", ready=by("direct"), says=float),
        ),
        tolerance=1e-8,
        notes=(NOT_THERE,),
    )


def _one_sided(n: int) -> Contest:
    def boundary():
        from nofluke.kernels import levels

        return levels.boundary("berk_jones", n, 1.04e-3, "lower")

    def here():
        from nofluke.kernels.crossing import crossing_probability

        b = boundary()
        return lambda: crossing_probability(b)

    def theirs():
        from benchmarks.peers import published

        b = boundary()
        return lambda: 1 - published.by_fft(b, np.ones(n))

    return Contest(
        topic=TOPIC,
        question=f"The same on one side, n = {n:,}",
        contenders=(
            ours("kernels.crossing.crossing_probability(b)", here, says=float),
            Contender(who=PUBLISHED, how="transforms", ready=theirs, says=float),
        ),
        tolerance=1e-8,
        notes=(NOT_THERE,),
    )


def _level(n: int) -> Contest:
    # A new alpha each time: neither side remembers.
    def here():
        from nofluke.kernels import levels

        fresh = (0.05 + 1e-9 * i for i in count())
        return lambda: levels._solve("berk_jones", n, next(fresh), "both", 1)  # noqa: SLF001

    def theirs():
        from benchmarks.peers import published
        from scipy.optimize import brentq
        from scipy.stats import beta

        fresh = (0.05 + 1e-9 * i for i in count())
        i = np.arange(1, n + 1)

        def ask() -> float:
            alpha = next(fresh)

            def excess(log_level: float) -> float:
                b = beta.ppf(math.exp(log_level) / 2, i, n - i + 1)
                return 1 - published.direct(b, np.ascontiguousarray(1 - b[::-1])) - alpha

            low, high = math.log(alpha / (2 * n + 2)), math.log(alpha)
            return math.exp(brentq(excess, low, high, xtol=1e-10))

        return ask

    return Contest(
        topic=TOPIC,
        question=f"A critical level of the two-sided Berk-Jones band, not asked before, n = {n:,}",
        contenders=(
            ours("kernels.levels.critical_level, nothing remembered", here, says=float),
            Contender(
                who=DIRECTLY, how="direct sums and scipy.optimize.brentq", ready=theirs, says=float
            ),
        ),
        tolerance=1e-6,
        notes=(NOT_THERE,),
    )


def _smirnov(n: int) -> Contest:
    eps = 1.22 / math.sqrt(n)

    def here():
        from nofluke.kernels.crossing import smirnov_tail

        return lambda: smirnov_tail(n, eps)

    def theirs():
        from scipy.stats import ksone

        return lambda: ksone.sf(eps, n)

    return Contest(
        topic=TOPIC,
        question=f"Smirnov's one-sided law, exact, n = {n:,}",
        contenders=(
            ours("kernels.crossing.smirnov_tail(n, eps)", here, says=float),
            Contender(who="scipy", how="stats.ksone.sf(eps, n)", ready=theirs, says=float),
        ),
        tolerance=1e-9,
    )


def _kolmogorov(n: int) -> Contest:
    eps = 1.36 / math.sqrt(n)

    def here():
        from nofluke.kernels import levels

        return lambda: levels.crossing("kolmogorov", n, eps)

    def theirs():
        from scipy.stats import kstwo

        return lambda: kstwo.sf(eps, n)

    return Contest(
        topic=TOPIC,
        question=f"Kolmogorov's two-sided law, exact, n = {n:,}",
        contenders=(
            ours('kernels.levels.crossing("kolmogorov", n, eps)', here, says=float),
            Contender(
                who="scipy",
                how="stats.kstwo.sf(eps, n)",
                ready=theirs,
                says=float,
                note="exact up to n = 140, an approximation above",
            ),
        ),
        tolerance=1e-9,
    )

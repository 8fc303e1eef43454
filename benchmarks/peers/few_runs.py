"""Intervals for a quantile from few runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from benchmarks.peers.contests import Contender, Contest, ours

TOPIC = "Quantiles from few runs"
RNG = np.random.default_rng(25)
ONE = RNG.normal(size=25)
MANY = RNG.normal(size=(100_000, 25))
SCIPY_ROWS = 200


def contests() -> Iterator[Contest]:
    """One interval, many intervals, resampled and log-concave ones."""
    yield _one()
    yield _many()
    yield _median_jackknife()
    yield _bootstrap()
    yield _log_concave()


def _one() -> Contest:
    def here():
        from nofluke import quantiles

        return lambda: quantiles.exact(ONE, 0.25, level=0.9)

    def scipy_():
        from scipy.stats import quantile_test

        return lambda: quantile_test(ONE, p=0.25).confidence_interval(0.9)

    def openturns_():
        import openturns as ot
        from openturns.experimental import QuantileConfidence

        sample = ot.Sample(ONE[:, None])
        asked = QuantileConfidence(0.25, 0.9)
        return lambda: asked.computeBilateralConfidenceInterval(sample)

    return Contest(
        topic=TOPIC,
        question="Exact interval for the .25-quantile of 25 runs at 90 %, ranks asked before",
        contenders=(
            ours("quantiles.exact(x, .25, level=.9)", here, says=lambda found: found.lower),
            Contender(
                who="scipy",
                how="stats.quantile_test(x, p=.25).confidence_interval(.9)",
                ready=scipy_,
                says=lambda found: found.low,
            ),
            Contender(
                who="openturns",
                how="QuantileConfidence(.25, .9).computeBilateralConfidenceInterval(x)",
                ready=openturns_,
                note="takes the ranks of coverage nearest to 90 %, which may be others",
            ),
        ),
        tolerance=1e-12,
    )


def _many() -> Contest:
    def here():
        from nofluke import quantiles

        return lambda: quantiles.exact(MANY, 0.25, level=0.9)

    def theirs():
        from scipy.stats import quantile_test

        def ask() -> Any:
            for row in MANY[:SCIPY_ROWS]:
                quantile_test(row, p=0.25).confidence_interval(0.9)

        return ask

    return Contest(
        topic=TOPIC,
        question="The same for 100,000 samples of 25",
        contenders=(
            ours("quantiles.exact(x, .25, level=.9)", here),
            Contender(
                who="scipy",
                how="a loop over stats.quantile_test",
                ready=theirs,
                note=f"{SCIPY_ROWS} samples only, the others not asked",
            ),
        ),
        floor=lambda: np.sort(MANY, axis=1),
        floor_is="sorting the samples with numpy",
    )


def _median_jackknife() -> Contest:
    x = np.random.default_rng(3).normal(size=50)

    def here():
        from nofluke import quantiles

        return lambda: quantiles.nyblom(x, 0.5, level=0.95)

    def theirs():
        from scipy.stats.mstats import mquantiles_cimj

        return lambda: mquantiles_cimj(x, prob=[0.5], alpha=0.05)

    return Contest(
        topic=TOPIC,
        question="Interval for the median of 50 runs at 95 %, each by its own method",
        contenders=(
            ours("quantiles.nyblom(x, .5, level=.95)", here),
            Contender(
                who="scipy",
                how="stats.mstats.mquantiles_cimj(x, prob=[.5], alpha=.05)",
                ready=theirs,
                note="Maritz-Jarrett, a normal approximation",
            ),
        ),
    )


def _bootstrap() -> Contest:
    def here():
        from nofluke import quantiles

        return lambda: quantiles.bootstrap(ONE, 0.25, level=0.9)

    def theirs():
        from scipy.stats import bootstrap

        def ask():
            return bootstrap(
                (ONE,),
                lambda x, axis: np.quantile(x, 0.25, axis=axis, method="inverted_cdf"),
                n_resamples=2000,
                method="percentile",
                confidence_level=0.9,
                vectorized=True,
                rng=np.random.default_rng(1),
            )

        return ask

    return Contest(
        topic=TOPIC,
        question="Percentile bootstrap of the .25-quantile of 25 runs at 90 %",
        contenders=(
            ours(
                "quantiles.bootstrap(x, .25, level=.9)",
                here,
                note="the law of all resamples in closed form, none is drawn",
            ),
            Contender(who="scipy", how="stats.bootstrap, 2,000 resamples", ready=theirs),
        ),
    )


def _log_concave() -> Contest:
    x = np.random.default_rng(4).normal(100, 5, 11)

    def here():
        from nofluke import quantiles

        return lambda: quantiles.hanson_koopmans(x, 0.1, level=0.95, side="lower")

    def theirs():
        from toleranceinterval import oneside

        return lambda: oneside.hanson_koopmans(x, 0.1, 0.95)

    return Contest(
        topic=TOPIC,
        question="Hanson-Koopmans lower limit for the .1-quantile of 11 runs at 95 %",
        contenders=(
            ours(
                'quantiles.hanson_koopmans(x, .1, level=.95, side="lower")',
                here,
                note="ranks chosen for the largest mean limit, theirs are the extremes",
            ),
            Contender(
                who="toleranceinterval", how="oneside.hanson_koopmans(x, .1, .95)", ready=theirs
            ),
        ),
    )

"""The methods that are compared: intervals, intervals of ties, and point estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.special import betaincinv

from nofluke import quantiles
from nofluke.quantiles.tails import hanson_koopmans
from nofluke.studies.papers.quantiles.resampling import transformed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Method: TypeAlias = Callable[..., quantiles.QuantileInterval]
Estimator: TypeAlias = "Callable[[NDArray[np.float64], float], Any]"

# Each is called with samples of shape (s, n), the quantile, and level=.
INTERVALS: dict[str, Method] = {
    "exact_equal": quantiles.exact,
    "exact_shortest": partial(quantiles.exact, tails="short"),
    "hutson": quantiles.hutson,
    "nyblom": quantiles.nyblom,
    "asymptotic": quantiles.asymptotic,
    "asymptotic_centered": partial(quantiles.asymptotic, centered=True),
    "semiparametric_bootstrap": quantiles.semiparametric_bootstrap,
    "bootstrap": quantiles.bootstrap,
    "hanson_koopmans": partial(hanson_koopmans, interpolated=True),
    "auto": quantiles.interval,
}

# With whether the lower limit belongs to the interval.
DISCRETE: dict[str, tuple[Method, bool]] = {
    "exact_closed": (INTERVALS["exact_shortest"], True),
    "exact_half_open": (INTERVALS["exact_shortest"], False),
    "hutson_closed": (quantiles.hutson, True),
    "auto": (quantiles.interval, True),
    "semiparametric_bootstrap": (quantiles.semiparametric_bootstrap, True),
}


def bootstrap_median(x: NDArray[np.float64], u: float) -> NDArray[np.float64]:
    """Median of the semiparametric bootstrap of the sample quantile, by infinitely many resamples.

    The bootstrap draws Q_T(U_(r)), r = ceil(n u), and Q_T never falls: its median is Q_T at the
    median of Beta(r, n + 1 - r).
    """
    count, n = x.shape
    r = math.ceil(round(n * u, 9))
    level = np.full((count, 1), betaincinv(r, n + 1 - r, 0.5))
    return transformed(x, level)[:, 0]


# Each is called with ascending samples of shape (s, n) and the quantile.
ESTIMATORS: dict[str, Estimator] = {
    "sample": quantiles.sample_quantile,
    "interpolated": quantiles.interpolated,
    "transformed": quantiles.transformed,
    "bootstrap_median": bootstrap_median,
}

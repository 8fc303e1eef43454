"""Intervals for a quantile from a few independent runs."""

from __future__ import annotations

from nofluke.quantiles.answers import QuantileInterval
from nofluke.quantiles.choice import interval
from nofluke.quantiles.differences import (
    QuantileDifference,
    difference,
    of_differences,
    ratio,
)
from nofluke.quantiles.estimates import interpolated, sample_quantile, transformed
from nofluke.quantiles.methods import (
    METHODS,
    asymptotic,
    bootstrap,
    exact,
    hutson,
    nyblom,
    semiparametric_bootstrap,
)
from nofluke.quantiles.several import joint
from nofluke.quantiles.sizes import minimal_n
from nofluke.quantiles.tails import hanson_koopmans, tolerance_limit

__all__ = [
    "METHODS",
    "QuantileDifference",
    "QuantileInterval",
    "asymptotic",
    "bootstrap",
    "difference",
    "exact",
    "hanson_koopmans",
    "hutson",
    "interpolated",
    "interval",
    "joint",
    "minimal_n",
    "nyblom",
    "of_differences",
    "ratio",
    "sample_quantile",
    "semiparametric_bootstrap",
    "tolerance_limit",
    "transformed",
]

"""Intervals for a quantile from a few independent runs."""

from __future__ import annotations

from nofluke.quantiles.answers import QuantileInterval
from nofluke.quantiles.choice import interval
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
from nofluke.quantiles.sizes import minimal_n

__all__ = [
    "METHODS",
    "QuantileInterval",
    "asymptotic",
    "bootstrap",
    "exact",
    "hutson",
    "interpolated",
    "interval",
    "minimal_n",
    "nyblom",
    "sample_quantile",
    "semiparametric_bootstrap",
    "transformed",
]

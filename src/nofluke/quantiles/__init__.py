"""Intervals for a quantile from a few independent runs."""

from __future__ import annotations

from nofluke.quantiles.answers import QuantileInterval

__all__ = ["QuantileInterval"]

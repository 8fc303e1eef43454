"""Controlled repeats: rerun a configuration with every source of randomness seeded and recorded."""

from __future__ import annotations

from nofluke.selection.repeats.answers import Repeats, SourceVariance, SourceVariances
from nofluke.selection.repeats.study import repeat
from nofluke.selection.repeats.variance import variance_by_source

__all__ = ["Repeats", "SourceVariance", "SourceVariances", "repeat", "variance_by_source"]

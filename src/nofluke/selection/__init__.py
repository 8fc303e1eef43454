"""How a choice came to be: rules of choosing, splitting the data, and controlled repeats."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nofluke.selection.bbc import bbc_cv
    from nofluke.selection.cross_validation import cv_interval, nested_cv_interval
    from nofluke.selection.leaks import leakage
    from nofluke.selection.nested import nested_cv
    from nofluke.selection.reader_tests import compare_recipes
    from nofluke.selection.recognition import seen_groups
    from nofluke.selection.repeats import repeat, variance_by_source
    from nofluke.selection.resampled_tests import corrected_t, five_by_two
    from nofluke.selection.risk_parts import noise_bias_variance
    from nofluke.selection.risk_runs import predict_repeatedly, simulate_risk_parts
    from nofluke.selection.seed_scores import decompose_means, summary_only
    from nofluke.selection.split_checks import validate
    from nofluke.selection.split_plan import plan_split

__all__ = [
    "bbc_cv",
    "compare_recipes",
    "corrected_t",
    "cv_interval",
    "decompose_means",
    "five_by_two",
    "leakage",
    "nested_cv",
    "nested_cv_interval",
    "noise_bias_variance",
    "plan_split",
    "predict_repeatedly",
    "repeat",
    "seen_groups",
    "simulate_risk_parts",
    "summary_only",
    "validate",
    "variance_by_source",
]

# Whoever only chooses by a rule does not wait for the rest.
_HOME = {
    "bbc_cv": "bbc",
    "compare_recipes": "reader_tests",
    "corrected_t": "resampled_tests",
    "cv_interval": "cross_validation",
    "decompose_means": "seed_scores",
    "five_by_two": "resampled_tests",
    "leakage": "leaks",
    "nested_cv": "nested",
    "nested_cv_interval": "cross_validation",
    "noise_bias_variance": "risk_parts",
    "plan_split": "split_plan",
    "predict_repeatedly": "risk_runs",
    "repeat": "repeats",
    "seen_groups": "recognition",
    "simulate_risk_parts": "risk_runs",
    "summary_only": "seed_scores",
    "validate": "split_checks",
    "variance_by_source": "repeats",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"nofluke.selection.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

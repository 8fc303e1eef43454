"""How much of the best is luck: what a maximum is worth, and intervals for the winner."""

from __future__ import annotations

from nofluke.selection.bbc import bbc_cv
from nofluke.selection.decompose import decompose
from nofluke.selection.optimism.areas import hybrid_auc, hybrid_predictions
from nofluke.selection.optimism.hybrid import WinnerInterval, hybrid_interval
from nofluke.selection.optimism.maximum import (
    Optimism,
    OptimismBound,
    expected_best_accuracy,
    expected_maximum,
    expected_optimism,
    optimism_bound,
)
from nofluke.selection.optimism.passing import (
    PassProbability,
    maximum_cdf,
    naive_coverage,
    pass_probability,
)
from nofluke.selection.optimism.reported import (
    GateCheck,
    Possibility,
    gate_check,
    grim_accuracy,
    grim_auc,
    implied_se,
)
from nofluke.selection.optimism.zoom import ZoomInterval, zoom_interval

__all__ = [
    "GateCheck",
    "Optimism",
    "OptimismBound",
    "PassProbability",
    "Possibility",
    "WinnerInterval",
    "ZoomInterval",
    "bbc_cv",
    "decompose",
    "expected_best_accuracy",
    "expected_maximum",
    "expected_optimism",
    "gate_check",
    "grim_accuracy",
    "grim_auc",
    "hybrid_auc",
    "hybrid_interval",
    "hybrid_predictions",
    "implied_se",
    "maximum_cdf",
    "naive_coverage",
    "optimism_bound",
    "pass_probability",
    "zoom_interval",
]

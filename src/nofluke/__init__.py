"""nofluke tells whether a model's score is real: after choosing, and in the tails."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nofluke import (
        bands,
        classify,
        drift,
        functionals,
        ledger,
        means,
        permutation,
        proportions,
        quantiles,
        selection,
        selective,
        sequences,
    )
    from nofluke.questions import plan
    from nofluke.questions.certify import certify
    from nofluke.questions.champion import champion
    from nofluke.questions.check import check
    from nofluke.questions.classifier import classifier
    from nofluke.questions.compare import compare
    from nofluke.questions.drift_report import drift_report
    from nofluke.questions.final_report import final_report
    from nofluke.questions.kpis import certify_kpis
    from nofluke.questions.methods_audit import audit_methods
    from nofluke.questions.pooled import compare_pooled
    from nofluke.questions.rank import rank, rank_metrics
    from nofluke.questions.runs import runs
    from nofluke.questions.stream import ComparisonStream
    from nofluke.scores.predictions import Predictions
    from nofluke.scores.readers import read
    from nofluke.scores.readers.features import read_features
    from nofluke.scores.readers.predictions import read_predictions
    from nofluke.scores.sourcing import source
    from nofluke.scores.table import Scores
    from nofluke.selective import split_breakeven

__all__ = [
    "ComparisonStream",
    "Predictions",
    "Scores",
    "audit_methods",
    "bands",
    "certify",
    "certify_kpis",
    "champion",
    "check",
    "classifier",
    "classify",
    "compare",
    "compare_pooled",
    "drift",
    "drift_report",
    "final_report",
    "functionals",
    "ledger",
    "means",
    "permutation",
    "plan",
    "proportions",
    "quantiles",
    "rank",
    "rank_metrics",
    "read",
    "read_features",
    "read_predictions",
    "runs",
    "selection",
    "selective",
    "sequences",
    "source",
    "split_breakeven",
]

# The front door opens rooms when they are entered, so that `nofluke --help` stays quick.
_ROOMS = {
    "ComparisonStream": "nofluke.questions.stream",
    "Predictions": "nofluke.scores.predictions",
    "Scores": "nofluke.scores.table",
    "audit_methods": "nofluke.questions.methods_audit",
    "certify": "nofluke.questions.certify",
    "certify_kpis": "nofluke.questions.kpis",
    "champion": "nofluke.questions.champion",
    "check": "nofluke.questions.check",
    "classifier": "nofluke.questions.classifier",
    "compare": "nofluke.questions.compare",
    "compare_pooled": "nofluke.questions.pooled",
    "final_report": "nofluke.questions.final_report",
    "drift_report": "nofluke.questions.drift_report",
    "rank": "nofluke.questions.rank",
    "rank_metrics": "nofluke.questions.rank",
    "read": "nofluke.scores.readers",
    "runs": "nofluke.questions.runs",
    "read_features": "nofluke.scores.readers.features",
    "read_predictions": "nofluke.scores.readers.predictions",
    "source": "nofluke.scores.sourcing",
    "split_breakeven": "nofluke.selective",
}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(importlib.import_module(_ROOMS[name]), name)
    if name == "plan":
        return importlib.import_module("nofluke.questions.plan")
    if name in __all__:
        return importlib.import_module(f"nofluke.{name}")
    raise AttributeError(f"module 'nofluke' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

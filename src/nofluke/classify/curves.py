"""Curves of a classifier and the areas below them."""

from __future__ import annotations

from nofluke.classify.auc import Area, AreaTest, auc, auc_test
from nofluke.classify.auc_covariance import AreaCovariance, AreaEquality, auc_equality, delong
from nofluke.classify.auc_differences import AreaDifference, compare_auc, compare_auc_unpaired
from nofluke.classify.auc_intervals import AUC_INTERVALS, AreaInterval, auc_interval
from nofluke.classify.partial_auc import PartialArea, partial_auc
from nofluke.classify.precision_recall import (
    AVERAGE_PRECISION_INTERVALS,
    AveragePrecision,
    PrecisionRecall,
    average_precision,
    precision_recall,
)
from nofluke.classify.roc import RocCurve, roc

__all__ = [
    "AUC_INTERVALS",
    "AVERAGE_PRECISION_INTERVALS",
    "Area",
    "AreaCovariance",
    "AreaDifference",
    "AreaEquality",
    "AreaInterval",
    "AreaTest",
    "AveragePrecision",
    "PartialArea",
    "PrecisionRecall",
    "RocCurve",
    "auc",
    "auc_equality",
    "auc_interval",
    "auc_test",
    "average_precision",
    "compare_auc",
    "compare_auc_unpaired",
    "delong",
    "partial_auc",
    "precision_recall",
    "roc",
]

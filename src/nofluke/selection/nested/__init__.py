"""Nested cross-validation: what a whole procedure of choosing is worth on rows it has not seen."""

from __future__ import annotations

from nofluke.selection.nested.answers import FinalModel, NestedCV
from nofluke.selection.nested.choice import Audit, audit
from nofluke.selection.nested.folds import Configuration, OuterFold
from nofluke.selection.nested.study import nested_cv

__all__ = ["Audit", "Configuration", "FinalModel", "NestedCV", "OuterFold", "audit", "nested_cv"]

"""Pictures of answers: ``draw(result)`` picks the one that fits the kind of result.

A plot draws what the fields of a result hold and computes nothing. It takes optional Matplotlib
axes, returns the axes, and leaves showing and saving to the caller. Matplotlib is imported when
something is drawn, and pyplot never.
"""

from nofluke.plots.audit import audit
from nofluke.plots.certify import kpi_against_gamma
from nofluke.plots.champion import champion
from nofluke.plots.checkup import checkup
from nofluke.plots.classifier import benefit, costs, precision_recall, roc
from nofluke.plots.classifier_parts import parts
from nofluke.plots.differences import differences
from nofluke.plots.dispatch import draw
from nofluke.plots.drift import drift, drift_evidence
from nofluke.plots.envelope import envelope
from nofluke.plots.evidence import evidence
from nofluke.plots.fan import band_fan
from nofluke.plots.final_report import final_report
from nofluke.plots.forest import methods, subgroups
from nofluke.plots.leakage import leaks, seen_and_new
from nofluke.plots.ledger import ledger, ledger_chain
from nofluke.plots.nested import index_picture
from nofluke.plots.pooled import pooled
from nofluke.plots.quantiles import normal_quantiles
from nofluke.plots.ranking import estimates, ranking
from nofluke.plots.rates import rates
from nofluke.plots.reliability import reliability
from nofluke.plots.risk_parts import risk_parts
from nofluke.plots.rules import rules
from nofluke.plots.runs import runs
from nofluke.plots.shares import group_shares
from nofluke.plots.splits import split_faults, split_picture
from nofluke.plots.spreads import predictions, scores
from nofluke.plots.vector import svg

__all__ = [
    "audit",
    "band_fan",
    "benefit",
    "champion",
    "checkup",
    "costs",
    "differences",
    "draw",
    "drift",
    "drift_evidence",
    "envelope",
    "estimates",
    "evidence",
    "final_report",
    "group_shares",
    "index_picture",
    "kpi_against_gamma",
    "leaks",
    "ledger",
    "ledger_chain",
    "methods",
    "normal_quantiles",
    "parts",
    "pooled",
    "precision_recall",
    "predictions",
    "ranking",
    "rates",
    "reliability",
    "risk_parts",
    "roc",
    "rules",
    "runs",
    "scores",
    "seen_and_new",
    "split_faults",
    "split_picture",
    "subgroups",
    "svg",
]

"""What a threshold costs, which one is cheapest, and which one keeps a promise."""

from __future__ import annotations

from nofluke.classify.cost.bayes import (
    CONDITIONS,
    BayesThreshold,
    RowCosts,
    bayes,
    bayes_threshold,
    row_costs,
    shift_prior,
)
from nofluke.classify.cost.benefit import (
    DecisionCurve,
    NetBenefit,
    decision_curve,
    net_benefit,
    net_benefit_at,
)
from nofluke.classify.cost.cells import INTERVALS
from nofluke.classify.cost.guaranteed import GuaranteedThreshold, guaranteed_threshold
from nofluke.classify.cost.search import CheapestThreshold, threshold
from nofluke.classify.cost.totals import Cost, total, total_at

__all__ = [
    "CONDITIONS",
    "INTERVALS",
    "BayesThreshold",
    "CheapestThreshold",
    "Cost",
    "DecisionCurve",
    "GuaranteedThreshold",
    "NetBenefit",
    "RowCosts",
    "bayes",
    "bayes_threshold",
    "decision_curve",
    "guaranteed_threshold",
    "net_benefit",
    "net_benefit_at",
    "row_costs",
    "shift_prior",
    "threshold",
    "total",
    "total_at",
]

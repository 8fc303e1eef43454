"""What the pictures of a card draw: curves of each candidate, with their bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.classify import calibration, cost
from nofluke.classify.precision_recall import precision_recall
from nofluke.classify.roc import roc

if TYPE_CHECKING:
    from nofluke.classify.calibration import Corp
    from nofluke.classify.cost import CheapestThreshold, DecisionCurve
    from nofluke.classify.precision_recall import PrecisionRecall
    from nofluke.classify.roc import RocCurve
    from nofluke.questions.classifier_asked import Asked
    from nofluke.questions.classifier_rows import Rows
    from nofluke.results import Row

#: Rows above which the resamples of a calibration curve would take many seconds.
PLENTY = 20_000


class Curves(NamedTuple):
    """The curves of one candidate; None where there is none.

    Attributes:
        roc: Its ROC curve.
        precision_recall: Its precision against its recall.
        corp: Its calibration curve, of probabilities.
        costs: What every threshold costs, where costs were given.
        benefit: The net benefit of probabilities over thresholds.
        banded: Whether the bands count: by rows, they are void where rows come in clusters.
    """

    roc: RocCurve | None
    precision_recall: PrecisionRecall | None
    corp: Corp | None
    costs: CheapestThreshold | None
    benefit: DecisionCurve | None
    banded: bool


def curves(of: Rows, asked: Asked, *, probabilities: bool) -> Curves:
    """All curves of a candidate.

    Args:
        of: Its rows.
        asked: The choices.
        probabilities: Whether its scores are probabilities.
    """
    both = 0 < int(np.count_nonzero(of.y)) < of.y.size
    elsewhere = asked.prevalence if isinstance(asked.prevalence, float) else None
    return Curves(
        roc=roc(of.y, of.s, alpha=asked.alpha) if both else None,
        precision_recall=precision_recall(of.y, of.s, alpha=asked.alpha, prevalence=elsewhere)
        if both
        else None,
        corp=_corp(of, asked) if probabilities else None,
        costs=cost.threshold(of.y, of.s, **asked.costs, alpha=asked.alpha)
        if both and asked.costs is not None
        else None,
        benefit=cost.decision_curve(of.y, of.s, alpha=asked.alpha)
        if both and probabilities
        else None,
        banded=of.codes is None,
    )


def calibrated(of: Rows, found: Curves) -> Row | None:
    """The parts of the Brier score, and the test of calibration, of one candidate."""
    corp = found.corp
    if corp is None:
        return None
    tested = corp.test if found.banded else None
    return {
        "candidate": of.candidate,
        "brier": corp.mean_score,
        "miscalibration": corp.miscalibration,
        "discrimination": corp.discrimination,
        "uncertainty": corp.uncertainty,
        "pvalue": None if tested is None else tested.pvalue,
        "expected": float(of.s.sum()),
        "observed": int(np.count_nonzero(of.y)),
        "n": corp.n,
        "n_resamples": 0 if tested is None else corp.n_resamples,
    }


def _corp(of: Rows, asked: Asked) -> Corp:
    few = asked.n_resamples if of.codes is None and of.y.size <= PLENTY else 0
    return calibration.corp(
        of.y, of.s, level=1 - asked.alpha, n_resamples=few, seed=asked.seed if few else None
    )

"""What the pictures of a card draw: curves of each candidate, with their bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from nofluke.classify import calibration, cost
from nofluke.classify.precision_recall import precision_recall
from nofluke.classify.roc import roc

if TYPE_CHECKING:
    from collections.abc import Callable

    from nofluke.classify.calibration import Corp
    from nofluke.classify.cost import CheapestThreshold, DecisionCurve
    from nofluke.classify.precision_recall import PrecisionRecall
    from nofluke.classify.roc import RocCurve
    from nofluke.questions.classifier_asked import Asked
    from nofluke.questions.classifier_rows import Rows
    from nofluke.results import Row

#: Rows above which the resamples of a calibration curve would take many seconds.
PLENTY = 20_000

_KEPT = 1_000_000  # rows up to which a curve that was made is kept

C = TypeVar("C")


class Curves:
    """The curves of one candidate, each made when it is looked at; None where there is none.

    A curve has as many points as there are distinct scores, so that the curves of a large table
    need many times its memory, and most answers are never drawn. Those of up to a million rows are
    kept once they are made; of more rows they are made again whenever they are asked for.

    Attributes:
        banded: Whether the bands count: by rows, they are void where rows come in clusters.
    """

    def __init__(self, of: Rows, asked: Asked, *, probabilities: bool) -> None:
        self.banded = of.codes is None
        self._of, self._asked, self._probabilities = of, asked, probabilities
        self._both = 0 < int(np.count_nonzero(of.y)) < of.y.size
        self._made: dict[str, Any] = {}

    @property
    def roc(self) -> RocCurve | None:
        """Its ROC curve."""
        return self._kept("roc", self._roc) if self._both else None

    @property
    def precision_recall(self) -> PrecisionRecall | None:
        """Its precision against its recall."""
        return self._kept("precision_recall", self._precision_recall) if self._both else None

    @property
    def corp(self) -> Corp | None:
        """Its calibration curve, of probabilities."""
        return self._kept("corp", self._corp) if self._probabilities else None

    @property
    def costs(self) -> CheapestThreshold | None:
        """What every threshold costs, where costs were given."""
        if not self._both or self._asked.costs is None:
            return None
        return self._kept("costs", self._costs)

    @property
    def benefit(self) -> DecisionCurve | None:
        """The net benefit of probabilities over thresholds."""
        return self._kept("benefit", self._benefit) if self._both and self._probabilities else None

    def _kept(self, name: str, make: Callable[[], C]) -> C:
        if name in self._made:
            return cast("C", self._made[name])
        found = make()
        if self._of.y.size <= _KEPT:
            self._made[name] = found
        return found

    def _roc(self) -> RocCurve:
        return roc(self._of.y, self._of.s, alpha=self._asked.alpha)

    def _precision_recall(self) -> PrecisionRecall:
        pi = self._asked.prevalence
        elsewhere = pi if isinstance(pi, float) else None
        return precision_recall(
            self._of.y, self._of.s, alpha=self._asked.alpha, prevalence=elsewhere
        )

    def _corp(self) -> Corp:
        of, asked = self._of, self._asked
        few = asked.n_resamples if self.banded and of.y.size <= PLENTY else 0
        return calibration.corp(
            of.y, of.s, level=1 - asked.alpha, n_resamples=few, seed=asked.seed if few else None
        )

    def _costs(self) -> CheapestThreshold:
        costs: Any = self._asked.costs
        return cost.threshold(self._of.y, self._of.s, **costs, alpha=self._asked.alpha)

    def _benefit(self) -> DecisionCurve:
        return cost.decision_curve(self._of.y, self._of.s, alpha=self._asked.alpha)


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

"""What probabilities are worth: mean scores, calibration without bins and with them, lines.

The headline is ``corp``: no bins, a band, an exact test. ``cox`` says in which direction forecasts
are off. Calibration errors by bins are there on request, with their convention and how much
another would have changed the number.
"""

from __future__ import annotations

from nofluke.classify.calibration.bins import (
    BinnedBrier,
    CalibrationError,
    ReliabilityDiagram,
    binned_brier,
    ece,
    reliability_diagram,
)
from nofluke.classify.calibration.curve import Corp, CurveBand, corp
from nofluke.classify.calibration.logistic import Cox, cox, spiegelhalter
from nofluke.classify.calibration.losses import MeanScore, brier, log_loss
from nofluke.classify.calibration.probabilities import Against, one_vs_rest, top_label
from nofluke.classify.calibration.smooth import SmoothError, smooth_ece

__all__ = [
    "Against",
    "BinnedBrier",
    "CalibrationError",
    "Corp",
    "Cox",
    "CurveBand",
    "MeanScore",
    "ReliabilityDiagram",
    "SmoothError",
    "binned_brier",
    "brier",
    "corp",
    "cox",
    "ece",
    "log_loss",
    "one_vs_rest",
    "reliability_diagram",
    "smooth_ece",
    "spiegelhalter",
    "top_label",
]

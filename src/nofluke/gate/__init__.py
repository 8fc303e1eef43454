"""Gates: verdicts for machines. Comparisons that must hold before something ships."""

from nofluke.gate.config import Check, Metric, load
from nofluke.gate.verdicts import CheckAnswer, Gate, MetricAnswer, run

__all__ = ["Check", "CheckAnswer", "Gate", "Metric", "MetricAnswer", "load", "run"]

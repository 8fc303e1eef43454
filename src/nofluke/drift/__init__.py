"""Drift: whether rows, shares of classes or labels have changed, and what that does to scores."""

from nofluke.drift.concept import Monitor, monitor
from nofluke.drift.labels import Consequences, LabelShift, bbse, consequences, em

__all__ = ["Consequences", "LabelShift", "Monitor", "bbse", "consequences", "em", "monitor"]

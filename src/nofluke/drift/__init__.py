"""Drift: whether rows, shares of classes or labels have changed, and what that does to scores."""

from nofluke.drift.concept import Monitor, monitor
from nofluke.drift.covariates import PSI, CovariateDrift, FeatureDrift, covariates, psi
from nofluke.drift.diagnosis import Diagnosis, diagnose, moved
from nofluke.drift.labels import Consequences, LabelShift, bbse, consequences, em
from nofluke.drift.watch import Watch, watch

__all__ = [
    "PSI",
    "Consequences",
    "CovariateDrift",
    "Diagnosis",
    "FeatureDrift",
    "LabelShift",
    "Monitor",
    "Watch",
    "bbse",
    "consequences",
    "covariates",
    "diagnose",
    "em",
    "monitor",
    "moved",
    "psi",
    "watch",
]

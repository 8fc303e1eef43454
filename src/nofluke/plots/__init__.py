"""Pictures of answers: ``draw(result)`` picks the one that fits the kind of result.

A plot draws what the fields of a result hold and computes nothing. It takes optional Matplotlib
axes, returns the axes, and leaves showing and saving to the caller. Matplotlib is imported when
something is drawn, and pyplot never.
"""

from nofluke.plots.certify import kpi_against_gamma
from nofluke.plots.dispatch import draw
from nofluke.plots.fan import band_fan
from nofluke.plots.rates import rates
from nofluke.plots.rules import rules
from nofluke.plots.vector import svg

__all__ = ["band_fan", "draw", "kpi_against_gamma", "rates", "rules", "svg"]

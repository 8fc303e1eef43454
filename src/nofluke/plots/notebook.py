"""Axes that a notebook shows as their picture, without pyplot and whatever its backend is."""

from __future__ import annotations

from matplotlib.axes import Axes


class ShownAxes(Axes):
    """Axes of a figure of their own, shown as SVG with a title and a text for screen readers."""

    def _repr_html_(self) -> str:
        from nofluke.plots.vector import svg

        return (
            '<div style="max-width:48rem;background:#fff;color-scheme:light;overflow-x:auto">'
            f"{svg(self)}</div>"
        )

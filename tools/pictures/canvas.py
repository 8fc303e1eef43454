"""A drawing as SVG text: the same numbers give the same bytes, in every version of everything."""

from __future__ import annotations

from html import escape

INK, PALE, RULE = "#1b1f24", "#8a939e", "#d5d9de"
# Two colours that are told apart by colour-blind eyes and in grey.
BLUE, ORANGE = "#0b5394", "#c45a00"


class Canvas:
    """Shapes in pixels from the upper left corner, on white.

    Args:
        width: Pixels across.
        height: Pixels down.
        title: What the picture shows, for those who cannot see it.
        told: The same at length.
    """

    def __init__(self, width: int, height: int, *, title: str, told: str) -> None:
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="sans-serif" '
            f'font-size="13">\n<title>{escape(title)}</title>\n<desc>{escape(told)}</desc>\n'
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        )
        self._shapes: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, *, ink: str, wide: float) -> None:
        """A straight line."""
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._shapes.append(f'<line {ends} stroke="{ink}" stroke-width="{wide:g}"/>')

    def path(self, points: list[tuple[float, float]], *, ink: str, dashes: str = "") -> None:
        """A line through points."""
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes.append(
            f'<polyline points="{told}" fill="none" stroke="{ink}" stroke-width="2.5"{dashed}/>'
        )

    def dot(self, x: float, y: float, *, ink: str, size: float = 5) -> None:
        """A filled circle."""
        self._shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{ink}"/>')

    def box(self, x: float, y: float, width: float, height: float, *, fill: str) -> None:
        """A box with round corners."""
        sides = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._shapes.append(f'<rect {sides} rx="4" fill="{fill}" stroke="{RULE}"/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        ink: str = INK,
        at: str = "start",
        bold: bool = False,
    ) -> None:
        """One line of text, beginning, ending ("end") or centred ("middle") there."""
        weight = ' font-weight="bold"' if bold else ""
        self._shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" text-anchor="{at}"{weight}>'
            f"{escape(words)}</text>"
        )

    def svg(self) -> str:
        """The file."""
        return self._head + "\n".join(self._shapes) + "\n</svg>\n"

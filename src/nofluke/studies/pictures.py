"""Small pictures of a study as SVG: figures with their errors beside a mark, drawn by hand.

The same bytes for the same figures, whatever is installed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nofluke.studies.engine import Figure

_STEP, _WIDTH, _LETTER = 22, 460, 7.2
_ERRORS = 2  # to either side of a dot


def dots(
    rows: Mapping[str, Figure],
    *,
    title: str,
    axis: str,
    mark: float | None = None,
    span: tuple[float, float] | None = None,
) -> str:
    """One line for each figure: a dot at its value, a bar of two errors to either side.

    Args:
        rows: Figures by the name that stands beside them, from top to bottom.
        title: What is shown, for who cannot see it.
        axis: What the axis measures.
        mark: Where a dashed line stands: what was promised.
        span: Ends of the axis; by default what the figures need.
    """
    low, high = span or _span(rows, mark)
    left = 20 + _LETTER * max(map(len, rows))
    height = _STEP * len(rows) + 58

    def at(value: float) -> float:
        return left + _WIDTH * (min(max(value, low), high) - low) / (high - low)

    lines = [_dot(at, 20 + _STEP * k, name, f) for k, (name, f) in enumerate(rows.items())]
    ticks = _ticks(low, high)
    across = left + _WIDTH + 30
    below = height - 26
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:.0f} {height}" '
            'font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{across:.0f}" height="{height}" fill="white"/>',
            f'<path d="M{left:.1f} {below - 14}H{left + _WIDTH:.1f}" stroke="#999"/>',
            *(_mark(at(value), below - 14) for value in _one(mark)),
            *(
                f'<text x="{at(t):.1f}" y="{below}" text-anchor="middle">{t:.3g}</text>'
                for t in ticks
            ),
            f'<text x="{left + _WIDTH / 2:.1f}" y="{height - 8}" text-anchor="middle">'
            f"{escape(axis)}</text>",
            *lines,
            "</svg>\n",
        ]
    )


def shown(name: str, alt: str) -> str:
    """The picture in a page."""
    return f"![{alt}]({name}.svg)"


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the ends, three to seven of them."""
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def _span(rows: Mapping[str, Figure], mark: float | None) -> tuple[float, float]:
    ends = [f.value + sign * _ERRORS * f.error for f in rows.values() for sign in (-1, 1)]
    low, high = min([*ends, *_one(mark)]), max([*ends, *_one(mark)])
    room = 0.04 * (high - low) or 1.0
    return (0.0 if 0 <= low < high / 2 else low - room), high + room


def _one(mark: float | None) -> Sequence[float]:
    return () if mark is None else (mark,)


def _mark(x: float, below: float) -> str:
    return f'<path d="M{x:.1f} 8V{below:.0f}" stroke="#c33" stroke-dasharray="4 3"/>'


def _dot(at: Callable[[float], float], y: int, name: str, figure: Figure) -> str:
    least, most = (at(figure.value + sign * _ERRORS * figure.error) for sign in (-1, 1))
    return (
        f'<text x="12" y="{y + 4}">{escape(name)}</text>'
        f'<path d="M{least:.1f} {y}H{most:.1f}" stroke="#24567a" stroke-width="2"/>'
        f'<circle cx="{at(figure.value):.1f}" cy="{y}" r="4" fill="#24567a"/>'
    )

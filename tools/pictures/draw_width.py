"""How wide the band of a certificate is, by the number of examples, beside the source paper's."""

from __future__ import annotations

from typing import NamedTuple

from canvas import BLUE, INK, ORANGE, PALE, RULE, Canvas

from nofluke import bands, selective

# The source paper's synthetic study: half of 2000 candidates are kept.
K, M, DELTA = 2000, 1000, 0.1
SIZES = (20, 30, 40, 50, 60, 80, 100, 120, 140, 160, 180, 200)


class Widths(NamedTuple):
    """Half-widths at one number of examples."""

    n: int
    paper: float
    kolmogorov: float


def widths() -> list[Widths]:
    """The paper's rule and band, and the default rule with the exact Kolmogorov band."""
    paper = selective.psdme(K=K, delta=DELTA, size=M).alpha(M)
    ours = selective.fixed_size(K=K, delta=DELTA, size=M).alpha(M)
    return [
        Widths(
            n,
            bands.half_width("dkw", n, paper, side="both"),
            bands.half_width("kolmogorov", n, ours, side="lower"),
        )
        for n in SIZES
    ]


def drawn() -> str:
    """Two curves, from zero."""
    found = widths()
    saved = [1 - w.kolmogorov / w.paper for w in found]
    told = (
        f"From n = {SIZES[0]} to {SIZES[-1]} the exact Kolmogorov band is "
        f"{100 * min(saved):.0f} to {100 * max(saved):.0f} % narrower: "
        + "; ".join(f"n = {w.n}: {w.kolmogorov:.3f} against {w.paper:.3f}" for w in found)
    )
    canvas = Canvas(720, 330, title="Half-width of the band by the number of examples", told=told)
    canvas.text(16, 26, "Half-width of the band of each chosen candidate", bold=True)
    canvas.text(16, 46, f"{M} chosen from K = {K}, delta = {DELTA}; narrower is better", ink=PALE)
    for tenth in range(5):
        y = _y(tenth / 10)
        canvas.line(60, y, 560, y, ink=RULE, wide=1)
        canvas.text(52, y + 4, f"{tenth / 10:g}", at="end", ink=PALE)
    for n in (20, 50, 100, 150, 200):
        canvas.text(_x(n), 302, str(n), at="middle", ink=PALE)
    canvas.text(310, 322, "examples n of each candidate", at="middle", ink=INK)
    canvas.path([(_x(w.n), _y(w.paper)) for w in found], ink=ORANGE, dashes="7 4")
    canvas.path([(_x(w.n), _y(w.kolmogorov)) for w in found], ink=BLUE)
    last = found[-1]
    canvas.text(568, _y(last.paper) + 4, f"PS-DME {last.paper:.3f}", ink=ORANGE, bold=True)
    canvas.text(
        568, _y(last.kolmogorov) + 4, f"Kolmogorov {last.kolmogorov:.3f}", ink=BLUE, bold=True
    )
    return canvas.svg()


def _x(n: float) -> float:
    return 60 + 500 * n / 200


def _y(half_width: float) -> float:
    return 284 - 500 * half_width

"""The pictures of a page, each with its caption and the numbers it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import plots
from nofluke.plots import canvas
from nofluke.plots.fan import jumps, share_up_to
from nofluke.plots.labels import metric
from nofluke.plots.rules import side_by_side
from nofluke.report.wording import number, promised
from nofluke.results import Band, Ordered
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nofluke.questions.certificate import Certificate
    from nofluke.results import Result

__all__ = ["Picture", "drawn", "first", "rules", "side_by_side"]

_GAMMAS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
_LINES = 24  # as many jumps of a distribution as a table can show to be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One figure of a page.

    Attributes:
        svg: The picture as SVG.
        caption: What it shows, with its guarantee word.
        columns: Heads of the table of its numbers.
        lines: Lines of that table; the first cell of each names it.
        rest: What the table leaves out, and where that stands.
    """

    svg: str
    caption: str
    columns: tuple[str, ...] = ()
    lines: Sequence[tuple[str, ...]] = ()
    rest: str = ""


def first(result: Certificate) -> list[Picture]:
    """The pictures that stand under the verdict."""
    if not result.evaluated:
        return []
    return [_rates(result)] if result.binary else [_curves(result), _fan(result)]


def rules(result: Certificate) -> Picture | None:
    """The picture of all level rules; its numbers are the table that follows it."""
    if not result.rules:
        return None
    what = "Error level" if result.binary else "Half-width of the band"
    caption = f"{what} under every level rule; hatched rules are not valid here."
    return Picture(svg=drawn(plots.rules, result), caption=caption)


def drawn(draw: Callable[..., Any], result: Result) -> str:
    """Drawn in one style, whatever style the surrounding session has set."""
    from matplotlib import style

    with style.context("default"):
        return plots.svg(draw(result))


def _curves(result: Certificate) -> Picture:
    gammas = tuple(sorted({*_GAMMAS, *result.gammas}))
    named = result.evaluated[: canvas.MOST]
    lines = [
        (
            visible(e.candidate),
            *(promised(v, result.better, digits=4) for v in result.curve(e.candidate, gammas)),
        )
        for e in named
    ]
    left = len(result.evaluated) - len(named)
    return Picture(
        svg=drawn(plots.kpi_against_gamma, result),
        caption=(
            f"Guaranteed {metric(result)} against the failure rate ({result.guarantee}); rings "
            "are winners at their own level."
        ),
        columns=("candidate", *(f"γ = {g:g}" for g in gammas)),
        lines=lines,
        rest=f"The {left} other chosen stand in the table of results." if left else "",
    )


def _fan(result: Certificate) -> Picture:
    best = result.evaluated[0]
    band = best.region
    if not isinstance(band, Band):
        raise TypeError("a fan needs a band")
    x = jumps(band)
    t = x[np.unique(np.linspace(0, x.size - 1, min(_LINES, x.size)).astype(np.int64))]
    limits = zip(t, share_up_to(band, t), band.lower(t), band.upper(t), strict=True)
    return Picture(
        svg=drawn(plots.band_fan, result),
        caption=(
            f"The distribution of {visible(best.candidate)}, the best of the chosen, with its "
            f"band at error level {band.alpha:.4g} ({result.guarantee})."
        ),
        columns=(metric(result), "share at most this", "lower limit", "upper limit"),
        lines=[
            (
                number(score),
                number(share, 4),
                promised(low, "higher", digits=4),
                promised(up, "lower", digits=4),
            )
            for score, share, low, up in limits
        ],
        rest=f"{t.size} of {_different(band)}.",
    )


def _different(band: Band) -> str:
    if isinstance(band.x, Ordered):
        return f"{band.x.size} scores"
    return f"{np.unique(band.x).size} different scores"


def _rates(result: Certificate) -> Picture:
    lines = [
        (
            visible(e.candidate),
            number(getattr(e.region, "estimate", None)),
            promised(e.value(result.gammas[0], result.better), result.better),
            str(e.n),
        )
        for e in result.evaluated
    ]
    way = "at least" if result.better == "higher" else "at most"
    return Picture(
        svg=drawn(plots.rates, result),
        caption=f"Rate of 1 of each of the chosen, with its promised limit ({result.guarantee}).",
        columns=("candidate", "rate in the sample (descriptive)", f"promised: {way}", "n"),
        lines=lines,
    )

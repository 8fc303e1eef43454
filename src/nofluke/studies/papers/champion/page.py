"""The report: the claims beside what was found, and the tables behind them, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nofluke.studies import pictures as drawn
from nofluke.studies.engine import Figure, Row
from nofluke.studies.page import claims_table, grid, opening, told
from nofluke.studies.papers.champion.cells import LEVEL, WINNERS
from nofluke.studies.papers.champion.figures import chosen

if TYPE_CHECKING:
    from nofluke.studies.claims import Answered

_TITLE = "The best of ten seeds, simulated again"
_SOURCE = """A chapter shrinks ten evaluations to the score of a champion: ten areas on one set of
rows, whose mean fails a gate and whose maximum passes it. "The source" is that chapter. Its numbers
are computed again by the functions that answer for them, and what it says of maxima, winners and
variances is simulated. Claims Q1 to Q6 are our own."""

_NAMES = {
    "delong": "plain (DeLong)",
    "logit_t": "plain (logit, t)",
    "projection": "projection",
    "hybrid": "hybrid",
}


def markdown(
    tables: Mapping[str, list[Row]], claims: Sequence[Answered], manifest: Mapping[str, Any]
) -> str:
    """The whole page; the same bytes for the same tables."""
    parts = [
        opening(_TITLE, _SOURCE, claims, manifest),
        claims_table(claims),
        _maxima(tables["maxima"]),
        _winners(tables["winners"]),
        _layers(tables["layers"]),
    ]
    return "\n\n".join(parts) + "\n"


def pictures(tables: Mapping[str, list[Row]]) -> dict[str, str]:
    """Coverage of the winner's true area."""
    rows = chosen(tables["winners"], truth="equal")
    named = {
        f"{_NAMES[row['method']]}, rho = {row['rho']:g}": Figure(
            row["coverage"], row["coverage_error"]
        )
        for row in sorted(rows, key=lambda row: WINNERS.index(row["method"]))
    }
    title = "How often intervals hold the true area of the best of ten"
    axis = "coverage of the winner's true area; dashed: what is promised"
    return {"winners": drawn.dots(named, title=title, axis=axis, mark=LEVEL, span=(0.5, 1.0))}


def _maxima(rows: list[Row]) -> str:
    names = ("lead", "passes", "covers")
    lines = []
    for m, rho in dict.fromkeys((row["m"], row["rho"]) for row in rows):
        found = {name: chosen(rows, m=m, rho=rho, number=name)[0] for name in names}
        cells = [
            f"{told(Figure(found[n]['value'], found[n]['error']))}; {found[n]['exact']:.3f}"
            for n in names
        ]
        lines.append([f"{m}", f"{rho:g}", *cells])
    heads = ("m", "rho", "lead of the maximum", "one of m passes", "plain interval covers")
    return f"""## The largest of m

Normal scores with equal means, correlated by rho: mean of the largest in standard errors; chance
that at least one is above what a single one exceeds with chance 0.2; how often the plain
{LEVEL:.0%} interval around the largest holds the truth. Simulated, then by `expected_maximum`,
`pass_probability` and `naive_coverage`.

{grid(heads, lines)}"""


def _winners(rows: list[Row]) -> str:
    lines = []
    for rho, truth in dict.fromkeys((row["rho"], row["truth"]) for row in rows):
        found = {row["method"]: row for row in chosen(rows, rho=rho, truth=truth)}
        covered = [told(Figure(found[m]["coverage"], found[m]["coverage_error"])) for m in WINNERS]
        leads = [
            told(Figure(found[m]["lead"], found[m]["lead_error"])) for m in ("delong", "hybrid")
        ]
        lines.append([f"{rho:g}", truth, *covered, *leads])
    heads = ("rho", "true areas", *_NAMES.values(), "lead, plain", "lead, hybrid")
    return f"""## Intervals for the winner

Ten seeds on the same 50 positive and 950 negative rows, true areas of 0.83 each or spread about it
like ten seeds whose standard deviation is 0.019, errors correlated by rho. How often a {LEVEL:.0%}
interval holds the winner's true area, and how far its estimate lies above it on average.

{grid(heads, lines)}

{drawn.shown("champion/winners", "Coverage of the winner's true area by four intervals")}"""


def _layers(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row["number"] for row in rows))
    lines = []
    for sd in dict.fromkeys(row["sd"] for row in rows):
        found = {row["number"]: row for row in chosen(rows, sd=sd)}
        digits = [6 if name.startswith("variance") else 3 for name in names]
        cells = [
            told(Figure(found[name]["value"], found[name]["error"]), d)
            for name, d in zip(names, digits, strict=True)
        ]
        lines.append([f"{sd:g}", *cells])
    return f"""## Two layers of variance

Ten seeds drawn anew for each data set, and rows too: the distance between the classes varies over
seeds with the standard deviation on the left, errors of two seeds are correlated by 0.8.
`decompose` estimates both parts; the variance of the mean area is the first over ten plus the
second. The interval of the recipe's mean area that uses s / sqrt(10) leaves the rows out.

{grid(("spread of seeds", *names), lines)}"""

"""A ledger as a timeline: who looked at which rows, and what was fixed before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.ledger.answers import LedgerReport, Verified
from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.ledger.answers import Line

#: Lanes for rows that one picture can show; of more it shows those that the ledger knows last.
MOST_SETS = 12

_RECORDS = "records"
# kind of entry: marker, colour, filled, what it is called below the picture
_MARKS = {
    "data": ("D", canvas.COLOURS[4], False, "registered or in another role"),
    "role": ("D", canvas.COLOURS[4], False, "registered or in another role"),
    "look": ("o", canvas.COLOURS[1], True, "look, answer returned"),
    "access": ("o", canvas.COLOURS[1], True, "look, answer returned"),
    "attempt": ("|", canvas.MUTED, True, "question begun"),
    "failed": ("o", canvas.COLOURS[0], False, "nothing returned"),
    "refused": ("X", canvas.COLOURS[0], True, "refused"),
    "torn": ("v", canvas.COLOURS[1], False, "unfinished"),
}
_RECORD = ("s", canvas.COLOURS[2], True, "record")


@draw.register(LedgerReport)
def ledger(result: LedgerReport, *, ax: Axes | None = None) -> Axes:
    """Draw every entry in its order, with one lane for the records and one for each set of rows.

    A line across the lanes is a freeze of the pipeline. The order is that of the chain; clocks of
    several machines may differ.

    Args:
        result: What a ledger reports.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    sets = [row["name"] for row in result.sets][-MOST_SETS:]
    lanes = {name: place for place, name in enumerate([_RECORDS, *sets])}
    ax = canvas.axes(ax, height=2.4 + 0.42 * len(lanes))
    shown: dict[str, bool] = {}
    for line in result.timeline:
        if line.kind == "freeze":
            ax.axvline(line.seq, color=canvas.INK, ls=canvas.STROKES[1], lw=1.4, gid="freeze")
            continue
        for name in line.rows or (_RECORDS,):
            if name in lanes:
                _mark(ax, line, lanes[name], shown)
    ax.set_yticks(range(len(lanes)))
    ax.set_yticklabels([labels.short(name, 24) for name in lanes], **labels.PLAIN)
    ax.set_ylim(len(lanes) - 0.4, -0.6)
    ax.set_xlim(0.4, result.n + 0.6)
    _whole_numbers(ax)
    for row in result.sets[-MOST_SETS:]:
        canvas.beside(ax, lanes[row["name"]], row["state"], strong=row["state"] == "spent")
    frozen = ["dashed line: pipeline frozen"] if any(
        line.kind == "freeze" for line in result.timeline
    ) else []  # fmt: skip
    hidden = len(result.sets) - len(sets)
    more = [f"{hidden} sets of rows are not drawn"] if hidden else []
    canvas.footer(ax, [*_legend(shown), *frozen, *more])
    canvas.caption(
        ax,
        title=f"{labels.short(result.name, 40)}: {result.n} entries in their order\n"
        f"{result.guarantee}",
        told=(
            f"{result.n} entries from left to right, in {len(lanes)} lanes: records, and "
            f"{len(sets)} sets of rows with each look at them."
        ),
        x=f"number of the entry ({_day(result.timeline[0])} to {_day(result.timeline[-1])})",
        y="",
    )
    return ax


@draw.register(Verified)
def ledger_chain(result: Verified, *, ax: Axes | None = None) -> Axes:
    """Draw the stored entries as a chain, with what is not as it was written.

    Args:
        result: The check of a ledger.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax, height=1.9)
    places = sorted({fault.place for fault in result.faults})
    kept = [head.seq for head in result.heads]
    last = max([1, result.n, *places, *kept])
    ax.plot([1, max(result.n, 1)], [0, 0], color=canvas.COLOURS[0], lw=3, label="chain")
    if places:
        ax.plot(places, [0] * len(places), "X", color=canvas.COLOURS[1], ms=11, label="faults")
    if kept:
        ax.plot(kept, [0.25] * len(kept), "v", color=canvas.INK, ms=8, label="heads kept")
    ax.set_ylim(-1, 1)
    ax.set_yticks([])
    ax.set_xlim(0.4, last + 0.6)
    _whole_numbers(ax)
    found = "nothing found" if result.intact else f"faults at {labels.short(str(places), 60)}"
    told = ["cross: not as it was written; triangle: a head that was kept elsewhere"]
    canvas.footer(ax, told)
    canvas.caption(
        ax,
        title=f"The chain of {result.n} entries: {found}\n{result.guarantee}",
        told=f"A line for {result.n} entries, with {len(places)} places that are not as written.",
        x="stored entry",
        y="",
    )
    return ax


def _whole_numbers(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _day(line: Line) -> str:
    return line.time[:10]


def _mark(ax: Axes, line: Line, place: int, shown: dict[str, bool]) -> None:
    marker, colour, filled, word = _MARKS.get(line.kind, _RECORD)
    ax.plot(line.seq, place, marker, color=colour, mfc=colour if filled else "white", ms=8,
            mew=1.6, label=None if word in shown else word, gid=line.kind)  # fmt: skip
    shown[word] = True


def _legend(shown: dict[str, bool]) -> list[str]:
    signs = {word: (marker, filled) for marker, _, filled, word in [*_MARKS.values(), _RECORD]}
    names = {"D": "diamond", "o": "circle", "|": "stroke", "X": "cross", "v": "triangle",
             "s": "square"}  # fmt: skip
    told = [f"{'' if signs[word][1] else 'open '}{names[signs[word][0]]}: {word}" for word in shown]
    return ["; ".join(told[i : i + 3]) for i in range(0, len(told), 3)]

"""Show an answer: text for people, JSON and CSV for programs, HTML for both."""

from __future__ import annotations

import csv
import io
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from nofluke.questions.certificate import Certificate
    from nofluke.results import Row

# Wide enough for long ids where nobody is looking at a terminal; nothing is ever cut off.
_PIPE_WIDTH = 160


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner on stderr while something takes time, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def answer(result: Certificate, *, form: str, work: bool, quiet: bool) -> None:
    """Print the answer in the form asked for."""
    if form != "text" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    if form == "json":
        sys.stdout.write(result.to_json())
    elif form == "csv":
        sys.stdout.write(table_of(result.rows()))
    elif form == "html":
        from nofluke.report import page

        sys.stdout.write(page(result))
    elif quiet:
        lines = [*result.sentences(), *(result.work() if work else [])]
        sys.stdout.write("\n".join(lines) + "\n")
    else:
        _text(result, work=work)


def table_of(rows: list[Row]) -> str:
    """Rows as CSV, infinities as inf and absent values as empty cells."""
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def _text(result: Certificate, *, work: bool) -> None:
    from rich.console import Console

    console = Console(
        highlight=False,
        emoji=False,
        markup=False,
        width=None if sys.stdout.isatty() else _PIPE_WIDTH,
    )
    way = f"{result.better} is better"
    console.print(
        f"{result.K} candidates, {result.n} examples, {result.metric or 'score'}, {way}; "
        f"chosen {result.selection} by {result.chosen_by}; rule {result.rule}, band {result.band} "
        f"(side {result.side})\n"
    )
    if result.selected:
        tables = [_shortlist(result), _winners(result), _rules(result)]
        if result.asked_functionals:
            tables.insert(1, _functionals(result))
        for title, grid in tables:
            console.print(title)
            console.print(grid)
        for line in _smallest(result):
            console.print(line)
    if result.price is not None:
        console.print(f"{100 * result.price:.0f} % of the half-width is the price of the choice.\n")
    for sentence in result.sentences():
        console.print(f"* {_visible(sentence)}")
    console.print(f"\nGuarantee: {result.guarantee}. It assumes:")
    for assumption in result.assumes:
        console.print(f"  - {assumption}")
    for note in result.notes:
        console.print(_visible(note))
    if work:
        console.print("\nTerms of the bound:")
        for line in result.work():
            console.print(f"  {line}")


def _shortlist(result: Certificate) -> tuple[str, Table]:
    title = f"The shortlist: claim {result.claim}, delta {result.delta:g} ({result.guarantee})"
    word = "rate" if result.binary else "guaranteed at gamma"
    gammas = result.gammas[:1] if result.binary else result.gammas
    heads = ["candidate", "n", "mean", "alpha"] + ([] if result.binary else ["half-width"])
    heads += [f"bound on the {word}" if result.binary else f"{word} {g:g}" for g in gammas]
    lines = []
    for e in result.evaluated:
        rows = [e.row(g, result.better) for g in gammas]
        line = [e.candidate, str(e.n), f"{e.mean:.4g}", f"{e.alpha:.4g}"]
        if not result.binary:
            line.append(f"{e.half_width:.4f}")
        lines.append(line + [_promise(row, result) for row in rows])
    return title, _grid(heads, lines, texts={"candidate"})


def _promise(row: Row, result: Certificate) -> str:
    if not result.binary and not row["certified"]:
        if row["n_needed"]:
            why = f"needs n >= {row['n_needed']}"
        else:
            why = "infinite scores" if row["rank"] else "level 0"
        return f"{row['value']:g} ({why})"
    sign = "<=" if result.better == "lower" else ">="
    return f"{sign} {outward(row['value'], result.better)}"


def _smallest(result: Certificate) -> list[str]:
    """The smallest failure rates that these n certify at this level."""
    least = {e.n: e.gamma_min(result.better) for e in result.evaluated}
    told = [
        f"{outward(gamma, 'lower', digits=3)} with n={n}"
        for n, gamma in sorted(least.items())
        if gamma is not None
    ]
    return [f"Smallest failure rate certified at this level: {', '.join(told)}.\n"] if told else []


def _functionals(result: Certificate) -> tuple[str, Table]:
    heads = ["candidate", "functional", "estimate", "lower limit", "upper limit"]
    lines = []
    for row in result.functionals():
        limits = (outward(row["lower"], "higher"), outward(row["upper"], "lower"))
        lines.append([row["candidate"], row["functional"], f"{row['estimate']:.4g}", *limits])
    title = f"Further numbers, valid together with each band ({result.guarantee})"
    return title, _grid(heads, lines, texts={"candidate", "functional"})


def _winners(result: Certificate) -> tuple[str, Table]:
    lines = []
    for row in result.winners():
        who = row["candidate"] or "nobody"
        promise = "" if row["candidate"] is None else _promise(row | {"certified": True}, result)
        lines.append([f"{row['gamma']:g}", who, promise, f"{row['alpha']:.4g}"])
    title = "The winner, a separate claim at its own level (finite-sample)"
    return title, _grid(["gamma", "winner", "guaranteed", "alpha"], lines, texts={"winner"})


def _rules(result: Certificate) -> tuple[str, Table]:
    lines = []
    for row in result.rules:
        width = "" if row["half_width"] is None else f"{row['half_width']:.4f}"
        valid = "yes" if row["valid"] else "no"
        used = "<- used" if row["rule"] == result.rule else ""
        lines.append(
            [row["rule"], f"{row['alpha']:.4g}", width, valid, f"{row['note']} {used}".strip()]
        )
    heads = ["rule", "alpha", "half-width", "valid", "note"]
    title = "Level rules side by side, by the half-width of a band of constant width"
    return title, _grid(heads, lines, texts={"rule", "note"})


def _visible(text: str) -> str:
    """Text whose control characters cannot reach the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _grid(heads: list[str], lines: list[list[str]], *, texts: set[str]) -> Table:
    """A table with columns of text on the left and of numbers on the right; nothing is cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        grid.add_column(Text(head), justify="left" if head in texts else "right", overflow="fold")
    for line in lines:
        grid.add_row(*(Text(_visible(cell)) for cell in line))
    return grid

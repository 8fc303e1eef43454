"""A certificate as text: its headline and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.results import outward

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.certificate import Certificate
    from nofluke.results import Row


def headline(result: Certificate) -> list[str]:
    """What was asked, in a line."""
    return [
        f"{result.K} candidates, {result.n} examples, {result.metric or 'score'}, {result.better} "
        f"is better; chosen {result.selection} by {result.chosen_by}; rule {result.rule}, band "
        f"{result.band} (side {result.side})"
    ]


def tables(result: Certificate) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    if not result.selected:
        return []
    found = [_shortlist(result), _winners(result), _rules(result)]
    if result.asked_functionals:
        found.insert(1, _functionals(result))
    return found


def remarks(result: Certificate) -> list[str]:
    """Lines that follow the tables."""
    told = _smallest(result) if result.selected else []
    if result.price is not None:
        told += [f"{100 * result.price:.0f} % of the half-width is the price of the choice.", ""]
    return told


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
    return title, grid(heads, lines, texts={"candidate"})


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
    return (
        [f"Smallest failure rate certified at this level: {', '.join(told)}.", ""] if told else []
    )


def _functionals(result: Certificate) -> tuple[str, Table]:
    heads = ["candidate", "functional", "estimate", "lower limit", "upper limit"]
    lines = []
    for row in result.functionals():
        limits = (outward(row["lower"], "higher"), outward(row["upper"], "lower"))
        lines.append([row["candidate"], row["functional"], f"{row['estimate']:.4g}", *limits])
    title = f"Further numbers, valid together with each band ({result.guarantee})"
    return title, grid(heads, lines, texts={"candidate", "functional"})


def _winners(result: Certificate) -> tuple[str, Table]:
    lines = []
    for row in result.winners():
        who = row["candidate"] or "nobody"
        promise = "" if row["candidate"] is None else _promise(row | {"certified": True}, result)
        lines.append([f"{row['gamma']:g}", who, promise, f"{row['alpha']:.4g}"])
    title = "The winner, a separate claim at its own level (finite-sample)"
    return title, grid(["gamma", "winner", "guaranteed", "alpha"], lines, texts={"winner"})


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
    return title, grid(heads, lines, texts={"rule", "note"})

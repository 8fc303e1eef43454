"""A comparison as text: its headline and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.cli.tables import grid
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from nofluke.questions.comparison import Comparison
    from nofluke.results import Row


def headline(result: Comparison) -> list[str]:
    """What was asked, and the verdict."""
    claim = result.claim
    way = f", {result.better} is better" if result.better else ""
    margin = f", margin {claim.margin:g}" if claim.margin else ""
    return [
        f"{result.b} against {result.a}: {result.counted}, {result.unit_name}{way}; "
        f"alternative {claim.alternative}{margin}, alpha {claim.alpha:g}, method {result.method}",
        f"Verdict: {result.verdict.upper()}",
    ]


def tables(result: Comparison) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    found = [_intervals(result), _methods(result)]
    if result.subgroups:
        found.append(_subgroups(result))
    if result.shares:
        found.append(_shares(result))
    found.append(_pairing(result))
    return found


def remarks(result: Comparison) -> list[str]:
    """Lines that follow the tables."""
    told = []
    if result.plain_estimate is not None:
        told.append(
            f"The answer is about the {result.estimand}, {result.estimate:.4g} in the sample; "
            f"counting every example alike it is {result.plain_estimate:.4g} (descriptive)."
        )
    if result.floor is not None:
        told.append(
            f"To show even a constant gain of the observed size, any rule that holds for every "
            f"distribution needs at least {result.floor} {result.unit}; here are {result.n_units}."
        )
    serial = result.dependence.get("serial")
    if serial:
        told.append(
            f"In time, neighbours correlate by {serial['autocorrelations'][0]:.3g}; the effective "
            f"sample size is about {serial['effective_n']:.4g} (descriptive; no limit uses it)."
        )
    return [*told, ""] if told else []


def _intervals(result: Comparison) -> tuple[str, Table]:
    lines = [
        [name, f"{i.estimate:.4g}", *limits(i.lower, i.upper), i.method, i.guarantee]
        for name, i in (("guaranteed", result.guaranteed), ("asymptotic", result.asymptotic))
        if i is not None
    ]
    lines += [
        [name, f"{result.estimate:.4g}", *limits(i["lower"], i["upper"]), method, i["guarantee"]]
        for name, method, i in _resampled(result)
    ]
    title = (
        f"Mean difference, {result.b} minus {result.a}: each limit at error level "
        f"{result.limit_alpha:g}"
    )
    heads = ["interval", "estimate", "lower", "upper", "method", "guarantee"]
    return title, grid(heads, lines, texts={"interval", "method", "guarantee"})


def _resampled(result: Comparison) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Further intervals for dependent rows, where they were counted one by one."""
    if result.unit != "pairs" or result.plain_estimate is not None:
        return []
    clusters, serial = (result.dependence.get(name) for name in ("clusters", "serial"))
    told = []
    if clusters:
        told.append(("by clusters", clusters["method"], clusters))
        told.append(("by clusters", "cluster_bootstrap", clusters["bootstrap"]))
    if serial:
        told.append(("in time", "block_bootstrap", serial["bootstrap"]))
    return told


def _methods(result: Comparison) -> tuple[str, Table]:
    lines = []
    for row in result.rows():
        p = "" if row["pvalue"] is None else outward(row["pvalue"], "lower", digits=4)
        used = "<- used" if row["used"] else ""
        lines.append(
            [row["method"], row["guarantee"], *limits(row["lower"], row["upper"]), p,
             f"{row['verdict']} {used}".strip()]
        )  # fmt: skip
    heads = ["method", "guarantee", "lower", "upper", "p", "verdict by itself"]
    title = "Every method side by side (the verdict is by one that is fixed in advance)"
    return title, grid(heads, lines, texts={"method", "guarantee", "verdict by itself"})


def _subgroups(result: Comparison) -> tuple[str, Table]:
    lines = [
        [row["group"], str(row["n"]), f"{row['estimate']:.4g}",
         *limits(row["lower"], row["upper"]), _p(row), row["verdict"]]
        for row in result.subgroups
    ]  # fmt: skip
    heads = ["group", "n", "estimate", "lower", "upper", "p (Holm)", "verdict"]
    title = f"The same question in each of {len(lines)} groups, all limits at once (finite-sample)"
    return title, grid(heads, lines, texts={"group", "verdict"})


def _p(row: Row) -> str:
    """A p-value rounded up; by betting it is a bound."""
    told = outward(row["adjusted"], "lower", digits=4)
    return f"<= {told}" if row["p_is_bound"] else told


def _shares(result: Comparison) -> tuple[str, Table]:
    lines = [_share(row) for row in result.shares]
    heads = ["group", "n", "share of the test set", "share of the mix", "estimate"]
    return "The test set and the mix (descriptive)", grid(heads, lines, texts={"group"})


def _share(row: Row) -> list[str]:
    estimate = "" if row["estimate"] is None else f"{row['estimate']:.4g}"
    return [row["group"], str(row["n"]), f"{row['share']:.4g}", f"{row['mix']:.4g}", estimate]


def _pairing(result: Comparison) -> tuple[str, Table]:
    told: Mapping[str, object] = result.pairing
    lines = [
        [name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value)]
        for name, value in told.items()
        if value is not None
    ]
    return "Pairing (descriptive)", grid(["count", "value"], lines, texts={"count"})


def limits(lower: float | None, upper: float | None) -> tuple[str, str]:
    """Two limits rounded outward; empty where a method has none."""
    return (
        "" if lower is None else outward(lower, "higher"),
        "" if upper is None else outward(upper, "lower"),
    )

"""What the page of an answer about runs says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.plots.runs import RINGS as MOST_RUNS
from nofluke.questions.runs_answer import Runs, percent_of, quantile_name
from nofluke.questions.runs_work import missing_limit
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.results import Row, outward
from nofluke.text import visible

_ALWAYS = (
    (
        "An interval for a quantile says where that quantile lies. It is no range in which the "
        "next run falls."
    ),
    (
        "The best of several runs, or the best of several configurations with its own interval, is "
        "a choice after looking, and is not paid for unless all intervals hold at once."
    ),
    (
        "Adding runs until an interval looks good breaks it: the number of runs must have been "
        "fixed before the scores were seen."
    ),
    (
        "Runs that share a split, a data set or a test set say nothing about other splits, data "
        "sets or test sets."
    ),
    (
        "SD, SE and half an interval are three numbers; what somebody else's +- means, has to be "
        "asked."
    ),
)


@view.register(Runs)
def runs(result: Runs) -> dict[str, Any]:
    """What the page of an answer about runs says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "runs",
        "figures": [
            Picture(
                svg=drawn(plots.runs, result),
                caption=(
                    f"{_drawn(result)}, the interval of each quantile ({result.guarantee}) and the "
                    "t interval of the mean beside it (asymptotic). The numbers are the tables "
                    "below."
                ),
            )
        ],
        "rows": [_row(row) for row in result.rows()],
        "means": [_named(row) for row in result.means],
        "differences": [_named(row) for row in result.differences],
        "facts": _facts(result),
        "limits": list(_ALWAYS),
        "checked": [
            "No configuration was left out, dropped or averaged without a word.",
            "Which limits exist and which ranks they have depends on the number of runs, the "
            "quantile and the level only, never on the scores.",
        ],
    }


def _drawn(result: Runs) -> str:
    most = max(len(sample["values"]) for sample in result.samples)
    return "Every run" if most <= MOST_RUNS else f"At most {MOST_RUNS} runs of each sample"


def _banner(result: Runs) -> tuple[str, str]:
    word = result.guarantee
    if word == "heuristic" and result.folds:
        return "invalid", "No guarantee: folds of a cross-validation are no independent draws"
    if word == "heuristic":
        return "invalid", "No guarantee: the method aims at its level and does not promise it"
    asked = " and ".join(dict.fromkeys(map(quantile_name, result.quantiles[:3])))
    full = sum(row["status"] == "two_sided" for row in result.intervals)
    total = len(result.intervals)
    if not result.answered:
        return "nothing", f"The runs give no limit for the {asked}"
    if total == 1 and full:
        row = result.intervals[0]
        limits = f"{outward(row['lower'], 'higher')} to {outward(row['upper'], 'lower')}"
        return _kind(result), f"The {asked} of {short(result.quantity, 40)}: {limits} ({word})"
    if total == 1:
        return _kind(result), f"The {asked} has a limit on one side only ({word})"
    return _kind(result), f"{full} of {total} intervals have limits on both sides ({word})"


def _kind(result: Runs) -> str:
    return "promised" if result.guarantee == "finite-sample" else "asymptotic"


def _named(row: Row) -> Row:
    part = "" if row["part"] is None else f" | {row['part']}"
    return {**row, "name": f"{row['candidate']}{part}"}


def _row(row: Row) -> Row:
    """The row with the limits that the runs give; a natural bound is told apart."""
    low = row["rank_lower"] not in (0, None)
    high = row["rank_upper"] not in (row["n"] + 1, None)
    ranks = (
        "–" if row["rank_lower"] is None else f"{row['rank_lower']:.5g}, {row['rank_upper']:.5g}"
    )
    needed = ""
    if row["status"] == "none":
        needed = f"first limit: {row['needed']}"
    elif row["status"] == "one_sided":
        absent = "lower" if high else "upper"
        count = missing_limit(row, absent)
        needed = "" if count is None else f"{absent}: {count}"
    return {
        **_named(row),
        "from_runs": (low, high),
        "ranks": ranks,
        "needs": needed,
    }


def _facts(result: Runs) -> list[tuple[str, str]]:
    """What was asked, in (name, value)."""
    told = [
        ("a run's number", visible(result.quantity)),
        ("quantiles", ", ".join(f"{u:g} ({quantile_name(u)})" for u in result.quantiles)),
        ("confidence asked for", percent_of(result.level)),
        ("confidence of each interval", percent_of(result.interval_level)),
        ("all at once", "yes" if result.simultaneous else "no"),
        ("samples of runs", str(len(result.samples))),
    ]
    if result.bounds is not None:
        told.append(("natural bounds", " to ".join(f"{b:g}" for b in result.bounds)))
    return told

"""What the page of a comparison of corpora says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.questions.designs import counted
from nofluke.questions.pooled_answer import PooledComparison
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import DEPENDENT, common, view
from nofluke.report.wording import number
from nofluke.scores.dependence import lost
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.results import Row

_ALWAYS = (
    (
        "The limits are an approximation for many units. With few of them, or where a few carry "
        "the statistic, they miss more often than the error level says."
    ),
    (
        "The intervals are no menu: BCa decides, and taking the one whose limits please is a "
        "choice that no error level here pays for."
    ),
    (
        "Nothing is said about cases unlike those the items come from: other inputs, a later "
        "time, another user group."
    ),
    (
        "A and B must not have been picked because of their scores on these items; if they were, "
        "alpha must be divided by the number of comparisons that could have been made."
    ),
    "A difference of corpora is no statement about single items: long ones weigh more.",
)


@view.register(PooledComparison)
def pooled(result: PooledComparison) -> dict[str, Any]:
    """What the page of a comparison of corpora says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "items",
        "figures": [_picture(result)],
        "facts": _facts(result),
        "sides": _sides(result),
        "rows": _rows(result),
        "limits": _limits(result),
        "checked": _checked(result),
    }


def _banner(result: PooledComparison) -> tuple[str, str]:
    word = result.guarantee
    if lost(result.notes):
        return DEPENDENT
    if result.verdict != "yes":
        return "nothing", f"Not enough evidence ({word})"
    a, b, by = *(short(name, 60) for name in result.names), short(result.statistic, 40)
    if result.alternative == "different":
        return "asymptotic", f"Yes: {a} and {b} differ in {by} ({word})"
    return "asymptotic", f"Yes: {b} is {result.alternative} than {a} in {by} ({word})"


def _picture(result: PooledComparison) -> Picture:
    return Picture(
        svg=drawn(plots.pooled, result),
        caption=(
            f"The difference with every interval it has ({result.guarantee}); the bold one "
            "decides. Its numbers are the table below."
        ),
    )


def _facts(result: PooledComparison) -> list[tuple[str, str]]:
    """What was compared, in (name, value)."""
    units = counted(result.n_units, f"{result.unit}s")
    held = "" if result.unit == "item" else f", holding {result.n} items"
    return [
        ("statistic", visible(result.statistic)),
        ("which is better", result.better or "not asked"),
        ("alternative", result.alternative),
        ("error level of each interval", f"{result.alpha:g}"),
        ("resampled in pairs", units + held),
    ]


def _sides(result: PooledComparison) -> list[tuple[str, str, str]]:
    """Each side, its figure, and the mean of its items' own."""
    own = result.per_item
    means = ("–", "–") if own is None else (number(own.a), number(own.b))
    figures = (number(result.a), number(result.b))
    return [
        (visible(name), figure, mean)
        for name, figure, mean in zip(result.names, figures, means, strict=True)
    ]


def _rows(result: PooledComparison) -> list[Row]:
    """The intervals; a limit that is not there is None."""
    return [
        {**row, "lower": _limit(row["lower"]), "upper": _limit(row["upper"])}
        for row in result.rows()
    ]


def _limit(value: float) -> float | None:
    return None if value in (float("-inf"), float("inf")) else value


def _limits(result: PooledComparison) -> list[str]:
    """What a reader may be tempted to conclude, and must not."""
    said = []
    if lost(result.notes):
        said.append("Nothing is promised: rows that depend on each other were counted one by one.")
    if result.verdict != "yes":
        said.append(
            "Not enough evidence is no evidence of equality: a difference anywhere within the "
            "limits may be there."
        )
    if result.per_item is not None:
        said.append(
            "The mean of the items' own figures answers another question; it decides nothing here."
        )
    return [*said, *_ALWAYS]


def _checked(result: PooledComparison) -> list[str]:
    """What was verified on the way to this result, as far as its fields tell."""
    gaps = result.question.get("missing", "raise")
    return [
        f"Pairs were made by id; gaps were treated as missing={gaps!r} says.",
        "The statistic is defined on both corpora as a whole.",
    ]

"""The table of methods, from the registers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke import bands, functionals, means, proportions, quantiles, selective, sequences
from nofluke.classify import cost, curves

if TYPE_CHECKING:
    from nofluke.methods import Method, Register

_HEAD = """# Methods

Every method that can be named: what it promises, what it needs to be told, its source.
[What the words promise](guarantees.md#the-ladder-of-words),
[where methods come from](../explanation/origins.md).
"""


class Topic(NamedTuple):
    """One register, and how a reader comes to it."""

    heading: str
    asked: str
    register: Register[Any]


TOPICS = (
    Topic(
        "Level rules",
        "`--rule` of `nofluke certify`, `nofluke.selective`; [formulas and costs](level-rules.md)",
        selective.RULES,
    ),
    Topic(
        "Bands for a distribution function",
        "`--band` of `nofluke certify`, `nofluke.bands`; "
        "[what a band says](guarantees.md#what-one-region-says)",
        bands.METHODS,
    ),
    Topic("Intervals for a rate", "`nofluke.proportions`", proportions.METHODS),
    Topic(
        "Numbers read from a band",
        "`--functional` of `nofluke certify`, `nofluke.functionals`; "
        "[how to](../how-to/functionals.md)",
        functionals.FUNCTIONALS,
    ),
    Topic(
        "Intervals for a mean, looked at once",
        "`--method` of `nofluke compare`, `nofluke.means`; [more](means.md)",
        means.METHODS,
    ),
    Topic(
        "Confidence sequences for a mean, looked at again and again",
        "`--method` of `nofluke compare` with `--planned`, `nofluke.sequences`; [more](means.md)",
        sequences.MEANS,
    ),
    Topic(
        "Intervals for a quantile over runs",
        "`--method` of `nofluke runs`, `nofluke.quantiles`; [how to](../how-to/runs.md)",
        quantiles.METHODS,
    ),
    Topic(
        "Intervals for the area under the ROC curve",
        "`nofluke classifier`, `nofluke.classify.curves`; "
        "[how often they hold](../explanation/intervals-for-auc.md)",
        curves.AUC_INTERVALS,
    ),
    Topic(
        "Intervals for average precision",
        "`nofluke classifier`, `nofluke.classify.curves`",
        curves.AVERAGE_PRECISION_INTERVALS,
    ),
    Topic("Intervals for a cost", "`nofluke.classify.cost`; [more](costs.md)", cost.INTERVALS),
)


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_section(topic) for topic in TOPICS)


def _section(topic: Topic) -> str:
    lines = "".join(_line(method) for method in topic.register.values())
    return (
        f"\n## {topic.heading}\n\nWhere: {topic.asked}.\n\n"
        "| name | guarantee | needs | what it is | source |\n|---|---|---|---|---|\n" + lines
    )


def _line(method: Method[Any]) -> str:
    needs = ", ".join(f"`{need}`" for need in sorted(method.needs))
    told = first_paragraph(method.call)
    return f"| `{method.name}` | {method.guarantee} | {needs} | {told} | {in_cell(method.cite)} |\n"


def first_paragraph(documented: object) -> str:
    """What a docstring says first, as the text of a cell."""
    return in_cell((inspect.getdoc(documented) or "").partition("\n\n")[0])


def in_cell(text: str) -> str:
    """Text as a cell of a Markdown table holds it: one line, code as code."""
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")

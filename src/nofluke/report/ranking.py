"""What the page of a ranking says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.questions.ranking import Ranking
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.report.wording import number
from nofluke.text import visible

_ALWAYS = (
    (
        "Candidates of one tier are not shown to be equal: the evidence does not tell them all "
        "apart."
    ),
    (
        "Tiers are read from the pairs that are told apart; the number of a tier is no measure of "
        "distance."
    ),
    (
        "A candidate that was tried on these examples and left out of the table was one more "
        "comparison, and is not paid for."
    ),
    (
        "Scores are taken as they are. Whether a judge or a metric can be fooled, they do not say: "
        "an adversarial candidate may deserve its scores and not its rank."
    ),
    (
        "Nothing is said about cases unlike those the examples come from: other inputs, a later "
        "time, another user group."
    ),
)


@view.register(Ranking)
def ranking(result: Ranking) -> dict[str, Any]:
    """What the page of a ranking says."""
    rows = result.rows()
    return common(result) | {
        "banner": _banner(result),
        "figures": [
            Picture(
                svg=drawn(plots.ranking, result),
                caption=(
                    f"The ranks that each candidate may have ({result.guarantee}). The numbers "
                    "are the table below."
                ),
            ),
            Picture(
                svg=drawn(plots.estimates, result),
                caption="Mean of each candidate, by tier (descriptive).",
            ),
        ],
        "rows": rows,
        "pvalues": [None] * len(rows) if result.mcs_pvalues is None else result.mcs_pvalues,
        "facts": _facts(result),
        "limits": _limits(result),
        "checked": [
            "Pairs were made by id; gaps were treated as "
            f"missing={result.question.get('missing', 'raise')!r} says.",
            "The answer does not depend on the order of candidates or examples in the input.",
        ],
    }


def _banner(result: Ranking) -> tuple[str, str]:
    if result.guarantee == "heuristic":
        return "invalid", "Not valid: the largest weight was taken from the data"
    kind = "asymptotic" if result.guarantee == "asymptotic" else "promised"
    if not result.edges:
        return "nothing", f"No pair is told apart ({result.guarantee})"
    if len(result.best_set) == 1:
        name = short(result.best_set[0], 60)
        return kind, f"{name} alone may be the best of {result.K} ({result.guarantee})"
    return kind, f"{len(result.best_set)} of {result.K} may be the best ({result.guarantee})"


def _facts(result: Ranking) -> list[tuple[str, str]]:
    """What was compared, in (name, value)."""
    mcs = "–" if result.mcs_set is None else ", ".join(visible(name) for name in result.mcs_set)
    return [
        ("which is better", result.better),
        ("error level of the whole answer", f"{result.alpha:g}"),
        ("method", result.method),
        ("test of a pair", result.test),
        ("counted", result.counted),
        ("a mean is", result.estimand),
        ("pairs told apart", f"{len(result.edges)} of {result.K * (result.K - 1) // 2}"),
        ("may be the best", ", ".join(visible(name) for name in result.best_set) or "nobody"),
        ("model confidence set (asymptotic)", mcs),
    ] + [
        (f"units of {visible(row['first'])} and {visible(row['second'])}", number(row["n"]))
        for row in result.common
    ]


def _limits(result: Ranking) -> list[str]:
    """What a reader may be tempted to conclude, and must not."""
    said = list(_ALWAYS)
    if not result.simultaneous:
        said.insert(0, "The intervals of ranks are not promised to hold, neither all nor each.")
    if result.common:
        said.insert(0, "Means are over different examples, so their order means little.")
    return said

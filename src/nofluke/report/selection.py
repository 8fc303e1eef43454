"""What the pages of nested cross-validation and of leaks say."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, rows_as_cells, view
from nofluke.report.wording import number
from nofluke.selection.leaks import Leakage
from nofluke.selection.nested.answers import NestedCV

_NESTED_LIMITS = (
    "The estimate is one of the procedure of tuning and fitting, not of one fitted model.",
    "Folds share training rows, so the standard error is heuristic, and no limits are promised.",
    "Nothing is said about cases unlike these rows: other inputs, a later time, another site.",
)
_LEAK_LIMITS = (
    "A small leak is no permission: it was measured on these rows only.",
    "Steps that could not be probed may leak as well; the notes name them.",
)


@view.register(NestedCV)
def nested(result: NestedCV) -> dict[str, Any]:
    """What the page of a nested cross-validation says."""
    picture = Picture(
        svg=drawn(plots.index_picture, result),
        caption=f"The role of every row in every outer fold ({result.guarantee}).",
    )
    head = f"{result.metric} {number(result.estimate)} on rows that had no part in the choice"
    return common(result) | {
        "banner": ("descriptive", f"{head} ({result.guarantee})"),
        **rows_as_cells(result, f"Outer folds ({result.guarantee})"),
        "figures": [picture],
        "limits": list(_NESTED_LIMITS),
        "checked": ["No row that was held out had a part in the choice of its fold."],
    }


@view.register(Leakage)
def leakage(result: Leakage) -> dict[str, Any]:
    """What the page of leaks says."""
    figures = []
    if result.steps:
        picture = drawn(plots.leaks, result)
        caption = f"What each step would leak, fitted beforehand ({result.guarantee})."
        figures.append(Picture(svg=picture, caption=caption))
    return common(result) | {
        "banner": ("descriptive", f"By how much each step would flatter ({result.guarantee})"),
        **rows_as_cells(
            result, f"Steps and their leaks, with limits one by one ({result.guarantee})"
        ),
        "figures": figures,
        "limits": list(_LEAK_LIMITS),
        "checked": [],
    }

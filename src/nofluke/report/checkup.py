"""What the page of a check-up says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.questions.checkup import CheckUp
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view

_WORDS = {"stops": "open", "misleads": "look", "told": "note"}

_ALWAYS = (
    "Nothing was mended, dropped, filled or rescaled: the table is as it was.",
    "What is not looked for is not known: a table without findings may still be wrong.",
    "Whether scores are right, or the examples worth asking about, no look at a table can tell.",
)


@view.register(CheckUp)
def checkup(result: CheckUp) -> dict[str, Any]:
    """What the page of a check-up says."""
    figures = []
    if result.candidates:
        figures = [
            Picture(
                svg=drawn(plots.checkup, result),
                caption="Rows with a score, failed and missing (descriptive), by candidate.",
            )
        ]
    return common(result) | {
        "banner": _banner(result),
        "figures": figures,
        "findings": [
            {"word": _WORDS[f.weight], "code": f.code, "text": f.text, "do": f.do}
            for f in result.findings
        ],
        "limits": list(_ALWAYS),
        "checked": [],
    }


def _banner(result: CheckUp) -> tuple[str, str]:
    if not result.read:
        return "invalid", "Cannot be read as scores as it stands"
    if any(f.weight == "stops" for f in result.findings):
        return "invalid", "A choice is open before anything can be asked"
    grave = sum(f.weight == "misleads" for f in result.findings)
    if grave:
        return "asymptotic", f"{grave} thing{'s' * (grave != 1)} in this table could mislead"
    return "descriptive", "Nothing was found, of what is looked for, that would mislead"

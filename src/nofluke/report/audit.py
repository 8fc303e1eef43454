"""What the page of an audit of methods says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.questions.methods_audit import MethodsAudit
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import DEPENDENT, common, view
from nofluke.results import percent
from nofluke.scores.dependence import lost

_LIMITS = (
    (
        "No verdict about A and B: every stream was made to have no gain at all, whatever the two "
        "really differ by."
    ),
    (
        "The rates are those of populations shaped like these differences. A rare large loss that "
        "they miss is missing in every stream too, and methods that it breaks look sound here."
    ),
    (
        "Rates within their standard errors of each other are not told apart: they come from a "
        "simulation, and another seed moves them."
    ),
    "A test with few false alarms may need many more items to see a gain; that is not shown here.",
    "The method with the friendliest verdict is not the one to take: fix it before the data.",
)


@view.register(MethodsAudit)
def audit(result: MethodsAudit) -> dict[str, Any]:
    """What the page of an audit of methods says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "differences",
        "level": percent(result.alpha),
        "figures": [_picture(result)],
        "rows": result.rows(),
        "limits": list(_LIMITS),
        "checked": ["The differences vary, and all of them lie within their bounds."],
    }


def _banner(result: MethodsAudit) -> tuple[str, str]:
    if lost(result.notes):
        return DEPENDENT
    above, level = sum(entry.above_alpha for entry in result.audited), percent(result.alpha)
    if not above:
        return "nothing", f"No test clearly has more than {level} false alarms ({result.guarantee})"
    have = "has" if above == 1 else "have"
    return (
        "nothing",
        f"{above} of {len(result.audited)} tests {have} clearly more than {level} false alarms on "
        f"data of this shape ({result.guarantee})",
    )


def _picture(result: MethodsAudit) -> Picture:
    return Picture(
        svg=drawn(plots.audit, result),
        caption=(
            f"How often each test called a gain where there is none ({result.guarantee}), against "
            "the level it was asked to keep. Its numbers are the table below."
        ),
    )

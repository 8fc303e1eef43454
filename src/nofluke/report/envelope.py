"""What the page of an envelope says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.questions.plan import Envelope
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.report.wording import number, promised

_LIMITS = (
    (
        "Crossing the envelope at one of many looks proves nothing: it is crossed sooner or later "
        "without any difference. It speaks for one n that was fixed in advance."
    ),
    (
        "The n at which an observed mean would cross is no sample size: a true gain of that size "
        "passes there only about half of the time."
    ),
    (
        "It looks at nothing but n, and knows nothing of how much the scores vary; compare needs "
        "far fewer examples for the same promise."
    ),
)


@view.register(Envelope)
def envelope(result: Envelope) -> dict[str, Any]:
    """What the page of an envelope says."""
    threshold = promised(result.eps(result.n_max), "lower", digits=4)
    rows = result.rows()
    return common(result) | {
        "banner": (
            "nothing",
            f"Threshold at n = {result.n_max}: {threshold} ({result.guarantee}, for one n fixed "
            "in advance)",
        ),
        "figures": [_picture(result)],
        "rows": rows,
        "moments": _moments(result),
        "limits": list(_LIMITS),
        "checked": [],
    }


def _picture(result: Envelope) -> Picture:
    return Picture(
        svg=drawn(plots.envelope, result),
        caption=(
            f"The threshold for the mean difference against n ({result.guarantee}, for one n "
            "fixed in advance). Its numbers are the table below."
        ),
    )


def _moments(result: Envelope) -> list[tuple[str, str]]:
    """What an observed mean needs, in (name, value)."""
    if result.observed is None:
        return []
    told = [("observed mean difference", number(result.observed))]
    crossing = result.crossing
    if crossing is None:
        return [*told, ("n at which it crosses", "none")]
    enough = result.n_with_power(abs(result.observed))
    return [
        *told,
        ("n at which it crosses", str(crossing)),
        ("n at which a true gain of that size passes with 80 %", str(enough)),
    ]

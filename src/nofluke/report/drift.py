"""What the pages of a report on drift and of a watch for drift say."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.questions.drift_card import DriftCard
from nofluke.questions.drift_watched import DriftWatched
from nofluke.questions.drift_words import changed
from nofluke.questions.drift_words import watched as names
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.results import percent

_LIMITS = (
    "No change seen is no proof that nothing has changed: it may be smaller than these rows show.",
    "A change of the predictors need not hurt: what it does to decisions only labels tell.",
    "Drift of several kinds at once is not excluded by what is named here, unless it says so.",
    "Rows that belong together (several of one person) are counted as if each stood for itself.",
)
_WATCHED = (
    "No alarm is no proof that nothing has changed; only rates that rise are watched.",
    (
        "The error level is that of the whole watch, for ever: it is not the probability that this "
        "alarm is false."
    ),
    (
        "A second watch, or one that is begun afresh after an alarm, spends an error level of its "
        "own."
    ),
)


@view.register(DriftCard)
def drift(result: DriftCard) -> dict[str, Any]:
    """What the page of a report on drift says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "rows",
        "figures": _figures(result),
        "numbers": list(result.numbers),
        "features": list(result.features),
        "facts": _facts(result),
        "limits": list(_LIMITS),
        "checked": [
            "Features were made comparable without regard to which row is of which time.",
            "Each part has a third of the error level, so that all findings together keep it.",
        ],
    }


@view.register(DriftWatched)
def watched(result: DriftWatched) -> dict[str, Any]:
    """What the page of a watch for drift says."""
    if result.alarm is None:
        head = "nothing", f"No alarm so far ({result.guarantee})"
    else:
        head = "refuted", f"Alarm at batch {result.alarm} ({result.guarantee})"
    return common(result) | {
        "banner": head,
        "counted": "labelled rows",
        "who": names(result.monitors),
        "rows": result.rows(),
        "facts": [
            ("batches", str(result.batches)),
            ("labelled rows", str(result.n)),
            ("rows without a label", str(result.unlabelled)),
            ("probability of any alarm without drift, at most", percent(result.alpha)),
        ],
        "limits": list(_WATCHED),
        "checked": ["Every error or loss that was counted lies between 0 and 1."],
    }


def _banner(result: DriftCard) -> tuple[str, str]:
    word = f"({result.guarantee})"
    if result.seen:
        return "refuted", f"Changed: {', '.join(changed(result))} {word}"
    if result.excluded:
        return "refuted", f"Something has changed, and not {', '.join(result.excluded)} {word}"
    return "nothing", f"No change is seen {word}"


def _figures(result: DriftCard) -> list[Picture]:
    found = []
    if result.features:
        found.append(
            Picture(
                svg=drawn(plots.drift, result),
                caption=(
                    "The stability index of each feature (descriptive) beside its mean without "
                    "drift; what has changed is told by the tests in the table below."
                ),
            )
        )
    if result.path:
        found.append(
            Picture(
                svg=drawn(plots.drift_evidence, result),
                caption="Evidence against each error rate of before, batch by batch (anytime).",
            )
        )
    return found


def _facts(result: DriftCard) -> list[tuple[str, str]]:
    flagged = "nothing is decided" if result.threshold is None else f"{result.threshold:.4g}"
    return [
        ("rows before", str(result.n_reference)),
        ("rows now", str(result.n_current)),
        ("rows now with a label", str(result.n_labelled)),
        ("flagged from this prediction on", flagged),
        ("probability of any finding without a change, at most", percent(result.alpha)),
    ]

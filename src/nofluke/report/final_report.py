"""What the page of a final report says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.questions.classifier_words import per_cent
from nofluke.questions.final_report_card import FinalReport
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.report.wording import number, promised
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.results import Row

_ALWAYS = (
    "The area that the chosen shows is no estimate of what it is worth where it was chosen for it.",
    "Each number may be quoted by itself after the choice; that all of them hold at once is not "
    "said.",
    "Training-set variance is outside these numbers: other training rows, another seed.",
    "That calibration is not refuted does not prove it; few rows refute little.",
    "Precision, negative predictive value, accuracy and cost belong to the share of positives "
    "among these rows; average precision too, and its limits take that share as known.",
    "Nothing is said about cases unlike these; the scope is what its author wrote and was not "
    "checked.",
)
_BEFORE = ("area", "against planned", "against others")


@view.register(FinalReport)
def final_report(result: FinalReport) -> dict[str, Any]:
    """What the page of a final report says."""
    rows = result.rows()
    return common(result) | {
        "banner": _banner(result),
        "figures": _figures(result),
        "areas": [r for r in rows if r["part"] in _BEFORE],
        "numbers": [r for r in rows if r["part"] not in (*_BEFORE, "group")],
        "groups": [r for r in rows if r["part"] == "group"],
        "matrices": [dict(row) for row in result.card.matrices],
        "calibration": [dict(row) for row in result.usual.calibration],
        "checklist": [dict(row) for row in result.checklist],
        "plan": result.champion.rows(),
        "facts": _facts(result),
        "limits": list(_ALWAYS),
        "checked": [
            "All candidates were evaluated on the same examples.",
            "The limits of the chosen pay for the choice, or nothing was chosen after looking.",
            "Every part of a final report is here or is named as missing.",
        ],
    }


def _banner(result: FinalReport) -> tuple[str, str]:
    row: Row = result.headline
    limits = f"{promised(row['lower'], 'higher', digits=3)} to "
    limits += promised(row["upper"], "lower", digits=3)
    kind = {"heuristic": "invalid", "asymptotic": "asymptotic"}.get(row["guarantee"], "promised")
    how = {
        "largest area": f"the largest area, the choice among {result.asked.tried} paid for",
        "picked by name": f"picked by name, the choice among {result.asked.tried} paid for",
        "named beforehand": "named beforehand",
    }[result.choice.by]
    return kind, f"{short(result.chosen, 40)} ({how}): area {limits}"


def _figures(result: FinalReport) -> list[Picture]:
    card = result.card
    curve = card.curves[result.chosen]
    paid = "" if result.payment[:2] == (1, 1) else ", which pays for the choice"
    band = (
        f"; the band has level {per_cent(card.level)}{paid}" if curve.banded else ", without bands"
    )
    found = [
        Picture(
            svg=drawn(plots.final_report, result),
            caption=f"Every area, what was planned, and the chosen ({result.headline['guarantee']}"
            "). The numbers are the tables below.",
        ),
        Picture(
            svg=drawn(plots.roc, card),
            caption=f"ROC curve of the chosen{band}.",
        ),
        Picture(
            svg=drawn(plots.precision_recall, card),
            caption=f"Precision against recall of the chosen{band}.",
        ),
    ]
    if curve.corp is not None:
        found.append(
            Picture(
                svg=drawn(plots.reliability, result.usual),
                caption=f"Calibration of {visible(result.chosen)}, without bins. Its band, "
                "and a p-value in the picture, pay for no choice; the p-value in the table does.",
            )
        )
    if curve.costs is not None:
        found.append(
            Picture(
                svg=drawn(plots.costs, card),
                caption=f"What every threshold costs a row{band}.",
            )
        )
    if curve.benefit is not None:
        found.append(
            Picture(
                svg=drawn(plots.benefit, card),
                caption=f"Decision curve of the chosen{band}.",
            )
        )
    if card.parts:
        found.append(
            Picture(
                svg=drawn(partial(plots.parts, by="group"), card),
                caption=f"Area of the chosen by group; the intervals pay for all groups"
                f"{' and for the choice' if paid else ''}.",
            )
        )
    return found


def _facts(result: FinalReport) -> list[tuple[str, str]]:
    """What was chosen and counted, in (name, value)."""
    payment, asked = result.payment, result.asked
    told = [
        ("chosen", f"{visible(result.chosen)} ({result.choice.by})"),
        ("planned", visible(result.champion.rule)),
        ("rule, in words", visible(asked.rule or "missing")),
        ("rule fixed, in words", visible(asked.fixed or "missing")),
        ("candidates tried", str(asked.tried)),
        ("candidates in the data", str(result.champion.m)),
        ("positives and negatives", f"{result.n_positive} and {result.n - result.n_positive}"),
        ("clusters counted", "none" if result.clusters is None else str(result.clusters)),
        ("confidence after the choice", per_cent(result.level)),
        ("error level divided by", str(payment.among())),
    ]
    if payment.thresholds > 1:
        told.append(("that of decisions by", str(payment.among(decision=True))))
    spread = result.champion
    told.append(
        ("areas: mean and standard deviation", f"{number(spread.mean)}, {number(spread.sd)}")
    )
    return told

"""What the page of a card says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.questions.classifier_card import ClassifierCard
from nofluke.questions.classifier_words import per_cent
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.report.wording import number
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.results import Row

_CURVES = 4  # calibration curves on one page

_ALWAYS = (
    (
        "A threshold, a candidate or a group that was picked because of these rows looks better "
        "here than it is; only the candidate of the largest area has an interval that pays for it."
    ),
    (
        "Intervals say how numbers vary with the rows. How a model would come out with other "
        "training data or another seed, these rows do not show."
    ),
    (
        "Precision, negative predictive value, accuracy and cost belong to the share of positives "
        "among these rows, unless another prevalence is named."
    ),
    (
        "That calibration is not refuted does not prove it; few rows refute little. Calibrated on "
        "average may still be wrong in a group."
    ),
    ("Nothing is said about cases unlike these: another site, a later time, other ways to label."),
)


@view.register(ClassifierCard)
def classifier(result: ClassifierCard) -> dict[str, Any]:
    """What the page of a card says."""
    return common(result) | {
        "banner": _banner(result),
        "figures": _figures(result),
        "rows": [dict(row) for row in result.metrics],
        "parts_rows": [dict(row) for row in result.parts],
        "matrices": [dict(row) for row in result.matrices],
        "calibration": [dict(row) for row in result.calibration],
        "differences": [dict(row) for row in result.differences],
        "facts": _facts(result),
        "limits": list(_ALWAYS),
        "checked": [
            "Every label belongs to one of two classes, and the positive one was said or is 1.",
            "No candidate has two predictions for an example, and no example two labels.",
            "Scores were never turned round: an area below one half is shown as it is.",
        ],
    }


def _banner(result: ClassifierCard) -> tuple[str, str]:
    known = [r for r in result.metrics if r["metric"] == "auc" and r["lower"] is not None]
    if not known:
        return "nothing", "The rows do not tell whether the scores order the classes"
    kind = {"heuristic": "invalid", "asymptotic": "asymptotic"}.get(result.guarantee, "promised")
    if result.K == 1:
        row = known[0]
        limits = f"{number(row['lower'], 3)} to {number(row['upper'], 3)}"
        return kind, f"Area under the ROC curve: {number(row['estimate'], 3)}, {limits}"
    if result.best is None:
        return kind, f"{result.K} candidates, not compared"
    best = short(result.best["candidate"], 40)
    return kind, f"{best} has the largest area of {result.K}, and the choice is paid for"


def _figures(result: ClassifierCard) -> list[Picture]:
    found = []
    if any(c.roc is not None for c in result.curves.values()):
        found += [
            Picture(
                svg=drawn(plots.roc, result),
                caption="ROC curves; a mark is the threshold in use. The areas stand in the table.",
            ),
            Picture(
                svg=drawn(plots.precision_recall, result),
                caption="Precision against recall; dotted is the share of positives.",
            ),
        ]
    forecasts = [name for name, c in result.curves.items() if c.corp is not None]
    found += [
        Picture(
            svg=drawn(partial(plots.reliability, candidate=name), result),
            caption=f"Calibration of {visible(name)}, without bins. Its parts stand in the table.",
        )
        for name in forecasts[:_CURVES]
    ]
    if any(c.costs is not None for c in result.curves.values()):
        found.append(
            Picture(
                svg=drawn(plots.costs, result),
                caption="What every threshold costs a row, at all thresholds at once.",
            )
        )
    if any(c.benefit is not None for c in result.curves.values()):
        found.append(
            Picture(
                svg=drawn(plots.benefit, result),
                caption="Decision curve: net benefit over threshold probabilities.",
            )
        )
    found += [
        Picture(
            svg=drawn(partial(plots.parts, by=by), result),
            caption=f"Area by {by}; the numbers stand in the table of parts.",
        )
        for by in dict.fromkeys(row["by"] for row in result.parts)
    ]
    return found


def _facts(result: ClassifierCard) -> list[tuple[str, str]]:
    """What was asked and counted, in (name, value)."""
    row: Row = result.metrics[0]
    told = [
        ("positive class", visible(result.positive or "1")),
        ("positives and negatives", f"{row['n_positive']} and {row['n_negative']}"),
        ("confidence of each interval", per_cent(result.level)),
    ]
    if result.clusters is not None:
        told.append(("clusters counted", str(result.clusters)))
    if result.best is not None:
        told.append(
            (
                "the best, the choice paid for",
                f"{visible(result.best['candidate'])}: {number(result.best['lower'], 4)} to "
                f"{number(result.best['upper'], 4)} (Bonferroni over {result.K})",
            )
        )
    if result.equality is not None:
        told.append(("p-value of equal areas", number(result.equality, 3)))
    return told

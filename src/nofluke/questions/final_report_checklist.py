"""What a final report must carry, and what of it is missing, with what would supply it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.questions.classifier_curves import PLENTY
from nofluke.questions.final_report_asked import CHANCES, SCOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.questions.final_report_asked import Asked
    from nofluke.results import Row
    from nofluke.scores.predictions import Predictions

_BY_CLUSTERS = "rows that are independent, as no method here allows for clusters"


def checklist(
    table: Predictions,
    asked: Asked,
    card: ClassifierCard,
    rows: Sequence[Row],
    *,
    planned: str,
    threshold: str | None,
) -> tuple[Row, ...]:
    """One row for each part of the report, in a fixed order; none is ever left out.

    Args:
        table: The predictions.
        asked: The choices.
        card: The card of the chosen.
        rows: The rows of the report.
        planned: What was planned.
        threshold: Where the threshold comes from; None where there is none.
    """
    return (
        *_of_the_choice(table, asked),
        *_of_the_rows(table, asked),
        *_of_areas(rows, planned),
        *_of_the_chosen(table, card, rows, threshold),
        *_of_the_scope(asked),
        *_of_chances(asked),
    )


def item(
    part: str, *, missing: str = "", told: str = "", supply: str = "", option: str = ""
) -> Row:
    """One part: what it says, or why it is missing and what would supply it."""
    return {
        "part": part,
        "there": not missing,
        "told": missing or told,
        "supply": supply if missing else "",
        "option": option if missing else "",
    }


def _of_the_choice(table: Predictions, asked: Asked) -> list[Row]:
    return [
        item(
            "candidates tried",
            missing=""
            if asked.tried_said
            else f"nobody said how many were tried; {asked.tried} is the least there can be",
            told=f"{asked.tried}, of which {table.K} are in the data",
            supply="tried=",
            option="--tried",
        ),
        item("distribution of their scores", told=f"{table.K} areas on the same rows"),
        item(
            "rule of the choice",
            missing="" if asked.rule else "nobody said by which rule one was chosen",
            told=asked.rule or "",
            supply="rule=, in words",
            option="--rule",
        ),
        item(
            "when the rule was fixed",
            missing="" if asked.fixed else "nobody said when the rule was fixed",
            told=asked.fixed or "",
            supply="fixed=, such as a date and a document",
            option="--fixed",
        ),
    ]


def _of_the_rows(table: Predictions, asked: Asked) -> list[Row]:
    positives = int(table.labels.sum())
    n = len(table.examples)
    clusters = table.clusters()
    return [
        item(
            "rows",
            told=f"{n} examples, {positives} positive and {n - positives} negative; SHA-256 "
            f"{table.digest}",
        ),
        item(
            "clusters of the rows",
            missing="no column tells which rows belong together, so each counts by itself"
            if clusters is None
            else "",
            told="" if clusters is None else f"{int(clusters.max()) + 1} clusters are counted",
            supply='columns={"cluster": "..."} when reading, where rows share a patient, a device, '
            "a document",
            option="--clusters",
        ),
        _scope_item(asked, "rows", "origin of the rows"),
    ]


def _of_areas(rows: Sequence[Row], planned: str) -> list[Row]:
    others = [r for r in rows if r["part"] == "against others"]
    named = planned.startswith("name:")
    return [
        item(
            "difference from what was planned",
            missing=""
            if named
            else f"the plan is the {planned}, which is no candidate, so no rows are paired with it",
            told="with the planned candidate, on the same rows, or it is the chosen one",
            supply="planned='name:ID', where a candidate was planned",
            option="--planned",
        ),
        item(
            "differences from the others",
            told=f"{len(others)}, on the same rows, all at once",
        ),
    ]


def _of_the_chosen(
    table: Predictions, card: ClassifierCard, rows: Sequence[Row], threshold: str | None
) -> list[Row]:
    parts = {r["part"] for r in rows}
    area = next(r for r in rows if r["metric"] == "average_precision")
    probabilities = bool(card.calibration)
    tested = any(r["metric"] == "calibration_test" for r in rows)
    return [
        item(
            "precision and recall",
            missing="" if area["lower"] is not None else f"no interval: {area['reason']}",
            told="average precision, with an interval",
            supply=_BY_CLUSTERS if table.cluster is not None else "n_resamples=",
            option="nothing here" if table.cluster is not None else "--n-resamples",
        ),
        item(
            "calibration",
            missing="its scores are no probabilities"
            if not probabilities
            else ("" if tested else "no test and no bands, only descriptive parts"),
            told="parts of the Brier score, line and test of calibration",
            **_calibrated(table, probabilities=probabilities),
        ),
        item(
            "threshold and decisions",
            missing="" if "decision" in parts else "nobody said from which score on one decides",
            told={"given": "the threshold that was given", "costs": "the threshold of the costs"}
            .get(threshold or "", ""),
            supply="threshold=, fixed before these labels were seen",
            option="--threshold",
        ),
        item(
            "cost at the threshold",
            missing=""
            if "cost" in parts
            else (
                "nobody said what a false alarm and a miss cost"
                if card.question["costs"] is None
                else "there is no threshold"
            ),
            told="cost of a row, beside flagging nobody and everybody",
            supply="costs=, of a false alarm and of a miss, and with a threshold"
            if card.question["costs"] is None
            else "threshold=",
            option="--costs" if card.question["costs"] is None else "--threshold",
        ),
        item(
            "groups",
            missing="" if table.group is not None else "no column tells groups apart",
            told=f"{len({r['group'] for r in rows if r['part'] == 'group'})} groups, all at once",
            supply='columns={"group": "..."} when reading',
            option="--groups",
        ),
    ]  # fmt: skip


def _calibrated(table: Predictions, *, probabilities: bool) -> dict[str, str]:
    """What would supply the test of calibration."""
    if not probabilities:
        supply = "probabilities of the positive class, calibrated on other rows"
        return {"supply": supply, "option": "other predictions"}
    if table.cluster is not None:
        return {"supply": _BY_CLUSTERS, "option": "nothing here"}
    if len(table.examples) > PLENTY:
        return {"supply": "nofluke.classify.calibration.corp, in some time", "option": "Python"}
    return {"supply": "n_resamples=", "option": "--n-resamples"}


def _of_the_scope(asked: Asked) -> list[Row]:
    return [_scope_item(asked, name, name) for name in ("population", "time", "deployment")]


def _scope_item(asked: Asked, name: str, part: str) -> Row:
    option = {"rows": "--origin", "time": "--collected"}.get(name, f"--{name}")
    return item(
        part,
        missing="" if name in asked.scope else f"nobody said {SCOPE[name]}",
        told=asked.scope.get(name, ""),
        supply=f'scope={{"{name}": "..."}}, in words',
        option=option,
    )


def _of_chances(asked: Asked) -> list[Row]:
    return [
        item(
            what,
            missing="" if name in asked.chances else "nobody counted them",
            told=str(asked.chances.get(name, "")),
            supply=f'chances={{"{name}": ...}}',
            option=f"--{name.replace('_', '-')}",
        )
        for name, what in CHANCES.items()
    ]

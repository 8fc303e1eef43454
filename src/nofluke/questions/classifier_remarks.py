"""What a card must say beside its numbers: conditions, and findings about rows and choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import some
from nofluke.questions.classifier_asked import PARTS
from nofluke.questions.classifier_curves import PLENTY
from nofluke.questions.classifier_parts import FLOOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nofluke.questions.classifier_asked import Asked, Cut
    from nofluke.questions.classifier_rows import Rows, Told
    from nofluke.results import Row
    from nofluke.scores.predictions import Predictions


_REFUTED = 0.05


def assumptions(how: Asked, *, clusters: bool, several: bool) -> tuple[str, ...]:
    """What must be true for the guarantees to hold."""
    unit = (
        "Clusters are independent draws; rows of one cluster may depend on each other in any way."
        if clusters
        else "Rows are independent draws of the cases that are meant; no case comes twice, and "
        "none belongs to a group (a patient, a device) that shares its errors."
    )
    told = [
        unit,
        "No row, and nothing that a row tells, had a part in fitting, tuning or choosing the "
        "candidates.",
        "The threshold was fixed before these labels were seen.",
    ]
    if how.prevalence is not None:
        told.append(
            "Where the prevalence is another, positives score like these positives, and negatives "
            "like these negatives; only the mix differs."
        )
    if how.costs is not None:
        told.append("Costs are the same for all errors of a kind, and known.")
    if several:
        told.append("All candidates that were tried on these rows are in the table.")
    return tuple(told)


def about(  # noqa: PLR0917 (what was read, then what was made of it)
    table: Predictions,
    each: Mapping[str, Rows],
    cuts: Mapping[str, tuple[Cut, bool]],
    told: Mapping[str, Told],
    parts: Sequence[Row],
    calibration: Sequence[Row],
    how: Asked,
    *,
    clusters: bool,
    priced: bool,
) -> tuple[str, ...]:
    """The notes of a card, those that concern all candidates first."""
    notes = [
        *_left_out(how),
        *_thresholds(cuts, calibration, priced=priced),
        *_other_examples(table),
        *_counted_by_rows(table, clusters=clusters),
        *([] if "probabilities" in how.without else _not_probabilities(each, cuts)),
        *_withheld(parts),
        *_constant(each),
        *_one_class(each),
        *_folds(table),
        *_without_bands(calibration, clusters=clusters),
    ]
    return tuple(dict.fromkeys([*notes, *_of_candidates(told)]))


def _left_out(how: Asked) -> list[str]:
    if not how.without:
        return []
    told = "; ".join(f"{name} ({PARTS[name]})" for name in how.without)
    return [
        f"NF416: left out, because without= (--without) asked for it: {told}. Nothing is said of "
        "them here, neither good nor bad."
    ]


def _of_candidates(told: Mapping[str, Told]) -> list[str]:
    """Notes of single candidates, each told once with whom it concerns."""
    whose: dict[str, list[str]] = {}
    for name, own in told.items():
        for note in dict.fromkeys(own.notes):
            whose.setdefault(note, []).append(name)
    if len(told) == 1:
        return list(whose)
    parted = [(note.partition(": "), names) for note, names in whose.items()]
    return [f"{code}: {some(names, most=3)}: {text}" for (code, _, text), names in parted]


def _thresholds(
    cuts: Mapping[str, tuple[Cut, bool]], calibration: Sequence[Row], *, priced: bool
) -> list[str]:
    notes = []
    without = [name for name, (cut, _) in cuts.items() if cut.by == "nobody"]
    if without:
        also = " and no cost" if priced else ""
        notes.append(
            f"NF220: no threshold was given for {some(without)}, whose scores are no "
            f"probabilities, so there is no matrix{also}; say with threshold= (--threshold) from "
            "which score on, in their units, a case is flagged, decided before looking at these "
            "labels."
        )
    refuted = {row["candidate"] for row in calibration if _refuted(row)}
    taken = {cut.by: cut.at for cut, _ in cuts.values() if cut.by in ("costs", "one half")}
    for by, at in taken.items():
        names = [name for name, (cut, _) in cuts.items() if cut.by == by]
        off = [name for name in names if name in refuted]
        but = f" Here a test refutes calibration, at 0.05, for {some(off)}." if off else ""
        why = (
            "that of the costs, which is the best one for calibrated probabilities only"
            if by == "costs"
            else "one half, which is the right one where both errors cost the same and "
            "probabilities are calibrated"
        )
        notes.append(
            f"NF221: nobody said from where on cases are flagged by {some(names)}; taken was "
            f"{at:.6g}, {why}. Say threshold= (--threshold) if another one is in use.{but}"
        )
    return notes


def _refuted(row: Row) -> bool:
    return row["pvalue"] is not None and row["pvalue"] <= _REFUTED


def _other_examples(table: Predictions) -> list[str]:
    if table.K < 2 or table.complete:
        return []
    return [
        "NF222: the candidates were not all evaluated on the same examples, so they are not "
        "compared: a difference would mix that of the candidates with that of the examples. "
        "missing='common' compares them on the examples that all have."
    ]


def _counted_by_rows(table: Predictions, *, clusters: bool) -> list[str]:
    if clusters or table.cluster is None:
        return []
    name = table.candidates[0]
    count, rows = len(np.unique(table.codes("cluster", name))), int(table.n[0])
    if not 1 < count < rows:
        return []
    return [
        f"NF223: the {rows} rows belong to {count} clusters and were counted one by one; if rows "
        "of one cluster share their errors, the intervals are wrong, mostly too short. "
        "clusters=True (--clusters) counts clusters."
    ]


def _not_probabilities(each: Mapping[str, Rows], cuts: Mapping[str, tuple[Cut, bool]]) -> list[str]:
    names = [name for name, (_, sure) in cuts.items() if not sure]
    if not names:
        return []
    s = np.concatenate([each[name].s for name in names])
    if s.min() >= 0 and 10 < s.max() <= 100:
        fix = "if they are percentages, divide them by 100"
    else:
        fix = (
            "if they are log odds, give 1 / (1 + exp(-x)); else calibrate them on other rows first"
        )
    return [
        f"NF224: the scores of {some(names)} go from {s.min():.4g} to {s.max():.4g} and are no "
        f"probabilities, so nothing is said about calibration, Brier score and log loss; {fix}."
    ]


def _withheld(parts: Sequence[Row]) -> list[str]:
    names = dict.fromkeys(
        (row["by"], row["part"]) for row in parts if row["reason"].startswith("withheld")
    )
    if not names:
        return []
    return [
        f"NF225: fewer than {FLOOR} rows of a class are in {some([part for _, part in names])}, so "
        "that some numbers there are withheld; the counts stand in the rows. Join parts before "
        "looking at their numbers, or collect more rows."
    ]


def _constant(each: Mapping[str, Rows]) -> list[str]:
    names = [
        name
        for name, own in each.items()
        if own.s.min() == own.s.max() and 0 < np.count_nonzero(own.y) < own.y.size
    ]
    if not names:
        return []
    return [
        f"NF226: {some(names)} gives the same score to every row, so the area is exactly 1/2 "
        "whatever the labels: no row is told from another. Look whether the right column was read."
    ]


def _one_class(each: Mapping[str, Rows]) -> list[str]:
    for own in each.values():
        positives = int(np.count_nonzero(own.y))
        if positives in (0, own.y.size):
            absent = "negative" if positives else "positive"
            return [
                f"NF227: no row is {absent}, of {own.y.size}. Areas, and every number that needs "
                "both classes, are undefined; they are neither 0 nor 1/2. Check which label is the "
                "positive one, or collect rows of the other class."
            ]
    return []


def _folds(table: Predictions) -> list[str]:
    if table.fold is None or len(np.unique(table.fold.codes)) < 2:
        return []
    count = len(np.unique(table.fold.codes))
    return [
        f"NF228: the rows are those of {count} folds, each scored by a model of its own, and are "
        "pooled here. The intervals take the models as given and ignore that folds share training "
        "rows. classify.folds.auc_by_fold has the area fold by fold, which is another quantity."
    ]


def _without_bands(calibration: Sequence[Row], *, clusters: bool) -> list[str]:
    if clusters:
        return [
            "NF229: bands of curves and the test of calibration take rows for independent, so they "
            "are left out where clusters are counted."
        ]
    if any(row["n"] > PLENTY and row["pvalue"] is None for row in calibration):
        return [
            "NF229: so many rows make the resamples of the calibration curve slow; its band and "
            "test are left out. nofluke.classify.calibration.corp gives them."
        ]
    return []

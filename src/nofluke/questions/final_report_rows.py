"""The rows of a final report: the numbers of the chosen, before and after paying for the choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.questions.classifier_pairs import Together, difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from nofluke.questions.champion_card import ChampionCard
    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.questions.final_report_asked import Asked, Choice, Payment
    from nofluke.results import Row
    from nofluke.scores.predictions import Predictions

#: Which numbers of a classifier's card stand under which heading.
PARTS: Final = {
    "precision and recall": ("average_precision",),
    "decision": (
        "recall",
        "specificity",
        "precision",
        "npv",
        "accuracy",
        "balanced_accuracy",
        "f1",
        "mcc",
    ),
    "cost": ("cost", "cost_over_nobody", "cost_over_everybody"),
    "calibration": ("brier", "log_loss", "calibration_slope", "calibration_in_the_large"),
}
#: Numbers that depend on the threshold.
AT_THRESHOLD: Final = frozenset((*PARTS["decision"], *PARTS["cost"]))


def headline(
    choice: Choice, asked: Asked, card: ChampionCard, plain: ClassifierCard, paid: ClassifierCard
) -> Row:
    """The area of the chosen, with the interval that its way of being chosen calls for."""
    own, other = _of(paid, choice.candidate, "auc"), _of(plain, choice.candidate, "auc")
    row = _quoted("area", other, own, asked)
    if choice.by == "picked by name":
        return row | {"method": f"{own['method']}, Bonferroni"}
    found = card.row("winner" if choice.by == "largest area" else "named")
    assert found is not None  # noqa: S101 (the plan or the rule has put it there)
    shared = found["method"].endswith("Bonferroni")
    return row | {
        "shown": found["shown"],
        "estimate": found["estimate"] if choice.by == "largest area" else None,
        "lower": found["lower"],
        "upper": found["upper"],
        "alone": own["level"] if shared else found["level"],
        "method": found["method"],
        "guarantee": found["guarantee"],
    }


def numbers(
    asked: Asked,
    payment: Payment,
    plain: ClassifierCard,
    paid: Callable[[str], ClassifierCard],
) -> list[Row]:
    """Every other number of the chosen over all rows.

    Args:
        asked: The choices.
        payment: What the numbers pay for.
        plain: The card of the chosen at the level of the report.
        paid: The card at the level that pays for the choice, by metric.
    """
    (candidate,) = plain.candidates
    told = []
    for part, metrics in PARTS.items():
        for metric in metrics:
            other = plain.row(candidate, metric)
            if other is not None:
                told.append(_quoted(part, other, _of(paid(metric), candidate, metric), asked))
    return told + _calibration_test(asked, payment, plain)


def groups(asked: Asked, plain: ClassifierCard, paid: Callable[[str], ClassifierCard]) -> list[Row]:
    """The numbers of the chosen in each group; those of one number hold for all groups at once."""
    told = []
    for other in plain.parts:
        key = (other["part"], other["metric"])
        own = next(r for r in paid(key[1]).parts if (r["part"], r["metric"]) == key)
        told.append(_quoted("group", other, own, asked))
    return told


def differences(
    table: Predictions, asked: Asked, choice: Choice, planned: str, payment: Payment
) -> list[Row]:
    """The area of the chosen minus that of the planned one, the runner-up, and each other.

    Whoever is chosen among M after looking, the pair of it and the planned one is among M - 1, and
    the pair of it and another one among M (M - 1) / 2: so many intervals share the error level. One
    that was named beforehand has M - 1 pairs.
    """
    y, S, _ = table.matrix()
    both = Together(table.candidates, y, S, table.clusters())
    c, M = table.candidates.index(choice.candidate), asked.tried
    pairs = M - 1 if choice.by == "named beforehand" else M * (M - 1) // 2
    fixed = planned.removeprefix("name:") if planned.startswith("name:") else None
    told = []
    if fixed is not None and fixed != choice.candidate:
        j = table.candidates.index(fixed)
        told.append(_against("against planned", both, (j, c), asked, (M - 1) * payment.metrics))
    others = [
        _against("against others", both, (j, c), asked, pairs * payment.metrics)
        for j in range(table.K)
        if j != c
    ]
    # Differences of equal areas may be off in the last digits.
    return told + sorted(others, key=lambda row: (round(row["shown"], 12), row["against"]))


def _against(part: str, both: Together, pair: tuple[int, int], asked: Asked, count: int) -> Row:
    found, plain = (difference(both, *pair, a) for a in (asked.alpha / count, asked.alpha))
    positives = int(np.count_nonzero(both.y))
    return {
        "part": part,
        "metric": "auc",
        "candidate": found["b"],
        "against": found["a"],
        "group": None,
        "shown": found["estimate"],
        "estimate": None,
        "lower": max(found["lower"], -1.0),
        "upper": min(found["upper"], 1.0),
        "level": asked.level,
        "alone": found["level"],
        "nominal_lower": max(plain["lower"], -1.0),
        "nominal_upper": min(plain["upper"], 1.0),
        "pvalue": None if found["pvalue"] is None else min(1.0, count * found["pvalue"]),
        "n": found["n"],
        "n_positive": positives,
        "n_negative": both.y.size - positives,
        "better": "higher",
        "method": found["method"],
        "guarantee": found["guarantee"],
        "reason": "",
    }


def _quoted(part: str, plain: Row, paid: Row, asked: Asked) -> Row:
    """One number: the limits to quote, and beside them those that pay for nothing."""
    return {
        "part": part,
        "metric": paid["metric"],
        "candidate": paid["candidate"],
        "against": None,
        "group": paid["part"],
        "shown": paid["estimate"],
        "estimate": None,
        "lower": paid["lower"],
        "upper": paid["upper"],
        "level": asked.level,
        "alone": paid["level"],
        "nominal_lower": plain["lower"],
        "nominal_upper": plain["upper"],
        "pvalue": None,
        "n": paid["n"],
        "n_positive": paid["n_positive"],
        "n_negative": paid["n_negative"],
        "better": paid["better"],
        "method": paid["method"],
        "guarantee": paid["guarantee"],
        "reason": paid["reason"],
    }


def _calibration_test(asked: Asked, payment: Payment, plain: ClassifierCard) -> list[Row]:
    """The test of calibration; its p-value is multiplied by what the error level is divided by."""
    if not plain.calibration or plain.calibration[0]["pvalue"] is None:
        return []
    found = plain.calibration[0]
    base = _of(plain, found["candidate"], "brier")
    blank: dict[str, Any] = dict.fromkeys(
        ("shown", "lower", "upper", "nominal_lower", "nominal_upper", "better")
    )
    row = _quoted("calibration", base, base, asked) | blank
    return [
        row
        | {
            "metric": "calibration_test",
            "alone": None,
            "pvalue": min(1.0, payment.among() * found["pvalue"]),
            "n": found["n"],
            "method": f"resamples of labels ({found['n_resamples']})",
            "guarantee": "finite-sample",
            "reason": "a test has no interval",
        }
    ]


def _of(card: ClassifierCard, candidate: str, metric: str) -> Row:
    found = card.row(candidate, metric)
    assert found is not None  # noqa: S101 (both cards have the same metrics)
    return found

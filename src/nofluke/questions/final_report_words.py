"""Sentences, assumptions and notes of a final report, each literally true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.methods import weakest
from nofluke.questions.classifier_words import has_interval, per_cent, span, sure
from nofluke.questions.final_report_asked import CHANCES, SCOPE
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.questions.champion_card import ChampionCard
    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.questions.final_report_asked import Asked, Choice, Payment
    from nofluke.questions.final_report_card import FinalReport
    from nofluke.results import Row

_NAMED = 8  # ids that a sentence names


def sentences(report: FinalReport) -> list[str]:
    """What a colleague may paste; the area of the chosen is told with its choice, never alone."""
    told = [
        _area(report),
        *_champion(report),
        _rule(report),
        _paid(report),
        *_differences(report),
        _precision(report),
        *_decision(report),
        *_cost(report),
        *_calibration(report),
        *_groups(report),
        *_scope(report),
        _chances(report),
        _missing(report),
        "That no row had a part in making, tuning or stopping a candidate is assumed; predictions "
        "cannot show it.",
        f"Training-set variance is outside of all these numbers: how {report.chosen} would come "
        "out with another training set or another seed, they do not say.",
    ]
    return [said for said in told if said]


def assumptions(
    asked: Asked, choice: Choice, payment: Payment, card: ClassifierCard, best: ChampionCard
) -> tuple[str, ...]:
    """What must be true for the guarantees to hold."""
    told = [a for a in card.assumes if not a.startswith(("The threshold", "No row"))]
    told.insert(
        1,
        "No row, and nothing that a row tells, had a part in making the candidates: in fitting, "
        "tuning or stopping them.",
    )
    if choice.by == "named beforehand":
        told.append(
            f"{choice.candidate} was named before any score on these rows was seen, and would have "
            "been reported whatever the others had shown."
        )
    else:
        told.append(f"No more than {asked.tried} candidates could have been chosen.")
    if choice.by == "largest area":
        told.append("The rule of the choice was the largest area on these rows.")
    if choice.by == "largest area" and asked.tried == best.m:
        told.append("All candidates that could have been chosen are in the data.")
    if card.matrices and payment.thresholds > 1:
        told.append(
            f"The threshold is one of {payment.thresholds} that were fixed before these labels "
            "were seen."
        )
    elif card.matrices:
        told.append("The threshold was fixed before these labels were seen.")
    area = card.row(choice.candidate, "average_precision")
    if area is not None and has_interval(area):
        told.append(
            "The share of positives that average precision depends on is that of these rows, taken "
            "as known."
        )
    if payment.metrics > 1:
        told.append(f"No more than {payment.metrics} metrics could have become the headline.")
    return tuple(dict.fromkeys(told))


def cautions(
    usual: ClassifierCard, decided: ClassifierCard, asked: Asked, payment: Payment
) -> list[str]:
    """Cautions of the cards; whether a decision beats a trivial one is answered after paying."""
    told = [note for note in usual.notes if not note.startswith("NF208")]
    beaten = [note for note in decided.notes if note.startswith("NF208")]
    count = payment.among(decision=True)
    if count > 1:
        level = f"{1 - asked.level:.4g} / {count}"
        beaten = [
            f"{note} The answer pays for the choice, at error level {level}; the p-value does not."
            for note in beaten
        ]
    return told + beaten


def notes(
    asked: Asked, choice: Choice, items: Sequence[Row], found: Sequence[str], *, m: int
) -> tuple[str, ...]:
    """Cautions, each once: those found of the parts, then those of the report itself."""
    found = list(found)
    missing = [item["part"] for item in items if not item["there"]]
    if missing:
        found.append(
            f"NF287: {len(missing)} of the {len(items)} parts of a final report are missing: "
            f"{', '.join(missing)}. The list of parts says what would supply each."
        )
    if not asked.tried_said:
        found.append(_untold(asked, choice, m))
    if asked.chances.get("submissions"):
        times = asked.chances["submissions"]
        found.append(
            f"NF289: a score on these rows came back {times} time{'s' if times > 1 else ''} before "
            "this report. If one of them had a part in how a later candidate was made, these rows "
            "had a part in making it, and no interval here pays for that. Fresh rows do."
        )
    return tuple(dict.fromkeys(found))


def _untold(asked: Asked, choice: Choice, m: int) -> str:
    grid = asked.chances.get("settings", 1) * asked.chances.get("preprocessing", 1)
    also = ""
    if grid > asked.tried:
        also = (
            f" Every setting with every version of preprocessing would be {grid} already, without "
            "seeds."
        )
    what = "the intervals are"
    if choice.by == "named beforehand":
        what = "those of differences and of the best, though not the others, are"
    where = "those in the data" if asked.tried == m else "the least that the counts allow"
    return (
        f"NF288: nobody said how many candidates could have been chosen; {asked.tried} are "
        f"counted, {where}.{also} If there were more, {what} too short: say tried= (--tried)."
    )


def _area(report: FinalReport) -> str:
    row, name = report.headline, report.chosen
    on = f"on {report.n} examples ({report.n_positive} positive)"
    if report.clusters is not None:
        on = f"{on[:-1]}, in {report.clusters} clusters that are counted)"
    limits = f"{_sure(report, row)} {span(row)} for other cases like these"
    how = f"({row['method']}, {row['guarantee']})"
    if report.choice.by == "named beforehand":
        paid = f", the choice of {report.payment.metrics} metrics paid for"
        return (
            f"{name} was named beforehand; its area under the ROC curve is {row['shown']:.4g} "
            f"{on}; {limits}{paid if report.payment.metrics > 1 else ''} {how}. Nothing is paid "
            "for a choice among candidates, as it would have been reported whatever the others had "
            "shown."
        )
    metrics = f" and {report.payment.metrics} metrics" if report.payment.metrics > 1 else ""
    paid = f"the choice among {report.asked.tried} candidates{metrics} paid for"
    if report.choice.by == "largest area":
        return (
            f"{name} has the largest area under the ROC curve of the {report.champion.m} "
            f"candidates at hand{_ties(report)} {on}, and was picked for it, so that the "
            f"{row['shown']:.4g} it shows is no estimate of what it is worth: {limits}, {paid} "
            f"{how}."
        )
    ahead = sum(v > row["shown"] for v in report.champion.scores.values())
    return (
        f"{name} was picked by name; its area under the ROC curve is {row['shown']:.4g} {on}, and "
        f"{ahead} of the {report.champion.m} candidates at hand "
        f"{'has' if ahead == 1 else 'have'} a larger one; {limits}, "
        f"{paid}, by whatever rule it was picked {how}."
    )


def _ties(report: FinalReport) -> str:
    same = report.champion.tied
    return f" (as large as that of {_listed(same)})" if same else ""


def _champion(report: FinalReport) -> list[str]:
    """What was planned, the spread of the areas, and the interval of the plan."""
    card, said = report.champion, report.champion.sentences()
    values = card.scores.values()
    told = [f"{said[0]} The areas at hand go from {min(values):.4g} to {max(values):.4g}."]
    plan = card.intervals[0]
    if report.choice.by != "named beforehand" and plan["lower"] is not None:
        told.append(
            f"The {per_cent(plan['level'])} interval for what was planned ({plan['about']}): "
            f"{span(plan)} ({plan['method']}, {plan['guarantee']})."
        )
    return told


def _rule(report: FinalReport) -> str:
    rule, fixed = report.asked.rule, report.asked.fixed
    if rule is None and fixed is None:
        return "By which rule the choice was made, and when the rule was fixed, nobody said."
    first = (
        "By which rule the choice was made nobody said"
        if rule is None
        else f'The rule of the choice, in the words of whoever asked: "{rule}"'
    )
    second = "when it was fixed nobody said" if fixed is None else f'it was fixed: "{fixed}"'
    return f"{first}; {second}."


def _paid(report: FinalReport) -> str:
    payment, alpha = report.payment, f"{1 - report.level:.4g}"
    count = payment.among()
    decided = payment.thresholds > 1 and bool(report.card.matrices)
    if count == 1 and not decided:
        return (
            f"The other numbers of {report.chosen} have error level {alpha} each and pay for no "
            "choice, as it was named beforehand."
        )
    more = f", numbers of decisions {alpha} / {payment.among(decision=True)}" if decided else ""
    return (
        f"The other numbers of {report.chosen} have error level {alpha} / {count} each{more}, as "
        "so many could have been quoted in the place of each: so each of them, by itself, may be "
        "quoted after the choice (Bonferroni)."
    )


def _differences(report: FinalReport) -> list[str]:
    told = [
        f"The area of {report.chosen} minus that of {row['against']}, which was planned, is "
        f"{row['shown']:.4g}; {_sure(report, row)} {span(row)}, whichever of "
        f"{report.asked.tried} had been chosen: {_verdict(row)}."
        for row in report.numbers
        if row["part"] == "against planned"
    ]
    others = [row for row in report.numbers if row["part"] == "against others"]
    near = others[0]
    told.append(
        f"Against {near['against']}, the {'best of the others' if len(others) > 1 else 'other'}, "
        f"the difference is {near['shown']:.4g}; {_sure(report, near)}"
        f"{' for all differences at once' if len(others) > 1 else ''} {span(near)}: "
        f"{_verdict(near)}."
    )
    if len(others) > 1:
        ahead = sum(row["lower"] > 0 for row in others)
        behind = sum(row["upper"] < 0 for row in others)
        told.append(
            f"At that confidence its area is larger than that of {ahead} of the {len(others)} "
            f"others, smaller than that of {behind}, and not told apart from that of "
            f"{len(others) - ahead - behind}."
        )
    return told


def _verdict(row: Row) -> str:
    if row["lower"] > 0:
        return "its area is larger"
    if row["upper"] < 0:
        return "its area is smaller"
    return "the rows do not tell them apart, which is no proof that they are equal"


def _precision(report: FinalReport) -> str:
    row = report.row("average_precision")
    if row is None or row["shown"] is None:
        return ""
    limits = f"; {_sure(report, row)} {span(row)}" if has_interval(row) else ""
    return (
        f"The average precision of {report.chosen} is {row['shown']:.4g}{limits}, both where the "
        f"share of positives is that of these rows, {report.n_positive / report.n:.4g}; by how "
        "much another share would move it they do not say."
        if limits
        else f"The average precision of {report.chosen} is {row['shown']:.4g}. The share of "
        f"positives among these rows is {report.n_positive / report.n:.4g}."
    )


def _decision(report: FinalReport) -> list[str]:
    if not report.card.matrices:
        return []
    cells = report.card.matrices[0]
    positives, negatives = cells["tp"] + cells["fn"], cells["fp"] + cells["tn"]
    said = (
        f"At threshold {cells['threshold']:.6g} ({_by(cells['by'])}) it flags {cells['tp']} of the "
        f"{positives} positives and {cells['fp']} of the {negatives} negatives."
    )
    words = {"recall": "positives are found", "specificity": "negatives are passed",
             "precision": "flags are right"}  # fmt: skip
    rows = [(row, what) for m, what in words.items() if (row := report.row(m)) is not None]
    known = [(row, what) for row, what in rows if has_interval(row)]
    if known:
        sure_of = _sure(report, *(row for row, _ in known))
        parts = [f"{span(row)} of the {what}" for row, what in known]
        said += f" Among other cases like these, {sure_of} for each, {', '.join(parts)}."
    return [said]


def _by(source: str) -> str:
    return "the one that the costs call for" if source == "costs" else "as given"


def _cost(report: FinalReport) -> list[str]:
    row = report.row("cost")
    if row is None:
        return []
    limits = f"; {_sure(report, row)} {span(row)}" if has_interval(row) else ""
    told = [f"Its decisions cost {row['shown']:.4g} a row{limits}."]
    for rule in ("nobody", "everybody"):
        gap = report.row(f"cost_over_{rule}")
        if gap is not None and has_interval(gap):
            what = f"than flagging {rule}"
            told.append(
                f"At that confidence they cost less {what}."
                if gap["upper"] < 0
                else f"At that confidence they cost more {what}."
                if gap["lower"] > 0
                else f"Whether they cost less {what}, the rows do not tell."
            )
    return [" ".join(told)]


def _calibration(report: FinalReport) -> list[str]:
    brier = report.row("brier")
    if brier is None:
        return []
    limits = f"; {_sure(report, brier)} {span(brier)}" if has_interval(brier) else ""
    told = f"Its Brier score is {brier['shown']:.4g}{limits}."
    test = report.row("calibration_test")
    if test is None:
        return [told]
    p, error = test["pvalue"], 1 - report.level
    count = report.payment.among()
    said = f"p = {outward(p, 'lower', digits=3)}{', the choice paid for' if count > 1 else ''}"
    least = count / (1 + report.usual.calibration[0]["n_resamples"])
    if p <= error + 1e-9:
        return [f"{told} A test finds that its probabilities are not calibrated ({said})."]
    if least > error:
        return [
            f"{told} The test of calibration has too few resamples to find anything at this level "
            f"after the choice ({said})."
        ]
    return [
        f"{told} The test of calibration does not find its probabilities off ({said}), which is no "
        "proof that they are right."
    ]


def _groups(report: FinalReport) -> list[str]:
    areas = [r for r in report.numbers if r["part"] == "group" and r["metric"] == "auc"]
    if not areas:
        return []
    known = [row for row in areas if has_interval(row)]
    silent = [row["group"] for row in areas if not has_interval(row)]
    told = []
    if len(known) > 1:
        low, high = (f(known, key=lambda r: r["shown"]) for f in (min, max))
        apart = (
            "these intervals do not meet"
            if low["upper"] < high["lower"]
            else "these intervals meet and do not tell the two apart"
        )
        told.append(
            f"Among the {len(known)} groups{' with enough rows' if silent else ''} its area goes "
            f"from {low['shown']:.4g} ({low['group']}) to {high['shown']:.4g} ({high['group']}); "
            f"{_sure(report, *known)} for all groups at once {span(low)} and {span(high)}: {apart}."
        )
    if silent:
        told.append(
            f"Nothing is claimed about its area in {len(silent)} of the {len(areas)} groups: "
            f"{_listed(silent)} (too few rows of a class)."
        )
    return told


def _scope(report: FinalReport) -> list[str]:
    return [f'Scope, {SCOPE[name]}: "{text}".' for name, text in report.asked.scope.items()]


def _chances(report: FinalReport) -> str:
    counts = report.asked.chances
    if not counts:
        return ""
    listed = ", ".join(
        f"{what}: {counts[name]}" for name, what in CHANCES.items() if name in counts
    )
    return f"Other chances, as they were counted by whoever asked: {listed}."


def _missing(report: FinalReport) -> str:
    missing = [item["part"] for item in report.checklist if not item["there"]]
    if not missing:
        return "No part of the report is missing."
    return f"Missing in this report: {', '.join(missing)}."


def _sure(report: FinalReport, *rows: Row) -> str:
    """How far one may rely on the limits of rows told together: as on the weakest of them."""
    word = weakest([row["guarantee"] for row in rows])
    return sure({"guarantee": word}, level=report.level)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more

"""Sentences and terms of a card, each literally true for a reader who knows none of the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.results import outward

if TYPE_CHECKING:
    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.results import Row

_TOLD = 4  # candidates that are spoken of one by one
_NAMED = 8  # candidates or parts that a sentence names
_ROUND = 1e-9  # levels made by subtraction are read as typed


def sentences(card: ClassifierCard) -> list[str]:
    """What a colleague may paste; the best one is never told before what its choice costs."""
    spoken = card.candidates[:_TOLD]
    told = _best(card)
    for name in spoken:
        told += [s for s in _of_candidate(card, name) if s]
    if len(spoken) < card.K:
        told.append(
            f"{card.K - len(spoken)} more of the {card.K} candidates stand in the table only."
        )
    told += _parts(card)
    return told


def work(card: ClassifierCard) -> list[str]:
    """Counts, levels and covariances behind the numbers."""
    told = [
        f"{m['candidate']}: positive where score >= {m['threshold']:.6g} ({m['by']}): tp = "
        f"{m['tp']}, fp = {m['fp']}, fn = {m['fn']}, tn = {m['tn']}"
        for m in card.matrices
    ]
    for name in card.candidates:
        area = card.row(name, "auc")
        if area is not None and area["estimate"] is not None:
            pairs = area["n_positive"] * area["n_negative"]
            told.append(
                f"{name}: area {area['estimate']:.6g} over {pairs} pairs of {area['n_positive']} "
                f"positives and {area['n_negative']} negatives; interval by {area['method']}"
            )
    told += [
        f"{c['candidate']}: Brier {c['brier']:.6g} = miscalibration {c['miscalibration']:.6g} "
        f"- discrimination {c['discrimination']:.6g} + uncertainty {c['uncertainty']:.6g}"
        for c in card.calibration
    ]
    told += [
        f"covariance of the areas of {c['a']} and {c['b']}: {c['covariance']:.6g}"
        for c in card.covariance
    ]
    if card.best is not None:
        told.append(
            f"the best of {card.K}: error level {_shown(1 - card.level)} / {card.K} = "
            f"{_shown(1 - card.best['level'])} (Bonferroni)"
        )
    for by in dict.fromkeys(row["by"] for row in card.parts):
        names = dict.fromkeys(row["part"] for row in card.parts if row["by"] == by)
        told.append(
            f"by {by}: {len(names)} parts, each interval at error level {_shown(1 - card.level)} / "
            f"{len(names)}"
        )
    return told


def per_cent(level: float) -> str:
    """A level in per cent, in as many digits as are meant; below 1 never rounded to 100 %.

    >>> per_cent(0.95), per_cent(1 - 0.05 / 3), per_cent(1 - 1e-6)
    ('95 %', '98.333 %', '99.9999 %')
    """
    told = f"{100 * level:.5g}"
    return f"{100 * level:.12g} %" if told == "100" else f"{told} %"


def span(row: Row, *, digits: int = 4) -> str:
    """The limits of a row, rounded outward.

    >>> span({"lower": 0.12345, "upper": 0.98765})
    '0.1234 to 0.9877'
    """
    low = outward(row["lower"], "higher", digits=digits)
    return f"{low} to {outward(row['upper'], 'lower', digits=digits)}"


def has_interval(row: Row | None) -> bool:
    """Whether a row is there and has limits."""
    return row is not None and row["lower"] is not None


def sure(row: Row, *, level: float | None = None) -> str:
    """How far one may rely on the limits of a row, to begin a clause."""
    confidence = per_cent(row["level"] if level is None else level)
    if row["guarantee"] == "finite-sample":
        return f"with {confidence} confidence"
    if row["guarantee"] == "heuristic":
        return f"by a formula that aims at {confidence} confidence and does not promise it"
    return f"with about {confidence} confidence"


def _of_candidate(card: ClassifierCard, name: str) -> list[str]:
    return [
        _area(card, name),
        *_decision(card, name),
        _elsewhere(card, name),
        _cost(card, name),
        _calibrated(card, name),
    ]


def _area(card: ClassifierCard, name: str) -> str:
    row = card.row(name, "auc")
    if row is None:
        return ""
    if row["estimate"] is None:
        absent = "positive" if row["n_positive"] == 0 else "negative"
        return (
            f"Whether {name} orders the two classes cannot be told: no row is {absent} (of "
            f"{row['n']})."
        )
    share = {0.0: "none", 1.0: "all"}.get(row["estimate"], f"{row['estimate']:.4g}")
    said = (
        f"{name} gives the higher score to the positive in {share} of the pairs of a positive and "
        f"a negative, ties counting one half (the area under the ROC curve)"
    )
    if row["estimate"] < 0.5:
        said += ": below one half, so its scores order the classes the wrong way round here"
    return f"{said}; {sure(row)} the chance for other cases like these is {span(row)}."


def _decision(card: ClassifierCard, name: str) -> list[str]:
    matrix = next((m for m in card.matrices if m["candidate"] == name), None)
    if matrix is None:
        return []
    positives, negatives = matrix["tp"] + matrix["fn"], matrix["fp"] + matrix["tn"]
    flagged = matrix["tp"] + matrix["fp"]
    told = (
        f"At threshold {matrix['threshold']:.6g} {name} flags {flagged} of {positives + negatives} "
        f"rows: {matrix['tp']} of the {positives} positives and {matrix['fp']} of the {negatives} "
        "negatives."
    )
    asked = (("recall", "positives are found"), ("precision", "flags are right"))
    known = [(row, what) for metric, what in asked if (row := card.row(name, metric)) is not None]
    known = [(row, what) for row, what in known if has_interval(row)]
    if known:
        lead = sure(known[0][0])
        parts = [f"{span(row)} of the {what}" for row, what in known]
        told += f" Among other cases like these, {lead} for each, {' and '.join(parts)}."
    return [told, *_baseline(card, name, matrix)]


def _baseline(card: ClassifierCard, name: str, matrix: Row) -> list[str]:
    n = matrix["tp"] + matrix["fp"] + matrix["fn"] + matrix["tn"]
    right = (matrix["tp"] + matrix["tn"]) / n
    positives = matrix["tp"] + matrix["fn"]
    # The weaker of the two rules would make any decision look good.
    rule = "everybody" if positives > n - positives else "nobody"
    if matrix[f"beats_{rule}"] is None:
        return []
    verdict = {
        "yes": f"finds {name} more often right",
        "no": f"finds flagging {rule} more often right",
        "not enough evidence": "does not tell which is more often right",
    }[matrix[f"beats_{rule}"]]
    error = 1 - card.level
    # The rows pick the rule that looks better on them: hard on the decision, easy on the rule.
    at = (
        f"{_shown(2 * error)} ({_shown(error)} for each of the two rules, of which these rows "
        "picked the one)"
        if matrix[f"beats_{rule}"] == "no"
        else f"{_shown(error)} on each side"
    )
    return [
        f"{name} is right on {right:.4g} of the rows, and flagging {rule} would be right on "
        f"{max(positives, n - positives) / n:.4g}; the exact test of McNemar, at error level "
        f"{at}, {verdict}."
    ]


def _elsewhere(card: ClassifierCard, name: str) -> str:
    row = card.row(name, "precision_elsewhere")
    if row is None or not has_interval(row):
        return ""
    prevalence = card.question["prevalence"]
    where = (
        f"{100 * prevalence:.6g} % of the cases"
        if isinstance(prevalence, float)
        else f"as many cases as those {prevalence[0]} of {prevalence[1]} suggest"
    )
    return (
        f"Where {where} are positive, and each class is like here, a flag of {name} is right with "
        f"chance {row['estimate']:.4g}; {sure(row)} {span(row)}."
    )


def _cost(card: ClassifierCard, name: str) -> str:
    row = card.row(name, "cost")
    if row is None:
        return ""
    limits = f"; {sure(row)} {span(row)} for other cases like these" if has_interval(row) else ""
    told = [f"The decisions of {name} cost {row['estimate']:.4g} a row on average{limits}."]
    told += [_cheaper(card, name, rule) for rule in ("nobody", "everybody")]
    return " ".join([*(said for said in told if said), *_called_for(card, name)])


def _called_for(card: ClassifierCard, name: str) -> list[str]:
    """The threshold that the costs call for, where another one is in use."""
    matrix = next(m for m in card.matrices if m["candidate"] == name)
    at = card.question["costs_call_for"]
    probabilities = any(c["candidate"] == name for c in card.calibration)
    if at is None or not probabilities or matrix["threshold"] == at:
        return []
    return [f"For calibrated probabilities these costs call for a threshold of {at:.4g}."]


def _cheaper(card: ClassifierCard, name: str, rule: str) -> str:
    row = card.row(name, f"cost_over_{rule}")
    if row is None or not has_interval(row):
        return ""
    if row["upper"] < 0:
        return f"At that confidence they cost less than flagging {rule}."
    if row["lower"] > 0:
        return f"At that confidence they cost more than flagging {rule}."
    return f"Whether flagging {rule} costs less, the rows do not tell."


def _calibrated(card: ClassifierCard, name: str) -> str:
    row = next((c for c in card.calibration if c["candidate"] == name), None)
    if row is None or row["pvalue"] is None:
        return ""
    said = (
        f"{name} expects {row['expected']:.4g} positives among the {row['n']} rows, and there are "
        f"{row['observed']}"
    )
    p = outward(row["pvalue"], "lower", digits=3)
    if row["pvalue"] <= 1 - card.level + _ROUND:
        return f"{said}; a test finds that its probabilities are not calibrated (p = {p})."
    lines = _lines_off(card, name)
    if lines:
        return (
            f"{said}; the test of calibration does not find its probabilities off (p = {p}), but "
            f"{' and '.join(lines)}."
        )
    return (
        f"{said}; the rows do not show that its probabilities are off (p = {p}), which is no proof "
        "that they are right."
    )


def _lines_off(card: ClassifierCard, name: str) -> list[str]:
    """Which numbers of the calibration line exclude what they would be for right probabilities."""
    told = {
        "calibration_slope": (
            1,
            "the slope of its calibration line",
            "too extreme",
            "too moderate",
        ),
        "calibration_in_the_large": (0, "its calibration in the large", "too high", "too low"),
    }
    lines = []
    for metric, (right, what, below, above) in told.items():
        row = card.row(name, metric)
        if row is None or not has_interval(row) or row["lower"] <= right <= row["upper"]:
            continue
        side = below if row["upper"] < right else above
        lines.append(
            f"{what} is {sure(row)} {span(row)} and not {right}: by this line its "
            f"probabilities are {side} ({row['n']} rows where they are neither 0 nor 1)"
        )
    return lines


def _best(card: ClassifierCard) -> list[str]:
    if card.best is None:
        return []
    best = card.best
    told_apart = _apart(card, best["candidate"])
    apart = [name for name, _ in told_apart]
    also = best["ties"]
    tied = f" ({_listed(also)} {'has' if len(also) == 1 else 'have'} the same)" if also else ""
    told = [
        f"{best['candidate']} has the largest area of the {best['of']}, {best['estimate']:.4g}"
        f"{tied}. It was picked after looking, so its interval pays for all {best['of']}: "
        f"{sure(best, level=card.level)} {span(best)}, whichever of them had been picked."
    ]
    others = card.K - 1
    if apart:
        lead = sure(_weakest([row for _, row in told_apart]), level=card.level)
        told.append(
            f"{lead[0].upper()}{lead[1:]} for all differences at once, its area is larger than "
            f"that of {_listed(apart)}"
            + (
                f"; {others - len(apart)} are not told apart from it."
                if len(apart) < others
                else "."
            )
        )
    else:
        whom = f"the other {others}" if others > 1 else "the other"
        told.append(
            f"The rows do not tell its area apart from that of {whom}, which is no proof that they "
            "are equal."
        )
    return told


def _apart(card: ClassifierCard, best: str) -> list[tuple[str, Row]]:
    """Candidates whose area is surely smaller than that of the best, with the difference."""
    found: list[tuple[str, Row]] = []
    for d in card.differences:
        if d["b"] == best and d["lower"] > 0:
            found.append((d["a"], d))
        elif d["a"] == best and d["upper"] < 0:
            found.append((d["b"], d))
    return found


def _parts(card: ClassifierCard) -> list[str]:
    told = []
    for by in dict.fromkeys(row["by"] for row in card.parts):
        rows = [r for r in card.parts if r["by"] == by and r["metric"] == "auc"]
        names = list(dict.fromkeys(r["part"] for r in rows))
        what = "groups" if by == "group" else "blocks of time"
        for candidate in card.candidates[:_TOLD]:
            told += _spread(card, candidate, what, [r for r in rows if r["candidate"] == candidate])
        silent = [n for n in names if not any(has_interval(r) for r in rows if r["part"] == n)]
        if silent:
            told.append(
                f"Nothing is claimed about the areas in {len(silent)} of the {len(names)} {what}: "
                f"{_listed(silent)} (too few rows of a class)."
            )
    return told


def _spread(card: ClassifierCard, candidate: str, what: str, rows: list[Row]) -> list[str]:
    """The parts of the least and the largest area, and whether their intervals part."""
    known = [r for r in rows if has_interval(r)]
    if len(known) < 2:
        return []
    low, high = (f(known, key=lambda r: r["estimate"]) for f in (min, max))
    weakest = _weakest(known)
    if low["upper"] < high["lower"]:
        by = "by that formula" if weakest["guarantee"] == "heuristic" else "at that confidence"
        apart = f"These intervals do not meet: {by} the two differ."
    else:
        apart = "These intervals meet: they do not tell the two apart."
    return [
        f"Among the {what} the area of {candidate} goes from {low['estimate']:.4g} ({low['part']}) "
        f"to {high['estimate']:.4g} ({high['part']}); {sure(weakest, level=card.level)} for all "
        f"{len(rows)} at once they are {span(low)} and {span(high)}. {apart}"
    ]


def _weakest(rows: list[Row]) -> Row:
    """The row whose limits promise least."""
    return min(rows, key=lambda r: r["guarantee"] != "heuristic")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _shown(value: float) -> str:
    return f"{value:.6g}"

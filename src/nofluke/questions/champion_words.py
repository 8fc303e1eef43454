"""What a champion's card says in sentences and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.questions import champion_reported_words as reported_words
from nofluke.questions.champion_reported import places_of
from nofluke.results import outward, percent

_MOST = 3  # names told one by one

if TYPE_CHECKING:
    from nofluke.questions.champion_card import ChampionCard
    from nofluke.results import Row


def sentences(card: ChampionCard) -> list[str]:
    """What a colleague may paste; each sentence is literally true."""
    said = [_both(card)]
    said += [_interval(card, row) for row in card.intervals if row["lower"] is not None]
    winner = card.row("winner")
    if winner is not None and not _bounded(card):
        said.append(
            f"There is no interval for the true score of the best ({best(card)}), chosen among "
            f"{card.tried}: {winner['reason']}."
        )
    said += [*_without(card), *reported_words.sentences(card)]
    said += [*_gate(card), *_luck(card), *_published(card), *_parts(card)]
    said.append("Training-set variance is outside all of these numbers.")
    return said


def best(card: ChampionCard) -> str:
    """Who the best is, and who shows the same."""
    if not card.tied:
        return card.best
    more = len(card.tied) - _MOST
    names = [*card.tied[:_MOST], *([f"{more} more"] if more > 0 else [])]
    told = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{card.best}; {told} show{'s' if len(names) == 1 else ''} the same"


def _both(card: ChampionCard) -> str:
    """What was planned, and the best beside it."""
    name = "Scores" if card.metric is None else f"Scores ({card.metric})"
    some = card.tried > card.m
    of = f"{card.m} candidates" + (f" at hand ({card.tried} were tried)" if some else "")
    spread = f"(standard deviation {card.sd:.4g})"
    start = f"{name} of {of}: planned was"
    if card.rule.startswith("name:"):
        start += f" the candidate named beforehand, {card.rule[5:]}, which shows"
    else:
        start += f" the {card.rule} of {'those at hand' if some else 'all'}, which is"
    if card.rule == f"name:{card.best}":
        also = "" if not card.tied else f" ({best(card)})"
        return f"{start} {card.planned_value:.4g} and is the best as well{also} {spread}."
    return (
        f"{start} {card.planned_value:.4g}; the best ({best(card)}) shows {card.best_value:.4g}, "
        f"{card.gap:.4g} away from it {spread}."
    )


def _interval(card: ChampionCard, row: Row) -> str:
    low, high = outward(row["lower"], "higher", digits=4), outward(row["upper"], "lower", digits=4)
    paid = f", the choice among {row['m']} paid for" if row["what"].startswith("winner") else ""
    return (
        f"The {percent(row['level'])} interval for the {_thing(card, row)}{paid}: {low} to {high} "
        f"({row['method']}, {row['guarantee']})."
    )


def _thing(card: ChampionCard, row: Row) -> str:
    about: str = row["about"]
    best = f"one of {len(card.tied) + 1} that show the best score" if card.tied else "the best"
    return {
        "winner": f"true score of {row['candidate']}, {best}",
        "winner (no model)": f"mean score of {row['candidate']}, {best}, without any model",
        "named": f"true score of {row['candidate']}, named beforehand",
        "next run": "score of one further run on the same rows",
    }.get(row["what"], about)


def _without(card: ChampionCard) -> list[str]:
    """The correction for the choice, and why there is no interval free of models."""
    said, row = [], card.row("winner (corrected)")
    if row is not None and row["estimate"] is not None:
        said.append(
            f"Chosen on resampled rows and scored on the rows left out, the best of {row['m']} has "
            f"{row['estimate']:.4g} on average, where on all rows the best shows "
            f"{row['shown']:.4g}: a correction for the choice ({row['method']}, "
            f"{row['guarantee']}), no interval."
        )
    elif row is not None:
        said.append(f"There is no score corrected for the choice: {row['reason']}.")
    row = card.row("winner (no model)")
    if row is not None and row["lower"] is None:
        said.append(f"There is no interval for the best without a model: {row['reason']}.")
    return said


def _gate(card: ChampionCard) -> list[str]:
    gate = card.gate
    if gate is None:
        return []
    said = [
        f"The gate {gate['gate']:g}: what was planned {_passes(gate['planned_passes'])}, the best "
        f"{_passes(gate['best_passes'])}; {gate['count']} of {gate['of']} "
        f"reach{'es' if gate['count'] == 1 else ''} it."
    ]
    noises = [noise for noise in gate["noise"] or () if noise["inside"]]
    same = card.planned_value == card.best_value  # of which one sentence says all
    said += [_inside(card, noise) for noise in noises[: 1 if same else None]]
    chance = card.passing
    if chance is not None and chance["p"] < 1:
        said.append(
            f"If a single one reached it with probability {_chance(chance['p'])} (the share here), "
            f"at least one of {chance['m']} would with probability {_chance(chance['lower'])} to "
            f"{_chance(chance['upper'])}, depending on how they go together; "
            f"{_chance(chance['independent'])} if they were independent."
        )
    return said


def _inside(card: ChampionCard, noise: Row) -> str:
    """That the gate lies inside the noise of one score; a mean of several is no such score."""
    assert card.gate is not None  # noqa: S101
    what = f"the best score {noise['value']:.4g}"
    if noise["of"] == "planned":
        one = card.rule.startswith("name:")
        what = f"{'the' if one else 'one score at the'} planned {noise['value']:.4g}"
    low, high = (
        outward(noise["lower"], "higher", digits=4),
        outward(noise["upper"], "lower", digits=4),
    )
    # At a number of 0 or 1 an error of 0 is ignorance; the interval is none.
    error = f"implied standard error is {noise['se']:.4g}, its " if noise["se"] > 0 else ""
    return (
        f"The gate {card.gate['gate']:g} lies inside the noise of {what}: its {error}usual "
        f"interval {'' if error else 'is '}{low} to {high} ({noise['guarantee']})."
    )


def _chance(p: float, *, digits: int = 4) -> str:
    """A probability in a few digits; what is short of 1 or above 0 is not rounded to it."""
    told = f"{p:.{digits}g}"
    if p < 1e-12:  # chances below are lost in rounding, and none of them is 0
        return f"less than {10.0**-digits:g}"
    return f"more than {1 - 10.0**-digits:.{digits}g}" if told == "1" and p < 1 else told


def _passes(yes: bool) -> str:  # noqa: FBT001 (a word for a truth value)
    return "reaches it" if yes else "does not reach it"


def _luck(card: ChampionCard) -> list[str]:
    said = []
    if card.source == "numbers" and card.sd > 0:
        said = [
            f"If all {card.m} were equally good with independent normal errors of this standard "
            f"deviation, the best would be {card.gap_if_equal:.4g} ahead of the mean on average. "
            "Whether the lead comes from seeds, from rows or from the choice, these numbers cannot "
            "tell; scores of every candidate on the same rows can."
        ]
    for row in card.optimism:
        how = "observed correlation" if row["source"] == "rows" else "correlation"
        if row["source"] == "rows" and row["rho"] <= 0:
            how = "an observed correlation of at most"
        average = " on average" if row["source"] == "rows" else ""
        said.append(
            f"Among {row['m']} equally good candidates with standard error {row['se']:.4g} and "
            f"{how} {row['rho']:.3g}{average}, the best would show {row['value']:.4g} more than it "
            f"is worth on average, and its usual {percent(card.level)} interval would hold with "
            f"probability {_chance(row['naive_coverage'], digits=3)} (normal errors)."
        )
    if card.better == "lower":
        said = [s.replace(" more than it is worth", " less than it is worth") for s in said]
    return said


def _published(card: ChampionCard) -> list[str]:
    one = card.published
    if one is None:
        return []
    told = f"The published {one['value']:g}"
    if one["rounded"]:
        own = card.scores[one["candidate"]]
        told += f", which {own:.6g} of {one['candidate']} rounds to,"
    told += f" ranks {one['rank']} of {one['of']}"
    told += " with itself among the runs found" if one["candidate"] is None else ""
    told += (
        f"; if it was any one of them with equal chance, a rank so good has probability "
        f"{one['pvalue_rank']:.3g}, whatever the distribution. The others have mean "
        f"{one['others_mean']:.4g}"
    )
    if one["t"] is None:
        return [told + "."]
    return [
        f"{told} and standard deviation {one['others_sd']:.4g}; under a normal model t = "
        f"{one['t']:.3g} with {one['df']} {'degree' if one['df'] == 1 else 'degrees'} of freedom, "
        f"one-sided p = {one['pvalue_t']:.2g} "
        "for a run that was not chosen."
    ]


def _parts(card: ChampionCard) -> list[str]:
    d = card.decomposition
    if d is None:
        return []
    untested = any(note.startswith(("NF201", "NF275")) for note in card.notes)
    equal = (
        "Whether all true scores are equal is not tested: the rows show no variance of the "
        "differences."
        if untested
        else f"The test that all true scores are equal has p = {d['p_equal']:.3g}."
    )
    return [
        f"Standard error of the mean {d['se_mean']:.4g}, of one candidate {d['se_one']:.4g}, "
        f"candidates and rows both new; SD / sqrt({card.m}) = {d['wrong_se']:.4g} leaves out "
        f"the rows. {equal}"
    ]


def notes(card: ChampionCard) -> tuple[str, ...]:
    """Cautions of the card, each beginning with its code."""
    found = []
    if card.published is not None and card.published["beyond"]:
        found.append(
            f"NF255: the published {card.published['value']:g} is better than each of the {card.m} "
            "scores found; it came from a run that is not here, or from something else"
            f"{_perhaps_rounded(card)}."
        )
    if card.tried > card.m:
        found.append(
            f"NF256: {card.tried} were tried and {card.m} are here. An interval of the winner and "
            f"chances, where given, pay for {card.tried}, the missing ones taken to have scored no "
            "better than the best; mean, standard deviation and rank are those of the scores here, "
            "and are those of all only if none was left out for its score."
        )
    if not _bounded(card) and card.source != "numbers":
        found.append(
            "NF257: nothing here bounds the true score of the best, and the lines of the winner "
            "say why."
        )
    elif not _bounded(card):
        found.append(
            "NF257: from these numbers nothing bounds the true score of the best. Predictions of "
            "every candidate on the same rows do, or scores of every row; for areas n_positive= "
            "and n_negative= do so roughly, for shares of rows n_rows= does."
        )
    return (*found, *reported_words.notes(card), *_gate_notes(card))


def _perhaps_rounded(card: ChampionCard) -> str:
    """Where a run would round to a published number of so many places, if it is one."""
    one = card.published
    assert one is not None  # noqa: S101
    places = places_of(repr(one["value"])) or 0
    best = card.best_value
    if one["written"] is not None or abs(one["value"] - best) > 0.5 * 10.0**-places + 1e-12:
        return ""
    return f", unless it is the {best:.6g} of {card.best} rounded: published='...' as text tells"


def _gate_notes(card: ChampionCard) -> list[str]:
    gate, found = card.gate, []
    if gate is None:
        return []
    at = gate["gate"]
    noisy = any(n["inside"] for n in gate["noise"] or ())
    held = [r["what"] for r in card.intervals if r["what"] != "next run" and _holds(r, at)]
    if noisy or held:
        inside = ["one score by itself"] if noisy else []
        found.append(
            f"NF258: the gate {at:g} lies inside the noise, within the interval of "
            f"{' and of '.join(held + inside)}. From such an interval follows neither that the "
            "gate is reached nor that it is missed."
        )
    if gate["planned_passes"] != gate["best_passes"]:
        found.append(
            f"NF259: the gate {at:g} is missed by what was planned and reached by the best of "
            f"{card.tried}; passing by the best is passing by a choice after looking."
        )
    return found


def _bounded(card: ChampionCard) -> bool:
    """Whether anything bounds the true score of the best."""
    return any(r["what"].startswith("winner") and r["lower"] is not None for r in card.intervals)


def _holds(row: Row, at: float) -> bool:
    return row["lower"] is not None and bool(row["lower"] <= at <= row["upper"])

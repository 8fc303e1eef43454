"""`champion`: what is the best of several runs worth, beside what was planned?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.methods import weakest
from nofluke.questions import champion_facts as facts
from nofluke.questions import champion_intervals, champion_reported, champion_sizes, champion_words
from nofluke.questions.champion_card import ChampionCard
from nofluke.questions.champion_entries import Entries, entries, refuse_outside
from nofluke.questions.champion_rows import Asked
from nofluke.selection.seed_scores import summary_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from nofluke.scores.predictions import Predictions
    from nofluke.scores.table import Scores


def champion(
    data: Scores | Predictions | Mapping[str, float | str] | ArrayLike,
    *,
    planned: str = "mean",
    gate: float | None = None,
    level: float = 0.95,
    better: str | None = None,
    tried: int | None = None,
    published: float | str | None = None,
    n_positive: int | None = None,
    n_negative: int | None = None,
    n_rows: int | None = None,
    decimals: int | None = None,
    metric: str | None = None,
    seed: int = 0,
) -> ChampionCard:
    """The best of several runs or configurations beside what was planned, the choice paid for.

    The card always shows the rule, how many were tried, and an interval; it cannot be made of a
    maximum alone. From numbers alone it bounds what the recipe gives and says what cannot be told
    apart; from rows it bounds the winner's true score as well, after the choice among all tried.

    Args:
        data: One number for each candidate, shape (m,), or a mapping of names to numbers, where
            texts such as "0.80" keep the decimals that were reported; a table
            ``Scores`` (one candidate with a score for each run, or several, with one score each or
            scores of the same rows); or ``Predictions`` of candidates on the same labelled rows,
            whose areas under the ROC curve are compared.
        planned: The rule fixed beforehand: "mean", "median", or "name:ID" for one candidate.
        gate: The score that is to be reached, in units of the scores.
        level: Confidence of each interval by itself.
        better: "higher" or "lower" wins; known for areas and well-known metrics.
        tried: How many were tried, those not in the data included; by default those in the data.
            The best of them must be in the data. Those missing count as if they had scored as high
            as the best, or by Bonferroni for areas of rows.
        published: A reported score, or "name:ID": its rank among the candidates.
        n_positive: Positive rows behind each score, where scores are areas without rows.
        n_negative: Negative rows, likewise; both or none.
        n_rows: Rows of which each number is the share that is right (or wrong), where scores are
            accuracies, error rates or recalls without rows.
        decimals: Places to which every number was reported, zeros at the end included; by default
            those of numbers given as texts. With sizes it says whether a number is possible.
        metric: Name of the score; "auc" where class sizes are given.
        seed: Seed of simulated quantiles.

    Raises:
        InputError: Fewer than two scores or no interval at all (NF253); planned, tried, published
            or class sizes that do not fit (NF254); sizes or decimals that the numbers do not have
            (NF284); clusters that cannot be counted (NF283); orientation unknown (NF009); scores, a
            gate or a published score outside the bounds of the metric (NF010).

    Source: Andrews, Kitagawa & McCloskey 2024 (hybrid); Zrnic & Fithian 2024 (zoom); Obuchowski &
    Rockette 1995 (seeds and rows); Hanley & McNeil 1982 (class sizes alone).

    >>> card = champion([.78, .80, .79, .83, .77, .81, .79, .82, .78, .80], gate=.82, metric="auc")
    >>> round(card.planned_value, 3), card.best_value, card.gate["planned_passes"]
    (0.797, 0.83, False)
    """
    sizes = champion_sizes.understood(n_positive, n_negative, n_rows, metric=metric)
    given = entries(data, better=better, metric=metric or (None if n_positive is None else "auc"))
    champion_sizes.refuse(given, sizes)
    refuse_outside(given, given.values, "scores")
    asked = Asked(
        planned=_planned(given, planned),
        level=checks.fraction(level, name="level"),
        tried=_tried(given, tried),
        sizes=sizes,
        decimals=champion_reported.checked_decimals(decimals),
        seed=checks.whole(seed, name="seed", least=0),
    )
    value = _value(given, asked.planned)
    found = champion_intervals.intervals(given, asked)
    result = facts.gate_result(given, asked, gate, value)
    one = facts.published_one(given, published, asked.decimals)
    numbers = champion_reported.reported(given, sizes, asked.decimals, one)
    champion_reported.refuse_idle(asked.decimals, numbers)
    summary = summary_only(given.values, better=given.better)
    words = [row["guarantee"] for row in found.rows if row["lower"] is not None]
    card = ChampionCard(
        metric=given.metric,
        better=given.better,
        source=given.source,
        rule=planned,
        tried=asked.tried,
        level=asked.level,
        scores=dict(zip(given.names, given.values.tolist(), strict=True)),
        planned_value=value,
        best=given.names[given.winner],
        tied=facts.tied(given),
        best_value=float(given.values[given.winner]),
        mean=summary.mean,
        sd=summary.sd,
        gap=abs(float(given.values[given.winner]) - value),
        gap_if_equal=summary.gap_if_equal,
        intervals=found.rows,
        gate=result,
        passing=facts.passing(result, asked.tried),
        optimism=facts.optimism(given, asked),
        published=one,
        reported=numbers,
        decomposition=facts.decomposition(found.parts),
        causes=summary.causes if given.source == "numbers" else (),
        guarantee=weakest(words),
        assumes=tuple(dict.fromkeys(r["assumes"] for r in found.rows if r["assumes"])),
        n=given.m if given.rows is None else given.rows.shape[1],
        digest=given.digest,
        notes=(),
        question={
            "planned": planned,
            "gate": gate,
            "level": level,
            "better": better,
            "tried": tried,
            "published": published,
            "n_positive": n_positive,
            "n_negative": n_negative,
            "n_rows": n_rows,
            "decimals": decimals,
            "metric": metric,
            "seed": seed,
        },
    )
    before = (*given.notes, *found.notes, *(summary.notes if given.source == "numbers" else ()))
    return card.noting((*before, *champion_words.notes(card)))


def _planned(given: Entries, rule: str) -> str | int:
    if rule in ("mean", "median"):
        return rule
    if str(rule).startswith("name:"):
        return facts.position(given, rule, option="planned")
    raise InputError(
        f"planned={rule!r} is no rule; say 'mean', 'median', or 'name:' with a candidate. The "
        "maximum is no plan: what it says is in the card in any case.",
        code="NF254",
    )


def _tried(given: Entries, tried: int | None) -> int:
    if tried is None:
        return given.m
    number = checks.whole(tried, name="tried")
    if number < given.m:
        raise InputError(
            f"tried={number} is less than the {given.m} in the data; give the number of all that "
            "could have been chosen.",
            code="NF254",
        )
    return number


def _value(given: Entries, planned: str | int) -> float:
    if isinstance(planned, int):
        return float(given.values[planned])
    if planned == "median":
        return float(np.median(given.values))
    # Rounding must not carry the mean beyond equal scores.
    return float(np.clip(np.mean(given.values), given.values.min(), given.values.max()))

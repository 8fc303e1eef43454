"""`certify_kpis`: several KPIs of the same candidates, one choice, one budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nofluke import checks, selective
from nofluke.errors import InputError, some
from nofluke.questions.certify import certify
from nofluke.scores import findings
from nofluke.selection import rules
from nofluke.selective import LevelRule

if TYPE_CHECKING:
    from nofluke.questions.certificate import Certificate
    from nofluke.scores.table import Scores
    from nofluke.selection.rules import Chooser


def certify_kpis(
    tables: Mapping[str, Scores],
    select: str | Chooser = "top:5",
    *,
    by: str,
    delta: float = 0.1,
    joint: bool = False,
    rule: str = "auto",
    tried: int | None = None,
    missing: str = "raise",
    **question: Any,
) -> dict[str, Certificate]:
    """A certificate for each KPI of the chosen, under one budget for all of them.

    The candidates are chosen by one KPI and evaluated on all. A region is wrong for a pair of
    candidate and KPI, and the expected share of wrong pairs is at most ``delta``, for every
    dependence between KPIs and candidates. With J KPIs there are J times as many regions to be
    right about and J times as many to be wrong about, so at a fixed number of chosen the level is
    that of one KPI: the further ones cost nothing.

    Args:
        tables: Scores by the name of the KPI, all of the same candidates.
        select: Who is chosen, as in ``certify``.
        by: The KPI that is chosen by.
        delta: Error budget over all pairs.
        joint: Count a candidate as wrong where any of its KPIs is: the level is then divided by
            J, and the expected share of candidates with a wrong region is at most ``delta``.
        rule: Level rule by name, as in ``certify``.
        tried: How many candidates were tried in all.
        missing: What a missing score means, in every table.
        **question: What else ``certify`` takes for each KPI: ``gamma``, ``band``, ``functionals``.

    Returns:
        The certificates by KPI, each listing the chosen by that KPI, best first. The winner of
        each KPI has its own level delta/K; if the winners of all J are quoted in one breath, ask
        for them at delta/J.

    Raises:
        InputError: The tables have different candidates, or ``by`` is none of them.

    Source: the theorem of ``selective`` for K J pairs of which J m are chosen.

    >>> import numpy as np
    >>> from nofluke import Scores, certify_kpis
    >>> rng = np.random.default_rng(0)
    >>> tables = {k: Scores.from_arrays(rng.random((8, 60)), better="lower") for k in ("s", "usd")}
    >>> answers = certify_kpis(tables, "top:2", by="s", gamma=0.3)
    >>> [(name, answer.selected, answer.rows()[0]["alpha"]) for name, answer in answers.items()]
    [('s', ('7', '3'), 0.025), ('usd', ('7', '3'), 0.025)]
    """
    _refuse_other_candidates(tables, by)
    chooser = tables[by]
    selection = rules.parse(select)
    choice = selection.choose(findings.settle(chooser, missing))
    chosen = _Chosen(
        tuple(chooser.candidates[k] for k in choice.selected), selection.size, selection.text
    )
    K = len(chooser.candidates) if tried is None else checks.whole(tried, name="tried")
    levels = _levels(rule, K, delta, selection.size, J=len(tables), joint=joint)
    return {
        name: certify(
            table,
            chosen,
            delta=delta,
            rule=levels,
            tried=tried,
            missing=missing,
            **question,
        )
        for name, table in tables.items()
    }


class _Chosen:
    """The shortlist of one KPI as a selection for the others."""

    def __init__(self, ids: tuple[str, ...], size: int | None, text: str) -> None:
        self._ids = ids
        self.__name__ = text
        self.size = size

    def __call__(self, _: Scores) -> Iterable[str]:
        return self._ids


def _levels(rule: str, K: int, delta: float, size: int | None, *, J: int, joint: bool) -> LevelRule:
    if rule == "auto":
        rule = "minimax" if size is None else "fixed_size"
    if joint:
        alone = selective.named(rule, K=K, delta=delta, size=size, side="lower")
        return replace(alone, levels=alone.levels / J)
    pairs = None if size is None else J * size
    together = selective.named(rule, K=J * K, delta=delta, size=pairs, side="lower")
    return replace(together, K=K, levels=together.levels[J - 1 :: J], size=size)


def _refuse_other_candidates(tables: Mapping[str, Scores], by: str) -> None:
    if by not in tables:
        raise InputError(f"by={by!r} is none of the KPIs {some(tables)}.", code="NF008")
    expected = set(tables[by].candidates)
    for name, table in tables.items():
        other = expected ^ set(table.candidates)
        if other:
            raise InputError(
                f"the KPIs {by!r} and {name!r} have different candidates: {some(sorted(other))} "
                "in one of them only.",
                code="NF011",
            )

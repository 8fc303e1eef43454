"""A comparison that keeps to its plan, or is refused."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.questions import plan_file
from nofluke.questions.designs import counted
from nofluke.questions.plan_file import PlanFile
from nofluke.questions.plan_seals import clusters_differ, seen_before, units

if TYPE_CHECKING:
    from nofluke.questions.comparison import Comparison
    from nofluke.scores.table import Scores

#: What changes the mean that is claimed, or how it is counted, and is in no plan.
_UNPLANNED = ("mix", "weights", "max_weight", "population", "paired")


def kept(
    compare: Callable[..., Comparison],
    scores: Scores,
    a: str,
    b: str,
    *,
    plan: PlanFile | str | os.PathLike[str],
    given: Mapping[str, Any],
) -> Comparison:
    """The comparison that was planned.

    Args:
        compare: The question; an argument at its default there counts as not given.
        scores: The table.
        a: The baseline.
        b: The candidate.
        plan: The plan, or where it is.
        given: Arguments of ``compare``, as they were given.

    Raises:
        InputError: Something contradicts the plan (NF031), more units than a method that looks
            once was planned for (NF033), or the plan is not as it was written (NF030).
    """
    plan = plan_file.verified(plan) if isinstance(plan, PlanFile) else plan_file.read(plan)
    defaults = {k: p.default for k, p in inspect.signature(compare).parameters.items()}
    told = {k: v for k, v in given.items() if k in defaults and not _same(v, defaults[k])}
    _refuse_contradictions(plan, scores, a, b, told)
    _refuse_pilot(plan, scores, told.get("clusters"))
    answer = compare(
        replace(scores, better=checks.better(plan.better)),
        a,
        b,
        margin=plan.margin,
        alternative=plan.alternative,
        alpha=plan.alpha,
        method=plan.method,
        planned=plan.planned if plan.anytime else None,
        bounds=plan.bounds,
        binary=plan.binary,
        clusters=(told.get("clusters", True)) if plan.clusters else None,
        max_cluster_size=plan.max_cluster_size,
        groups=told.get("groups"),
        missing=plan.missing,
        seed=plan.seed,
    )
    return replace(
        answer,
        notes=(*answer.notes, *_counted(plan, answer)),
        question={**answer.question, "plan": plan.digest},
    )


def _refuse_contradictions(
    plan: PlanFile, scores: Scores, a: str, b: str, told: Mapping[str, Any]
) -> None:
    wrong = [f"{k}={_shown(told[k])} is not in the plan" for k in _UNPLANNED if k in told]
    for name in (
        "margin", "alternative", "alpha", "method", "planned", "bounds", "binary",
        "max_cluster_size", "missing", "seed",
    ):  # fmt: skip
        said = getattr(plan, name)
        if name in told and not _same(told[name], said):
            wrong.append(f"{name}={_shown(told[name])}, and the plan says {said!r}")
    wrong += _clusters(plan, scores, told.get("clusters"))
    for name, value in (("a", a), ("b", b)):
        if value != getattr(plan, name):
            wrong.append(f"{name}={value!r}, and the plan says {getattr(plan, name)!r}")
    for name in ("metric", "better", "bounds"):
        value, said = getattr(scores, name), getattr(plan, name)
        if value is not None and said is not None and not _same(value, said):
            wrong.append(f"the table has {name}={value!r}, and the plan says {said!r}")
    if wrong:
        raise InputError(
            f"this is not the comparison that was planned: {'; '.join(wrong)}. Leave out what the "
            "plan settles; another question needs another plan, and new scores.",
            code="NF031",
        )


def _clusters(plan: PlanFile, scores: Scores, given: Any) -> list[str]:
    """What contradicts the plan in what makes clusters; False and None say nothing."""
    if not plan.clusters:
        none = given is None or given is False
        return [] if none else ["clusters= is given, and the plan counts pairs"]
    if given is False:
        return ["clusters=False, and the plan counts clusters"]
    differ = clusters_differ(plan.cluster_by or "", given, scores)
    return [] if differ is None else [differ]


def _refuse_pilot(plan: PlanFile, scores: Scores, clusters: Any) -> None:
    """N was chosen by looking at these: it may not depend on what is counted."""
    if not plan.pilot:
        return
    by = (True if clusters is None else clusters) if plan.clusters else False
    named = units(
        scores,
        plan.a,
        plan.b,
        clusters=by,
        missing=plan.missing,
        better=plan.better,
        bounds=plan.bounds,
    )
    again = seen_before(plan.pilot, named)
    if again:
        raise InputError(
            f"{len(again)} of what would be counted were in the pilot that the plan was made from: "
            f"{', '.join(again[:3])}{', ...' if len(again) > 3 else ''}. The number planned was "
            "chosen by looking at them, and the promise is for a number that does not depend on "
            "what is counted: leave them out of the table. If they only share their ids with the "
            "pilot, give them ids of their own.",
            code="NF031",
        )


def _counted(plan: PlanFile, answer: Comparison) -> list[str]:
    """What the number of units says about the plan."""
    n, N = answer.n_units, plan.planned
    if n > N and not plan.anytime:
        raise InputError(
            f"{answer.counted} arrived and {N} were planned for {plan.method}, which looks once, "
            "at the number that was fixed. Compare the first ones in the plan's order "
            "(nofluke.plan.order(examples, seed=...)), or plan with hedged_star, which may go on.",
            code="NF033",
        )
    if n > N:
        return [
            f"NF175: {answer.counted} arrived and {N} were planned; {plan.method} may go on after "
            "N, at a slower pace: the promise holds."
        ]
    if n < N and not plan.anytime:
        return [
            f"NF174: only {n} of the {counted(N, answer.unit)} planned for "
            f"{plan.method} have arrived, which looks once. The promise holds if that number has "
            "nothing to do with the scores; looking again later is another look."
        ]
    return []


def _same(one: Any, other: Any) -> bool:
    """Equal values; numbers by value, bounds whatever holds them, and never an array's truth."""
    if one is other:
        return True
    if isinstance(one, np.ndarray):
        one = one.tolist()
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    plain = (str, int, float, np.number)
    return isinstance(one, plain) and isinstance(other, plain) and bool(one == other)


def _shown(value: Any) -> str:
    """A value in a message: a large one by its kind."""
    return repr(value) if isinstance(value, str | int | float | tuple) else type(value).__name__

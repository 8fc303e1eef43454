"""An assertion about two models: from what a test holds to a verdict and its words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError
from nofluke.gate import looks
from nofluke.gate.markdown import limits
from nofluke.gate.projection import further
from nofluke.questions import compare as comparing
from nofluke.results import plain
from nofluke.scores.readers import read
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.gate.looks import Look
    from nofluke.questions.comparison import Comparison
    from nofluke.questions.plan_file import PlanFile

_READING = ("better", "bounds", "binary", "metric", "columns", "failed")
_ALPHA = 0.05


def asserted(
    a: Any,
    b: Any,
    *,
    alpha: float | None = None,
    scores: Scores | None = None,
    names: tuple[str, str] = ("a", "b"),
    earlier: Sequence[Look] = (),
    rerun: bool = False,
    split: bool = False,
    **how: Any,
) -> tuple[Comparison, Look]:
    """The comparison that an assertion rests on, at the level that is left for this look.

    Args:
        a: Baseline: an array of scores, a mapping of example to score, a file or folder, a data
            frame; or the candidate's id in ``scores``.
        b: The candidate compared with it, in the same form.
        alpha: Error level of all looks together; 0.05, or that of ``plan=``.
        scores: A table that holds both.
        names: What the two are called where they have no names.
        earlier: Looks at this assertion so far.
        rerun: Whether one of them was in this session.
        split: Whether it was said beforehand that there may be several.
        how: Further arguments of ``nofluke.read`` and ``nofluke.compare``.

    Raises:
        InputError: The arguments or data cannot be used, the plan says otherwise, or the look is
            refused.

    >>> result, look = asserted({"u1": 1, "u2": 0}, {"u1": 1, "u2": 1}, metric="accuracy")
    >>> result.verdict, look.number, look.alpha
    ('not enough evidence', 1, 0.05)
    """
    plan = _plan(how, alpha, several=split)
    alpha = (_ALPHA if alpha is None else alpha) if plan is None else plan.alpha
    reading = {k: how.pop(k) for k in _READING if k in how}
    table, left, right = together(a, b, scores, names, reading)
    said = {k: getattr(table, k) for k in ("better", "bounds", "binary", "metric")}
    question = {**reading, **said, **how, "a": left, "b": right, "alpha": alpha}
    if plan is not None:
        question["plan"] = plan.digest

    def ask(level: float) -> Comparison:
        if plan is not None and level != plan.alpha:
            raise InputError(
                f"the plan settles alpha = {plan.alpha:g} and its answer can no longer be read at "
                "any time here, so that nothing can be set aside for further looks. Leave "
                "--nofluke-ledger, --reruns or the flaky mark out for this test.",
                code="NF036",
            )
        told = {"plan": plan} if plan is not None else {"alpha": level}
        return comparing.compare(table, left, right, **{**how, **told})

    return looks.look(
        ask,
        data=table.digest,
        question=looks.fingerprint(question),
        alpha=alpha,
        earlier=earlier,
        rerun=rerun,
        split=split,
        planned=how.get("planned") is not None or (plan is not None and plan.anytime),
    )


def _plan(how: dict[str, Any], alpha: float | None, *, several: bool) -> PlanFile | None:
    """The plan of the assertion, which must say the same as the assertion does."""
    given = how.get("plan")
    if given is None:
        return None
    from nofluke.questions import plan_file
    from nofluke.questions.plan_file import PlanFile

    plan = plan_file.verified(given) if isinstance(given, PlanFile) else plan_file.read(given)
    said = {"alpha": alpha, "alternative": how.get("alternative"), "margin": how.get("margin")}
    wrong = [
        f"{name}={value!r}, and the plan says {getattr(plan, name)!r}"
        for name, value in said.items()
        if value is not None and value != getattr(plan, name)
    ]
    if wrong:
        raise InputError(
            f"this is not the comparison that was planned: {'; '.join(wrong)}. Assert what the "
            "plan claims, with its margin.",
            code="NF031",
        )
    if several and not plan.anytime:
        raise InputError(
            f"the plan is for {plan.method}, which looks once, at {plan.planned} units, with all "
            "of alpha; --nofluke-ledger, --reruns or a flaky mark say that there may be several "
            "looks. Leave these out for this test, or plan with hedged_star, which may be read at "
            "any time.",
            code="NF036",
        )
    return plan


def together(
    a: Any, b: Any, scores: Scores | None, names: tuple[str, str], reading: dict[str, Any]
) -> tuple[Scores, str, str]:
    """One table of two sides, and their names.

    Raises:
        InputError: Sides of different kinds, or a table with options that are for reading.
    """
    if scores is not None:
        if reading:
            raise InputError(
                f"scores= is a table that was read already; {', '.join(reading)} would be "
                "ignored: leave them out.",
                code="NF008",
            )
        return scores, a, b
    arrays = [_is_array(side) for side in (a, b)]
    if all(arrays):
        left, right = names
        return Scores.from_arrays({left: a, right: b}, **reading), left, right
    if any(arrays):
        raise InputError(
            "one side is an array, whose scores have no ids, and the other is not; give both as "
            "arrays in the same order, or both with ids (mappings, files, data frames).",
            code="NF008",
        )
    left, right = (_name(side, name) for side, name in zip((a, b), names, strict=True))
    if left == right:
        left, right = (f"{left} ({name})" for name in names)
    return read({left: _rows(a), right: _rows(b)}, contents=True, **reading), left, right


def words(result: Comparison, look: Look, *, alpha: float) -> list[str]:
    """What a failed assertion says: verdict, sentence, limits, and what would help."""
    told = [
        f"{result.verdict.upper()} (alpha {look.alpha:g}, {result.guarantee})",
        result.sentences()[0],
        f"difference {result.estimate:+.4g}; guaranteed {limits(result.guaranteed)}, asymptotic "
        f"{limits(result.asymptotic)}; {result.counted}, method {result.method}",
    ]
    ahead = further(result) if result.verdict == "not enough evidence" else None
    if ahead is not None:
        told.append(f"NF176: {ahead.sentence()}")
    if look.alpha != alpha:
        told.append(
            f"NF179: alpha {alpha:g} is split, as this question may be looked at again on other "
            f"data: look {look.number} has {look.alpha:g}."
        )
    return [*told, *result.notes]


def record(result: Comparison, look: Look, outcome: str, *, alpha: float) -> dict[str, Any]:
    """The assertion for machines, flat."""
    told = {
        "outcome": outcome,
        "verdict": result.verdict,
        "alternative": result.claim.alternative,
        "margin": result.claim.margin,
        "alpha": look.alpha,
        "alpha_of_all_looks": alpha,
        "look": look.number,
        "estimate": result.estimate,
        "guaranteed": _pair(result.guaranteed),
        "asymptotic": _pair(result.asymptotic),
        "method": result.method,
        "guarantee": result.guarantee,
        "n_units": result.n_units,
        "unit": result.unit,
        "pairing": dict(result.pairing),
        "digest": result.digest,
        "sentence": result.sentences()[0],
        "notes": list(result.notes),
    }
    found: dict[str, Any] = plain(told)
    return found


def _pair(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.lower, interval.upper]


def _is_array(side: Any) -> bool:
    """One score after the other; rows as dicts, tables and paths are not."""
    if isinstance(side, str | os.PathLike | Mapping):
        return False
    if isinstance(side, list | tuple):
        return not (side and isinstance(side[0], Mapping))
    return getattr(side, "ndim", 2) == 1


def _name(side: Any, name: str) -> str:
    from pathlib import Path

    from nofluke.scores.readers import files

    return files.stem(Path(side).name) if isinstance(side, str | os.PathLike) else name


def _rows(side: Any) -> Any:
    if not isinstance(side, Mapping):
        return side
    return [{"example": str(example), "score": score} for example, score in side.items()]

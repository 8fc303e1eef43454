"""Looks at one assertion: which repetition is a new look, and what is left of alpha for it.

A test that is run again until it passes looks more than once, and each look may err. Three
repetitions are none of that kind, or are paid for:

* The same data and question give the same verdict, since nothing here is random: no new look.
* Where the answer's guarantee is "anytime" the evidence may be read at any time, as long as each
  look sees the units of the one before it, in their order, and perhaps further ones. Fresh answers
  are another sequence, which anytime validity says nothing about. That ``planned=`` was said is not
  enough: the guarantee may be lost in the data or by the method.
* Other data are a new look. If it was said before the first one that there may be several, the
  k-th look has alpha / (k (k + 1)); these add up to alpha (1/2 + 1/6 + 1/12 + ... = 1), so that by
  the union bound all looks together err with probability at most alpha.

The first look must know that others may follow: once it has spent all of alpha nothing is left. So
a look is refused if one before it spent more than its share, or if all of them together would spend
more than alpha.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from nofluke.questions.comparison import Comparison

_SCHEMA = 1
_ROUNDING = 1 + 1e-9  # shares that add up to alpha are not refused for their last digit


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look: what was seen, at which level, and what came out.

    Attributes:
        data: Hash of the data.
        question: Hash of what was asked of them.
        number: Which look it is, from 1; looks at one planned sequence share their number.
        alpha: Its share of the error level.
        verdict: What came out.
        n: Units seen.
        path: Hash of their differences in the order counted.
        planned: Whether it was a look at a sequence that may be read at any time.
    """

    data: str
    question: str
    number: int
    alpha: float
    verdict: str
    n: int
    path: str
    planned: bool = False


def share(alpha: float, number: int) -> float:
    """The part of alpha that the k-th look may spend.

    >>> [round(share(0.06, k), 6) for k in (1, 2, 3)]
    [0.03, 0.01, 0.005]
    """
    return alpha / (number * (number + 1))


def look(
    ask: Callable[[float], Comparison],
    *,
    data: str,
    question: str,
    alpha: float,
    earlier: Sequence[Look],
    rerun: bool,
    split: bool,
    planned: bool,
) -> tuple[Comparison, Look]:
    """Look once more, at the level that is left, or refuse.

    Args:
        ask: The question as a function of its error level.
        data: Hash of the data.
        question: Hash of what is asked of them, see ``fingerprint``.
        alpha: Error level of all looks together.
        earlier: Looks at the same assertion so far.
        rerun: Whether one of them was in this session.
        split: Whether it was said beforehand that there may be several looks.
        planned: Whether it was said that the evidence may be read at any time; it counts only if
            the answer's guarantee says so too.

    Raises:
        InputError: A new look for which nothing is left (NF036).
    """
    same = next((e for e in earlier if (e.data, e.question) == (data, question)), None)
    if same is not None:
        if rerun and same.verdict != "yes" and not same.planned:
            raise InputError(
                "a rerun is a new look at the same question, and on the same data it can give the "
                f"same verdict only: {same.verdict}. More examples are what may change it.",
                code="NF036",
            )
        return ask(same.alpha), same
    if planned:
        # Nothing but the guarantee is taken from this answer unless it may be read at any time.
        result = ask(alpha)
        if result.guarantee == "anytime":
            return _anytime(result, data, question, alpha, earlier)
    if earlier and not split:
        raise InputError(
            "a rerun is a new look: the data are others, and the first look has spent all of "
            f"alpha = {alpha:g}. Say before the first look that there may be several "
            "(--reruns of pytest-rerunfailures, or --nofluke-ledger), and alpha is split; or say "
            "planned= and add examples to those that were seen.",
            code="NF036",
        )
    number = 1 + max((e.number for e in earlier), default=0)
    left = share(alpha, number) if split else alpha
    _refuse_overspending(earlier, left, alpha)
    result = ask(left)
    return result, _seen(result, data, question, number, left)


def fingerprint(question: Mapping[str, Any]) -> str:
    """Hash of what is asked."""
    text = json.dumps(question, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def load(path: Path) -> dict[str, list[Look]]:
    """Looks of earlier runs; none where the file does not exist yet.

    Raises:
        InputError: The file is no ledger of ours (NF037).
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["schema"] != _SCHEMA:
            raise ValueError(f"schema {told['schema']!r}")
        return {key: [Look(**each) for each in looks] for key, looks in told["looks"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"--nofluke-ledger {path} cannot be used: {type(error).__name__}: {error}. Name the "
            "file of an earlier run, or a new one.",
            code="NF037",
        ) from None


def save(path: Path, looks: Mapping[str, Sequence[Look]]) -> None:
    """Write the ledger; it appears under its name when it is whole."""
    told = {"schema": _SCHEMA, "looks": {k: [asdict(e) for e in looks[k]] for k in sorted(looks)}}
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    part.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def _refuse_overspending(earlier: Sequence[Look], left: float, alpha: float) -> None:
    """Refuse a look that would make all of them spend more than alpha.

    Looks at one planned sequence are paid for once.
    """
    paid = {(e.question, e.number) if e.planned else (e.question, e.data): e for e in earlier}
    spent = sum(e.alpha for e in paid.values())
    over = [e for e in earlier if e.alpha > share(alpha, e.number) * _ROUNDING]
    if not over and spent + left <= alpha * _ROUNDING:
        return
    most = f"look {over[0].number} had {over[0].alpha:g}, " if over else ""
    raise InputError(
        f"a rerun is a new look, and nothing is left for it: {most}all before it had {spent:g} "
        f"together, and this assertion may spend alpha = {alpha:g}. A planned look spends all of "
        "alpha, and a lower alpha= comes too late. Ask as before, or in a new test on new data.",
        code="NF036",
    )


def _anytime(
    result: Comparison, data: str, question: str, alpha: float, earlier: Sequence[Look]
) -> tuple[Comparison, Look]:
    """A look at a sequence that may be read at any time: the first one, or a further one."""
    if not earlier:
        return result, _seen(result, data, question, 1, alpha, planned=True)
    if any(e.question != question or not e.planned for e in earlier):
        raise InputError(
            "a rerun is a new look: with planned= the question is settled before the first "
            "one, and this one was asked otherwise before. Ask as before, or in another test.",
            code="NF036",
        )
    return _continued(result, data, earlier[-1])


def _continued(result: Comparison, data: str, last: Look) -> tuple[Comparison, Look]:
    """A further look at a planned sequence: what was seen must be its beginning."""
    if _path(result, last.n) != last.path:
        raise InputError(
            f"a rerun is a new look: planned= lets one look again as examples are added, and the "
            f"{last.n} units seen before are not the first ones of these {result.n_units}. Keep "
            "their scores and run further examples in the order of nofluke.plan.order.",
            code="NF036",
        )
    return result, _seen(result, data, last.question, last.number, last.alpha, planned=True)


def _seen(
    result: Comparison,
    data: str,
    question: str,
    number: int,
    alpha: float,
    *,
    planned: bool = False,
) -> Look:
    return Look(
        data=data,
        question=question,
        number=number,
        alpha=alpha,
        verdict=result.verdict,
        n=result.n_units,
        path=_path(result, result.n_units) or "",
        planned=planned,
    )


def _path(result: Comparison, n: int) -> str | None:
    """Hash of the first n differences in the order counted; None where there are fewer."""
    if result.x is None or result.x.size < n:
        return None
    return hashlib.sha256(result.x[:n].astype("<f8").tobytes()).hexdigest()

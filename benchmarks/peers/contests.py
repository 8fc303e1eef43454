"""A contest: one question, those who answer it, and how far apart their answers may lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

OURS = "nofluke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Somebody who answers.

    Attributes:
        who: Name of the package, "nofluke", or of a published algorithm.
        how: The call or command, as its documentation has it.
        ready: Imports what is needed and returns the call that is timed; the import is not.
        says: The number in an answer that is compared with ours; none where it has none.
        command: A whole process instead of a call.
        answered: Exit codes of the command that say it has answered.
        note: What its answer lacks or adds.
    """

    who: str
    how: str
    ready: Callable[[], Callable[[], Any]] | None = None
    says: Callable[[Any], float] | None = None
    command: tuple[str, ...] = ()
    answered: tuple[int, ...] = (0,)
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One question.

    Attributes:
        topic: The heading it stands under.
        question: What is asked, with sizes.
        contenders: Ours first.
        tolerance: Largest relative difference of two answers to the same question; none where
            answers are random or of different methods, which the notes then say.
        floor: Something nobody can do without, timed in the same run.
        floor_is: What that is, in words.
        within: How many times the floor is aimed at.
    """

    topic: str
    question: str
    contenders: tuple[Contender, ...]
    tolerance: float | None = None
    floor: Callable[[], Any] | None = None
    floor_is: str = ""
    within: float = 3.0
    notes: tuple[str, ...] = field(default=())


def ours(how: str, ready: Callable[[], Callable[[], Any]], **more: Any) -> Contender:
    """Our own answer."""
    return Contender(who=OURS, how=how, ready=ready, **more)

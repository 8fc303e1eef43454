"""What is asked of a final report: the choice, its chances, the scope in the user's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nofluke import checks
from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from nofluke.questions.champion_card import ChampionCard
    from nofluke.scores.predictions import Predictions

#: Chances to look better than one is, and what each counts.
CHANCES: Final = {
    "dropped_seeds": "seeds trained and left out of the data",
    "settings": "settings tried",
    "preprocessing": "versions of preprocessing tried",
    "thresholds": "thresholds looked at for each candidate",
    "metrics": "metrics that could have become the headline",
    "submissions": "times a score on these rows came back before this report",
}
#: What the scope tells, in the user's words.
SCOPE: Final = {
    "population": "which cases these rows stand for",
    "time": "when the rows were collected",
    "deployment": "where and for what it will be used",
    "rows": "where the rows come from and how they were kept out of training",
}
_MOST: Final = 10**9  # numbers to pay for; far beyond it an error level is lost in rounding
_NONE = ("dropped_seeds", "submissions")  # counts that may be 0; of the others one is in use


class Choice(NamedTuple):
    """The chosen candidate, and how it came to be chosen.

    Attributes:
        candidate: Its id.
        by: "largest area", "named beforehand" or "picked by name".
    """

    candidate: str
    by: str


class Payment(NamedTuple):
    """What the error level of a number is divided by, since it could have been another one.

    For any rule of choice, P(the quoted interval misses) <= sum over all that could have been
    quoted of P(that interval misses) (Bonferroni).

    Attributes:
        candidates: Candidates that could have been quoted.
        metrics: Metrics that could have been the headline.
        thresholds: Thresholds of each candidate; paid for by numbers of decisions only.
    """

    candidates: int
    metrics: int
    thresholds: int

    def alpha(self, alpha: float, *, decision: bool = False) -> float:
        """Error level of one number."""
        return alpha / self.among(decision=decision)

    def among(self, *, decision: bool = False) -> int:
        """Numbers that could have been quoted in the place of one."""
        return self.candidates * self.metrics * (self.thresholds if decision else 1)


class Asked(NamedTuple):
    """Checked choices of the report.

    Attributes:
        level: Confidence of each number after the choice.
        tried: Candidates that could have been chosen.
        tried_said: Whether somebody said so; else it is the least that the counts allow.
        chances: Counts of chances by name, those that were said.
        rule: The rule of the choice in the user's words.
        fixed: When and where it was fixed, likewise.
        scope: The scope in the user's words, as far as it was told.
    """

    level: float
    tried: int
    tried_said: bool
    chances: Mapping[str, int]
    rule: str | None
    fixed: str | None
    scope: Mapping[str, str]

    @property
    def alpha(self) -> float:
        """Error level of each number after the choice."""
        return 1 - self.level

    @property
    def metrics(self) -> int:
        """Metrics that could have been the headline."""
        return self.chances.get("metrics", 1)

    @property
    def thresholds(self) -> int:
        """Thresholds that each candidate was looked at with."""
        return self.chances.get("thresholds", 1)

    def payment(self, choice: Choice) -> Payment:
        """What the numbers of the chosen pay for."""
        count = 1 if choice.by == "named beforehand" else self.tried
        return Payment(count, self.metrics, self.thresholds)


def asked(
    table: Predictions,
    *,
    level: float,
    tried: int | None,
    chances: Mapping[str, int] | None,
    rule: str | None,
    fixed: str | None,
    scope: Mapping[str, str] | None,
) -> Asked:
    """The choices, checked.

    Raises:
        InputError: Unknown names, counts that cannot be, fewer tried than the counts tell of, or
            words that are empty (NF286).
    """
    counts = _counts(chances)
    least = max(
        table.K + counts.get("dropped_seeds", 0),
        counts.get("settings", 0),
        counts.get("preprocessing", 0),
    )
    number = least if tried is None else checks.whole(tried, name="tried")
    if number < least:
        raise InputError(
            f"tried={number} is less than the {least} that the data and the counts tell of "
            f"({table.K} candidates in the data; {_told(counts)}); count all that could have been "
            "chosen.",
            code="NF286",
        )
    paid = number * counts.get("metrics", 1) * counts.get("thresholds", 1)
    if paid > _MOST:
        raise InputError(
            f"tried, metrics and thresholds make {paid:.4g} numbers that could have been quoted; "
            f"up to {_MOST:,} can be paid for. Evaluate the chosen one on fresh rows, where "
            "nothing is to be paid.",
            code="NF286",
        )
    return Asked(
        level=checks.fraction(level, name="level"),
        tried=number,
        tried_said=tried is not None,
        chances=counts,
        rule=_words(rule, "rule"),
        fixed=_words(fixed, "fixed"),
        scope=_scope(scope),
    )


def choice(table: Predictions, card: ChampionCard, *, planned: str, chosen: str | None) -> Choice:
    """Which candidate the report is about, and how it was chosen.

    Without a name the rule is the largest area, whose interval knows the rule. A name that is also
    the plan was chosen before any score was seen. Any other name may have been picked by any rule.

    Raises:
        InputError: There is no such candidate (NF286).
    """
    if chosen is None:
        return Choice(card.best, "largest area")
    if chosen not in table.candidates:
        raise InputError(
            f"chosen={chosen!r} is none of the {table.K} candidates: {some(table.candidates)}.",
            code="NF286",
        )
    return Choice(chosen, "named beforehand" if planned == f"name:{chosen}" else "picked by name")


def _counts(given: Any) -> dict[str, int]:
    if given is None:
        return {}
    _refuse_unknown(given, CHANCES, "chances")
    found = {}
    for name, count in given.items():
        least = 0 if name in _NONE else 1
        try:
            found[name] = checks.whole(count, name=name, least=least)
        except InputError:
            raise InputError(
                f"chances: {name}={count!r} must be a whole number from {least} on: the "
                f"{CHANCES[name]}.",
                code="NF286",
            ) from None
    return {name: found[name] for name in CHANCES if name in found}


def _scope(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    _refuse_unknown(given, SCOPE, "scope")
    words = {name: _words(text, name) for name, text in given.items()}
    return {name: text for name in SCOPE if (text := words.get(name)) is not None}


def _refuse_unknown(given: Any, known: Mapping[str, str], name: str) -> None:
    if not isinstance(given, Mapping):
        raise InputError(
            f"{name}={given!r} must be a mapping with some of {', '.join(known)}.", code="NF286"
        )
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise InputError(
            f"{name}= has the name {unknown[0]!r}; it may have {', '.join(known)}.", code="NF286"
        )


def _words(text: Any, name: str) -> str | None:
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip():
        raise InputError(
            f"{name}={text!r} must be words for the reader of the report; leave it out where "
            "nothing can be said, and the report says that it is missing.",
            code="NF286",
        )
    return " ".join(text.split())


def _told(counts: Mapping[str, int]) -> str:
    named = {k: v for k, v in counts.items() if k in ("dropped_seeds", "settings", "preprocessing")}
    return ", ".join(f"{name} {count}" for name, count in named.items()) or "no further counts"

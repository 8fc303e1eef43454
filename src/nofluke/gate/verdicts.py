"""The gate: every check of a configuration, and whether all of them pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nofluke import checks
from nofluke.errors import NoflukeError
from nofluke.gate import config, logic, sources
from nofluke.gate.keys import INCONCLUSIVE
from nofluke.gate.projection import further
from nofluke.methods import weakest
from nofluke.questions import compare as comparing
from nofluke.results import percent, plain
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from nofluke.gate.config import Check, Metric
    from nofluke.gate.projection import Projection
    from nofluke.gate.sources import Source
    from nofluke.questions.claims import Verdict
    from nofluke.questions.comparison import Comparison
    from nofluke.results import Guarantee

Outcome: TypeAlias = Literal["pass", "fail", "inconclusive", "unusable"]

# A failure that was shown settles the gate, whatever an unusable check would have said.
EXIT: dict[Outcome, int] = {"pass": 0, "fail": 1, "unusable": 2, "inconclusive": 3}
_WORST: tuple[Outcome, ...] = ("fail", "unusable", "inconclusive", "pass")
PROVED: tuple[Guarantee, ...] = ("anytime", "finite-sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAnswer(Shown):
    """What a check found for one metric.

    Attributes:
        name: The metric.
        role: "primary", "guardrail" or "".
        verdict: The verdict that the check's error level pays for.
        comparison: The answer with its numbers.
        further: How much more evidence may be needed; None where there is no telling.
        adjusted: Holm's p-value, where the metrics share their error level that way.
    """

    name: str
    role: str
    verdict: Verdict
    comparison: Comparison
    further: Projection | None
    adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswer(Shown):
    """What a check found.

    Attributes:
        name: What it is called.
        verdict: "yes", "no" or "not enough evidence"; None where it could not be asked.
        outcome: "pass", "fail", "inconclusive" or "unusable", after the check's own word on what
            too little evidence means.
        logic: How its metrics decide together, in one sentence.
        guarantee: The weakest word among its metrics.
        metrics: The answers, one for each metric.
        error: Code and text of what made it unusable.
        notes: Cautions of the check, each beginning with its code.
    """

    name: str
    verdict: Verdict | None
    outcome: Outcome
    logic: str = ""
    guarantee: Guarantee | None = None
    metrics: tuple[MetricAnswer, ...] = ()
    error: tuple[str, str] | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain Python."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "outcome": self.outcome,
            "logic": self.logic,
            "guarantee": self.guarantee,
            "error": None
            if self.error is None
            else dict(zip(("code", "text"), self.error, strict=True)),
            "notes": list(self.notes),
            "metrics": [
                {
                    "name": m.name,
                    "role": m.role,
                    "verdict": m.verdict,
                    "adjusted": m.adjusted,
                    "further": None if m.further is None else m.further._asdict(),
                    "comparison": m.comparison.to_dict(),
                }
                for m in self.metrics
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Shown):
    """The answer of a gate.

    Attributes:
        source: The configuration, as named.
        checks: One answer for each check.
        version: Version of nofluke.
    """

    source: str
    checks: tuple[CheckAnswer, ...]
    version: str

    @property
    def outcome(self) -> Outcome:
        """It passes if every check does; a failed check fails it, whatever the others say."""
        found = {check.outcome for check in self.checks}
        return next(word for word in _WORST if word in found)

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 unusable, 3 not enough evidence."""
        return EXIT[self.outcome]

    @property
    def headline(self) -> str:
        """The outcome with its counts."""
        total, told = len(self.checks), []
        for word in ("pass", "fail", "unusable", "inconclusive"):
            count = sum(check.outcome == word for check in self.checks)
            told += [f"{count} {word}"] if count else []
        shown = "NOT ENOUGH EVIDENCE" if self.outcome == "inconclusive" else self.outcome.upper()
        return f"{shown}: {total} check{'s' if total > 1 else ''}, {', '.join(told)}"

    @property
    def logic(self) -> str:
        """What a wrong gate costs, in one sentence."""
        told = [self._all()] if len(self.checks) > 1 else []
        decided = [c for c in self.checks if c.verdict == "not enough evidence"]
        for word in ("pass", "fail"):
            names = ", ".join(c.name for c in decided if c.outcome == word)
            if names:
                told.append(
                    f"A {word} by decision, not by evidence: {names}; nothing was shown there, "
                    f"and no alpha bounds how often such a {word} is wrong."
                )
        return " ".join(told)

    def _all(self) -> str:
        """What all checks together promise, if each of them promises something."""
        several = f"The gate passes only if all {len(self.checks)} checks do"
        bare = [
            c.name for c in self.checks if c.guarantee is not None and c.guarantee not in PROVED
        ]
        if bare:
            return (
                f"{several}. How often it passes wrongly is not bounded, as no method with a "
                f"guarantee stands behind {', '.join(bare)}."
            )
        return (
            f"{several}, so a wrong pass of checks that were shown has at most the probability of "
            "the largest alpha among them, without a correction; that some check fails wrongly is "
            "bounded by the sum of their alphas only."
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain Python: infinities are texts, never NaN."""
        told = {
            "kind": "gate",
            "schema": 1,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "config": self.source,
            "logic": self.logic,
            "version": self.version,
            "checks": [check.to_dict() for check in self.checks],
        }
        found: dict[str, Any] = plain(told)
        return found

    def to_json(self) -> str:
        """``to_dict`` as JSON text."""
        import msgspec

        return msgspec.json.format(msgspec.json.encode(self.to_dict()), indent=2).decode() + "\n"


def run(source: str | PathLike[str] = ".", *, inconclusive: str | None = None) -> Gate:
    r"""Ask every check of a configuration; a check that cannot be asked says why, and no more.

    Each check's verdict is wrong with probability at most its alpha, whichever way it goes, where
    its guarantee is "anytime" or "finite-sample". A check that passes or fails by ``inconclusive``
    was decided and not shown.

    Args:
        source: ``nofluke.toml`` or ``pyproject.toml``, or the folder of one.
        inconclusive: What too little evidence means, for all checks: "fail", "pass" or "report"
            (exit code 3); as each check says by default ("report" where it does not).

    Raises:
        InputError: There is no configuration, or mistakes are in it.

    Source: Berger 1982 (intersection-union tests), Holm 1979.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, wrong in (("old", 30), ("new", 12)):
    ...     rows = "".join(f"u{i},{int(i >= wrong)}\n" for i in range(100))
    ...     _ = (folder / f"{name}.csv").write_text("id,accuracy\n" + rows)
    >>> _ = (folder / "nofluke.toml").write_text(
    ...     '[[check]]\nname = "qa"\nbaseline = "old.csv"\ncandidate = "new.csv"\n')
    >>> gate = run(folder)
    >>> gate.headline, gate.exit_code
    ('PASS: 1 check, 1 pass', 0)
    """
    if inconclusive is not None:
        checks.choice(inconclusive, INCONCLUSIVE, name="inconclusive")
    path, listed = config.load(source)
    answers = tuple(ask(check, inconclusive or check.inconclusive) for check in listed)
    return Gate(source=str(path), checks=answers, version=metadata.version("nofluke"))


def ask(check: Check, inconclusive: str) -> CheckAnswer:
    """The answer of one check; data that cannot be used are part of it."""
    try:
        decided = _decided(check)
    except (NoflukeError, OSError) as error:
        code = error.code if isinstance(error, NoflukeError) else "NF001"
        return CheckAnswer(
            name=check.name, verdict=None, outcome="unusable", error=(code, str(error))
        )
    metrics = tuple(_answers(check, decided))
    guarantee = weakest(m.comparison.guarantee for m in metrics)
    outcome = _outcome(decided.verdict, inconclusive)
    return CheckAnswer(
        name=check.name,
        verdict=decided.verdict,
        outcome=outcome,
        logic=decided.sentence,
        guarantee=guarantee,
        metrics=metrics,
        notes=tuple(_notes(decided.verdict, outcome, guarantee, metrics)),
    )


def _decided(check: Check) -> logic.Decided:
    source = sources.of(check)
    asks = [_asking(source, metric) for metric in check.metrics]
    if check.require == "one":
        result = asks[0](check.alpha)
        alpha = result.claim.alpha
        return logic.Decided(
            result.verdict,
            (result.verdict,),
            (result,),
            _promise(alpha, result.guarantee),
        )
    assert check.alpha is not None  # noqa: S101 (only a plan leaves it open, for one metric)
    names = [str(metric.name) for metric in check.metrics]
    return logic.decide(check.require, names, asks, check.alpha)


def _promise(alpha: float, guarantee: Guarantee) -> str:
    """What one question's error level is worth."""
    if guarantee in PROVED:
        return (
            f"One question at alpha {alpha:g}: the verdict, yes or no, is wrong with probability "
            f"at most {percent(alpha)}."
        )
    return (
        f"One question at alpha {alpha:g} by a method that is {guarantee}: how often the verdict "
        "is wrong is not bounded."
    )


def _asking(source: Source, metric: Metric) -> Callable[[float | None], Comparison]:
    """One question as a function of its error level; the scores are read once."""
    scores = source.scores(metric)

    @cache
    def asked(alpha: float | None) -> Comparison:
        # Only what was said is passed on: a plan file settles the rest.
        told = {"binary": metric.reading.get("binary"), **metric.asking}
        if alpha is not None:
            told["alpha"] = alpha
        return comparing.compare(scores, source.a, source.b, **told)

    return asked


def _answers(check: Check, decided: logic.Decided) -> list[MetricAnswer]:
    adjusted = decided.adjusted or (None,) * len(check.metrics)
    return [
        MetricAnswer(
            name=metric.name or shown.unit_name,
            role=metric.role,
            verdict=verdict,
            comparison=shown,
            further=further(shown) if verdict == "not enough evidence" else None,
            adjusted=p,
        )
        for metric, verdict, shown, p in zip(
            check.metrics, decided.each, decided.shown, adjusted, strict=True
        )
    ]


def _outcome(verdict: Verdict, inconclusive: str) -> Outcome:
    if verdict == "not enough evidence":
        words: dict[str, Outcome] = {"fail": "fail", "pass": "pass", "report": "inconclusive"}
        return words[inconclusive]
    return "pass" if verdict == "yes" else "fail"


def _notes(
    verdict: Verdict, outcome: Outcome, guarantee: Guarantee, metrics: tuple[MetricAnswer, ...]
) -> list[str]:
    told = [
        f"NF176: {m.name}: {m.further.sentence()}"
        for m in metrics
        if verdict == "not enough evidence" and m.further is not None
    ]
    if guarantee not in PROVED:
        told.append(
            f"NF177: the check rests on a method that is {guarantee}: alpha is not guaranteed at "
            "this number of examples."
        )
    if verdict == "not enough evidence" and outcome in ("pass", "fail"):
        told.append(
            f"NF178: there is not enough evidence either way, and inconclusive = {outcome!r} "
            f"makes it a {outcome}: that was decided, not shown."
        )
    return told

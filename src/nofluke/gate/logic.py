"""How several metrics decide together, so that the verdict is wrong with probability at most alpha.

"pass" claims that the requirement holds and "fail" that it does not, so exactly one of the two is
wrong, and each must be earned:

* all of J: a wrong pass shows at least one false claim, so each is tested at alpha and nothing is
  corrected (intersection-union test; Berger 1982). A wrong fail refutes one of J true claims, and
  any of them may be the unlucky one, so "fail" needs a refutation at alpha / J.
* any of J: the other way round. A wrong pass shows one of J false claims: Holm's procedure on
  p-values, else Bonferroni at alpha / J. A wrong fail refutes the one that is true: each at alpha.

For two verdicts of one method need not be nested in alpha (a betting method plans for its level),
Holm's steps are taken on p-values only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nofluke.questions.subgroups import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nofluke.gate.config import Require
    from nofluke.questions.claims import Verdict
    from nofluke.questions.comparison import Comparison


class Decided(NamedTuple):
    """The verdict of a check.

    Attributes:
        verdict: "yes", "no" or "not enough evidence".
        each: The verdict on each metric that the check's error level pays for.
        shown: The comparisons whose numbers are shown.
        sentence: How they decide together, and why.
        adjusted: Holm's p-values, where there are any.
    """

    verdict: Verdict
    each: tuple[Verdict, ...]
    shown: tuple[Comparison, ...]
    sentence: str
    adjusted: tuple[float, ...] | None = None


def decide(
    require: Require,
    names: Sequence[str],
    asks: Sequence[Callable[[float], Comparison]],
    alpha: float,
) -> Decided:
    """The verdict of several questions together.

    Args:
        require: "all", "any", or "primary" (all, with roles).
        names: What each metric is called.
        asks: Each question as a function of its error level.
        alpha: Error level of the verdict.
    """
    if require == "any":
        return _any(names, asks, alpha)
    return _all(names, asks, alpha, primary=require == "primary")


def _all(
    names: Sequence[str],
    asks: Sequence[Callable[[float], Comparison]],
    alpha: float,
    *,
    primary: bool,
) -> Decided:
    J = len(asks)
    shown = tuple(ask(alpha) for ask in asks)
    each: list[Verdict] = []
    for ask, result in zip(asks, shown, strict=True):
        verdict = result.verdict
        if verdict == "no" and ask(alpha / J).verdict != "no":
            verdict = "not enough evidence"
        each.append(verdict)
    verdict = "no" if "no" in each else "not enough evidence"
    if all(v == "yes" for v in each):
        verdict = "yes"
    what = (
        f"{names[0]} must be shown and so must every guardrail ({', '.join(names[1:])})"
        if primary
        else f"All of {', '.join(names)} must be shown"
    )
    return Decided(
        verdict,
        tuple(each),
        shown,
        f"{what}: each is tested at alpha {alpha:g} without a correction, because a wrong pass "
        "would have to show a claim that is false (intersection-union test); a fail needs one "
        f"refuted at {alpha:g}/{J}, because any of {J} could be refuted by chance.",
    )


def _any(
    names: Sequence[str], asks: Sequence[Callable[[float], Comparison]], alpha: float
) -> Decided:
    J = len(asks)
    shown = tuple(ask(alpha / J) for ask in asks)
    each: list[Verdict] = [r.verdict for r in shown]
    how = f"Bonferroni: each at {alpha:g}/{J}"
    adjusted: tuple[float, ...] | None = None
    pvalues = [r.test.pvalue for r in shown if r.test is not None]
    if len(pvalues) == J:
        adjusted = tuple(holm(pvalues))
        each = ["yes" if p <= alpha else _less(v) for p, v in zip(adjusted, each, strict=True)]
        how = f"Holm's procedure on {J} exact p-values at alpha {alpha:g}"
    verdict: Verdict = "not enough evidence"
    if "yes" in each:
        verdict = "yes"
    elif all(ask(alpha).verdict == "no" for ask in asks):
        verdict = "no"
    return Decided(
        verdict,
        tuple(each),
        shown,
        f"Any one of {', '.join(names)} suffices, so chance has {J} tries and they are paid for "
        f"({how}); a fail needs all of them refuted, each at alpha {alpha:g}.",
        adjusted,
    )


def _less(verdict: Verdict) -> Verdict:
    return "not enough evidence" if verdict == "yes" else verdict

"""How many ways answers can go, and the error level that is left for each of them.

One theorem serves every release rule. An analyst who sees only released answers, and whose coins
are tossed beforehand, submits at look t a function f_v that depends on nothing but the answers
before it: the node v of a tree. Nodes are countable and fixed before the rows are drawn. Give node
v the error level alpha_v, with sum(alpha_v) <= alpha; if a region for one function fixed in advance
misses with probability at most alpha_v, then with probability at least 1 - alpha none of the
regions along the path that is taken misses (the union bound over transcripts; Dwork, Feldman,
Hardt, Pitassi, Reingold & Roth 2015, "Generalization in adaptive data analysis and holdout
reuse", section on description length). How the path was found does not matter.

Here ``alpha_v = alpha / (looks x kinds x nodes)``: an equal share for each look, within it for each
kind of path (by the number of releases so far), within it for each path of that kind. All values
are natural logarithms, because the levels soon leave the doubles.
"""

from __future__ import annotations

import math

from scipy.special import betaln


def log_choose(n: int, k: int) -> float:
    """Logarithm of the binomial coefficient; -inf where there is no choice."""
    if not 0 <= k <= n:
        return -math.inf
    return 0.0 if k in (0, n) else float(-betaln(n - k + 1, k + 1) - math.log(n + 1))


def log_descents(answers: int, drops: int, levels: int) -> float:
    """How many sequences of a leaderboard have so many answers and distinct values.

    The values fall strictly where they change, the first answer counts as a change: the times of
    the others, C(answers - 1, drops - 1), and the values, C(levels + 1, drops). Summed over drops
    that is C(answers + levels, levels), every sequence that never rises. (A ladder of a fixed step
    never goes from 1 to 0, so that a few of them do not occur.)

    Args:
        answers: Answers so far; 0 for the empty transcript.
        drops: Distinct values among them; 0 for the empty transcript only.
        levels: The values are 0, 1, ..., levels.
    """
    if answers == 0:
        return 0.0 if drops == 0 else -math.inf
    return log_choose(answers - 1, drops - 1) + log_choose(levels + 1, drops)


def log_descents_code(answers: int, drops: int, levels: int) -> float:
    """``log_descents``, and which number of drops it is of those that are possible."""
    kinds = max(1, min(answers, levels + 1))
    return math.log(kinds) + log_descents(answers, drops, levels)


def log_sparse_code(answers: int, spent: int, values: int, budget: int) -> float:
    """Sequences of ``answers`` of which ``spent`` are one of ``values``; at most ``budget`` are.

    The others are predictable. Paths go on only while less than ``budget`` is spent, so that those
    with another look have one of ``budget`` kinds.
    """
    kinds = math.log(min(answers + 1, budget))
    return kinds + log_choose(answers, spent) + spent * math.log(values)


def log_near_code(answer: int, last: int | None, levels: int) -> float:
    """Logarithm of one over the share of an answer among 0, ..., levels, given the one before.

    Shares are proportional to 1 / ((d + 1) (d + 2)) at distance d from the last answer, and equal
    for the first. They add up to 1 whatever came before, so that products of them along a path add
    up to 1 over all paths of a length: near answers are cheap, leaps cost about twice as much as
    equal shares would.

    Args:
        answer: What is told now.
        last: What was told before; None at the first look.
        levels: The answers are 0, 1, ..., levels.
    """
    if last is None:
        return math.log(levels + 1)
    # 1 / ((d + 1) (d + 2)) telescopes: over d = 1, ..., m it adds up to 1/2 - 1 / (m + 2).
    whole = 0.5 + (0.5 - 1 / (last + 2)) + (0.5 - 1 / (levels - last + 2))
    distance = abs(answer - last)
    return math.log(whole) + math.log((distance + 1) * (distance + 2))


def log_share(alpha: float, looks: int, log_code: float) -> float:
    """Logarithm of the error level of one node."""
    return math.log(alpha) - math.log(looks) - log_code


def log_hoeffding_radius(n: int, log_alpha: float) -> float:
    """Two-sided radius sqrt(log(2 / alpha) / (2 n)) for a mean of n scores in [0, 1].

    The two-sided twin of ``concentration.hoeffding_radius``, for levels that are no doubles.
    """
    return math.sqrt((math.log(2) - log_alpha) / (2 * n))


def nonadaptive_radius(n: int, looks: int, alpha: float) -> float:
    """sqrt(log(2 looks / alpha) / (2 n)): all submissions were fixed before any was answered."""
    return log_hoeffding_radius(n, log_share(alpha, looks, 0.0))


def adaptive_radius(n: int, looks: int, alpha: float, values: int) -> float:
    """The same at the last look where each of the answers before was one of ``values``."""
    return log_hoeffding_radius(n, log_share(alpha, looks, (looks - 1) * math.log(values)))


def splitting_radius(n: int, looks: int, alpha: float) -> float:
    """The same where each look has n // looks fresh rows of its own; infinite without any."""
    own = n // looks
    return nonadaptive_radius(own, looks, alpha) if own else math.inf

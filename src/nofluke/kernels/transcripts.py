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

**Comparisons.** A comparison answers with one of three words and is a node like any other. Where it
stands among the looks is the analyst's choice, which may depend on the answers before it, so that
at one depth of the tree there are nodes with many looks behind them and nodes with few. Equal
shares for the paths of each length do not add up to 1 then: whoever compares on the paths that have
a large share for their length, and looks on those that have a small one, gets more than alpha.
(With 51 values and 60 looks the worst such tree has seven times as much.) So at depth k, for
k answers of either sort, all shares come from *one* law over boards of k answers, q_k, under which
boards of each kind have equal shares. A node with l looks and c = k - l comparisons gets

    m_k(path) 3^-c,    m_k(path) = sum of q_k over all boards that begin with the path,

as if each comparison had been a look at which the board might have done anything. Proof that the
shares of all nodes of one depth add up to at most 1: m_k is the law of the first answers of one
random board of length k, whence m_k(path) is the sum of m_k over the path with one more answer,
and 3^-c is the sum of 3^-(c + 1) over three words; going up from depth k to the root, the sum over
the children of a node is the value at the node, whatever each node chose to ask, and at the root it
is m_k of nothing, 1. No comparisons, no change: m_k(path) = q_k(path). Where shares are products
of conditional shares (``log_near_code``) the law is the same for every k, and a comparison costs
log 3 and no more.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaln

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def log_words(compared: int) -> float:
    """What the words of so many comparisons cost: each is one of three."""
    return compared * math.log(3)


def log_descents_code(
    answers: int, drops: int, levels: int, *, compared: int = 0, last: int = 0
) -> float:
    """``log_descents``, and which number of drops it is of those that are possible.

    With comparisons it is -log(m_k 3^-c). Of the boards of k answers that begin with this one,
    those with j further drops have C(c, j) C(last, j) ways: their times, and their values, all
    below the last one. With no answer yet every board begins like this one.

    Args:
        answers: Answers so far; 0 for the empty transcript.
        drops: Distinct values among them.
        levels: The values are 0, 1, ..., levels.
        compared: c, comparisons so far.
        last: The last value; needed where there were comparisons.
    """
    length = answers + compared
    kinds = math.log(max(1, min(length, levels + 1)))
    if not compared:
        return kinds + log_descents(answers, drops, levels)
    if answers == 0:
        return log_words(compared)
    j = np.arange(min(compared, last) + 1)
    ways = _log_binomials(compared, j) + _log_binomials(last, j)
    paths = _log_binomials(length - 1, drops - 1 + j) + _log_binomials(levels + 1, drops + j)
    return kinds - _log_total(ways - paths) + log_words(compared)


def log_sparse_code(
    answers: int, spent: int, values: int, budget: int, *, compared: int = 0
) -> float:
    """Sequences of ``answers`` of which ``spent`` are one of ``values``; at most ``budget`` are.

    The others are predictable. Paths go on only while less than ``budget`` is spent, so that those
    with another look have one of ``budget`` kinds. With comparisons it is -log(m_k 3^-c): of the
    sequences of k answers that begin with this one, those with j further answers that tell
    something have C(c, j) values^j ways.

    Args:
        answers: Answers so far.
        spent: How many of them told something.
        values: How many different answers tell something.
        budget: How many such answers there may be.
        compared: c, comparisons so far.
    """
    length = answers + compared
    kinds = math.log(min(length + 1, budget)) + spent * math.log(values)
    if not compared:
        return kinds + log_choose(answers, spent)
    j = np.arange(max(0, min(compared, budget - 1 - spent)) + 1)
    shares = _log_binomials(compared, j) - _log_binomials(length, spent + j)
    return kinds - _log_total(shares) + log_words(compared)


def _log_binomials(n: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = -betaln(n - k + 1, k + 1) - math.log(n + 1)
    return found


def _log_total(logs: NDArray[np.float64]) -> float:
    """Logarithm of the sum of exponentials, none of which is -inf."""
    largest = float(logs.max())
    return largest + math.log(math.fsum(np.exp(logs - largest).tolist()))


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

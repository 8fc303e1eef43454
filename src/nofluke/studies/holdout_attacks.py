"""Attacks on a guarded test set whose labels are coin tosses: what each release rule lets through.

The labels are independent of everything, so that every submission's expected score is exactly 1/2;
whatever lies above is taken from the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.errors import InputError
from nofluke.ledger import release

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.ledger.release import Released, State

TRUTH = 0.5


class Guard:
    """Hidden labels behind a release rule; the only way in is ``submit``.

    Args:
        state: A rule for zeros and ones of which higher is better.
        rng: Tosses the labels, and draws the rule's noise.
    """

    def __init__(self, state: State, rng: np.random.Generator) -> None:
        self.state, self._rng = state, rng
        self._labels = rng.integers(0, 2, state.n)

    def submit(self, labels: NDArray[np.int64], *, training: float = TRUTH) -> Released | None:
        """What is told about predicted labels, shape (n,); None where the rule refuses."""
        submission = release.Submission(self.right(labels), training=training)
        try:
            told, self.state = release.look(self.state, submission, rng=self._rng)
        except InputError as error:
            if error.code != "NF365":
                raise
            return None
        return told

    def compare(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> Released | None:
        """What is told about two submissions, shape (n,) both; None where the rule refuses."""
        try:
            told, self.state = release.compare(self.state, self.right(a), self.right(b))
        except InputError as error:
            if error.code != "NF365":
                raise
            return None
        return told

    def hidden_score(self, labels: NDArray[np.int64]) -> float:
        """The score on the hidden rows, which no analyst is told."""
        return float(self.right(labels).mean())

    def right(self, labels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Ones where the labels are right, shape (n,): the owner's view."""
        return np.asarray(labels == self._labels, dtype=np.float64)


class Attacked(NamedTuple):
    """What an attack achieved.

    Attributes:
        told: The answer to the last submission; None where the rule refused it.
        hidden: Score of the last submission on the hidden rows; 1/2 is worth nothing.
        gains: How many answers the attack could use.
        labels: What was submitted last, shape (n,).
    """

    told: Released | None
    hidden: float
    gains: int
    labels: NDArray[np.int64]


def boost(guard: Guard, *, guesses: int, rng: np.random.Generator) -> Attacked:
    """Submit random labels and let those vote that did well (Blum & Hardt 2015, section 4).

    A guess that scored above 1/2 votes as it is, one below turned round; where only the best is
    told, a guess votes that moved it; where only a verdict is told, one that was "better".

    Args:
        guard: The hidden rows.
        guesses: How many random submissions are made before the vote.
        rng: The attacker's own coins.
    """
    n, best, gains = guard.state.n, TRUTH, 0
    votes = np.zeros(n)
    for _ in range(guesses):
        guess = rng.integers(0, 2, n)
        told = guard.submit(guess)
        if told is None:
            break
        sign, best = _signal(told, best)
        gains += sign != 0
        votes += sign * (2 * guess - 1)
    tie = rng.integers(0, 2, n)
    final = np.where(votes == 0, tie, votes > 0).astype(np.int64)
    return Attacked(guard.submit(final), guard.hidden_score(final), gains, final)


def _signal(told: Released, best: float) -> tuple[int, float]:
    if told.value is None:
        return int(told.verdict == "better"), best
    if told.rule in ("ladder", "free-ladder"):
        return int(told.value > best), max(best, told.value)
    return int(np.sign(round(told.value - TRUTH, 12))), best


def climb(guard: Guard, *, tries: int, block: int, rng: np.random.Generator) -> Attacked:
    """Turn a random block of labels round and keep what is told to be better.

    Args:
        guard: The hidden rows.
        tries: How many blocks are tried.
        block: Rows in a block.
        rng: The attacker's own coins.
    """
    n, gains = guard.state.n, 0
    current = rng.integers(0, 2, n)
    told = guard.submit(current)
    for _ in range(tries):
        turned = current.copy()
        turned[rng.choice(n, block, replace=False)] ^= 1
        answer = guard.submit(turned)
        if answer is None:
            break
        if told is None or _better(answer, told):
            current, told, gains = turned, answer, gains + 1
    return Attacked(told, guard.hidden_score(current), gains, current)


def _better(answer: Released, told: Released) -> bool:
    if answer.value is None or told.value is None:
        return answer.verdict == "better"
    return answer.value > told.value


def climb_by_comparing(
    guard: Guard, *, tries: int, block: int, rng: np.random.Generator
) -> Attacked:
    """Turn a random block of labels round and keep what a comparison calls better.

    Args:
        guard: The hidden rows.
        tries: How many blocks are tried.
        block: Rows in a block.
        rng: The attacker's own coins.
    """
    n, gains, last = guard.state.n, 0, None
    current = rng.integers(0, 2, n)
    for _ in range(tries):
        turned = current.copy()
        turned[rng.choice(n, block, replace=False)] ^= 1
        told = guard.compare(current, turned)
        if told is None:
            break
        last = told
        if told.verdict == "better":
            current, gains = turned, gains + 1
    return Attacked(last, guard.hidden_score(current), gains, current)


def reconstruct_by_comparing(guard: Guard, *, block: int, rng: np.random.Generator) -> float:
    """Learn the labels from comparisons of submissions that differ in a block of rows.

    Args:
        guard: The hidden rows.
        block: Rows in a block; 1 asks for one label at a time.
        rng: The attacker's own coins.

    Returns:
        The share of labels that is right in the end.
    """
    n = guard.state.n
    found = rng.integers(0, 2, n)
    for rows in np.split(rng.permutation(n), range(block, n, block)):
        turned = found.copy()
        turned[rows] ^= 1
        told = guard.compare(found, turned)
        if told is None:
            break
        if told.verdict == "better":
            found = turned
    return guard.hidden_score(found)


def reconstruct(guard: Guard, *, rng: np.random.Generator, training: float = TRUTH) -> float:
    """Learn the labels from submissions that differ in one row; the share that is right.

    First labels are turned round one after the other until an answer changes: there the score lies
    at a border, if there are any. From the last submission before it each further row is turned
    round by itself; where the answer changes the same way, so did the score. Labels that the
    answers do not tell are guessed.

    Args:
        guard: The hidden rows.
        rng: The attacker's own coins.
        training: The training score that is claimed, next to Thresholdout's threshold, say.
    """
    n = guard.state.n
    base = rng.integers(0, 2, n)
    found, before = base.copy(), _shown(guard.submit(base, training=training))
    row, way = 0, 0
    while way == 0 and row < n:
        turned = base.copy()
        turned[row] ^= 1
        after = _shown(guard.submit(turned, training=training))
        way, row = _way(before, after), row + 1
        if way == 0:
            base = turned
        else:
            found[row - 1] = _label(base[row - 1], changed=True, way=way)
    for other in range(row, n):
        turned = base.copy()
        turned[other] ^= 1
        after = _shown(guard.submit(turned, training=training))
        if after is None:
            break
        now = _way(before, after)
        if way != 0:
            found[other] = _label(base[other], changed=now != 0, way=now or way)
    return guard.hidden_score(found)


def _shown(told: Released | None) -> float | None:
    if told is None:
        return None
    return told.value if told.value is not None else float(told.verdict == "better")


def _way(before: float | None, after: float | None) -> int:
    if before is None or after is None:
        return 0
    return int(np.sign(after - before))


def _label(now: int, *, changed: bool, way: int) -> int:
    """The label of a row that was turned round: the score moved by ``way``, or the other way."""
    rose = (way > 0) == changed
    return 1 - int(now) if rose else int(now)

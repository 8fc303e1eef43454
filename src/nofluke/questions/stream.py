"""A comparison that is watched while it runs: evidence for and against a gain, item by item."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.questions.claims import Claim
from nofluke.questions.wealth import Wealth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.questions.claims import Needed
    from nofluke.questions.watched import Watched

CONTINUE = "continue"
SCHEMA = 1

# The words of each alternative: for each way to show the claim, and for its opposite. In this
# order, should two be reached by the same item.
WORDS: dict[str, tuple[tuple[str, ...], str]] = {
    "better": (("better",), "not better"),
    "worse": (("worse",), "not worse"),
    "not-worse": (("not worse",), "worse"),
    "different": (("better", "worse"), "not different"),
    "equivalent": (("equivalent",), "not equivalent"),
}


class GainStream:
    """What `ComparisonStream` and `BarStream` share: gains between known limits, and verdicts.

    Each hypothesis H has an e-process: a wealth that starts at 1 and, if H is true, grows at no
    item in expectation. H is disproved when it reaches 1/alpha, which under H ever happens with
    probability at most alpha (Ville 1939).

    P(a wrong verdict, ever) <= alpha. If the gain is <= margin, only "better" would be wrong and
    its H is true; if it is > margin, only "not better" would be, and its H is true. Likewise for
    the others: "not equivalent" needs one of two true hypotheses disproved at alpha/2 each.
    "equivalent" needs both of two disproved of which at least one is true.
    """

    _kind: ClassVar[str]

    def __init__(
        self,
        limits: tuple[float, float],
        *,
        bounds: tuple[float, float],
        alpha: float,
        margin: float,
        planned: int | None,
        alternative: str,
        weight: float,
        better: str,
    ) -> None:
        self.bounds = bounds
        self._claim = Claim.understood(alternative, margin, alpha)
        self.alpha, self.margin = self._claim.alpha, self._claim.margin
        self.better, self.alternative = checks.better(better), alternative
        self.planned = None if planned is None else checks.whole(planned, name="planned")
        self.weight = _weight(weight)
        self.n = 0
        self.verdict = CONTINUE
        self.decided_at: int | None = None
        self._total = 0.0
        low, high = limits if self.better == "higher" else (-limits[1], -limits[0])
        self._low, self._range = low, high - low
        _check_margin(self._claim, (low, high))
        self._wealths = {needed: self._wealth(needed) for needed in self._claim.needs()}
        yes, no = WORDS[alternative]
        ways = [
            *zip(yes, self._claim.yes, strict=True),
            *((no, way) for way in self._claim.no),
        ]
        self._ways = [(word, [self._wealths[needed] for needed in way]) for word, way in ways]

    @property
    def mean(self) -> float | None:
        """Mean of the differences b - a so far, in score units; None before the first item."""
        return self._total / self.n if self.n else None

    @property
    def evidence(self) -> dict[str, float]:
        """The e-value of each hypothesis now: how many times one's money betting against it made.

        Valid evidence at any moment of stopping; a verdict needs ``needed`` at some moment.
        """
        return {self._told(needed): w.e_value for needed, w in self._wealths.items()}

    @property
    def needed(self) -> dict[str, float]:
        """The e-value at which each hypothesis is disproved."""
        return {self._told(needed): 1 / needed.alpha for needed in self._wealths}

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true of the items for the promise to hold."""
        low, high = self.bounds
        return (
            f"every score lies in [{low:g}, {high:g}] by its meaning, not by what was seen",
            "items arrive in an order that has nothing to do with their scores (a test set "
            "shuffled once, before the first item; quick items that overtake slow ones break it), "
            "each as one independent unit",
            "alpha, margin, planned and alternative were fixed before the first item",
        )

    @property
    def plan(self) -> dict[str, Any]:
        """All that was fixed before the first item."""
        return {
            "bounds": list(self.bounds),
            "alpha": self.alpha,
            "margin": self.margin,
            "planned": self.planned,
            "alternative": self.alternative,
            "weight": self.weight,
            "better": self.better,
        }

    def to_json(self) -> str:
        """The plan and the state as JSON; `from_json` goes on from it to the last bit."""
        import msgspec

        state = {
            "kind": self._kind,
            "schema": SCHEMA,
            **self.plan,
            "n": self.n,
            "total": self._total,
            "verdict": self.verdict,
            "decided_at": self.decided_at,
            "wealths": {self._told(needed): w.state() for needed, w in self._wealths.items()},
        }
        return msgspec.json.encode(state).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The stream that `to_json` wrote, as if it had never stopped.

        Raises:
            InputError: The text is not the state of such a stream, or of another schema (NF020).
        """
        state = _decoded(text, cls._kind)
        try:
            return cls._restored(state)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"the saved stream is damaged ({type(error).__name__}: {error}); start a new one.",
                code="NF020",
            ) from None

    @classmethod
    def _restored(cls, state: Mapping[str, Any]) -> Self:
        stream = cls(**{name: state[name] for name in cls._arguments()})
        stream.n = checks.whole(state["n"], name="n", least=0)
        stream._total = checks.real(state["total"], name="total")
        stream.verdict, at = state["verdict"], state["decided_at"]
        stream.decided_at = None if at is None else checks.whole(at, name="decided_at")
        checks.choice(
            stream.verdict, [CONTINUE, *(word for word, _ in stream._ways)], name="verdict"
        )
        for needed, wealth in stream._wealths.items():
            wealth.restore(state["wealths"][stream._told(needed)], items=stream.n)
        return stream

    @classmethod
    def _arguments(cls) -> tuple[str, ...]:
        return ("bounds", "alpha", "margin", "planned", "alternative", "weight", "better")

    def _take(self, difference: float) -> None:
        """One more unit with this difference b - a, already known to be possible."""
        gain = difference if self.better == "higher" else -difference
        # Rounding may carry a difference of two scores at their bounds a hair beyond its range.
        x = min(max((gain - self._low) / self._range, 0.0), 1.0)
        self.n += 1
        self._total += difference
        for wealth in self._wealths.values():
            wealth.bet(x)
        if self.verdict == CONTINUE:
            self._judge()

    def _judge(self) -> None:
        for verdict, wealths in self._ways:
            if all(wealth.reached for wealth in wealths):
                self.verdict, self.decided_at = verdict, self.n
                return

    def _wealth(self, needed: Needed) -> Wealth:
        m = (needed.point - self._low) / self._range
        return Wealth(
            m if needed.above else 1 - m,
            alpha=needed.alpha,
            planned=self.planned,
            weight=self.weight,
            mirrored=not needed.above,
        )

    def _told(self, needed: Needed) -> str:
        """The hypothesis to disprove."""
        edge = repr(needed.point + 0.0).removesuffix(".0")
        return f"gain {'<=' if needed.above else '>='} {edge}"

    def answer(self, names: tuple[str, str] = ("A", "B")) -> Watched:
        """What is known by now as an answer: with sentences, rows, JSON and a page.

        Args:
            names: What to call the two sides.
        """
        from nofluke.questions.watched import answer

        return answer(self, names=names)

    def __repr__(self) -> str:
        mean = "" if self.mean is None else f"mean={self.mean:.4g}, "
        at = "" if self.decided_at is None else f" at item {self.decided_at}"
        return (
            f"{type(self).__name__}({self.verdict}{at}; n={self.n}, {mean}"
            f"alternative={self.alternative}, margin={self.margin:g}, alpha={self.alpha:g}, "
            f"anytime)"
        )


class ComparisonStream(GainStream):
    """Is B better than A? A verdict that may be read after every item, at the cost of none.

    With probability at least 1 - alpha no verdict other than "continue" is ever wrong, however
    often one looks and whatever one's reason to stop. The gain is the expected b - a, or a - b
    where ``better="lower"``. The words of each alternative:

    * "better": "better" (gain > margin) or "not better" (gain <= margin)
    * "worse": "worse" (gain < -margin) or "not worse" (gain >= -margin)
    * "not-worse": "not worse" (gain > -margin) or "worse" (gain <= -margin: by the margin or more)
    * "different": "better" (gain > margin) or "worse" (gain < -margin), each at alpha / 2; with a
      margin also "not different" (abs(gain) <= margin)
    * "equivalent": "equivalent" (abs(gain) < margin) or "not equivalent" (the rest)

    Why it holds: if gain <= margin then only "better" is wrong, and it needs the true hypothesis
    "gain <= margin" disproved, which ever happens with probability <= alpha (Ville's inequality);
    if gain > margin then only "not better" is wrong, in the same way. Never both.

    A verdict stays when it is reached; later items are still counted in the evidence. The bet is
    ``weight`` times STaR (Voracek & Orabona 2025, derandomised) with horizon ``planned``, the
    rest by the predictable mixture (Waudby-Smith & Ramdas 2024, c = 1/2): an average of two
    e-processes is one. Time and memory of an item do not depend on how many there have been.

    Args:
        bounds: Lowest and highest possible score of *one* system on one item.
        alpha: Probability of ever reaching a wrong verdict.
        margin: The gain that matters, in score units; above 0 for "not-worse" and "equivalent".
        planned: Number of items after which one would like to be done. Looking earlier and later
            is allowed all the same. Without it only the predictable mixture bets.
        alternative: "better", "worse", "different", "not-worse" or "equivalent".
        weight: Share of the first bet that is staked on being done by ``planned``.
        better: Whether a "higher" or a "lower" score wins.

    Raises:
        InputError: Bounds that are missing, reversed or infinite (NF008, NF016); a margin outside
            the possible gains; alpha, planned, weight or a word that cannot be used (NF008).

    >>> stream = ComparisonStream(bounds=(0, 1), planned=100)
    >>> for item in range(100):
    ...     stream.update(a=item % 3 == 0, b=item % 3 != 1)
    >>> stream.verdict, stream.decided_at, round(stream.mean, 4)
    ('better', 33, 0.33)
    """

    _kind = "comparison-stream"

    def __init__(
        self,
        *,
        bounds: Sequence[float],
        alpha: float = 0.05,
        margin: float = 0.0,
        planned: int | None = None,
        alternative: str = "better",
        weight: float = 0.8,
        better: str = "higher",
    ) -> None:
        low, high = _finite(bounds)
        super().__init__(
            (low - high, high - low),
            bounds=(low, high),
            alpha=alpha,
            margin=margin,
            planned=planned,
            alternative=alternative,
            weight=weight,
            better=better,
        )

    def update(self, a: float, b: float) -> None:
        """Count one more item.

        Args:
            a: Score of A on the item, within ``bounds``.
            b: Score of B on the same item.

        Raises:
            InputError: A score that is no number or outside the bounds (NF010); nothing is
                counted then.
        """
        first, second = self._score(a, "a", self.n + 1), self._score(b, "b", self.n + 1)
        self._take(second - first)

    def update_many(self, a: ArrayLike, b: ArrayLike) -> None:
        """Count items in their order; all of them or, if one is refused, none.

        Args:
            a: Scores of A, shape (k,).
            b: Scores of B on the same items, shape (k,).

        Raises:
            InputError: Unequal lengths (NF002), or a score as in `update` (NF010).
        """
        firsts, seconds = _scores(a, "a"), _scores(b, "b")
        if firsts.shape != seconds.shape:
            raise InputError(
                f"a has {firsts.size} scores and b has {seconds.size}; expected one of each for "
                "every item.",
                code="NF002",
            )
        pairs = [
            (self._score(x, "a", item), self._score(y, "b", item))
            for item, (x, y) in enumerate(
                zip(firsts.tolist(), seconds.tolist(), strict=True), self.n + 1
            )
        ]
        for first, second in pairs:
            self._take(second - first)

    def _score(self, value: float, name: str, item: int) -> float:
        return _within(value, self.bounds, f"item {item}: {name}")


class BarStream(GainStream):
    """Is a score better than a fixed number on average? Otherwise as `ComparisonStream`.

    The number is a bar and not the measured score of another system: that one has an error of
    its own, and is compared item by item by `ComparisonStream`.

    Args:
        bar: What the mean score is compared with; the gain is the expected score - bar.
        bounds: Lowest and highest possible score; the bar lies strictly between.
        alpha: As for `ComparisonStream`, like all that follow.
        margin: The gain that matters.
        planned: Number of items after which one would like to be done.
        alternative: As for `ComparisonStream`.
        weight: Share of the first bet that is staked on being done by ``planned``.
        better: Whether a "higher" or a "lower" score wins.

    Raises:
        InputError: As for `ComparisonStream`; also a bar that is not between the bounds (NF008).

    >>> stream = BarStream(0.5, bounds=(0, 1), planned=100)
    >>> for item in range(100):
    ...     stream.update(item % 5 != 0)
    >>> stream.verdict, stream.decided_at, round(stream.mean, 4)
    ('better', 25, 0.3)
    """

    _kind = "bar-stream"

    def __init__(
        self,
        bar: float,
        *,
        bounds: Sequence[float],
        alpha: float = 0.05,
        margin: float = 0.0,
        planned: int | None = None,
        alternative: str = "better",
        weight: float = 0.8,
        better: str = "higher",
    ) -> None:
        low, high = _finite(bounds)
        self.bar = checks.real(bar, name="bar")
        if not low < self.bar < high:
            raise InputError(
                f"bar={bar!r} must lie strictly between the bounds {low:g} and {high:g} of a "
                "score.",
                code="NF008",
            )
        super().__init__(
            (low - self.bar, high - self.bar),
            bounds=(low, high),
            alpha=alpha,
            margin=margin,
            planned=planned,
            alternative=alternative,
            weight=weight,
            better=better,
        )

    @property
    def plan(self) -> dict[str, Any]:
        """All that was fixed before the first item, the bar included."""
        return {"bar": self.bar, **super().plan}

    def update(self, score: float) -> None:
        """Count one more item with this score, within ``bounds``.

        Raises:
            InputError: As for `ComparisonStream.update`.
        """
        self._take(_within(score, self.bounds, f"item {self.n + 1}: score") - self.bar)

    @classmethod
    def _arguments(cls) -> tuple[str, ...]:
        return ("bar", *super()._arguments())


def _within(value: object, bounds: tuple[float, float], what: str) -> float:
    """A possible score. The comparison is a claim, so that NaN breaks it."""
    low, high = bounds
    try:
        number = math.nan if isinstance(value, str) else float(cast("float", value))
    except (TypeError, ValueError):
        number = math.nan
    if not low <= number <= high:
        raise InputError(
            f"{what}={value!r} is not a number within bounds=({low:g}, {high:g}); nothing was "
            "counted. Widen the bounds from the start if such a score is possible; a missing "
            "score is left out together with its partner.",
            code="NF010",
        )
    return number


def _finite(bounds: Sequence[float] | None) -> tuple[float, float]:
    pair = checks.bounds(bounds)
    if pair is None or not all(map(math.isfinite, pair)):
        raise InputError(
            f"bounds={bounds!r}: the lowest and the highest possible score of one system must be "
            "declared and finite, such as bounds=(0, 1).",
            code="NF016",
        )
    return pair


def _weight(value: float) -> float:
    weight = checks.real(value, name="weight")
    if not 0 <= weight <= 1:
        raise InputError(f"weight={value!r} must lie in [0, 1].", code="NF008")
    return weight


def _check_margin(claim: Claim, gains: tuple[float, float]) -> None:
    """Every hypothesis must leave something possible on both of its sides."""
    low, high = gains
    if not all(low < needed.point < high for needed in claim.needs()):
        raise InputError(
            f"margin={claim.margin!r} must be inside the possible gains, {low:g} to {high:g}.",
            code="NF008",
        )


def _scores(values: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}; expected one dimension.", code="NF002")
    return array


def _decoded(text: str, kind: str) -> Mapping[str, Any]:
    import msgspec

    try:
        state = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InputError(f"the saved stream is not JSON ({error}).", code="NF020") from None
    found = (state.get("kind"), state.get("schema")) if isinstance(state, dict) else (None, None)
    if found != (kind, SCHEMA):
        raise InputError(
            f"the saved stream has kind {found[0]!r} and schema {found[1]!r}; this version of "
            f"nofluke reads {kind!r} of schema {SCHEMA}.",
            code="NF020",
        )
    return cast("Mapping[str, Any]", state)

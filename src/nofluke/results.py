"""Answers: frozen records that hold the numbers and what makes them meaningful."""

from __future__ import annotations

import bisect
import csv
import io
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import evalues, order_statistics
from nofluke.kernels.curves import Rising
from nofluke.shown import Drawn, Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from nofluke.kernels.curves import Curve

Row: TypeAlias = dict[str, Any]
Guarantee: TypeAlias = Literal[
    "descriptive", "heuristic", "asymptotic", "finite-sample", "anytime", "conjectured"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Drawn, ABC):
    """The root of all answers.

    Attributes:
        guarantee: What is promised, in one word of the ladder (see the reference).
        assumes: What must be true of the data for the promise to hold.
        notes: Cautions and findings, each beginning with its code.
        n: Units (distinct examples, not rows).
        digest: SHA-256 of the input.
        question: The arguments as they were understood.
    """

    guarantee: Guarantee
    assumes: tuple[str, ...]
    n: int
    digest: str
    notes: tuple[str, ...] = ()
    question: Mapping[str, Any] = field(default_factory=dict)

    @property
    @abstractmethod
    def kind(self) -> str:
        """The question this answers."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.sentences()[0]}"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    @abstractmethod
    def rows(self) -> list[Row]:
        """The flat table of the answer: the one source of text, CSV, JSON and HTML."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain Python: infinities are the texts "inf" and "-inf", never NaN."""
        common = {
            "kind": self.kind,
            "schema": 1,
            "question": dict(self.question),
            "guarantee": self.guarantee,
            "assumes": list(self.assumes),
            "notes": list(self.notes),
            "n": self.n,
            "digest": self.digest,
            "version": metadata.version("nofluke"),
        }
        return cast("dict[str, Any]", plain({**common, **self._fields(), "rows": self.rows()}))

    def to_json(self) -> str:
        """``to_dict`` as JSON text, the same bytes for the same input and seed."""
        import msgspec

        return msgspec.json.format(msgspec.json.encode(self.to_dict()), indent=2).decode() + "\n"

    def frame(self, backend: str = "pandas") -> Any:
        """The rows as a data frame of ``backend``: "pandas", "polars" or "pyarrow".

        Raises:
            MissingExtra: The backend is not installed.
        """
        import narwhals as nw

        from nofluke.errors import MissingExtra

        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        try:
            return nw.from_dict(columns, backend=cast("Any", backend)).to_native()
        except ImportError:
            raise MissingExtra(
                f"frame({backend!r}) needs {backend}, which is not installed: "
                f"pip install {backend}, or use .rows().",
                code="NF099",
            ) from None

    def report(self, path: str | PathLike[str]) -> None:
        """Write the answer as one self-contained HTML file."""
        from nofluke.report import write

        write(self, path)

    @abstractmethod
    def _fields(self) -> Mapping[str, Any]:
        """What this kind of answer says beside the common fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(Shown):
    """An interval for one number, at one error level.

    Attributes:
        estimate: The number computed from the sample.
        lower: Lower limit, in the units of the estimate.
        upper: Upper limit.
        alpha: Error level; a one-sided interval spends all of it on its one limit.
        side: "both", or the only side that is bounded.
        method: Name in the register.
        guarantee: What is promised, in one word.
        n: Number of independent units.
    """

    estimate: float
    lower: float
    upper: float
    alpha: float
    side: checks.Side
    method: str
    guarantee: Guarantee
    n: int

    def __str__(self) -> str:
        return (
            f"{self.estimate:.4g} [{self.lower:.4g}, {self.upper:.4g}] at "
            f"{100 * (1 - self.alpha):.4g}% ({self.method}, n={self.n}, {self.guarantee})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Shown):
    """The outcome of a test of one hypothesis.

    Attributes:
        pvalue: Smallest error level at which the hypothesis is rejected.
        statistic: What the test counts or averages.
        alternative: What a small p-value speaks for.
        method: Name in the register.
        guarantee: What is promised, in one word.
        n: Number of independent units.
        assumes: What must be true for the guarantee to hold.
    """

    pvalue: float
    statistic: float
    alternative: str
    method: str
    guarantee: Guarantee
    n: int
    assumes: str = ""

    def __str__(self) -> str:
        how = f"{self.alternative}; {self.method}, n={self.n}, {self.guarantee}"
        return f"p = {self.pvalue:.4g} ({how})"


class Limits(NamedTuple):
    """Limits on a distribution function by how many of n draws have been passed.

    A function of n and the error level only, never of the data.

    Attributes:
        below: ``below[i]`` <= F(t) where i of the draws are <= t; shape (n + 1,), never falling.
            Arrays, or numbers that are made where they are looked at.
        above: ``above[i]`` >= F(t) there; shape (n + 1,), never falling.
        radius: Distance of both from i/n, where it is the same for every i; else None.
        ranks: Ranks found so far by failure rate and orientation, for all samples that share
            these limits.
    """

    below: Curve
    above: Curve
    radius: float | None
    ranks: dict[tuple[float, str], int | None]


class Ordered(ABC):
    """A sample in ascending order that need not lie in memory: it answers by ranks and counts.

    Ties and infinities are allowed, NaN is not, and -0.0 is 0.0. Whoever keeps rows elsewhere
    derives from this, and a band takes it in the place of an array.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """How many scores there are."""

    @abstractmethod
    def at(self, ranks: ArrayLike) -> NDArray[np.float64]:
        """The scores at these ranks, counted from the smallest as 0; all are found together."""

    @abstractmethod
    def passed(self, t: ArrayLike) -> NDArray[np.int64]:
        """How many of the scores are <= each of ``t``, every tie counted."""

    @abstractmethod
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001 (numpy's own)
        """All scores in memory, or an error where they are too many."""

    @property
    def shape(self) -> tuple[int]:
        """As that of an array."""
        return (self.size,)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, rank: int) -> float:
        """The score at one rank, counted from 0."""
        return float(self.at([rank])[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Band(Shown):
    """A band that holds the whole distribution function F at once, at one error level.

    With probability at least 1 - alpha, ``lower(t) <= F(t) <= upper(t)`` for every t, and
    therefore every guaranteed KPI read from it holds, for all gamma together.

    Attributes:
        x: The sample in ascending order, shape (n * runs,); infinities allowed. An array, or what
            answers by ranks where the sample is not in memory.
        limits: The limits by rank, from n and the error level.
        alpha: Error level.
        side: "both"; "lower" bounds F from below only, "upper" from above only.
        method: Name in the register.
        guarantee: What is promised, in one word.
        gamma_max: Largest failure rate the band was made for, where it is truncated; it says
            nothing about larger ones.
        runs: How many runs of each draw are in the sample, where their distribution functions
            are averaged.
    """

    x: NDArray[np.float64] | Ordered
    limits: Limits
    alpha: float
    side: checks.Side
    method: str
    guarantee: Guarantee
    gamma_max: float | None = None
    runs: int = 1

    @property
    def n(self) -> int:
        """Number of independent draws."""
        return int(self.x.size) // self.runs

    @property
    def half_width(self) -> float:
        """Largest vertical distance of a limit from the empirical distribution function.

        Where the limit says nothing (0 or 1) it does not count; a band that says nothing
        anywhere has infinite half-width.
        """
        if self.limits.radius is not None:
            return self.limits.radius
        below, above = np.asarray(self.limits.below), np.asarray(self.limits.above)
        ecdf = np.arange(self.x.size + 1) / self.x.size
        low, high = ecdf[below > 0] - below[below > 0], above[above < 1] - ecdf[above < 1]
        return float(max(low.max(initial=0), high.max(initial=0))) or math.inf

    def lower(self, t: ArrayLike) -> Any:
        """Lower limit of F(t) = P(score <= t); 0 everywhere if the side is "upper"."""
        return _like(t, self.limits.below[self._passed(t)])

    def upper(self, t: ArrayLike) -> Any:
        """Upper limit of F(t) = P(score <= t); 1 everywhere if the side is "lower"."""
        return _like(t, self.limits.above[self._passed(t)])

    def steps(self, *, better: str) -> NDArray[np.float64]:
        """Failure rates at which the guaranteed KPI changes, ascending; empty if none is certified.

        The first is the smallest that n draws can certify at this error level.

        Args:
            better: "lower" or "higher".
        """
        return np.asarray(self.rates(better=better))

    def rates(self, *, better: str) -> Curve:
        """``steps``, not stored where the band has a constant width.

        Args:
            better: "lower" or "higher".
        """
        below, above, radius, _ = self.limits
        if radius is not None:
            rising = Rising(self.x.size, radius, last=self.x.size - 1)
            first = bisect.bisect_right(rising, 0.0)
            return Rising(
                self.x.size, radius, first=first, last=bisect.bisect_left(rising, 1.0) - 1
            )
        curve = np.asarray(below if better == "lower" else 1 - above[::-1])
        # A hair up: the rate that a limit reaches exactly must be reached after rounding too.
        rates = np.unique(1 - curve[curve > 0]) * (1 + 1e-15)
        return np.asarray(rates[(rates > 0) & (rates < 1)])

    def rank(self, gamma: float, *, better: str) -> int | None:
        """Which order statistic, counted from the smallest as 1, the guaranteed KPI is.

        Args:
            gamma: Failure rate: the share of future cases that may be worse.
            better: "lower" or "higher".

        Returns:
            The rank, or None where n is too small to promise anything at this gamma.

        Raises:
            InputError: The band has no limit on the side that this orientation needs.
        """
        gamma, needed = checks.fraction(gamma, name="gamma"), needed_side(better)
        if self.side not in ("both", needed):
            raise InputError(
                f"a KPI of which {better} is better needs side={needed!r} or 'both'; this band "
                f"has side={self.side!r}.",
                code="NF008",
            )
        known = self.limits.ranks
        if (gamma, better) not in known:
            known[gamma, better] = self._find_rank(gamma, better)
        return known[gamma, better]

    def guaranteed(self, gamma: float, *, better: str) -> float:
        """The guaranteed KPI X*(gamma): all but a share gamma of future cases are no worse.

        For ``better="lower"`` the smallest x with lower(x) >= 1 - gamma; for "higher" the largest
        x with upper(x-) <= gamma. ``inf`` (or ``-inf``) where n is too small for any promise.

        Args:
            gamma: Failure rate in (0, 1).
            better: "lower" or "higher".

        Raises:
            InputError: gamma outside (0, 1), or the band lacks the side that is needed.
        """
        rank = self.rank(gamma, better=better)
        if rank is None:
            return math.inf if better == "lower" else -math.inf
        return float(self.x[rank - 1])

    def contains(self, F: Callable[[NDArray[np.float64]], ArrayLike]) -> bool:
        """Whether a hypothesised distribution function lies in the band everywhere.

        Args:
            F: Distribution function t -> P(score <= t), for arrays; it may jump.

        >>> from nofluke import bands
        >>> bands.dkw([0.1, 0.5, 0.9], alpha=0.1).contains(lambda t: t.clip(0, 1))
        True
        """
        right, left = self._hypothesis(F)
        below, above, _, _ = self.limits
        return bool((right >= below[1:]).all() and (left <= above[:-1]).all())

    def pvalue(self, F: Callable[[NDArray[np.float64]], ArrayLike]) -> float:
        """The smallest error level at which a band of this method leaves F out.

        Args:
            F: Distribution function t -> P(score <= t), for arrays; it may jump.

        Raises:
            InputError: The method has no such value (a band for one failure rate only).

        >>> from nofluke import bands
        >>> round(bands.dkw([0.6, 0.8, 0.9], alpha=0.1).pvalue(lambda t: t.clip(0, 1)), 4)
        0.2307
        """
        from nofluke.kernels import hypotheses

        if self.method not in ("dkw", "kolmogorov", "berk_jones", "owen"):
            raise InputError(f"band {self.method!r} has no p-value.", code="NF008")
        right, left = self._hypothesis(F)
        return hypotheses.p_value(
            self.method, right, left, side=self.side, first_rank=self._first_rank()
        )

    def evalue(
        self,
        F: Callable[[NDArray[np.float64]], ArrayLike],
        *,
        calibrator: Callable[[float], float] = evalues.mixture,
    ) -> float:
        """Evidence against F: a calibrator of its p-value, with expectation at most 1 under F.

        After choosing m of K candidates F is rejected where the value reaches K / (delta m).

        Args:
            F: Distribution function t -> P(score <= t), for arrays; it may jump.
            calibrator: Non-increasing, with integral at most 1, fixed before the data.

        >>> from nofluke import bands
        >>> band = bands.dkw([0.9] * 20, alpha=0.1)
        >>> round(band.evalue(lambda t: t.clip(0, 1), calibrator=lambda p: 0.5 * p**-0.5) / 1e6, 3)
        3.837
        """
        p = self.pvalue(F)
        return float(calibrator(p)) if p > 0 else math.inf

    def __str__(self) -> str:
        return (
            f"CDF band of half-width {self.half_width:.4g} at {100 * (1 - self.alpha):.6g}% "
            f"({self.method}, side {self.side}, n={self.n}, {self.guarantee})"
        )

    def _find_rank(self, gamma: float, better: str) -> int | None:
        """Mirroring the scores turns one orientation into the other, so one search serves both."""
        limits, n = self.limits, self.x.size
        if limits.radius is not None:
            reached = order_statistics.certifying_rank(n, limits.radius, gamma)
        else:
            curve = np.asarray(limits.below if better == "lower" else 1 - limits.above[::-1])
            reached = order_statistics.first_reaching(curve, gamma)
        return reached if reached is None or better == "lower" else n + 1 - reached

    def _hypothesis(
        self, F: Callable[[NDArray[np.float64]], ArrayLike]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """F at the draws and just before them, shape (n,) each."""
        x = np.asarray(self.x)
        right = np.asarray(F(x), dtype=np.float64)
        left = np.asarray(F(self._just_before()), dtype=np.float64)
        for given in (right, left):
            if given.shape != self.x.shape or not ((given >= 0) & (given <= 1)).all():
                raise InputError(
                    f"F must give one probability in [0, 1] for each of the {self.n} draws; it "
                    f"gave shape {given.shape} with {some(given.ravel().tolist(), most=3)}.",
                    code="NF008",
                )
        return right, left

    def _just_before(self) -> NDArray[np.float64]:
        """Points so little before the draws that F, written with rounding, still sees a jump."""
        x = np.asarray(self.x)
        finite = np.abs(x[np.isfinite(x)])
        step = max(1e-12 * float(finite.max(initial=0.0)), 1e-300)
        return np.asarray(np.minimum(x - step, np.nextafter(x, -np.inf)))

    def _first_rank(self) -> int:
        if self.gamma_max is None:
            return 1
        return order_statistics.first_rank(self.n, self.gamma_max)

    def _passed(self, t: ArrayLike) -> NDArray[np.int64]:
        """How many of the draws are <= t, every tie at t counted."""
        if isinstance(self.x, Ordered):
            return np.asarray(self.x.passed(t), np.int64)
        return np.asarray(np.searchsorted(self.x, np.asarray(t, dtype=np.float64), side="right"))


def needed_side(better: str) -> checks.Side:
    """The side of a CDF band that a promise needs: from below where lower scores win."""
    return "lower" if checks.better(better) == "lower" else "upper"


def plain(value: Any) -> Any:
    """Values a JSON writer takes without loss: infinities as text, tuples as lists."""
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return None
        return number if math.isfinite(number) else str(number)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]


def _like(t: ArrayLike, values: NDArray[np.float64]) -> Any:
    return float(values) if np.ndim(t) == 0 else values


def as_csv(rows: list[Row]) -> str:
    """Rows as CSV, infinities as inf and absent values as empty cells."""
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def percent(share: float, *, of_the_rest: bool = False) -> str:
    """A share as it was typed, in per cent and unrounded; or what it leaves of 100 per cent.

    >>> percent(0.1), percent(1e-7, of_the_rest=True)
    ('10 %', '99.99999 %')
    """
    typed = Decimal(repr(float(share)))
    exact = 100 * (1 - typed if of_the_rest else typed)
    return f"{exact.normalize():f} %"


def outward(value: float, better: str, *, digits: int = 5) -> str:
    """A guaranteed value in a few digits, rounded so that the promise stays true.

    Args:
        value: The guaranteed value.
        better: Where lower is better an upper limit is rounded up; else down.
        digits: Significant digits.

    >>> outward(0.314921, "lower", digits=3), outward(0.314921, "higher", digits=3)
    ('0.315', '0.314')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    exact = Decimal(repr(float(value)))
    step = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
    way = ROUND_CEILING if better == "lower" else ROUND_FLOOR
    with localcontext(prec=60):
        rounded = exact.quantize(step, rounding=way)
    return f"{float(rounded):.{digits}g}"

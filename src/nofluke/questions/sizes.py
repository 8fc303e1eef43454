"""`sample_size` and `detectable`: how many units, or how small a gain, for the test to be used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke import bands, checks
from nofluke.errors import InputError
from nofluke.kernels import power as kernel
from nofluke.questions import pilots
from nofluke.questions.designs import counted
from nofluke.questions.powers import (
    SIMULATED,
    Bar,
    Betting,
    Discordant,
    GainTest,
    Hoeffding,
    Power,
    Student,
)
from nofluke.results import Result, Row, percent

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.questions.pilots import Pilot
    from nofluke.results import Guarantee
    from nofluke.scores.table import Scores

#: Names of certificates: the smallest n at which a band, or one order statistic, says anything.
CERTIFICATES = {
    "quantile": "binomial",
    "dkw": "dkw",
    "kolmogorov": "kolmogorov",
    "berk_jones": "berk_jones",
    "owen": "owen",
}
METHODS = ("auto", "hoeffding", "t", "mcnemar", "clopper_pearson", *SIMULATED, *CERTIFICATES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Planned(Result):
    """What sizes and detectable gains have in common.

    ``n`` is the planned number of units.

    Attributes:
        method: The test that is planned for.
        test_guarantee: What that test promises of its error level; ``guarantee`` is about n.
        unit: What a unit is: "pairs", "clusters", "examples".
        items: Examples in n units, at the pilot's or the given size of a cluster.
        delta: True gain, in units of the score; None for a certificate.
        margin: Gain that is to be exceeded; negative for a loss tolerated.
        alpha: Error level of the test.
        side: "lower" or "upper": one-sided; "both": half of alpha on each side.
        power: Probability asked for.
        reached: Probability at n.
        se: Standard error of ``reached`` where it was simulated.
        mean_units: Mean number of units used by one who stops at the verdict.
        floor: Fewest units with which any rule that holds for all distributions can show a
            constant gain of this size; None where it does not apply.
        gamma: Failure rate of a certificate.
        bounds: Scores that the floor is for: [0, 1] where nothing was said.
    """

    method: str
    test_guarantee: Guarantee
    unit: str
    items: int
    delta: float | None
    margin: float
    alpha: float
    side: checks.Side
    power: float | None
    reached: float | None
    se: float | None = None
    mean_units: float | None = None
    floor: int | None = None
    gamma: float | None = None
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def counted(self) -> str:
        """The number of units in words."""
        return counted(self.n, self.unit)

    def rows(self) -> list[Row]:
        """One row."""
        return [
            {
                "method": self.method,
                "guarantee": self.test_guarantee,
                "unit": self.unit,
                "n": self.n,
                "items": self.items,
                "delta": self.delta,
                "margin": self.margin,
                "gamma": self.gamma,
                "alpha": self.alpha,
                "side": self.side,
                "power": self.power,
                "reached": self.reached,
                "se": self.se,
                "mean_units": self.mean_units,
                "floor": self.floor,
            }
        ]

    def _shown(self) -> str:
        bar = self.question.get("bar")
        if bar is not None:
            return f"that the rate lies {'below' if self.side == 'upper' else 'above'} {bar:g}"
        return f"that B{self._shown_gain()}"

    def _shown_gain(self) -> str:
        more = f" by more than {self.margin:g}" if self.margin > 0 else ""
        less = f" is not worse by {-self.margin:g} or more" if self.margin < 0 else ""
        return less or (f" is better{more}" if self.side != "upper" else f" is worse{more}")

    def _floor_sentence(self) -> list[str]:
        if self.floor is None:
            return []
        low, high = self.bounds
        return [
            f"No rule that holds for every distribution of scores in [{low:g}, {high:g}] can show "
            f"a constant gain of {self.delta:.4g} at this error level with fewer than "
            f"{counted(self.floor, self.unit)}."
        ]

    def _stopping_sentence(self) -> list[str]:
        if self.mean_units is None:
            return []
        return [
            f"One who stops at the verdict uses {self.mean_units:.0f} {self.unit} on average, if "
            "the gain is that large."
        ]

    def _fields(self) -> Mapping[str, Any]:
        (row,) = self.rows()
        return {**row, "guarantee": self.guarantee, "test_guarantee": self.test_guarantee} | {
            "sentences": self.sentences()
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SampleSize(Planned):
    """The smallest number of units at which a test shows a true gain with a given probability.

    Attributes:
        n_error: Standard error of n where the power was simulated.
    """

    n_error: float | None = None

    @property
    def kind(self) -> str:
        """The word for this answer, ``sample_size``."""
        return "sample_size"

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if self.gamma is not None:
            return [
                f"With {self.counted} there is a limit that all but a share {self.gamma:g} of "
                f"future cases keep to, with error at most {percent(self.alpha)} ({self.method}); "
                "with fewer there is none."
            ]
        least = "at least " if self.method == "hoeffding" else ""
        told = [
            f"With {self.counted} a true gain of {self.delta:.6g} is shown with probability "
            f"{least}{percent(self.power or 0.0)} by {self.method} (error level "
            f"{percent(self.alpha)}{', two-sided' if self.side == 'both' else ''}): "
            f"{self._shown()}."
        ]
        if self.se is not None and self.n_error is not None:
            told.append(
                f"Found by simulation: the power at {self.n} is {100 * (self.reached or 0):.1f} % "
                f"(standard error {100 * self.se:.1f} points), so n is known to about "
                f"{max(1, math.ceil(self.n_error))}."
            )
        if self.unit == "clusters":
            told.append(f"They hold about {self.items} examples.")
        return [*told, *self._stopping_sentence(), *self._floor_sentence()]

    def rows(self) -> list[Row]:
        """One row."""
        (row,) = Planned.rows(self)
        return [{**row, "n_error": self.n_error}]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Detectable(Planned):
    """The smallest gain that n units show with a given probability: ``delta``."""

    @property
    def kind(self) -> str:
        """The word for this answer, ``detectable``."""
        return "detectable"

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if self.gamma is not None:
            return [
                f"With {self.counted} the smallest failure rate with a limit is {self.gamma:.4g} "
                f"({self.method}, error at most {percent(self.alpha)})."
            ]
        if self.delta is None:
            return [
                f"With {self.counted} {self.method} shows no gain with probability "
                f"{percent(self.power or 0.0)}, however large."
            ]
        return [
            f"With {self.counted} the smallest true gain that {self.method} shows with probability "
            f"{percent(self.power or 0.0)} is {self.delta:.4g} (error level {percent(self.alpha)}"
            f"{', two-sided' if self.side == 'both' else ''}): {self._shown()}.",
            *self._stopping_sentence(),
            *self._floor_sentence(),
        ]


def sample_size(
    delta: float | None = None,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: str = "auto",
    margin: float = 0.0,
    side: str = "lower",
    sd: float | None = None,
    pilot: ArrayLike | Scores | None = None,
    a: str | None = None,
    b: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    p_win: float | None = None,
    p_loss: float | None = None,
    bar: float | None = None,
    gamma: float | None = None,
    clusters: Any = None,
    max_cluster_size: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    n_streams: int = 2000,
    seed: int = 0,
) -> SampleSize:
    """Smallest number of units at which the test that will be used shows a true gain.

    The units are those that ``compare`` counts: pairs, or clusters where there are clusters.

    Args:
        delta: The true mean gain, in units of the score, above ``margin``. With ``bar`` the rate
            minus the bar. Not for certificates.
        alpha: Error level of the test.
        power: Probability with which the gain is to be shown.
        method: "hoeffding" (power at least, for all distributions), "t" (needs ``sd`` or a
            pilot), "mcnemar" (``p_win`` and ``p_loss``, or a binary pilot), "clopper_pearson"
            (``bar``), "star", "hedged_star" or "betting" (a pilot, by simulation); the
            certificates "quantile", "dkw", "kolmogorov", "berk_jones" and "owen" (``gamma``); or
            "auto": what ``compare`` would take for the pilot, and else what fits the arguments.
        margin: Gain that is to be exceeded; negative for a loss that is tolerated.
        side: "lower": the claim "better"; "both": "different", half of alpha on each side and
            only a rejection on the right side counted. "upper" is for ``bar`` and ``gamma``
            (claims from above), and for a pilot of which the loss is to be shown.
        sd: Standard deviation of the difference of one pair.
        pilot: Gains seen earlier (positive is better), shape (k,), or a table with ``a`` and
            ``b``. It is reweighted to a mean of ``delta``, see ``questions.pilots``.
        a: With a table, the baseline.
        b: With a table, the candidate.
        bounds: Lowest and highest possible score; by default those of the table or its metric,
            and (0, 1) for "hoeffding" and the floor.
        binary: Whether a score is 0 or 1 by its meaning.
        p_win: Probability that only B succeeds.
        p_loss: Probability that only A does; one of the two follows from ``delta`` and the other.
        bar: The rate that is to be exceeded.
        gamma: Failure rate of a certificate.
        clusters: With a pilot, what makes its clusters: True for the table's column, a mapping,
            or with gains the label of each. Clusters are resampled whole.
        max_cluster_size: As in ``compare``: clusters count by their size.
        cluster_size: With ``sd``: pairs in a cluster; needs ``icc``.
        icc: Correlation of two pairs of one cluster.
        n_streams: Streams in a simulation.
        seed: Seed of the simulation.

    Raises:
        InputError: Arguments that do not fit the method, a pilot that cannot be reweighted
            (NF032) or an n out of reach (NF032).

    Source: Hoeffding 1963; Johnson & Welch 1940 (noncentral t); Kish 1965 (design effect of
        clusters of equal size); Efron 1981 (exponential tilting).

    >>> sample_size(0.05, method="hoeffding").n
    7198
    >>> print(sample_size(0.05, sd=0.2))
    With 101 pairs a true gain of 0.05 is shown with probability 80 % by t (error level 5 %): \
that B is better.
    No rule that holds for every distribution of scores in [0, 1] can show a constant gain of 0.05 \
at this error level with fewer than 62 pairs.
    >>> sample_size(p_win=0.06, p_loss=0.04).n, sample_size(gamma=0.1, method="quantile").n
    (1629, 29)
    """
    asked = _Asked.understood(**_without(locals(), "delta", "power"))
    if asked.method in CERTIFICATES:
        _refuse_delta(delta)
        return _certificate_size(asked)
    power = checks.fraction(power, name="power")
    delta = asked.gain(delta)
    test = asked.test()
    found = test.size(delta, power)
    if found is None:
        raise InputError(
            f"no n within reach shows a gain of {delta:g} with probability {power:g} by "
            f"{test.name}; ask for a larger gain or less power, or take method='t' or 'hoeffding', "
            "which have formulas.",
            code="NF032",
        )
    return SampleSize(
        **asked.answered(test, found, delta, power),
        n_error=test.error_of(found.n, power, found.se),
    )


def detectable(
    n: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: str = "auto",
    margin: float = 0.0,
    side: str = "lower",
    sd: float | None = None,
    pilot: ArrayLike | Scores | None = None,
    a: str | None = None,
    b: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    p_loss: float | None = None,
    bar: float | None = None,
    clusters: Any = None,
    max_cluster_size: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    n_streams: int = 2000,
    seed: int = 0,
) -> Detectable:
    """Smallest true gain that n units show with a given probability; of a certificate, the gamma.

    Args:
        n: Units: pairs, or clusters where there are clusters.
        alpha: As for ``sample_size``, like all that follow.
        power: Probability with which the gain is to be shown.
        method: The test.
        margin: Gain that is to be exceeded.
        side: "lower", "both" or "upper".
        sd: Standard deviation of the difference of one pair.
        pilot: Gains seen earlier, or a table.
        a: With a table, the baseline.
        b: With a table, the candidate.
        bounds: Lowest and highest possible score.
        binary: Whether a score is 0 or 1 by its meaning.
        p_loss: Probability that only A succeeds.
        bar: The rate that is to be exceeded.
        clusters: What makes clusters.
        max_cluster_size: Clusters count by their size.
        cluster_size: Pairs in a cluster.
        icc: Correlation of two pairs of one cluster.
        n_streams: Streams in a simulation.
        seed: Seed of the simulation.

    Raises:
        InputError: As for ``sample_size``.

    >>> round(detectable(7198, method="hoeffding").delta, 4)
    0.05
    >>> detectable(101, sd=0.2).delta < 0.05 < detectable(100, sd=0.2).delta
    True
    >>> round(detectable(29, method="quantile").gamma, 4)
    0.0981
    """
    n = checks.whole(n, name="n")
    given = _without(locals(), "n", "power")
    asked = _Asked.understood(p_win=None, gamma=None, **given)
    if asked.method in CERTIFICATES:
        return _certificate_rate(asked, n)
    power = checks.fraction(power, name="power")
    test = asked.test()
    delta = test.detectable(n, power)
    found = Power(n, 0.0) if delta is None else test.power(n, delta)
    return Detectable(**asked.answered(test, found, delta, power))


def positive(delta: float, *, name: str = "delta") -> float:
    """A positive, finite difference."""
    number = checks.real(delta, name=name)
    if not 0 < number < math.inf:
        raise InputError(f"{name}={delta!r} must be a positive difference.", code="NF008")
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The arguments as they were understood."""

    method: str
    alpha: float
    margin: float
    side: checks.Side
    sd: float | None
    pilot: Pilot | None
    bounds: tuple[float, float] | None
    p_win: float | None
    p_loss: float | None
    bar: float | None
    gamma: float | None
    cluster_size: float | None
    icc: float | None
    n_streams: int
    seed: int

    @classmethod
    def understood(
        cls,
        *,
        alpha: float,
        method: str,
        margin: float,
        side: str,
        sd: float | None,
        pilot: Any,
        a: str | None,
        b: str | None,
        bounds: Sequence[float] | None,
        binary: bool | None,
        p_win: float | None,
        p_loss: float | None,
        bar: float | None,
        gamma: float | None,
        clusters: Any,
        max_cluster_size: float | None,
        cluster_size: float | None,
        icc: float | None,
        n_streams: int,
        seed: int,
    ) -> _Asked:
        checks.choice(method, METHODS, name="method")
        seed = checks.whole(seed, name="seed", least=0)
        if pilot is None and (clusters not in (None, False) or max_cluster_size is not None):
            raise InputError(
                "clusters= and max_cluster_size= describe a pilot, and there is none; without one "
                "say sd=, cluster_size= and icc=.",
                code="NF008",
            )
        if pilot is None and (a is not None or b is not None):
            raise InputError("a= and b= name candidates of a pilot; give it.", code="NF008")
        seen = pilot is not None and pilots.understood(
            pilot,
            a=a,
            b=b,
            bounds=bounds,
            binary=binary,
            clusters=clusters,
            max_cluster_size=None
            if max_cluster_size is None
            else positive(max_cluster_size, name="max_cluster_size"),
            seed=seed,
            needs_bounds=method in (*SIMULATED, "hoeffding", "auto"),
        )
        asked = cls(
            method=method,
            alpha=checks.fraction(alpha, name="alpha"),
            margin=checks.real(margin, name="margin"),
            side=checks.side(side),
            sd=None if sd is None else positive(sd, name="sd"),
            pilot=(seen.mirrored() if side == "upper" else seen) if seen else None,
            bounds=checks.bounds(bounds),
            p_win=None if p_win is None else checks.fraction(p_win, name="p_win"),
            p_loss=None if p_loss is None else checks.fraction(p_loss, name="p_loss"),
            bar=None if bar is None else checks.fraction(bar, name="bar"),
            gamma=None if gamma is None else checks.fraction(gamma, name="gamma"),
            cluster_size=_at_least_one(cluster_size),
            icc=_correlation(icc),
            n_streams=checks.whole(n_streams, name="n_streams", least=100),
            seed=seed,
        )
        return asked._settled()

    @property
    def tail(self) -> float:
        """Error level of the one-sided test."""
        return self.alpha / 2 if self.side == "both" else self.alpha

    @property
    def difference_bounds(self) -> tuple[float, float]:
        """Lowest and highest possible gain; of scores in [0, 1] where nothing was said."""
        if self.bar is not None:
            return (self.bar - 1, self.bar) if self.side == "upper" else (-self.bar, 1 - self.bar)
        if self.pilot is not None and all(map(math.isfinite, self.pilot.bounds)):
            return self.pilot.bounds
        low, high = self.bounds or (0.0, 1.0)
        return low - high, high - low

    @property
    def _score_bounds(self) -> tuple[float, float]:
        """Bounds of a score: those declared, or an interval from 0 as wide as theirs."""
        if self.bounds is not None:
            return self.bounds
        return (0.0, self.difference_bounds[1]) if self.bar is None else (0.0, 1.0)

    @property
    def _bounded(self) -> bool:
        """Whether the test is about scores with bounds; the t test needs none."""
        known = self.pilot is not None and math.isfinite(self.pilot.bounds[1])
        return self.method != "t" or self.bounds is not None or known

    @property
    def unit(self) -> str:
        """What is counted."""
        if self.method in (*CERTIFICATES, "clopper_pearson"):
            return "examples"
        if self.pilot is not None:
            return self.pilot.word
        return "pairs" if self.cluster_size is None else "clusters"

    def gain(self, delta: float | None) -> float:
        """The true gain, above the margin and within the bounds."""
        if delta is None and self.p_win is not None and self.p_loss is not None:
            delta = self.p_win - self.p_loss
        if delta is None:
            raise InputError(
                "delta= is missing: the true gain that is to be shown, in units of the score.",
                code="NF008",
            )
        number = checks.real(delta, name="delta")
        highest = self.difference_bounds[1] if self._bounded else math.inf
        if not (self.margin < number <= highest and math.isfinite(number)):
            raise InputError(
                f"delta={delta!r} must lie above margin={self.margin:g} and at most at "
                f"{highest:g}, the largest gain that there can be.",
                code="NF008",
            )
        both = self.p_win is not None and self.p_loss is not None
        if both and abs(number - ((self.p_win or 0) - (self.p_loss or 0))) > 1e-12:
            raise InputError(
                f"delta={delta!r} is not p_win - p_loss = {self.p_win:g} - {self.p_loss:g}; give "
                "two of the three.",
                code="NF008",
            )
        return number

    def test(self) -> GainTest:
        """The test, ready to be asked for its power."""
        low, high = self.difference_bounds
        if self.method == "clopper_pearson":
            if self.bar is None:
                raise _needs(self.method, "bar=, the rate that is to be exceeded")
            bar = 1 - self.bar if self.side == "upper" else self.bar
            return Bar(self.tail, bar)
        if self._bounded and not low < self.margin < high:
            raise InputError(
                f"margin={self.margin:g} is not inside the possible differences, {low:g} to "
                f"{high:g}.",
                code="NF008",
            )
        if self.method == "hoeffding":
            return Hoeffding(self.tail, self.margin, high - low)
        if self.method == "mcnemar":
            return self._discordant()
        if self.method == "t":
            return self._student()
        if self.pilot is None:
            raise _needs(self.method, "a pilot=: its power is found by drawing from one")
        return Betting(
            self.method, self.tail, self.margin, self.pilot, streams=self.n_streams, seed=self.seed
        )

    def answered(
        self, test: GainTest, found: Power, delta: float | None, power: float
    ) -> dict[str, Any]:
        """The fields of an answer."""
        floor, bounds = self._floor(delta), self._score_bounds
        notes = () if self.pilot is None else self.pilot.notes
        if delta is not None:
            notes = (*notes, *test.notes(found.n, delta))
        if floor is not None and found.n < floor and delta is not None:
            notes = (
                *notes,
                f"NF172: {counted(found.n, self.unit)} are fewer than the {floor} with which any "
                "rule that holds for every distribution of scores in "
                f"[{bounds[0]:g}, {bounds[1]:g}] can show a constant gain of {delta:.4g}; "
                f"{test.name} trusts that gains are nearly normal.",
            )
        size = self.cluster_size or (1.0 if self.pilot is None else self.pilot.items)
        return {
            "method": self.method,
            "guarantee": test.guarantee,
            "test_guarantee": test.test_guarantee,
            "assumes": test.assumes,
            "unit": self.unit,
            "n": found.n,
            "items": math.ceil(found.n * size),
            "delta": delta,
            "margin": self.margin,
            "alpha": self.alpha,
            "side": self.side,
            "power": power,
            "reached": found.power,
            "se": found.se,
            "mean_units": found.mean_units,
            "floor": floor,
            "bounds": bounds,
            "digest": "" if self.pilot is None else self.pilot.digest,
            "notes": notes,
            "question": self.question() | {"delta": delta, "power": power},
        }

    def question(self) -> dict[str, Any]:
        """The arguments, for the answer."""
        return {
            "method": self.method,
            "alpha": self.alpha,
            "margin": self.margin,
            "side": self.side,
            "sd": self.sd,
            "pilot": None if self.pilot is None else int(self.pilot.gain.size),
            "bounds": None if self.bounds is None else list(self.bounds),
            "p_win": self.p_win,
            "p_loss": self.p_loss,
            "bar": self.bar,
            "gamma": self.gamma,
            "cluster_size": self.cluster_size,
            "icc": self.icc,
            "n_streams": self.n_streams if self.method in SIMULATED else None,
            "seed": self.seed if self.method in SIMULATED else None,
        }

    def _settled(self) -> _Asked:
        """With the method that "auto" stands for, and nothing that it would ignore."""
        from dataclasses import replace

        asked = replace(self, method=self._auto()) if self.method == "auto" else self
        if asked.method == "mcnemar" and asked.margin:
            raise InputError(
                "method='mcnemar' is a test at margin 0; take hedged_star or star with a pilot.",
                code="NF008",
            )
        wanted = {
            "sd": ("t",),
            "p_win": ("mcnemar",),
            "p_loss": ("mcnemar",),
            "bar": ("clopper_pearson",),
            "gamma": tuple(CERTIFICATES),
            "cluster_size": ("t",),
            "icc": ("t",),
        }
        for name, methods in wanted.items():
            if getattr(asked, name) is not None and asked.method not in methods:
                raise InputError(
                    f"{name}= would be ignored by method={asked.method!r}; it is for "
                    f"{', '.join(methods)}.",
                    code="NF008",
                )
        if asked.pilot is not None and asked.method in (*CERTIFICATES, "clopper_pearson"):
            raise InputError(
                f"a pilot= would be ignored by method={asked.method!r}; leave it out.",
                code="NF008",
            )
        if asked.side == "upper" and asked.pilot is None and asked.unit != "examples":
            raise InputError(
                "side='upper' needs a pilot: without one a loss is as a gain, side='lower'.",
                code="NF008",
            )
        return asked

    def _auto(self) -> str:
        if self.pilot is not None:
            return "mcnemar" if self.pilot.binary and not self.margin else "star"
        for name, method in (
            ("gamma", "quantile"),
            ("bar", "clopper_pearson"),
            ("p_win", "mcnemar"),
            ("p_loss", "mcnemar"),
            ("sd", "t"),
        ):
            if getattr(self, name) is not None:
                return method
        return "hoeffding"

    def _student(self) -> Student:
        if self.pilot is not None:
            if self.sd is not None:
                raise InputError("sd= and pilot= say the same; give one.", code="NF008")
            pilot, top = self.pilot, float(self.pilot.gain.max())
            highest = top - 1e-6 * (top - float(pilot.gain.min()))
            return Student(self.tail, self.margin, lambda delta: pilot.tilted(delta).sd, highest)
        if self.sd is None:
            raise _needs("t", "sd=, the standard deviation of a pair's difference, or a pilot=")
        if (self.cluster_size is None) != (self.icc is None):
            raise _needs("t", "both cluster_size= and icc=, or neither")
        sd, size = self.sd, self.cluster_size or 1.0
        # The mean of m pairs with correlation r: variance sd^2 (1 + (m - 1) r) / m.
        sd *= math.sqrt((1 + (size - 1) * (self.icc or 0.0)) / size)
        highest = self.difference_bounds[1] if self._bounded else math.inf
        return Student(self.tail, self.margin, lambda _: sd, highest)

    def _discordant(self) -> Discordant:
        if self.pilot is not None:
            if not self.pilot.binary:
                raise _needs(
                    "mcnemar", "a pilot of scores that are 0 or 1, declared by binary=True"
                )
            pilot = self.pilot
            return Discordant(
                self.tail, lambda delta: pilot.discordant(pilot.tilted(delta).p), 1 - 1e-6
            )
        if self.p_loss is not None:
            loss = self.p_loss
            return Discordant(self.tail, lambda delta: _shares(delta + loss, loss), 1 - 2 * loss)
        if self.p_win is not None:
            win = self.p_win
            return Discordant(self.tail, lambda delta: _shares(win, win - delta), win)
        raise _needs(
            "mcnemar", "p_win= and p_loss=, or one of them with delta=, or a binary pilot="
        )

    def _floor(self, delta: float | None) -> int | None:
        by_size = self.pilot is not None and self.pilot.sizes is not None
        if delta is None or by_size or self.method == "clopper_pearson":
            return None
        low, high = self.difference_bounds
        if not low < self.margin < delta < high:
            return None
        # A rule may spend all of alpha on the side that came out.
        return kernel.floor(delta, self.margin, self.difference_bounds, self.alpha)


def _certificate_size(asked: _Asked) -> SampleSize:
    if asked.gamma is None:
        raise _needs(asked.method, "gamma=, the failure rate")
    n = bands.sample_size(CERTIFICATES[asked.method], asked.gamma, asked.alpha, side=asked.side)
    if n is None:
        raise InputError(f"alpha={asked.alpha:g} leaves no n.", code="NF032")
    return SampleSize(**_certificate(asked, n, asked.gamma))


def _certificate_rate(asked: _Asked, n: int) -> Detectable:
    method = CERTIFICATES[asked.method]
    if method == "binomial":
        return Detectable(**_certificate(asked, n, -math.expm1(math.log(asked.alpha) / n)))
    found = bands.limits(method, n, asked.alpha, asked.side)
    curve = 1 - found.above[::-1] if asked.side == "upper" else found.below
    return Detectable(**_certificate(asked, n, min(1.0, 1 - float(curve[-1]))))


def _certificate(asked: _Asked, n: int, gamma: float) -> dict[str, Any]:
    return {
        "method": asked.method,
        "guarantee": "finite-sample",
        "test_guarantee": "finite-sample",
        "assumes": ("examples are independent draws",),
        "unit": "examples",
        "n": n,
        "items": n,
        "delta": None,
        "margin": 0.0,
        "alpha": asked.alpha,
        "side": asked.side,
        "power": None,
        "reached": None,
        "gamma": gamma,
        "digest": "",
        "question": asked.question(),
    }


def _shares(win: float, loss: float) -> tuple[float, float]:
    if not (win > 0 and loss >= 0 and win + loss <= 1 + 1e-12):
        raise InputError(
            f"p_win={win:g} and p_loss={loss:g} are no probabilities of a win and a loss; both "
            "are positive, and their sum is at most 1.",
            code="NF008",
        )
    return win, loss


def _refuse_delta(delta: float | None) -> None:
    if delta is not None:
        raise InputError(
            "delta= would be ignored: a certificate is about a failure rate, gamma=.", code="NF008"
        )


def _needs(method: str, what: str) -> InputError:
    return InputError(f"method={method!r} needs {what}.", code="NF008")


def _at_least_one(size: float | None) -> float | None:
    if size is None:
        return None
    number = checks.real(size, name="cluster_size")
    if not 1 <= number < math.inf:
        raise InputError(f"cluster_size={size!r} must be at least 1.", code="NF008")
    return number


def _correlation(icc: float | None) -> float | None:
    if icc is None:
        return None
    number = checks.real(icc, name="icc")
    if not 0 <= number <= 1:
        raise InputError(f"icc={icc!r} must lie between 0 and 1.", code="NF008")
    return number


def _without(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in names}

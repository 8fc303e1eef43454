"""What `sample_size` and `detectable` were asked, after the door: a test that fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nofluke import checks
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

if TYPE_CHECKING:
    from nofluke.questions.pilots import Pilot

#: Names of certificates: the smallest n at which a band, or one order statistic, says anything.
CERTIFICATES = {
    "quantile": "binomial",
    "dkw": "dkw",
    "kolmogorov": "kolmogorov",
    "berk_jones": "berk_jones",
    "owen": "owen",
}
METHODS = ("auto", "hoeffding", "t", "mcnemar", "clopper_pearson", *SIMULATED, *CERTIFICATES)
_ROUNDING = 1e-12
_SMALL = 1e-100  # squares of what is as small, or as large as its inverse, are still numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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
    ) -> Asked:
        """The arguments, or an ``InputError`` for the first that cannot be used."""
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
            margin=moderate(checks.real(margin, name="margin"), name="margin"),
            side=checks.side(side),
            sd=None if sd is None else moderate(positive(sd, name="sd"), name="sd"),
            pilot=(seen.mirrored() if side == "upper" else seen) if seen else None,
            bounds=_moderate_bounds(bounds),
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
        moderate(number, name="delta")
        # 1 - 0.9 is a little less than 0.1: the largest gain may be typed as a decimal.
        if self.margin < number <= highest + _ROUNDING * abs(highest):
            number = min(number, highest)
        else:
            most = f", and {highest:g} is the largest gain that there can be"
            raise InputError(
                f"delta={delta!r} must lie above margin={self.margin:g}"
                f"{most if math.isfinite(highest) else ''}.",
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
                raise needs(self.method, "bar=, the rate that is to be exceeded")
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
            raise needs(self.method, "a pilot=: its power is found by drawing from one")
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
        trusting = test.test_guarantee == "asymptotic"
        if trusting and floor is not None and found.n < floor and delta is not None:
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

    def _settled(self) -> Asked:
        """With the method that "auto" stands for, and nothing that it would ignore."""
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
            raise needs("t", "sd=, the standard deviation of a pair's difference, or a pilot=")
        if (self.cluster_size is None) != (self.icc is None):
            raise needs("t", "both cluster_size= and icc=, or neither")
        sd, size = self.sd, self.cluster_size or 1.0
        # The mean of m pairs with correlation r: variance sd^2 (1 + (m - 1) r) / m.
        sd *= math.sqrt((1 + (size - 1) * (self.icc or 0.0)) / size)
        highest = self.difference_bounds[1] if self._bounded else math.inf
        return Student(self.tail, self.margin, lambda _: sd, highest)

    def _discordant(self) -> Discordant:
        if self.pilot is not None:
            if not self.pilot.binary:
                raise needs("mcnemar", "a pilot of scores that are 0 or 1, declared by binary=True")
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
        raise needs("mcnemar", "p_win= and p_loss=, or one of them with delta=, or a binary pilot=")

    def _floor(self, delta: float | None) -> int | None:
        by_size = self.pilot is not None and self.pilot.sizes is not None
        if delta is None or by_size or self.method == "clopper_pearson":
            return None
        low, high = self.difference_bounds
        if not low < self.margin < delta < high:
            return None
        # A rule may spend all of alpha on the side that came out.
        return kernel.floor(delta, self.margin, self.difference_bounds, self.alpha)


def positive(delta: float, *, name: str = "delta") -> float:
    """A positive, finite difference."""
    number = checks.real(delta, name=name)
    if not 0 < number < math.inf:
        raise InputError(f"{name}={delta!r} must be a positive difference.", code="NF008")
    return number


def moderate(number: float, *, name: str) -> float:
    """A number of which the square is one too; 0 may be."""
    if number and not _SMALL <= abs(number) <= 1 / _SMALL:
        raise InputError(
            f"{name}={number!r} is out of reach; expected a size between {_SMALL:g} and "
            f"{1 / _SMALL:g}. Take another unit for the score.",
            code="NF008",
        )
    return number


def _moderate_bounds(given: Sequence[float] | None) -> tuple[float, float] | None:
    found = checks.bounds(given)
    for bound in found or ():
        if math.isfinite(bound):
            moderate(bound, name="bounds")
    return found


def needs(method: str, what: str) -> InputError:
    """The refusal of a method that lacks something."""
    return InputError(f"method={method!r} needs {what}.", code="NF008")


def _shares(win: float, loss: float) -> tuple[float, float]:
    if not (win > 0 and loss >= 0 and win + loss <= 1 + 1e-12):
        raise InputError(
            f"p_win={win:g} and p_loss={loss:g} are no probabilities of a win and a loss; both "
            "are positive, and their sum is at most 1.",
            code="NF008",
        )
    return win, loss


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

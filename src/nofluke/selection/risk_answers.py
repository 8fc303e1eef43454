"""The answer of what a squared loss is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The rows of the answer, in their order, with what each is.
PARTS: Final = {
    "risk": "mean squared loss",
    "noise": "variance of targets about their mean",
    "bias^2": "squared distance of the mean prediction from the mean target",
    "noise + bias^2": "loss of the mean prediction over all training sets and seeds",
    "variance": "variance of predictions over training sets and seeds",
    "training sets": "Var_D E_U: of the mean over seeds, from one training set to another",
    "seeds": "E_D Var_U: from one seed to another, training set fixed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the risk, averaged over rows.

    Attributes:
        part: Its name, one of ``PARTS``.
        estimate: Without bias, so it may be negative; None where the data do not show it.
        se: Standard error, rows and runs both drawn; None where it is not known.
        se_rows: What the rows make of it, runs fixed.
        se_runs: What training sets (and seeds that they share) make of it; None where it is not
            known.
        naive: The same from means and sums of squares as they are, without the correction for the
            finite number of runs; None where it is not usual.
    """

    part: str
    estimate: float | None
    se: float | None
    se_rows: float | None
    se_runs: float | None
    naive: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RiskParts(Result):
    """What a squared loss is made of.

    Attributes:
        n_sets: Training sets D.
        n_seeds: Seeds of each.
        n_targets: Targets of each row.
        shared_seeds: Whether all training sets have the same seeds.
        parts: The parts, in the order of ``PARTS``.
    """

    n_sets: int
    n_seeds: int
    n_targets: int
    shared_seeds: bool
    parts: tuple[Part, ...]

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "risk_parts"

    def __getitem__(self, part: str) -> Part:
        return next(p for p in self.parts if p.part == part)

    def rows(self) -> list[Row]:
        """One row for each part."""
        names = Part.__dataclass_fields__
        return [
            {**{n: getattr(p, n) for n in names}, "what": PARTS[p.part], "guarantee": _word(p)}
            for p in self.parts
        ]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        runs = f"{self.n} rows, {self.n_sets} training sets and {self.n_seeds} seeds of each"
        if self.n_seeds == 1:
            runs = f"{self.n} rows and {self.n_sets} training sets, one seed of each,"
        known = self["noise"].estimate is not None
        errors = f" ({self.guarantee} standard errors)"
        names = ["noise", "bias^2", "variance"] if known else ["noise + bias^2", "variance"]
        listed = " + ".join(f"{n if ' ' not in n else f'({n})'} {self._value(n)}" for n in names)
        said = [
            f"Mean squared loss {_told(self['risk'])} over {runs} = {listed}"
            f"{'' if self['risk'].se is None and self['noise'].se is None else errors}."
        ]
        if self["seeds"].estimate is not None:
            said.append(
                f"Of the variance, training sets make {_told(self['training sets'])} (Var_D E_U) "
                f"and seeds {_told(self['seeds'])} (E_D Var_U)."
            )
        naive, name = (self["bias^2"], "bias^2") if known else (self["noise + bias^2"], names[0])
        if naive.naive is not None and naive.estimate is not None:
            said.append(
                f"Uncorrected, {name} would be {naive.naive:.4g}: the mean of finitely many runs"
                f"{' and targets' if known and self.question['noise'] != 'truth' else ''} adds an "
                f"estimated {naive.naive - naive.estimate:.4g}, which is taken off here."
            )
        return said

    def _value(self, part: str) -> str:
        """A part of the sum; a noise that is the same on all rows may be known."""
        own = self[part]
        if part == "noise" and own.se == 0 and self.question["noise"] != "targets":
            return f"{own.estimate:.4g} (known)"
        return _told(own)

    def _fields(self) -> Mapping[str, Any]:
        names = ("n_sets", "n_seeds", "n_targets", "shared_seeds")
        return {name: getattr(self, name) for name in names}


def _word(part: Part) -> str:
    return "asymptotic" if part.se is not None else "descriptive"


def _told(part: Part) -> str:
    error = "" if part.se is None else f" (SE {part.se:.2g})"
    return f"{part.estimate:.4g}{error}"

"""The answer to `runs`: where a quantile of the score of one run lies, and the mean beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke import checks
from nofluke.quantiles import reasons
from nofluke.questions import runs_work
from nofluke.results import Result, Row, outward, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.checks import Better

_TOLD = 12  # samples that sentences speak of one by one
_NEAR = 0.02  # coverage may be so far below the level and still be called about the level
_EXACT = "finite-sample"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Runs(Result):
    """Intervals for quantiles of the score of one run, from a few runs of each configuration.

    Attributes:
        metric: Name of the metric, where known.
        better: "higher" or "lower" wins, where known.
        quantiles: The quantiles asked for.
        level: Confidence asked for: of each interval, or of all at once.
        interval_level: Confidence of each interval.
        simultaneous: Whether all intervals are meant to hold at once at ``level``.
        joint: Whether the quantiles of one configuration hold at once.
        bounds: Lowest and highest possible score, where known; infinite where only one is.
        intervals: One row for each configuration (and part) and quantile; see the reference.
        means: One row for each configuration (and part): mean, SD, SE and the t interval of the
            mean, which answers another question.
        samples: The runs themselves: rows ``candidate``, ``part``, ``runs``, ``values``,
            ``folds`` (whether the runs are called so).
        differences: Rows of ``against=``; empty without.
        against: The configuration that the others are compared with.
        paired: Whether differences are taken run by run.
        part: "example" or "cluster" where each has answers of its own.
        value: "mean" where the number of a run is its mean over examples.
    """

    metric: str | None
    better: Better | None
    quantiles: tuple[float, ...]
    level: float
    interval_level: float
    simultaneous: bool
    joint: bool
    bounds: tuple[float, float] | None
    intervals: tuple[Row, ...]
    means: tuple[Row, ...]
    samples: tuple[Row, ...]
    differences: tuple[Row, ...] = ()
    against: str | None = None
    paired: bool = False
    part: str | None = None
    value: str | None = None

    @property
    def kind(self) -> str:
        """The word for this question, ``runs``."""
        return "runs"

    @property
    def unit_name(self) -> str:
        """What a run's number is: the metric's name, or "score"."""
        return self.metric or "score"

    @property
    def quantity(self) -> str:
        """The same, with what was averaged."""
        return f"mean {self.unit_name}" if self.value == "mean" else self.unit_name

    @property
    def answered(self) -> int:
        """Number of intervals of which at least one limit comes from the runs."""
        return sum(row["status"] != "none" for row in self.intervals)

    @property
    def folds(self) -> bool:
        """Whether runs are called folds, and are therefore no independent draws."""
        return any(sample["folds"] for sample in self.samples)

    def rows(self) -> list[Row]:
        """One row for each configuration (and part) and quantile."""
        return [dict(row) for row in self.intervals]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        told = [self._interval_sentence(row) for row in self._few(self.intervals)]
        if len(told) < len(self.intervals):
            told = [
                f"{self.answered} of {len(self.intervals)} intervals were found, for "
                f"{len(self.samples)} samples of runs; they stand in the table."
            ]
        told += [self._difference_sentence(row) for row in self._few(self.differences)]
        told += [self._mean_sentence(row) for row in self._few(self.means)]
        told.append(
            "The t interval says where the mean lies (asymptotic: exact for normal scores only). "
            "It cannot stand in for the interval of a quantile: it closes in on the mean as runs "
            "are added, and a quantile away from the mean ends up outside."
        )
        return told

    def work(self) -> list[str]:
        """The terms of the answer, for whoever wants to check it by hand."""
        told = []
        for row, sample in self._few(tuple(zip(self.intervals, self._of_rows(), strict=True))):
            told += runs_work.terms(row, sorted(sample["values"]))
        return told

    def sample_of(self, row: Row) -> Row:
        """The runs that a row speaks of."""
        key = (row["candidate"], row["part"])
        return next(s for s in self.samples if (s["candidate"], s["part"]) == key)

    def _of_rows(self) -> list[Row]:
        found = {(s["candidate"], s["part"]): s for s in self.samples}
        return [found[row["candidate"], row["part"]] for row in self.intervals]

    def _few(self, rows: tuple[Any, ...]) -> tuple[Any, ...]:
        return rows if len(rows) <= _TOLD else ()

    def _sure_of(self, row: Row) -> str:
        """The confidence of an interval; one that is known to be missed by far is told instead."""
        if self.folds or row["coverage"] >= row["level"] - _NEAR:
            return self._sure(row["guarantee"], self._at_once)
        where = "" if _whole(row) else " for a density that is constant there"
        return (
            f"By a method that aims at {percent_of(row['level'])} confidence and attains about "
            f"{100 * row['coverage']:.3g} %{where},"
        )

    def _sure(self, guarantee: str, at_once: str) -> str:
        if guarantee == "heuristic" and not self.folds:
            aim = f"{percent(self.level)} confidence{at_once}"
            return f"By a method that aims at {aim} and does not promise it,"
        if guarantee == "heuristic":
            about = f"about {percent(self.level)} confidence{at_once}"
            return f"If the runs were independent, with {about}"
        about = "" if guarantee == _EXACT else "about "
        return f"With {about}{percent(self.level)} confidence{at_once}"

    @property
    def _at_once(self) -> str:
        if self.simultaneous and len(self.intervals) > 1:
            return f" for all {len(self.intervals)} intervals at once"
        if self.joint and len(self.quantiles) > 1:
            return f" for these {len(self.quantiles)} quantiles at once"
        return ""

    def _interval_sentence(self, row: Row) -> str:
        what = f"{quantile_name(row['quantile'])} of {self.quantity}{self._of(row)}"
        beyond = self.question.get("tail") is not None and _beyond_the_sample(row)
        given = "If the tails are log-concave: " if beyond else ""
        if row["status"] == "none":
            return f"No interval for the {what}: {_why_none(row)}."
        sure = self._sure_of(row)
        lies = f"{given + sure[0].lower() + sure[1:] if given else sure} the {what} {_lies(row)}"
        exact = row["guarantee"] == _EXACT and row["status"] == "two_sided" and _whole(row)
        ranks = f"order statistics {row['rank_lower']:g} and {row['rank_upper']:g} of {row['n']}"
        how = f" ({ranks}, which cover with at least {_down(row['coverage'])})" if exact else ""
        return f"{lies}{how}{self._missing(row)}"

    def _missing(self, row: Row) -> str:
        """The limits that the runs do not give, and what they would need."""
        sides = (("below", "lower", 0), ("above", "upper", row["n"] + 1))
        told = "."
        for way, key in [(way, key) for way, key, no in sides if row[f"rank_{key}"] == no]:
            needed, n = runs_work.missing_limit(row, key), row["n"]
            if self.joint:
                told += f" {needed} runs are enough for a limit from {way}; you have {n}."
            elif needed is None:
                told += f" This method gives no limit from {way} with {n} runs."
            else:
                beside = needed != row[f"needed_{key}"]
                even = "" if row["method"].startswith("auto") else " with equal tails"
                also = f" beside the other one{even}" if beside else ""
                told += f" A limit from {way}{also} needs {needed} runs at this level"
                told += f"; you have {n}."
            if math.isfinite(row[key]):
                told += f" (By its meaning the score is at {_bound_words(key)} {row[key]:g}.)"
        return told

    def _mean_sentence(self, row: Row) -> str:
        mean = f"The mean of {self.quantity}{self._of(row)} is {row['mean']:.6g} over {row['n']}"
        if row["n"] < 2:
            return f"{mean} run; one run shows no spread."
        return (
            f"{mean} runs. SD of a run (n - 1): {row['sd']:.4g}. SE of the mean: {row['se']:.4g}. "
            f"Half of the {percent_of(row['level'])} t interval of the mean: "
            f"{row['half_width']:.4g}. Each of the three is printed behind a +- by somebody, so "
            "say which it is."
        )

    def _difference_sentence(self, row: Row) -> str:
        name = quantile_name(row["quantile"])
        who = f"{row['candidate']} minus {row['against']}" + (
            f" on {row['part']}" if row["part"] is not None else ""
        )
        if row["status"] == "none":
            return f"{who}: the runs give no limit for the {row['estimand']} ({name})."
        count = len(self.differences)
        at_once = f" for all {count} differences at once" if self.simultaneous and count > 1 else ""
        sure, lies = self._sure(row["guarantee"], at_once), _apart(row)
        if self.paired:
            return (
                f"{sure} the {name} of the difference in {self.quantity} within a pair of runs "
                f"({who}, {row['n']} pairs) {lies}. That is about the difference of one pair, not "
                "about how far the two quantiles are apart."
            )
        return (
            f"{sure} the difference of the two {name}s of {self.quantity} ({who}) {lies}. That is "
            "how far the two quantiles are apart, not a quantile of the difference of two runs."
        )

    def _of(self, row: Row) -> str:
        name = "" if len(self.samples) == 1 and row["part"] is None else f" of {row['candidate']}"
        return name + (f" on {row['part']}" if row["part"] is not None else "")

    def _fields(self) -> Mapping[str, Any]:
        return {
            "metric": self.metric,
            "better": self.better,
            "quantiles": list(self.quantiles),
            "level": self.level,
            "interval_level": self.interval_level,
            "simultaneous": self.simultaneous,
            "joint": self.joint,
            "bounds": None if self.bounds is None else list(self.bounds),
            "part": self.part,
            "value": self.value,
            "against": self.against,
            "paired": self.paired,
            "means": [dict(row) for row in self.means],
            "differences": [dict(row) for row in self.differences],
            "samples": [dict(row) for row in self.samples],
            "sentences": self.sentences(),
        }


def quantile_name(u: float) -> str:
    """A quantile in words.

    >>> [quantile_name(u) for u in (0.5, 0.05, 0.025, 0.01, 0.12, 0.93)]
    ['median', '5th percentile', '2.5th percentile', '1st percentile', '12th percentile', '93rd percentile']
    """  # noqa: E501 (the list is one line)
    return reasons.name_of(checks.exact(u)).removeprefix("the ")


def percent_of(level: float) -> str:
    """A level in per cent, in as many digits as it was typed or five."""
    exact = percent(level)
    return exact if len(exact) < 9 else f"{100 * level:.5g} %"


def _lies(row: Row) -> str:
    """Where the quantile lies; a limit that the runs do not give is not spoken of."""
    low, high = row["rank_lower"] not in (0, None), row["rank_upper"] not in (row["n"] + 1, None)
    lower, upper = outward(row["lower"], "higher"), outward(row["upper"], "lower")
    if low and high:
        return f"lies between {lower} and {upper}"
    return f"is at most {upper}" if high else f"is at least {lower}"


def _whole(row: Row) -> bool:
    """Whether both limits are order statistics, or absent; their coverage is then exact."""
    return bool(row["rank_lower"] % 1 == row["rank_upper"] % 1 == 0)


def _why_none(row: Row) -> str:
    """The part of the reason that says what is lacking; others describe methods, or give hints."""
    lacking = ("give no ", "there is no ", "shows no ")
    parts = row["reason"].split("; ")
    said = [part for part in parts if any(words in part for words in lacking)]
    return said[0] if said else f"{row['n']} runs give no limit"


def _apart(row: Row) -> str:
    """Where a difference lies; a limit that is not there is not spoken of."""
    lower, upper = outward(row["lower"], "higher"), outward(row["upper"], "lower")
    if math.isinf(row["lower"]) or math.isinf(row["upper"]):
        return f"is at most {upper}" if math.isinf(row["lower"]) else f"is at least {lower}"
    return f"lies between {lower} and {upper}"


def _beyond_the_sample(row: Row) -> bool:
    """Whether a limit lies outside the runs: a rank between 0 and 1, or n and n + 1."""
    return row["rank_lower"] is not None and (
        0 < row["rank_lower"] < 1 or row["n"] < row["rank_upper"] < row["n"] + 1
    )


def _bound_words(key: str) -> str:
    return "least" if key == "lower" else "most"


def _down(share: float) -> str:
    return f"{outward(100 * share, 'higher', digits=4)} %"

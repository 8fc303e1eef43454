"""What a table of scores can be asked today, with the call to copy; what a column would add."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke.errors import InputError
from nofluke.questions import replicates, runs_intervals
from nofluke.scores import dependence, metrics
from nofluke.scores.checkup.missing import examples_of
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from nofluke.results import Row
    from nofluke.scores.readers.preparing import Asked
    from nofluke.scores.table import Scores


_UNBOUNDED: Final = (
    "; no bounds are known, so the answer is asymptotic: declare --bounds LOW HIGH if scores "
    "cannot leave a range by their meaning"
)


_IGNORED: Final = " --dependence ignore"
_COUNTED: Final = (
    "; rows that follow each other are counted one by one all the same, so the guarantee is a "
    "heuristic: thin the rows, or say what belongs together, for more"
)


def commands(source: Any, scores: Scores, asked: Asked) -> Iterator[Row]:
    """One row for each command that this table suits: the call, and why.

    Where the file does not say which way is better, the call says "higher", and the reason that
    this has to be looked at.
    """
    how = f"{_files(source)}{_options(asked)}"
    open_way = ""
    if scores.better is None:
        how += " --better higher"
        open_way = "; the file does not say which way is better: --better lower if less is better"
    bounded = scores.bounds is not None or metrics.known(scores.metric).bounds is not None
    # A failed row counts as the worst there is; where that is infinite there is no mean.
    means = bounded or bool(np.isfinite(scores.values).all())
    whole = _whole(scores)
    gaps = _gaps(scores, whole, bounded=bounded)
    if gaps is not None:
        by = "" if means or scores.K == 1 else "@median"
        chosen = f"--select top:{min(5, scores.K)}{by}"
        unit = _unit(scores)
        yield _row(
            "certify",
            f"nofluke certify {how} {chosen} --gamma 0.1{gaps}{unit}",
            _bound_on(scores) + open_way + (_COUNTED if unit == _IGNORED else ""),
        )
    # Where clusters tell the rows of one example apart, an id does not say which example it is.
    told_by_run = scores.run is not None or scores.values.size == int(examples_of(scores).sum())
    # One example of each, as in a table of leaders, shows no spread, whatever is asked.
    several = scores.values.size > scores.K
    comparable = scores.K > 1 and told_by_run and several and means
    sides = _sides(scores, whole) if comparable else None
    if sides is not None:
        yield _row(
            "compare",
            f"nofluke compare {how}{sides.call}" + ("" if bounded else " --method t"),
            sides.why + open_way + ("" if bounded else _UNBOUNDED),
        )
    shared = bool(whole.all(axis=0).any())
    if scores.K > 2 and comparable and shared:
        common = "" if whole.all() else " --missing common"
        yield _row(
            "rank",
            f"nofluke rank {how}{common}" + ("" if bounded else " --method max_t"),
            f"which of {scores.K} candidates are ahead of which, as far as the evidence goes"
            + open_way
            + ("" if bounded else _UNBOUNDED),
        )
    by_run = "runs" in scores.reading
    told = _of_runs(scores, by_run=by_run)
    if told is not None:
        yield _row(
            "runs",
            f"nofluke runs {how} --quantile 0.5{told}",
            "how far a run may lie from the others, judged from these runs" + open_way,
        )
    finite = bool(np.isfinite(scores.values).all())
    if finite and (
        (scores.K > 1 and scores.complete and shared and several)
        or (by_run and scores.values.size > 1)
    ):
        yield _row(
            "champion",
            f"nofluke champion {how}",
            "what the best is worth, beside what was planned" + open_way,
        )


def _of_runs(scores: Scores, *, by_run: bool) -> str | None:
    """What to say to ``runs``; None where these are no several runs, or none that it can use."""
    if scores.run is None and not by_run:
        return None
    if scores.run is not None and max(_runs(scores)) < runs_intervals.LEAST:
        return None
    value = None if by_run else "mean"
    limits = scores.bounds or metrics.known(scores.metric).bounds
    way = scores.better or "higher"  # as the call will say
    worst = None if limits is None else limits[0 if way == "higher" else 1]
    for missing in ("raise", "worst", "own"):
        with contextlib.suppress(InputError):
            found = replicates.samples(scores, value=value, each=None, missing=missing, worst=worst)
            usable = all(np.isfinite(sample.x).all() for sample in found)
            gaps = "" if missing == "raise" else f" --missing {missing}"
            if usable and any(sample.n >= runs_intervals.LEAST for sample in found):
                return f"{' --value mean' if value else ''}{gaps}"
    return None


def _runs(scores: Scores) -> Iterator[int]:
    """How many runs each candidate has, by the column of runs."""
    codes = np.zeros(0, np.int64) if scores.run is None else scores.run.codes
    for k in range(scores.K):
        yield np.unique(codes[scores.starts[k] : scores.starts[k + 1]]).size


def _bound_on(scores: Scores) -> str:
    if scores.K == 1:
        return "a bound on the candidate's score on new cases"
    return f"a bound on each chosen candidate's score, the choice among {scores.K} paid for"


class _Sides(NamedTuple):
    """Two candidates that can be compared: the options that say so, and what they share."""

    call: str
    why: str


def _sides(scores: Scores, whole: NDArray[np.bool_]) -> _Sides | None:
    """The first and the last candidate with scores; None where they cannot be compared."""
    scored = np.flatnonzero(whole.any(axis=1))
    if scored.size < 2:
        return None
    first, last = int(scored[0]), int(scored[-1])
    a, b = scores.candidates[first], scores.candidates[last]
    call = f" --a {shlex.quote(a)} --b {shlex.quote(b)}"
    have = examples_of(scores)[[first, last]]
    both = int((whole[first] & whole[last]).sum())
    lost = np.concatenate([scores.empty[:, 0], scores.lost_runs[:, 0]])
    lacking = bool(np.isin([first, last], lost).any())
    if both:
        gaps = " --missing common" if lacking or (have[0] != have[1]).any() else ""
        were = f"{counted(both, 'example')} {'was' if both == 1 else 'were'}"
        return _Sides(call + gaps, f"{were} scored by both {a!r} and {b!r}, so they can be paired")
    if (have[0] & have[1]).any():
        return None
    gaps = " --missing own" if lacking else ""
    return _Sides(f"{call} --unpaired{gaps}", "two samples: no example is shared")


def _whole(scores: Scores) -> NDArray[np.bool_]:
    """Which candidate has all its scores on which example, shape (K, E)."""
    have = examples_of(scores)
    for lacking in (scores.empty, scores.lost_runs):
        have[lacking[:, 0], lacking[:, 1]] = False
    return have


def _gaps(scores: Scores, whole: NDArray[np.bool_], *, bounded: bool) -> str | None:
    """What certify has to be told about missing scores; None where it cannot answer."""
    if whole.all():
        return ""
    if examples_of(scores).all(axis=0).any():
        return " --missing common"
    if (scores.n > 0).all():
        return " --missing own"
    return " --missing worst" if bounded else None


def _unit(scores: Scores) -> str:
    """What to count where rows follow each other too closely to be counted one by one."""
    found = (dependence.serial(scores, k) for k in range(scores.K)) if scores.run is None else ()
    if not any(s is not None and s.strong for s in found):
        return ""
    return _IGNORED if scores.cluster is None else " --unit cluster --seed 0"


def unlocks(scores: Scores) -> Iterator[Row]:
    """What a further column would make possible."""
    if scores.cluster is None:
        yield _unlock("cluster", "rows that belong together (document, user, repository) are not "
                      "counted as independent draws")  # fmt: skip
    if scores.run is None and "runs" not in scores.reading:
        yield _unlock("run", "several seeds or epochs of one example, and how much they differ")
    if scores.time is None:
        yield _unlock("time", "rows in the order of their measurement, to see whether they follow "
                      "each other")  # fmt: skip
    if scores.input is None:
        yield _unlock("input", "duplicates, and rows that were also trained on (a hash will do)")
    if scores.output is None:
        yield _unlock("output", "copies and cached repeats (a hash will do)")
    if scores.group is None:
        yield _unlock("group", "an answer for each topic, language or site")
    if scores.better is None:
        yield _unlock("(the metric's name)", "which way is better, and what a score cannot leave")


def _row(command: str, call: str, why: str) -> Row:
    return {"command": command, "call": call, "why": why}


def _unlock(column: str, what: str) -> Row:
    return {"column": column, "what": what}


def _files(source: Any) -> str:
    if isinstance(source, Mapping):
        named = {n: p for n, p in source.items() if isinstance(p, str | os.PathLike)}
        if len(named) == len(source):
            return " ".join(shlex.quote(f"{n}={os.fspath(p)}") for n, p in named.items())
        return "FILE"
    paths = source if isinstance(source, list | tuple) else [source]
    if paths and all(isinstance(p, str | os.PathLike) for p in paths):
        return " ".join(shlex.quote(os.fspath(p)) for p in paths)
    return "FILE"


def _options(asked: Asked) -> str:
    """What has to be said in every command for the same reading."""
    words: list[str] = []
    if asked.metric is not None:
        words += ["--metric", asked.metric]
    for word, text in asked.where.items():
        words += ["--where", f"{word}={text}"]
    told = _named(asked)
    if told:
        words += ["--columns", ",".join(told)]
    if asked.failed is not None:
        words += ["--failed", asked.failed]
    if asked.reader is not None:
        words += ["--reader", asked.reader]
    if asked.better is not None:
        words += ["--better", asked.better]
    if asked.bounds is not None:
        words += ["--bounds", *(repr(float(b)).removesuffix(".0") for b in asked.bounds)]
    if asked.binary:
        words += ["--binary"]
    if asked.delimiter is not None:
        words += ["--delimiter", asked.delimiter]
    if asked.decimal is not None:
        words += ["--decimal", asked.decimal]
    return "".join(f" {shlex.quote(word)}" for word in words)


def _named(asked: Asked) -> list[str]:
    """Columns by role, in the words of ``--columns``."""
    told: list[str] = []
    for role, named in asked.columns.items():
        if isinstance(named, str | None):
            told.append(f"{role}={named or ''}")
        elif len(named) > 1:  # one column alone would be taken for that of the candidates' names
            told += [f"{role}={column}" for column in named]
    return told

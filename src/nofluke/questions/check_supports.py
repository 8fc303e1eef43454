"""What a table of scores can be asked today, with the call to copy; what a column would add."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.errors import InputError
from nofluke.questions import replicates, runs_intervals
from nofluke.scores import dependence, metrics
from nofluke.scores.checkup.missing import examples_of
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.results import Row
    from nofluke.scores.readers.preparing import Asked
    from nofluke.scores.table import Scores


_UNBOUNDED: Final = (
    "; no bounds are known, so the answer is asymptotic: declare --bounds LOW HIGH if scores "
    "cannot leave a range by their meaning"
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
    unbounded = "" if bounded else _UNBOUNDED
    shared = _shared(scores)
    gaps = _gaps(scores, shared)
    a, b = scores.candidates[0], scores.candidates[-1]
    sides = f" --a {shlex.quote(a)} --b {shlex.quote(b)}"
    yield _row(
        "certify",
        f"nofluke certify {how} --select top:{min(5, scores.K)} --gamma 0.1{gaps}{_unit(scores)}",
        _bound_on(scores) + open_way,
    )
    # Where clusters tell the rows of one example apart, an id does not say which example it is.
    told_by_run = scores.run is not None or scores.values.size == int(examples_of(scores).sum())
    # One example of each, as in a table of leaders, shows no spread, whatever is asked.
    several = scores.values.size > scores.K
    if scores.K > 1 and told_by_run and several:
        were = f"{counted(shared, 'example')} {'was' if shared == 1 else 'were'}"
        pairs = f"{were} scored by both {a!r} and {b!r}, so they can be paired"
        yield _row(
            "compare",
            f"nofluke compare {how}{sides}{gaps if shared else ' --unpaired'}"
            + ("" if bounded else " --method t"),
            (pairs if shared else "two samples: no example is shared") + open_way + unbounded,
        )
    if scores.K > 2 and shared and told_by_run and several:
        yield _row(
            "rank",
            f"nofluke rank {how}{gaps}" + ("" if bounded else " --method max_t"),
            f"which of {scores.K} candidates are ahead of which, as far as the evidence goes"
            + open_way
            + unbounded,
        )
    by_run = "runs" in scores.reading
    told = _of_runs(scores, by_run=by_run)
    if told is not None:
        yield _row(
            "runs",
            f"nofluke runs {how} --quantile 0.5{told}",
            "how far a run may lie from the others, judged from these runs" + open_way,
        )
    if (scores.K > 1 and scores.complete and shared and several) or (
        by_run and scores.values.size > 1
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


def _bound_on(scores: Scores) -> str:
    if scores.K == 1:
        return "a bound on the candidate's score on new cases"
    return f"a bound on each chosen candidate's score, the choice among {scores.K} paid for"


def _gaps(scores: Scores, shared: int) -> str:
    """What to say about missing scores."""
    if scores.K > 1 and not shared:
        return " --missing own"
    have = examples_of(scores)
    lacking = np.logical_not(have.all())
    return " --missing common" if lacking or scores.empty.size else ""


def _unit(scores: Scores) -> str:
    """What to count where rows follow each other too closely to be counted one by one."""
    found = (dependence.serial(scores, k) for k in range(scores.K)) if scores.run is None else ()
    if not any(s is not None and s.strong for s in found):
        return ""
    return " --dependence ignore" if scores.cluster is None else " --unit cluster --seed 0"


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


def _shared(scores: Scores) -> int:
    """Examples that the first and the last candidate both have."""
    have = examples_of(scores)
    return int((have[0] & have[-1]).sum()) if scores.K > 1 else 0


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
    told = {role: c for role, c in asked.columns.items() if isinstance(c, str | None)}
    if told:
        words += ["--columns", ",".join(f"{role}={c or ''}" for role, c in told.items())]
    if asked.failed is not None:
        words += ["--failed", asked.failed]
    if asked.reader is not None:
        words += ["--reader", asked.reader]
    if asked.better is not None:
        words += ["--better", asked.better]
    if asked.bounds is not None:
        words += ["--bounds", *(f"{b:g}" for b in asked.bounds)]
    if asked.binary:
        words += ["--binary"]
    return "".join(f" {shlex.quote(word)}" for word in words)

"""From a table to samples of independent runs: what one run is, and what must not count as one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from nofluke.results import Row
    from nofluke.scores.table import Scores

EACH = ("example", "cluster")
VALUES = ("mean",)
MISSING = ("raise", "own", "worst")
_FOLD = re.compile(r"(^|[^a-z])(cv[ _-]?)?fold[ _-]?\d*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """The runs of one candidate, one number each; of one example or cluster where each has its own.

    Attributes:
        candidate: Its id.
        part: The example or cluster that the numbers are of; None where there is one answer for
            each candidate.
        runs: Ids of the runs, shape (n,).
        x: One number for each, shape (n,).
        folds: Whether the runs are called folds.
        cluster: The one cluster that all runs come from, where there is one.
    """

    candidate: str
    part: str | None
    runs: tuple[str, ...]
    x: NDArray[np.float64]
    folds: bool
    cluster: str | None

    @property
    def n(self) -> int:
        """Number of runs."""
        return self.x.size

    @property
    def name(self) -> str:
        """The candidate, with the part if there is one."""
        return self.candidate if self.part is None else f"{self.candidate} on {self.part}"

    def row(self) -> Row:
        """The runs and their numbers, as an answer shows them."""
        return {
            "candidate": self.candidate,
            "part": self.part,
            "runs": list(self.runs),
            "values": self.x.tolist(),
            "folds": self.folds,
        }


class _Row(NamedTuple):
    run: str
    example: str
    cluster: str | None
    value: float


def samples(
    scores: Scores,
    *,
    value: str | None,
    each: str | None,
    missing: str,
    worst: float | None,
) -> tuple[Sample, ...]:
    """One sample for each candidate, or for each candidate and part.

    Without a run column every example is one run. With one, and one row for each run, the run is
    the unit. Several examples in a run are averaged ("mean") or answered one by one (``each``);
    that is never decided here.

    Args:
        scores: The table as read.
        value: "mean" where the number of a run is its mean over the examples, the same for all.
        each: "example" or "cluster" where each has an answer of its own.
        missing: "raise", "own" (left out) or "worst" for runs without a score.
        worst: The worst score there is; None where nobody said.

    Raises:
        InputError: Several examples in a run and neither word; several runs in a cluster; runs
            without a score.
    """
    if each is not None:
        checks.choice(each, EACH, name="each")
    if value is not None:
        checks.choice(value, VALUES, name="value")
    checks.choice(missing, MISSING, name="missing")
    if each is not None and value is not None:
        raise InputError(
            f"value={value!r} and each={each!r} are two answers to one question: either a run has "
            "one number, or each part is asked about by itself; leave one out.",
            code="NF008",
        )
    _refuse_gaps(scores, missing)
    by_fold = _runs_are_folds(scores)
    found = [
        sample
        for k in range(scores.K)
        for sample in _of_candidate(scores, k, value=value, each=each, missing=missing, worst=worst)
    ]
    return tuple(replace(s, folds=True) for s in found) if by_fold else tuple(found)


def folds(labels: Sequence[str]) -> bool:
    """Whether all of these ids are called folds.

    >>> folds(["australian/fold0", "australian/fold1"]), folds(["scaffold", "1"]), folds(["3"])
    (True, False, False)
    """
    return bool(labels) and all(_FOLD.search(label) for label in labels)


def _of_candidate(
    scores: Scores,
    k: int,
    *,
    value: str | None,
    each: str | None,
    missing: str,
    worst: float | None,
) -> list[Sample]:
    name, rows = scores.candidates[k], _rows(scores, k)
    lost = _lost(scores, k)
    filled = missing == "worst" and bool(lost)
    if scores.run is None:
        if filled:
            known = _clusters(scores)
            if scores.cluster is not None and any(len(known.get(e, ())) != 1 for e in lost):
                raise _untold(name, len(lost))
            rows += [_Row(e, e, next(iter(known.get(e, ())), None), _needed(worst)) for e in lost]
        return _by_example(scores, name, rows, each)
    if each == "cluster":
        raise InputError(
            "each='cluster' is for tables in which every example is one run; this one has a run "
            "column: each='example' answers for every example.",
            code="NF008",
        )
    by_run: dict[str, list[_Row]] = {}
    for row in rows:
        by_run.setdefault(row.run, []).append(row)
    several = len({row.example for row in rows})
    if each == "example":
        extra = [_Row(f"without a score {i}", e, None, _needed(worst)) for i, e in enumerate(lost)]
        return _by_part(name, [*rows, *(extra if filled else [])], lambda row: row.example)
    if several <= 1 or (value is None and several == len(rows) == len(by_run)):
        extra = [_Row(f"without a score {i}", e, None, _needed(worst)) for i, e in enumerate(lost)]
        return [_sample(name, None, [*rows, *(extra if filled else [])])]
    if value is None:
        raise _several(name, several, len(by_run))
    return [_averaged(name, by_run, lost, missing, worst)]


def _by_example(scores: Scores, name: str, rows: list[_Row], each: str | None) -> list[Sample]:
    """Samples of a table without runs, in which every example is one."""
    if each == "example":
        raise InputError(
            "each='example' needs a run column: in this table every example is one run; name the "
            'column that tells the runs of an example apart: columns={"run": "..."}.',
            code="NF008",
        )
    if each is None:
        return [_sample(name, None, rows)]
    if scores.cluster is None:
        raise InputError(
            "each='cluster' needs a cluster column, and there is none: "
            'columns={"cluster": "..."}.',
            code="NF008",
        )
    return _by_part(name, rows, lambda row: row.cluster or "")


def _by_part(name: str, rows: list[_Row], part_of: Callable[[_Row], str]) -> list[Sample]:
    parts: dict[str, list[_Row]] = {}
    for row in rows:
        parts.setdefault(part_of(row), []).append(row)
    return [_sample(name, part, found) for part, found in sorted(parts.items())]


def _sample(name: str, part: str | None, rows: list[_Row]) -> Sample:
    """The sample of rows of which each is one run; refused where clusters hold several of them."""
    runs = [row.run for row in rows]
    # Clusters that use the same ids for runs of their own.
    if len(set(runs)) < len(runs):
        runs = [f"{row.cluster} | {row.run}" for row in rows]
    inside = [row.cluster for row in rows if row.cluster is not None]
    called_folds = folds(runs)
    where = name if part is None else f"{name} on {part}"
    cluster = _one_cluster(where, inside, called_folds=called_folds)
    return Sample(
        candidate=name,
        part=part,
        runs=tuple(runs),
        x=np.array([row.value for row in rows], np.float64),
        folds=called_folds,
        cluster=cluster,
    )


def _averaged(
    name: str, by_run: dict[str, list[_Row]], lost: list[str], missing: str, worst: float | None
) -> Sample:
    """One number for each run: its mean over the examples, which must be the same for all."""
    examples = {row.example for rows in by_run.values() for row in rows}
    short = {run: len(examples) - len(rows) for run, rows in by_run.items()}
    partial = {run: gap for run, gap in short.items() if gap}
    if partial and missing == "raise":
        raise InputError(
            f"{name!r}: {len(partial)} of {len(by_run)} runs lack some of the {len(examples)} "
            f"examples ({some(partial)}), and means over different examples are no repetitions of "
            "one number. Say missing='own' to leave those runs out, or 'worst' to count a gap as "
            "the worst score.",
            code="NF007",
        )
    if missing == "worst" and sum(partial.values()) < len(lost):
        raise _untold(name, len(lost))
    kept = by_run if missing == "worst" else {r: v for r, v in by_run.items() if not short[r]}
    if not kept:
        raise InputError(
            f"{name!r}: each of the {len(by_run)} runs lacks some of the {len(examples)} examples, "
            "so missing='own' leaves no run; say missing='worst', or leave out the examples that "
            "are not in all runs.",
            code="NF007",
        )
    labels = {frozenset(row.cluster for row in rows) for rows in kept.values()}
    inside = [str(sorted(map(str, {row.cluster for row in rows}))) for rows in kept.values()]
    if len(labels) > 1:
        _one_cluster(name, inside, called_folds=folds(list(kept)))
    sums = {
        run: math.fsum(row.value for row in rows) + (short[run] and short[run] * _needed(worst))
        for run, rows in kept.items()
    }
    return Sample(
        candidate=name,
        part=None,
        runs=tuple(kept),
        x=np.array(list(sums.values()), np.float64) / len(examples),
        folds=folds(list(kept)),
        cluster=None,
    )


def _one_cluster(where: str, inside: list[str], *, called_folds: bool) -> str | None:
    """The only cluster of these runs; None where each has its own. Between lies what is refused."""
    count = len(set(inside))
    if count <= 1:
        return inside[0] if inside else None
    if count == len(inside):
        return None
    kind = "folds of one cross-validation" if called_folds else "runs that share a cluster"
    raise InputError(
        f"{where!r}: {len(inside)} runs lie in {count} clusters, and {kind} are no independent "
        "draws: ranks of a binomial count would claim more than is known. Give one number for each "
        "cluster, ask inside each by each='cluster', or, if the clusters are no source of "
        'variation, leave them out: columns={"cluster": None}.',
        code="NF044",
    )


def _rows(scores: Scores, k: int) -> list[_Row]:
    part = slice(int(scores.starts[k]), int(scores.starts[k + 1]))
    examples = [scores.examples[i] for i in scores.places(k).tolist()]
    values = scores.values[part].tolist()
    run, cluster = scores.run, scores.cluster
    runs = examples if run is None else [run.names[c] for c in run.codes[part].tolist()]
    clusters: list[str | None] = [None] * len(values)
    if cluster is not None:
        clusters = [cluster.names[c] for c in cluster.codes[part].tolist()]
    return list(map(_Row, runs, examples, clusters, values))


def _clusters(scores: Scores) -> dict[str, set[str]]:
    """The clusters of each example, as all candidates tell them."""
    known: dict[str, set[str]] = {}
    for k in range(scores.K):
        for row in _rows(scores, k):
            if row.cluster is not None:
                known.setdefault(row.example, set()).add(row.cluster)
    return known


def _lost(scores: Scores, k: int) -> list[str]:
    """The examples of rows of this candidate that have no score, once for each row."""
    cells = np.concatenate([scores.empty, scores.lost_runs])
    return [scores.examples[e] for c, e in cells.tolist() if c == k]


def _refuse_gaps(scores: Scores, missing: str) -> None:
    counts = {name: len(_lost(scores, k)) for k, name in enumerate(scores.candidates)}
    told = [f"{name!r} lacks {count}" for name, count in counts.items() if count]
    if told and missing == "raise":
        total = sum(counts.values())
        raise InputError(
            f"{total} {'run has' if total == 1 else 'runs have'} no score: "
            f"{', '.join(told[:5])}{' ...' if len(told) > 5 else ''}. A run that diverged is a "
            "result, and leaving it out makes the others look better. Say missing='worst' to count "
            "it as the worst score, or 'own' if the gaps have nothing to do with the scores.",
            code="NF007",
        )
    nothing = [name for name, n in zip(scores.candidates, scores.n, strict=True) if n == 0]
    if nothing and missing == "own":
        raise InputError(
            f"no score at all for {some(nothing)}, so missing='own' leaves nothing of it; leave "
            "it out, or say missing='worst' to count its runs as the worst.",
            code="NF002",
        )


def _runs_are_folds(scores: Scores) -> bool:
    """Whether the column of runs is called fold, as far as reading was told or has found out."""
    named = scores.reading.get("columns") or {}
    told = (scores.reading.get("runs"), named.get("run"), named.get("example"))
    return any(isinstance(column, str) and folds([column]) for column in told)


def _needed(worst: float | None) -> float:
    if worst is None:
        raise InputError(
            "missing='worst' needs to know the worst score: declare better= and finite bounds=.",
            code="NF009",
        )
    return worst


def _untold(name: str, count: int) -> InputError:
    return InputError(
        f"{name!r}: {count} {'row has' if count == 1 else 'rows have'} no score, and the table "
        "does not tell which run or cluster that is, so missing='worst' cannot be done; write the "
        "worst score into the table.",
        code="NF007",
    )


def _several(name: str, examples: int, runs: int) -> InputError:
    return InputError(
        f"{name!r} has {counted(runs, 'run')} over {examples} examples, and the examples of a "
        "run are no further runs. Say value='mean' (each run is one number: its mean over the "
        "examples, all on one scale) or each='example' (an answer for every example by itself).",
        code="NF045",
    )

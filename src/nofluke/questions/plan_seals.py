"""What a plan seals of things too large to write down: who was in the pilot, what clusters are.

Ids stand in a plan as marks, short hashes. Two marks of different ids agree with probability
2^-64, and whoever knows an id can ask whether it was there; a list of marks is no secret.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores.pairing import pair
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NOTHING = "nothing yet seen"
COLUMN, MAPPING = "column ", "mapping, SHA-256 "
_UNNAMED = "cluster"


class Seen(NamedTuple):
    """What was seen before the plan was made.

    Attributes:
        words: In words, for the plan.
        marks: Of the examples (and clusters) seen, sorted; empty where they have no ids.
    """

    words: str
    marks: tuple[str, ...]


def seen(
    pilot: ArrayLike | Scores | None,
    a: str,
    b: str,
    *,
    clusters: bool | str | Mapping[str, Any] | None,
) -> Seen:
    """The pilot that N was chosen by; of gains without ids only their number and digest."""
    if pilot is None:
        return Seen(NOTHING, ())
    if not isinstance(pilot, Scores):
        d = checks.sample(pilot, name="pilot")
        digest = hashlib.sha256(np.ascontiguousarray(d).tobytes()).hexdigest()
        return Seen(f"a pilot of {_pairs(d.size)}, SHA-256 {digest}", ())
    named = units(pilot, a, b, clusters=clusters)
    n = sum(kind == "example" for kind, _ in named)
    marks = tuple(sorted({_mark(kind, name) for kind, name in named}))
    return Seen(f"a pilot of {_pairs(n)}, SHA-256 {pilot.digest}", marks)


def units(
    scores: Scores,
    a: str,
    b: str,
    *,
    clusters: bool | str | Mapping[str, Any] | None,
    missing: str = "raise",
    better: str | None = None,
    bounds: tuple[float, float] | None = None,
) -> list[tuple[str, str]]:
    """("example", id) of each pair, and with clusters ("cluster", name) of each of theirs."""
    pairs = pair(scores, a, b, missing=missing, better=better, bounds=bounds)
    found = [("example", name) for name in pairs.ids]
    if isinstance(clusters, Mapping):
        names = {str(clusters[i]) for i in pairs.ids if i in clusters}
    elif clusters and pairs.cluster is not None:
        names = {pairs.cluster.names[c] for c in np.unique(pairs.cluster.codes).tolist()}
    else:
        names = set()
    return [*found, *(("cluster", name) for name in sorted(names))]


def seen_before(marks: Iterable[str], named: Iterable[tuple[str, str]]) -> list[str]:
    """Which of the units have a mark, as "example 'e1'"."""
    known = set(marks)
    return [f"{kind} {name!r}" for kind, name in named if _mark(kind, name) in known]


def clusters_sealed(
    *, clusters: bool | str | Mapping[str, Any] | None, pilot: ArrayLike | Scores | None
) -> str | None:
    """What makes clusters, in words that can be compared; None where pairs are the units."""
    if isinstance(clusters, Mapping):
        return MAPPING + _digest_of(clusters)
    if isinstance(clusters, str) and clusters:
        return COLUMN + clusters
    if clusters is not None and not isinstance(clusters, bool):
        raise InputError(
            f"clusters={clusters!r} says not what clusters are; give True for the table's cluster "
            "column, its name, or a mapping of example id to cluster.",
            code="NF008",
        )
    if not clusters:
        return None
    return COLUMN + (_column(pilot) if isinstance(pilot, Scores) else _UNNAMED)


def clusters_differ(sealed: str, given: Any, scores: Scores) -> str | None:
    """How the clusters of a comparison differ from those sealed; None where they do not."""
    if isinstance(given, Mapping):
        if sealed == MAPPING + _digest_of(given):
            return None
        return f"clusters= is a {MAPPING}{_digest_of(given)}, and the plan says {sealed}"
    if sealed.startswith(MAPPING):
        return f"clusters= must be the mapping that was planned with ({sealed})"
    column = _column(scores)
    if scores.cluster is None or sealed == COLUMN + column:
        return None
    return (
        f"the clusters are those of {COLUMN}{column}, and the plan says {sealed} (name it when "
        f'reading: columns={{"cluster": "{sealed.removeprefix(COLUMN)}"}})'
    )


def check(marks: Any) -> tuple[str, ...]:
    """Marks as they stand in a file."""
    if not isinstance(marks, list | tuple) or not all(isinstance(m, str) for m in marks):
        raise InputError(f"pilot marks are texts; found {some([marks])}.", code="NF030")
    return tuple(marks)


def _column(scores: Scores) -> str:
    """Name of the cluster column; one that nobody had to name goes by its role."""
    columns = scores.reading.get("columns")
    named = columns.get("cluster") if isinstance(columns, Mapping) else None
    return _UNNAMED if named is None else str(named)


def _digest_of(mapping: Mapping[str, Any]) -> str:
    rows = sorted([str(example), str(cluster)] for example, cluster in mapping.items())
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode("ascii")).hexdigest()


def _mark(kind: str, name: str) -> str:
    text = json.dumps([kind, name]).encode("ascii")
    return hashlib.sha256(text).hexdigest()[:16]


def _pairs(n: int) -> str:
    return "1 pair" if n == 1 else f"{n} pairs"

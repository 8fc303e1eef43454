"""Rows of a source in memory: those of some candidates, as a table of scores, if they fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from nofluke.errors import InputError
from nofluke.scores.assembly import LABELLED, Assembly, Rows
from nofluke.scores.readers.gather import clock
from nofluke.scores.readers.tables import counted
from nofluke.scores.table import Scores
from nofluke.sources import verbs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.scores.sourced import Sourced
    from nofluke.sources.relation import Relation

# What a row and an example take: codes and numbers, twice while they are put in order; and a text
# with its place in a table of texts.
_ROW, _COLUMN, _EXAMPLE = 56, 16, 180
_TEXT = 60  # of a text apart from its letters
_KEPT = "keep "  # a kept column may have any name, also one that the assembly uses


def held(source: Sourced, candidates: Sequence[str] | None = None) -> Scores:
    """The scores of some candidates in memory: the same as if all had been read, and these taken.

    Args:
        source: The rows.
        candidates: Ids; all of them by default.

    Raises:
        InputError: They do not fit in the memory allowed (NF406), candidate and example repeat
            (NF006), or a row with a score lacks its group (NF007).
    """
    names = tuple(sorted(source.candidates if candidates is None else set(candidates)))
    all_of_them = len(names) == source.K
    relation = source.relation
    if not all_of_them:
        relation = relation.using(relation.frame.filter(nw.col("candidate").is_in(list(names))))
    index = {name: k for k, name in enumerate(source.candidates)}
    n_rows = int(sum(source.extent.rows[index[name]] for name in names))
    labelled = [role for role in LABELLED if role in source.columns]
    _require_room(source, relation, labelled, n_rows, len(names))
    text_times = "time" in source.columns and not relation.schema["time"].is_numeric()
    roles = ("candidate", "example", *labelled, *(["time"] if text_times else []))
    texts = {role: _Texts() for role in roles}
    blocks = _blocks(source, relation, texts, n_rows)
    if not all_of_them:  # what a label is called does not change with who is looked at
        for role in {"cluster", "group", "time"} & texts.keys():
            others = source.relation.frame.select(role).unique()
            texts[role].codes(source.relation.columns(others, many=True)[role])
    labels, rows = _assembled(source, texts, blocks, n_rows)
    return Scores.from_rows(
        rows,
        candidates=labels["candidate"],
        examples=labels["example"],
        better=source.better,
        bounds=source.bounds,
        binary=source.binary,
        metric=source.metric,
        label_names={role: labels[role] for role in labelled},
        digest=source.digest,
        notes=source.notes,
        reading=source.reading,
    )


class _Texts:
    """Codes of texts in the order in which they come, and in the end in code point order."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def codes(self, column: NDArray[Any]) -> NDArray[np.int32]:
        """The codes of a column of texts; a missing one counts as ""."""
        found = ["" if text is None else text for text in column.tolist()]
        known = self._known
        for text in set(found) - known.keys():
            known[text] = len(known)
        return np.fromiter(map(known.__getitem__, found), np.int32, len(found))

    def settled(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The texts in code point order, and the place of each code in it."""
        names = sorted(self._known)
        places = np.empty(len(names), np.int32)
        places[[self._known[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        return tuple(names), places


def _blocks(
    source: Sourced, relation: Relation, texts: Mapping[str, _Texts], n_rows: int
) -> list[dict[str, NDArray[Any]]]:
    """The rows, with codes for texts."""
    wanted = _wanted(source, tuple(texts))
    frame = relation.frame.select(*(e.alias(name) for name, e in wanted.items()))
    small = n_rows <= relation.engine.gathers
    parts = [relation.columns(frame)] if small else relation.batches(frame, list(wanted))
    return [
        {
            name: texts[name].codes(column) if name in texts else np.asarray(column, np.float64)
            for name, column in part.items()
        }
        for part in parts
    ]


def _wanted(source: Sourced, texts: Sequence[str]) -> dict[str, nw.Expr]:
    numbers = ["score", *(c for c in ("time", "failed") if c in source.columns)]
    picked = {name: nw.col(name).cast(nw.String) for name in texts}
    picked |= {name: nw.col(name) for name in numbers if name not in texts}
    picked |= {name: nw.col(name) for name in source.kept.values()}
    return picked


def _require_room(
    source: Sourced, relation: Relation, labelled: Sequence[str], n_rows: int, K: int
) -> None:
    """Refuse rows that do not fit before one of them is loaded."""
    room = source.relation.room
    columns = len(labelled) + len(source.kept) + len(source.columns & {"time", "failed"})
    least = n_rows * (_ROW + _COLUMN * columns)
    advice = (
        "allow more memory (memory=, --memory), or ask about a random part of the examples that "
        "was fixed before the scores were seen."
    )
    what = f"the {n_rows} rows of {counted(K, 'candidate')}, all of which this question needs,"
    room.require(least, what, advice)
    needed = least + verbs.distinct(relation, "example") * _EXAMPLE
    for role in {"input", "output"} & set(labelled):
        letters = relation.frame.select(nw.col(role).str.len_chars().alias("letters"))
        ((total,),) = relation.rows(letters.select(nw.col("letters").sum()))
        needed += n_rows * _TEXT + 4 * int(total or 0)
    room.require(needed, what, advice)


def _assembled(
    source: Sourced,
    texts: Mapping[str, _Texts],
    blocks: list[dict[str, NDArray[Any]]],
    n_rows: int,
) -> tuple[dict[str, tuple[str, ...]], Rows]:
    settled = {role: coded.settled() for role, coded in texts.items()}
    labels = {role: names for role, (names, _) in settled.items()}
    kept = {name: f"{_KEPT}{column}" for column, name in source.kept.items()}
    plain = set(blocks[0]) == {"candidate", "example", "score"}
    assembly = Assembly(len(labels["candidate"]), len(labels["example"]), n_rows, plain=plain)
    while blocks:
        block = blocks.pop(0)
        moved = {
            kept.get(n, n): settled[n][1][column] if n in settled else column
            for n, column in block.items()
        }
        assembly.add(moved.pop("candidate"), moved.pop("example"), moved.pop("score"), **moved)
    rows = assembly.finish()
    if rows is None or rows.repeated.size:
        raise _repeats(source, labels["candidate"])
    moved: dict[str, Any] = {
        "kept": {name.removeprefix(_KEPT): column for name, column in rows.kept.items()}
    }
    if rows.time is not None and "time" in texts:
        moved["time"] = clock(labels["time"])[rows.time.astype(np.int64)]
    for role in ("cluster", "group"):  # a row without a score need not say
        codes = getattr(rows, role)
        if codes is not None and labels[role][:1] == ("",):
            labels[role], moved[role] = labels[role][1:], codes - 1
    return labels, replace(rows, **moved)


def _repeats(source: Sourced, names: Sequence[str]) -> InputError:
    relation = source.relation
    own = relation.using(relation.frame.filter(nw.col("candidate").is_in(list(names))))
    apart = [role for role in ("run", "cluster") if role in source.columns]
    found = verbs.repeats(own, beside=apart)
    listed = ", ".join(f"{c!r}/{e!r} ({n} rows)" for c, e, n in found[:5])
    more = " and more" if len(found) > 5 else ""
    within = f" within one {' and '.join(apart)}" if apart else ""
    return InputError(
        f"candidate and example repeat{within}: {listed}{more}. Repeats need a run or cluster "
        'column that tells them apart: columns={"run": "..."}; or remove the rows that should not '
        "be there.",
        code="NF006",
    )

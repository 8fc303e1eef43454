"""Rows of a source in memory: those of some candidates, as a table of scores, if they fit."""

from __future__ import annotations

import itertools
import operator
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
_BATCH = 1 << 18  # rows whose texts are there at a time
_KEPT = "keep "  # a kept column may have any name, also one that the assembly uses


def held(source: Sourced, candidates: Sequence[str] | None = None) -> Scores:
    """The scores of some candidates in memory: the same as if all had been read, and these taken.

    Args:
        source: The rows.
        candidates: Ids; all of them by default.

    Raises:
        InputError: They do not fit in the memory allowed (NF406), or candidate and example repeat
            (NF006).
    """
    source.relation.require_open()
    names = tuple(sorted(source.candidates if candidates is None else set(candidates)))
    relation = _of_candidates(source, names)
    labelled = [role for role in LABELLED if role in source.columns]
    _require_room(source, relation, labelled, names)
    text_times = "time" in source.columns and not relation.schema["time"].is_numeric()
    ids = _Ids()
    texts = {role: _Texts() for role in (*labelled, *(["time"] if text_times else []))}
    blocks = _blocks(source, relation, ids, texts)
    _refuse_changed(source, names, blocks)
    if len(names) < source.K:  # what a label is called does not change with who is looked at
        for role in sorted({"cluster", "group", "time"} & texts.keys()):
            others = source.relation.frame.select(role).unique()
            texts[role].codes(source.relation.columns(others, many=True)[role])
    labels, rows = _assembled(source, names, {"example": ids, **texts}, blocks)
    return Scores.from_rows(
        rows,
        candidates=names,
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
    """Codes of texts in the order in which they come, and in the end in code point order.

    Args:
        names: Those that have come.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._known = {name: i for i, name in enumerate(names)}

    def codes(self, column: NDArray[Any]) -> NDArray[np.int32]:
        """The codes of a column of texts; a missing one counts as ""."""
        return self.of(["" if text is None else text for text in column.tolist()])

    def of(self, texts: list[str]) -> NDArray[np.int32]:
        """The codes of these texts."""
        known = self._known
        for text in set(texts) - known.keys():
            known[text] = len(known)
        return np.fromiter(map(known.__getitem__, texts), np.int32, len(texts))

    def settled(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The texts in code point order, and the place of each code in it."""
        names = sorted(self._known)
        codes = np.fromiter(map(self._known.__getitem__, names), np.int64, len(names))
        places = np.empty(len(names), np.int32)
        places[codes] = np.arange(len(names), dtype=np.int32)
        return tuple(names), places


class _Ids:
    """Codes of ids, quickly where each candidate's come in ascending order and are the same."""

    def __init__(self) -> None:
        self._names: list[str] = []  # those of the first candidate
        self._place = self._at = 0
        self._known: _Texts | None = None

    def codes(self, column: NDArray[Any], place: NDArray[Any]) -> NDArray[np.int32]:
        """The codes of the next ids.

        Args:
            column: The ids, those of one candidate after those of another, shape (n,).
            place: The place of each one's candidate, ascending, shape (n,).
        """
        ids = column.tolist()
        cuts = [0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), len(ids)]
        own = [
            self._of_one(ids[start:end], int(place[start]))
            for start, end in itertools.pairwise(cuts)
            if start < end
        ]
        return np.concatenate(own) if own else np.empty(0, np.int32)

    def settled(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The ids in code point order, and the place of each code in it."""
        if self._known is not None:
            return self._known.settled()
        return tuple(self._names), np.arange(len(self._names), dtype=np.int32)

    def _of_one(self, ids: list[str], place: int) -> NDArray[np.int32]:
        """The codes of ids of one candidate, the next of it."""
        if place != self._place:
            self._place, self._at = place, 0
        start, end = self._at, self._at + len(ids)
        self._at = end
        if self._known is None:
            if place == 0 and _ascend([*self._names[-1:], *ids]):
                self._names += ids
            elif ids != self._names[start:end]:
                self._known = _Texts(self._names)
        if self._known is None:
            return np.arange(start, end, dtype=np.int32)
        return self._known.of(ids)


def _ascend(ids: list[str]) -> bool:
    return all(map(operator.lt, ids, ids[1:]))


def _of_candidates(source: Sourced, names: Sequence[str]) -> Relation:
    """The rows of these candidates, with the place of each candidate beside its name."""
    places = source.relation.small({"candidate": list(names), "place": list(range(len(names)))})
    return source.relation.using(source.relation.frame.join(places, on="candidate", how="inner"))


def _require_room(
    source: Sourced, relation: Relation, labelled: Sequence[str], names: Sequence[str]
) -> None:
    """Refuse rows that do not fit before one of them is loaded."""
    index = {name: k for k, name in enumerate(source.candidates)}
    n_rows = int(sum(source.extent.rows[index[name]] for name in names))
    columns = len(labelled) + len(source.kept) + len(source.columns & {"time", "failed"})
    least = n_rows * (_ROW + _COLUMN * columns)
    what = f"the {n_rows} rows of {counted(len(names), 'candidate')}, which this question needs,"
    advice = (
        "allow more by memory=, or ask about a part of the examples that was drawn at random, "
        "whatever their scores."
    )
    room = source.relation.room
    room.require(least, what, advice)
    needed = least + verbs.distinct(relation, "example") * _EXAMPLE
    for role in sorted({"input", "output"} & set(labelled)):
        letters = relation.frame.select(nw.col(role).str.len_chars().alias("letters"))
        ((total,),) = relation.rows(letters.select(nw.col("letters").sum()))
        needed += n_rows * _TEXT + 4 * int(total or 0)
    room.require(needed, what, advice)


def _blocks(
    source: Sourced, relation: Relation, ids: _Ids, texts: Mapping[str, _Texts]
) -> list[dict[str, NDArray[Any]]]:
    """The rows, with codes for texts, candidate after candidate."""
    picked = {"place": nw.col("place"), "example": nw.col("example").cast(nw.String)}
    picked |= {name: nw.col(name).cast(nw.String) for name in texts}
    numbers = ("score", *sorted({"time", "failed"} & source.columns), *source.kept.values())
    picked |= {name: nw.col(name) for name in numbers if name not in picked}
    frame = relation.frame.select(*(e.alias(name) for name, e in picked.items()))
    blocks = []
    order = ("place", "example")
    for part in relation.batches(frame, list(picked), order=order, rows=_BATCH):
        place = part.pop("place")
        block = {"candidate": np.asarray(place, np.int32)}
        block["example"] = ids.codes(part.pop("example"), place)
        block |= {name: texts[name].codes(part.pop(name)) for name in texts}
        blocks.append(block | {name: np.asarray(c, np.float64) for name, c in part.items()})
    return blocks


def _refuse_changed(
    source: Sourced, names: Sequence[str], blocks: Sequence[Mapping[str, NDArray[Any]]]
) -> None:
    """Refuse rows that are others than were counted: their numbers, or the extremes of them."""
    index = {name: k for k, name in enumerate(source.candidates)}
    for place, name in enumerate(names):
        own = [block["score"][block["candidate"] == place] for block in blocks]
        x = np.concatenate(own) if own else np.empty(0)
        finite, k = x[np.isfinite(x)], index[name]
        rows, low, high = int(source.extent.rows[k]), source.extent.low[k], source.extent.high[k]
        told = (finite.min(), finite.max()) if finite.size else (np.nan, np.nan)
        if x.size != rows or not np.array_equal(told, (low, high), equal_nan=True):
            raise verbs.changed(name, rows, x.size)


def _assembled(
    source: Sourced,
    candidates: tuple[str, ...],
    texts: Mapping[str, _Texts | _Ids],
    blocks: list[dict[str, NDArray[Any]]],
) -> tuple[dict[str, tuple[str, ...]], Rows]:
    """The rows in canonical order, and what their codes mean."""
    settled = {role: coded.settled() for role, coded in texts.items()}
    labels = {role: found for role, (found, _) in settled.items()}
    kept = {name: f"{_KEPT}{column}" for column, name in source.kept.items()}
    n_rows = sum(block["score"].size for block in blocks)
    plain = set(blocks[0]) == {"candidate", "example", "score"}
    assembly = Assembly(len(candidates), len(labels["example"]), n_rows, plain=plain)
    while blocks:
        columns = {
            kept.get(name, name): settled[name][1][column] if name in settled else column
            for name, column in blocks.pop(0).items()
        }
        assembly.add(
            columns.pop("candidate"), columns.pop("example"), columns.pop("score"), **columns
        )
    rows = assembly.finish()
    if rows is None or rows.repeated.size:
        raise _repeats(source, candidates)
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
    own = source.relation.frame.filter(nw.col("candidate").is_in(list(names)))
    apart = [role for role in ("run", "cluster") if role in source.columns]
    found = verbs.repeats(source.relation.using(own), beside=apart)
    listed = ", ".join(f"{c!r}/{e!r} ({n} rows)" for c, e, n in found[:5])
    more = " and more" if len(found) > 5 else ""
    within = f" within one {' and '.join(apart)}" if apart else ""
    return InputError(
        f"candidate and example repeat{within}: {listed}{more}. Repeats need a run or cluster "
        'column that tells them apart: columns={"run": "..."}; or remove the rows that should not '
        "be there.",
        code="NF006",
    )

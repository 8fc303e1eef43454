"""The one place where rows become Scores: ids to codes, blocks to the assembly, repeats refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores import metrics
from nofluke.scores.assembly import LABELLED, Assembly, Rows
from nofluke.scores.readers import columns, failures
from nofluke.scores.readers.tables import (
    Block,
    Decided,
    Table,
    check_ids,
    counted,
    full_labels,
    missing_label,
)
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.scores.readers.columns import Layout, Name

_KEPT = "keep "  # prefix: a kept column may have any name, also one that the assembly uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the caller asked of ``read``, apart from the source.

    ``repeats`` is advice on repeated rows; ``notes`` is what finding the tables has to tell.
    """

    better: str | None
    bounds: Sequence[float] | None
    binary: bool
    metric: str | None
    wanted: columns.Wanted
    failed: failures.Failure | None
    keep: tuple[str, ...]
    contents: bool
    told: Mapping[str, Any]
    repeats: str = (
        "Repeats need a run or cluster column that tells them apart: "
        'columns={"run": "..."}; or remove the rows that should not be there.'
    )
    notes: tuple[str, ...] = ()


class Part(NamedTuple):
    """One table, its layout and the labels of its id columns by role."""

    table: Table
    layout: Layout
    labels: dict[str, list[str]]


class Resolved(NamedTuple):
    """Tables whose columns are understood, and whose rows are not yet read.

    Attributes:
        read: Each table with its layout.
        metric: The metric's name, where known.
        truth: Whether the scores are truth values.
        notes: What to tell.
        runs: The column of runs that stands in for an example column, if one does.
    """

    read: list[tuple[Table, Layout]]
    metric: str | None
    truth: bool
    notes: tuple[str, ...]
    runs: str | None

    def reading(self, question: Question) -> Mapping[str, Any]:
        """How the input was read, as an answer repeats it."""
        return question.told if self.runs is None else {**question.told, "runs": self.runs}


def resolved(tables: Sequence[tuple[Table, Name]], question: Question) -> Resolved:
    """The layouts of tables, each with the candidate that it holds if no column says.

    Raises:
        InputError: Columns that cannot be used as given.
    """
    failed = question.failed
    asked = columns.Asked(
        wanted=question.wanted,
        failed=failed.column if failed else None,
        flag=failed.column if failed and not failed.by_size else None,
        keep=question.keep,
        metric=question.metric,
        contents=question.contents,
    )
    read = [(table, *_choose(table, name, asked, question.metric)) for table, name in tables]
    metric = _one_metric([name for _, _, name in read])
    if "score" not in question.wanted:
        _refuse_different_columns([(table, layout) for table, layout, _ in read])
    checked = [_check(table, layout, question) for table, layout, _ in read]
    layouts, unshared = _shared_contents([layout for _, layout, _ in read])
    notes: list[str | None] = [*question.notes]
    notes += [layout.note for _, layout, _ in read] + [n for d in checked for n in d.notes]
    notes += unshared
    runs = next((layout.example for layout in layouts if layout.by_run), None)
    if runs is not None:
        listed = all(table.source.listed for table, _, _ in read)
        what = "each line" if listed else f"each run (column {runs!r})"
        notes.append(
            f"NF186: there is no example column, so {what} counts as one example: what is said is "
            "said of runs like these, and not of cases."
        )
    notes += [_unused_failures(table, layout) for table, layout, _ in read if failed is None]
    return Resolved(
        read=[(table, layout) for (table, _, _), layout in zip(read, layouts, strict=True)],
        metric=metric,
        truth=any(d.truth for d in checked),
        notes=tuple(dict.fromkeys(n for n in notes if n is not None)),
        runs=runs,
    )


def scores(
    tables: Sequence[tuple[Table, Name]], question: Question, *, digest: Callable[[], str | None]
) -> Scores:
    """Scores from tables, each with the candidate that it holds if no column says.

    ``digest`` is asked last, so that it may be computed meanwhile.

    Raises:
        InputError: Columns, ids, scores or repeats that cannot be used as given.
    """
    found = resolved(tables, question)
    parts = [Part(table, layout, _labels(table, layout)) for table, layout in found.read]
    refuse_different_roles([(part.table, part.labels) for part in parts])
    names = {role: _union([p.labels[role] for p in parts]) for role in parts[0].labels}
    rows = _assemble(parts, names, question)
    return Scores.from_rows(
        rows,
        candidates=names["candidate"],
        examples=names["example"],
        better=question.better,
        bounds=question.bounds,
        binary=question.binary or found.truth,
        metric=found.metric,
        label_names={role: names[role] for role in LABELLED if role in names},
        digest=digest(),
        notes=found.notes,
        reading=found.reading(question),
    )


def _choose(
    table: Table, name: Name, asked: columns.Asked, metric: str | None
) -> tuple[Layout, str | None]:
    """The layout and the metric's name; the table is narrowed to the metric asked for."""
    layout = columns.resolve(table, asked, name)
    roles = (getattr(layout, role) for role in columns.BESIDE)
    beside = (*roles, layout.time, layout.metric, asked.failed)
    extra = [c for c in beside if c is not None]
    table.prepare([*layout.ids, *layout.scores, *asked.keep, *extra])
    if table.n_rows() == 0:
        raise table.refuse("has a header but no rows.", code="NF002")
    own = None if layout.wide or metrics.orientation(layout.scores[0]) is None else layout.scores[0]
    if layout.metric is None:
        return layout, metric or own
    counts = table.count(layout.metric)
    if metric in counts:
        if len(counts) > 1:
            table.narrow(layout.metric, metric)
        return layout, metric
    if len(counts) > 1 or (metric is not None and layout.generic):
        raise _unchosen(table, layout.metric, metric, counts)
    # The metric column describes the column called score; another column speaks for itself.
    return layout, metric or ((next(iter(counts)) or None) if layout.generic else own)


def _unused_failures(table: Table, layout: Layout) -> str | None:
    found = columns.failure_columns(table, layout)
    if not found:
        return None
    return (
        f"NF116: column {found[0]!r} may tell failed rows and is not used. A failed row often has "
        f"the best-looking score; failed={found[0]!r} (--failed) counts it as the worst."
    )


def _unchosen(
    table: Table, column: str, metric: str | None, counts: Mapping[str, int]
) -> InputError:
    told = ", ".join(f"{name!r} ({counted(n, 'row')})" for name, n in counts.items())
    asked = "" if metric is None else f"metric={metric!r} is not among them; "
    return table.refuse(
        f"column {column!r} holds the metrics {told}; {asked}choose one by metric=, or set "
        'columns={"metric": None} if all are one scale.',
        code="NF003",
        field=column,
    )


def _one_metric(found: list[str | None]) -> str | None:
    different = sorted({m for m in found if m is not None})
    if len(different) > 1:
        raise InputError(
            f"the files hold different metrics, {some(different)}; read one metric at a time.",
            code="NF003",
        )
    return different[0] if different else None


def _refuse_different_columns(read: Sequence[tuple[Table, Layout]]) -> None:
    """Files whose scores stand in columns of different names may hold different metrics."""
    named = [(t, layout.scores[0]) for t, layout in read if not (layout.wide or layout.generic)]
    for table, column in named[1:]:
        if column != named[0][1]:
            raise table.refuse(
                f"the scores are in column {column!r} here and in {named[0][1]!r} in "
                f"{named[0][0].source.label}; are they one metric? If so, give the columns one "
                "name.",
                code="NF003",
                field=column,
            )


def _check(table: Table, layout: Layout, question: Question) -> Decided:
    check_ids(table, layout.ids)
    wrong = [c for c in question.keep if c not in table.numeric([c])]
    if wrong:
        raise table.refuse(
            f"keep= names the column {some(wrong)}, which does not hold numbers; only number "
            "columns can be kept.",
            code="NF004",
            field=wrong[0],
        )
    decided = table.check_numbers(layout.scores, layout.example)
    kept = (
        table.check_numbers(question.keep, layout.example)
        if question.keep
        else Decided(truth=False)
    )
    return decided._replace(notes=decided.notes + kept.notes)


def _labels(table: Table, layout: Layout) -> dict[str, list[str]]:
    labels = {"candidate": layout.candidates or []}
    for role in ("candidate", "example", "run"):
        column = getattr(layout, role)
        if column is not None:
            labels[role] = full_labels(table, column, role)
    for role in ("cluster", *columns.BESIDE, "time"):  # these may be missing in some rows
        column = getattr(layout, role)
        if column is not None:
            labels[role] = table.labels(column)
    return labels


def _shared_contents(layouts: list[Layout]) -> tuple[list[Layout], list[str]]:
    """The layouts with those of the content roles that all have, and what to tell of others."""
    notes = []
    for role in columns.BESIDE:
        without = [getattr(layout, role) is None for layout in layouts]
        if any(without) and not all(without):
            column = next(c for c in (getattr(layout, role) for layout in layouts) if c)
            notes.append(
                f"NF138: {sum(without)} of {len(layouts)} files have no {role} column where others "
                f"have {column!r}, so the {role}s are not read and cannot be compared."
            )
            dropped: dict[str, Any] = {role: None}
            layouts = [replace(layout, **dropped) for layout in layouts]
    return layouts, notes


def refuse_different_roles(read: Sequence[tuple[Table, Collection[str]]]) -> None:
    """Refuse tables of which one has a column of clusters, say, and another has none.

    Args:
        read: Tables, each with the roles that its columns play.
    """
    for table, roles in read[1:]:
        differ = sorted(set(roles) ^ set(read[0][1]))
        if differ:
            raise table.refuse(
                f"one file has a {differ[0]} column and another has none; give all files the same "
                f'columns, or set columns={{"{differ[0]}": None}}.',
                code="NF003",
            )


def _union(lists: list[list[str]]) -> tuple[str, ...]:
    if len(lists) == 1:
        return tuple(sorted(lists[0]))
    return tuple(sorted(set().union(*lists)))


def _assemble(parts: list[Part], names: dict[str, tuple[str, ...]], question: Question) -> Rows:
    plain = not question.keep and question.failed is None and set(names) == {"candidate", "example"}
    rows = _collect(parts, names, question, plain=plain)
    if rows is None:
        # Cells of the matrix repeat: read again, sorted this time, to say which.
        rows = cast("Rows", _collect(parts, names, question, plain=False))
    if rows.repeated.size:
        raise _repeats(parts, names, rows.repeated, question.repeats)
    for role in ("cluster", "group"):
        rows = _labelled(rows, parts, names, role)
    kept = {name.removeprefix(_KEPT): column for name, column in rows.kept.items()}
    if rows.time is not None:
        rows = replace(rows, time=clock(names["time"])[rows.time.astype(np.int64)])
    return replace(rows, kept=kept)


def _labelled(rows: Rows, parts: list[Part], names: dict[str, tuple[str, ...]], role: str) -> Rows:
    """The rows, if each with a score says its cluster or group; one without a score need not.

    Raises:
        InputError: A row with a score does not.
    """
    codes: NDArray[np.int32] | None = getattr(rows, role)
    if codes is None or names[role][:1] != ("",):
        return rows
    if (codes == 0).any():
        part = next(p for p in parts if "" in p.labels[role][:1])
        raise missing_label(part.table, getattr(part.layout, role), role)
    names[role] = names[role][1:]
    moved: dict[str, Any] = {role: codes - 1}
    return replace(rows, **moved)


def clock(texts: Sequence[str]) -> NDArray[np.float64]:
    """Times that sort as the texts do: numbers if all are, else ranks of texts such as dates.

    >>> clock(["", "10", "9"]).tolist(), clock(["2024-05-01", "2024-05-02"]).tolist()
    ([nan, 10.0, 9.0], [0.0, 1.0])
    """
    try:
        numbers = [float(text.replace(",", ".")) if text else np.nan for text in texts]
    except ValueError:
        numbers = [float(i) if text else np.nan for i, text in enumerate(texts)]
    return np.array(numbers, np.float64)


def _collect(
    parts: list[Part], names: dict[str, tuple[str, ...]], question: Question, *, plain: bool
) -> Rows | None:
    n_rows = sum(p.table.n_rows() * len(p.layout.scores) for p in parts)
    assembly = Assembly(len(names["candidate"]), len(names["example"]), n_rows, plain=plain)
    for part in parts:
        where = {role: _lookup(part.labels[role], names[role]) for role in names}
        for candidate, block in _blocks(part, where, question):
            assembly.add(candidate, block.pop("example"), block.pop("score"), **block)
    return assembly.finish()


def _blocks(
    part: Part, where: dict[str, NDArray[np.int32] | None], question: Question
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Candidate codes and further columns, once for each block and score column."""
    layout = part.layout
    roles = {r: getattr(layout, r) for r in where if getattr(layout, r) is not None}
    texts: dict[str, Sequence[str]] = {c: part.labels[role] for role, c in roles.items()}
    numbers = [*layout.scores, *question.keep]
    flags = question.failed.prepare(part.table) if question.failed else None
    if flags is not None:
        texts.update(flags.texts)
        numbers.extend(flags.numbers)
    for block in part.table.blocks(texts, list(dict.fromkeys(numbers))):
        shared: dict[str, Any] = {r: _moved(block.codes[c], where[r]) for r, c in roles.items()}
        shared.update({_KEPT + name: block.numbers[name] for name in question.keep})
        if flags is not None:
            shared["failed"] = flags.of(block)
        yield from _by_column(block, layout, shared, where["candidate"])


def _by_column(
    block: Block, layout: Layout, shared: dict[str, Any], where: NDArray[np.int32] | None
) -> Iterator[tuple[Any, dict[str, Any]]]:
    candidate = shared.pop("candidate", None)
    for k, column in enumerate(layout.scores):
        score = block.numbers[column]
        codes = candidate
        if codes is None:
            codes = np.full(score.size, k if where is None else where[k], np.int32)
        yield codes, {**shared, "score": score}


def _lookup(labels: list[str], names: tuple[str, ...]) -> NDArray[np.int32] | None:
    """New code of each label; None where the codes stay."""
    if len(labels) == len(names) and tuple(labels) == names:
        return None
    index = {name: i for i, name in enumerate(names)}
    return np.fromiter((index[label] for label in labels), np.int32, len(labels))


def _moved(codes: NDArray[np.int32], where: NDArray[np.int32] | None) -> NDArray[np.int32]:
    return codes if where is None else where[codes]


def _repeats(
    parts: list[Part],
    names: dict[str, tuple[str, ...]],
    repeated: NDArray[np.int64],
    advice: str,
) -> InputError:
    pairs = [(names["candidate"][c], names["example"][e]) for c, e in repeated[:5].tolist()]
    places = "; ".join(filter(None, (_places(part, *pairs[0]) for part in parts)))
    more = f" and {len(repeated) - len(pairs)} more" if len(repeated) > len(pairs) else ""
    listed = ", ".join(f"{c!r}/{e!r}" for c, e in pairs) + more
    beside = " and ".join(r for r in ("run", "cluster") if r in names)
    within = f" within one {beside}" if beside else ""
    runs = next((part.layout.example for part in parts if part.layout.by_run), None)
    if runs is not None:
        return parts[0].table.refuse(
            f"candidate and run (column {runs!r}) repeat{within} in "
            f"{counted(len(repeated), 'pair')}: {listed}. The first stands in {places}. If a "
            "run has several rows, name the column that tells them apart: "
            f'columns={{"example": "...", "run": "{runs}"}}; else remove the rows that should not '
            "be there.",
            code="NF006",
        )
    return parts[0].table.refuse(
        f"candidate and example repeat{within} in {counted(len(repeated), 'pair')}: {listed}. "
        f"The first stands in {places}. {advice}",
        code="NF006",
    )


def _places(part: Part, candidate: str, example: str) -> str:
    layout = part.layout
    texts = {layout.example: example}
    if layout.candidate is not None:
        texts[layout.candidate] = candidate
    elif candidate not in part.labels["candidate"]:
        return ""
    rows = part.table.rows_with(texts, most=2)
    return f"{part.table.source.label} {part.table.places(rows)}" if rows else ""

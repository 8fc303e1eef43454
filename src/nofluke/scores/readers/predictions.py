"""Reading predictions: the same files and frames as scores, with a label in each row."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import labelled, prediction_sources
from nofluke.scores.predictions import Predictions
from nofluke.scores.readers import cells, columns, files, gather, opening
from nofluke.scores.readers.workspace import Workspace

if TYPE_CHECKING:
    from nofluke.scores.readers.columns import Name, Wanted
    from nofluke.scores.readers.tables import Table

# Earlier aliases win, except where a wrong guess would turn the answer: see `_SURE`.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "candidate": columns.ALIASES["candidate"],
    "example": columns.ALIASES["example"],
    "label": ("label", "target", "y", "y_true", "truth", "outcome", "class"),
    "prediction": (
        "prediction",
        "score",
        "prob",
        "probability",
        "p",
        "y_score",
        "y_prob",
        "y_pred",
        "proba",
    ),
    "reader": (),  # makes candidates of readers, so it is never guessed
    "cluster": columns.ALIASES["cluster"],
    "group": columns.ALIASES["group"],
    "fold": ("fold", "cv_fold", "fold_id"),
    "time": columns.ALIASES["time"],
}
_ALSO: Final = {"score": "prediction", "run": "reader"}
_SURE: Final = ("label", "prediction")
_ENGINES = ("memory", "auto", "duckdb", "polars", "spark")
_ROW = "row number"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Roles:
    """The columns of a table by role; ``listed`` are the candidates' columns of a wide one."""

    by: dict[str, str | None]
    listed: tuple[str, ...] | None
    note: str | None


def read_predictions(
    source: Any,
    *,
    columns: Wanted | None = None,
    positive: object = None,
    better: str = "higher",
    candidates: Sequence[str] | None = None,
    missing: str = "raise",
    delimiter: str | None = None,
    decimal: str | None = None,
    engine: str = "memory",
    memory: int | str | None = None,
    spill: str | os.PathLike[str] | None = None,
) -> Predictions:
    """Predictions with their labels, from files or data frames; nothing is dropped or guessed.

    A long table has a candidate, an example, a label and a prediction column; a wide one a label
    column and a column of numbers for each candidate. Without an example column the rows of a
    single table are the examples. Ids are text and stay as they are written.

    Args:
        source: What ``nofluke.read`` takes: a path, a folder, "-", a list of paths, a mapping of
            candidate to path or frame, a data frame, or rows as dicts. CSV, TSV, JSON, JSON lines
            (also .gz, .zst) and Parquet.
        columns: Columns by role: {"label": "died", "prediction": "risk"}. Roles are candidate,
            example, label, prediction (or score), reader (or run), cluster, group, fold, time; None
            leaves a role out. A reader column makes each reader (seed, run) of a candidate a
            candidate of its own; it has to be named.
        positive: The label of the positive class; needed unless labels are 0 and 1, truth values,
            or -1 and 1.
        better: "higher": a high prediction speaks for the positive class.
        candidates: The columns of a wide table that are candidates; all columns of numbers that
            have no role by default.
        missing: What is done about missing predictions: "raise" refuses them, "common" uses the
            examples that all candidates have, "own" lets each keep its own.
        delimiter: What separates the cells of delimited text; seen from its first lines.
        decimal: The decimal mark of delimited text, "." or ","; refused where it is unclear.
        engine: "memory" reads the whole table. "duckdb" (also "auto"), "polars" and "spark" leave
            the rows of a Parquet file where they are, and only the numbers come out, in bounded
            memory; with "auto" so does the library of a DuckDB relation, a Polars LazyFrame, a
            Spark DataFrame or an Ibis table.
        memory: Memory that the whole process may take: bytes, or a text such as "2GiB"; not for
            engine="memory".
        spill: Folder for what does not fit; the system's folder for temporary files by default.

    Raises:
        InputError: The source cannot be used as given; ReadError if it is a file. Labels of unknown
            meaning (NF060), or that differ between candidates (NF061).
        MissingExtra: An optional library is needed.

    >>> rows = [{"id": "a", "y": "ill", "risk": 0.9}, {"id": "b", "y": "well", "risk": 0.2}]
    >>> read_predictions(rows, positive="ill", candidates=["risk"])
    Predictions(1 candidate x 2 examples, 1 positive)
    """
    cells.check_decimal(decimal)
    _check_better(better)
    wanted = _checked(columns, candidates)
    checks.choice(engine, _ENGINES, name="engine")
    given = [name for name, value in (("memory=", memory), ("spill=", spill)) if value is not None]
    if engine == "memory" and given:
        raise InputError(
            f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for rows that are not "
            "read into memory; choose engine='duckdb', or leave "
            f"{'it' if len(given) == 1 else 'them'} out.",
            code="NF008",
        )
    if engine != "memory":
        prediction_sources.refuse_text(delimiter=delimiter, decimal=decimal)
        return _staying(source, wanted, positive, missing, engine, (memory, spill))
    with Workspace() as space, ThreadPoolExecutor(1) as pool:
        items = opening.items(source, space)
        found = [item.path for item, _ in items if isinstance(item, files.File)]
        digest = pool.submit(files.digest, found) if len(found) == len(items) else None
        tables = [(opening.table(item, delimiter, decimal, space), name) for item, name in items]
        roles = _same([(t, _roles(t, name, wanted)) for t, name in tables])
        _number_rows(tables, roles)
        table = gather.scores(
            tables,
            _question(roles, wanted, positive),
            digest=lambda: digest.result() if digest is not None else None,
        )
    # The roles have told the columns; notes about failed rows speak of an option that is not here.
    notes = [roles.note, *(n for n in table.notes if not n.startswith(("NF112", "NF116")))]
    told = tuple(n for n in notes if n is not None)
    return Predictions.from_table(replace(table, notes=told), positive=positive, missing=missing)


def _staying(  # noqa: PLR0917 (what was asked, then how)
    source: Any,
    wanted: dict[str, Any],
    positive: object,
    missing: str,
    engine: str,
    room: tuple[int | str | None, Any],
) -> Predictions:
    """Predictions of a table whose rows stay where they are."""
    checks.choice(missing, ("raise", "common", "own"), name="missing")
    of = prediction_sources.opened(source, engine, *room)
    try:
        roles = _roles(of.table, of.name, wanted)
        return prediction_sources.predictions(
            of,
            roles.by,
            roles.listed,
            note=roles.note,
            told=_told(wanted, positive),
            positive=positive,
            missing=missing,
        )
    except BaseException:
        of.table.relation.close()
        raise


def _told(wanted: Mapping[str, Any], positive: object) -> dict[str, Any]:
    """What the caller said, for the answer."""
    told = {"columns": dict(wanted), "positive": positive}
    return {name: value for name, value in told.items() if value is not None and value != {}}


def _check_better(better: str) -> None:
    if better != "higher":
        raise InputError(
            f"better={better!r}: a high prediction speaks for the positive class, and directions "
            "are never flipped; if a low one does (a distance), negate the column, or name the "
            "other class by positive=.",
            code="NF008",
        )


def _checked(asked: Wanted | None, candidates: Sequence[str] | None) -> dict[str, Any]:
    """What the caller said of columns, by our names of roles."""
    wanted: dict[str, Any] = {}
    for role, given in (asked or {}).items():
        name = _ALSO.get(role, role)
        if name not in ALIASES:
            raise InputError(
                f"columns= names the role {role!r}; roles are {', '.join(ALIASES)}.", code="NF008"
            )
        several = given is not None and not isinstance(given, str)
        if name in wanted or (several and name != "candidate"):
            raise InputError(f"columns={{{role!r}: {given!r}}} must name one column.", code="NF008")
        wanted[name] = tuple(given) if several and given is not None else given
    if candidates is not None:
        if wanted.get("candidate") is not None or isinstance(candidates, str):
            raise InputError(
                "candidates= lists the columns of a wide table; give it alone, as a list.",
                code="NF008",
            )
        wanted["candidate"] = tuple(candidates)
    return wanted


def _roles(table: Table, name: Name, wanted: Mapping[str, Any]) -> _Roles:
    """Which column plays which role in a table."""
    for role, given in wanted.items():
        names = [given] if isinstance(given, str) else list(given or ())
        columns.require(table, names, f"columns={{{role!r}: {given!r}}}")
    listed = wanted.get("candidate") if isinstance(wanted.get("candidate"), tuple) else None
    taken = set(listed or ()) | {c for c in wanted.values() if isinstance(c, str)}
    by: dict[str, str | None] = {}
    if listed is not None or (name.given and wanted.get("candidate") is None):
        by["candidate"] = None
    if listed is not None:
        by["prediction"] = None
    for role in ALIASES:
        if role not in by:
            by[role] = wanted[role] if role in wanted else _alias(table, role, taken)
            taken |= {c for c in [by[role]] if c is not None}
    if by["label"] is None:
        _free_the_label(table, wanted)
        raise table.refuse(
            f"there is no label column among {some(table.kinds, most=12)}; name it: "
            'columns={"label": "..."}.',
            code="NF003",
        )
    if listed is None and (by["candidate"] is None or by["prediction"] is None):
        by, listed = _without_candidates(table, name, by)
    if listed is not None:
        by["prediction"] = None
    return _Roles(by=by, listed=listed, note=_note(table, name, by, listed, wanted))


def _free_the_label(table: Table, wanted: Mapping[str, Any]) -> None:
    """Refuse a column that was asked for as something else and is the label by its name."""
    for role, given in wanted.items():
        if isinstance(given, str) and given.strip().lower() in ALIASES["label"]:
            raise table.refuse(
                f"{given!r} was asked for as the {role} column, and no other column is the label; "
                f'choose another {role} column, or name the label: columns={{"label": "..."}}.',
                code="NF003",
            )


def _without_candidates(
    table: Table, name: Name, by: dict[str, str | None]
) -> tuple[dict[str, str | None], tuple[str, ...] | None]:
    """A table that does not say whose predictions it holds: wide, or of one candidate."""
    prediction = by["prediction"]
    rest = [c for c in table.kinds if c not in by.values() and c.strip()]
    numeric = () if prediction is not None else tuple(table.numeric(rest))
    if prediction is None and len(numeric) == 1 and name.text is not None:
        prediction = numeric[0]
    if prediction is not None and by["candidate"] is None:
        named = name.text is not None
        return {**by, "prediction": prediction}, None if named else (prediction,)
    if not numeric or by["candidate"] is not None or name.given:
        texts = () if prediction is not None else [c for c in rest if c not in numeric]
        holds = "holds" if len(texts) == 1 else "hold"
        told = f" ({some(texts, most=4)} {holds} no numbers)" if texts else ""
        raise table.refuse(
            f"there is no prediction column among {some(table.kinds, most=12)}{told}; "
            'name it: columns={"prediction": "..."}, or list the columns of the candidates: '
            "candidates=.",
            code="NF003",
        )
    return by, numeric


def _alias(table: Table, role: str, taken: set[str]) -> str | None:
    """The free column with the best alias of a role; a sure role must have the only one."""
    free = [c for c in table.kinds if c not in taken]
    for alike in [ALIASES[role]] if role in _SURE else [(alias,) for alias in ALIASES[role]]:
        found = [c for c in free if c.strip().lower() in alike]
        exact = [] if role in _SURE else [c for c in found if c in alike]
        if len(found) == 1 or exact:
            return (exact or found)[0]
        if found:
            raise table.refuse(
                f"the columns {some(found)} could each be the {role}; choose one: "
                f'columns={{"{role}": "{found[0]}"}} or columns={{"{role}": "{found[1]}"}}.',
                code="NF003",
            )
    return None


def _note(
    table: Table,
    name: Name,
    by: Mapping[str, str | None],
    listed: tuple[str, ...] | None,
    wanted: Mapping[str, Any],
) -> str | None:
    """What was guessed, and which columns beside might be candidates and are not."""
    guessed = [f"{r}={c!r}" for r, c in by.items() if c not in {None, r} and r not in wanted]
    if listed is not None and "candidate" not in wanted:
        guessed.append(f"candidates {some(listed, most=8)}")
    unread = [c for c in table.kinds if c not in by.values() and c not in (listed or ())]
    if by["candidate"] is not None or "candidate" in wanted:
        unread = []
    beside = []
    if listed is None and by["candidate"] is None and not name.given:
        beside.append("the candidate is named by the file")
    if unread:
        beside.append(f"not read: {some(unread)}")
    if not guessed and not beside:
        return None
    told = f"read columns {', '.join(guessed)}" if guessed else "read columns by their names"
    return f"NF112: {'; '.join([told, *beside])}."


def _same(read: Sequence[tuple[Table, _Roles]]) -> _Roles:
    """The roles, which all tables must share."""
    first = read[0][1]
    for table, roles in read[1:]:
        for role, column in roles.by.items():
            if column != first.by[role]:
                raise table.refuse(
                    f"the {role} column is {column!r} here and {first.by[role]!r} in "
                    f"{read[0][0].source.label}; give all files the same columns, or leave the "
                    f'role out: columns={{"{role}": None}}.',
                    code="NF003",
                )
        if roles.listed != first.listed:
            raise table.refuse(
                f"the candidates are {some(roles.listed or ())} here and "
                f"{some(first.listed or ())} in {read[0][0].source.label}; read them one by one.",
                code="NF003",
            )
    return first


def _number_rows(tables: Sequence[tuple[Table, Name]], roles: _Roles) -> None:
    """Make rows the examples of a table that has no example column."""
    if roles.by["example"] is not None:
        return
    table = tables[0][0]
    alone = len(tables) == 1 and roles.by["candidate"] is None and roles.by["reader"] is None
    if not alone:
        raise table.refuse(
            "there is no example column: predictions of different candidates need an id by which "
            f'they are paired; name it: columns={{"example": "..."}}. The columns are '
            f"{some(table.kinds, most=12)}.",
            code="NF003",
        )
    table.prepare([*(roles.listed or ()), *(c for c in roles.by.values() if c is not None)])
    table.number_rows(_ROW)


def _question(roles: _Roles, wanted: Mapping[str, Any], positive: object) -> gather.Question:
    """What the reader of scores is asked: labels travel as what was asked, folds as answers."""
    by = roles.by
    columns: dict[str, Any] = {
        "candidate": by["candidate"] if roles.listed is None else list(roles.listed),
        "example": by["example"] or _ROW,
        "run": by["reader"],
        "cluster": by["cluster"],
        "group": by["group"],
        "input": by["label"],
        "output": by["fold"],
        "time": by["time"],
        "metric": None,
    }
    if roles.listed is None:
        columns["score"] = by["prediction"]
    return gather.Question(
        better="higher",
        bounds=None,
        binary=False,
        metric=None,
        wanted=columns,
        failed=None,
        keep=(),
        contents=False,
        told=_told(wanted, positive),
        repeats=labelled.REPEATS,
    )

"""Reading features: any table of numbers and categories, with predictions and labels beside."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.features import Features
from nofluke.scores.labels import of_texts, positives
from nofluke.scores.readers import cells, columns, files, opening
from nofluke.scores.readers.predictions import ALIASES as _KNOWN
from nofluke.scores.readers.tables import IDS
from nofluke.scores.readers.workspace import Workspace
from nofluke.scores.table import Labels

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.scores.readers.tables import Table

# Roles beside features; "time" and "example" are told so that they are not compared.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "label": _KNOWN["label"],
    "prediction": _KNOWN["prediction"],
    "example": _KNOWN["example"],
    "batch": ("batch", "batch_id", "week", "month"),
    "time": (*_KNOWN["time"], "date", "datetime", "day"),
}
_ROW: Final = "row number"


def read_features(
    source: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    features: Sequence[str] | None = None,
    optional: Sequence[str] = (),
    positive: object = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Features:
    """The rows of one table: features, and predictions and labels where there are any.

    Columns of numbers are numbers and columns of texts are categories; nothing is dropped, and the
    order of rows is kept. A label may be missing in some rows.

    Args:
        source: A path, "-", a data frame, or rows as dicts; CSV, TSV, JSON, JSON lines (also .gz,
            .zst) and Parquet.
        columns: Columns by role: {"label": "died", "prediction": "risk"}. Roles are label,
            prediction, example, batch and time; None leaves a role out.
        features: The columns that are features; by default all that have no role.
        optional: Roles whose column, although named, may be absent from this table.
        positive: The label of the positive class; needed unless labels are 0 and 1, truth values,
            or -1 and 1.
        delimiter: What separates the cells of delimited text; seen from its first lines.
        decimal: The decimal mark of delimited text, "." or ",".

    Raises:
        InputError: The source cannot be used as given; ReadError if it is a file. Several tables,
            unknown columns or roles (NF295), labels of unknown meaning (NF060).

    >>> read_features([{"age": 30, "site": "a", "y": 1}, {"age": None, "site": "b", "y": 0}])
    Features(2 rows x 2 columns, 2 labelled)
    """
    cells.check_decimal(decimal)
    with Workspace() as space:
        found = opening.items(source, space)
        if len(found) != 1:
            raise InputError(
                f"{len(found)} tables arrived; one table holds the rows of one time.", code="NF295"
            )
        item = found[0][0]
        table = opening.table(item, delimiter, decimal, space)
        asked = dict(columns or {})
        for role in optional:
            if asked.get(role) is not None and asked[role] not in table.kinds:
                asked[role] = None
        features = [features] if isinstance(features, str) else features
        roles, note = _roles(table, asked, features)
        read = _read(table, roles, _wanted(table, roles, features), positive)
        digest = files.digest([item.path]) if isinstance(item, files.File) else _digest(read)
    return Features(**read, digest=digest, notes=() if note is None else (note,))


def _roles(
    table: Table, asked: Mapping[str, str | None], features: Sequence[str] | None
) -> tuple[dict[str, str | None], str | None]:
    unknown = [role for role in asked if role not in ALIASES]
    if unknown:
        raise InputError(
            f"columns= names the roles {some(unknown)}; roles are {', '.join(ALIASES)}.",
            code="NF295",
        )
    for role, given in asked.items():
        columns.require(table, [given] if given else [], f"columns={{{role!r}: {given!r}}}")
    taken = {c for c in asked.values() if c is not None} | set(features or ())
    by: dict[str, str | None] = {}
    for role, names in ALIASES.items():
        by[role] = asked[role] if role in asked else _alias(table, names, taken)
        taken |= {c for c in [by[role]] if c is not None}
    guessed = [f"{r}={c!r}" for r, c in by.items() if c is not None and r not in asked]
    return by, f"NF112: read columns {', '.join(guessed)}." if guessed else None


def _alias(table: Table, names: Sequence[str], taken: set[str]) -> str | None:
    """The only free column with a name of the role; of several none is taken, and all stay."""
    found = [c for c in table.kinds if c not in taken and c.strip().lower() in names]
    return found[0] if len(found) == 1 else None


def _wanted(
    table: Table, roles: Mapping[str, str | None], features: Sequence[str] | None
) -> list[str]:
    if features is not None:
        columns.require(table, list(features), f"features={list(features)!r}")
        chosen = list(dict.fromkeys(features))
    else:
        chosen = [c for c in table.kinds if c not in roles.values() and c.strip()]
    prediction = roles["prediction"]
    return [*chosen, *([prediction] if prediction and prediction not in chosen else [])]


def _read(
    table: Table, roles: Mapping[str, str | None], wanted: list[str], positive: object
) -> dict[str, Any]:
    beside = [c for c in (roles["label"], roles["batch"]) if c is not None]
    table.prepare([*wanted, *beside])
    n = table.n_rows()
    if n == 0:
        raise table.refuse("has a header but no rows.", code="NF002")
    row = _free(table.kinds, _ROW)
    table.number_rows(row)
    prediction = roles["prediction"]
    number = table.numeric(wanted)
    if prediction is not None and prediction not in number:
        raise table.refuse(
            f"the predictions (column {prediction!r}) are no numbers.", code="NF004",
            field=prediction,
        )  # fmt: skip
    table.check_numbers(number, row)
    texts = [c for c in wanted if c not in number]
    _refuse_strange(table, texts)
    names = {c: table.labels(c) for c in dict.fromkeys([*texts, *beside, row])}
    codes, values = _in_order(table, names, number, by=row)
    label = roles["label"]
    return {
        "n": n,
        "numbers": values,
        "texts": {c: Labels(codes[c], tuple(names[c])) for c in texts},
        "label": None if label is None else _labels(table, codes[label], names[label], positive),
        "prediction": prediction,
        "batch": None
        if roles["batch"] is None
        else Labels(codes[roles["batch"]], tuple(names[roles["batch"]])),
    }


def _free(taken: Collection[str], name: str) -> str:
    """The name, with as many strokes as it takes that no column of the table has it."""
    while name in taken:
        name += "'"
    return name


def _refuse_strange(table: Table, texts: Sequence[str]) -> None:
    for column in texts:
        if table.kinds[column] not in IDS:
            raise table.refuse(
                f"column {column!r} holds {table.kinds[column]} values, neither numbers nor texts; "
                "convert it, or name the columns that are features.",
                code="NF295",
                field=column,
            )


def _in_order(
    table: Table, names: Mapping[str, list[str]], numbers: Sequence[str], *, by: str
) -> tuple[dict[str, NDArray[np.int32]], dict[str, NDArray[np.float64]]]:
    """The columns in the order of the row numbers, which blocks do not keep."""
    blocks = list(table.blocks(names, numbers))
    order = np.argsort(np.concatenate([b.codes[by] for b in blocks]), kind="stable")
    codes = {c: np.concatenate([b.codes[c] for b in blocks])[order] for c in names}
    values = {c: np.concatenate([b.numbers[c] for b in blocks])[order] for c in numbers}
    return {c: v.astype(np.int32) for c, v in codes.items()}, values


def _labels(
    table: Table, codes: NDArray[np.int32], names: list[str], positive: object
) -> NDArray[np.float64]:
    kinds = of_texts(names)
    there = [i for i, kind in enumerate(kinds) if kind is not None]
    truth = np.full(len(kinds), np.nan)
    if there:
        found = positives(
            [kinds[i] for i in there],
            positive=positive,
            places=lambda i: f"{int((codes == there[i]).sum())} rows of {table.source.label}",
        )
        truth[there] = found
    return np.asarray(truth[codes])


def _digest(read: Mapping[str, Any]) -> str:
    sha = hashlib.sha256()
    for name, values in sorted(read["numbers"].items()):
        sha.update(f"{name}\0".encode() + values.tobytes())
    told = {**read["texts"], **({"\0batch": read["batch"]} if read["batch"] is not None else {})}
    for name, labels in sorted(told.items()):
        sha.update(f"{name}\0{labels.names}".encode() + labels.codes.tobytes())
    if read["label"] is not None:
        sha.update(b"label\0" + read["label"].tobytes())
    return sha.hexdigest()

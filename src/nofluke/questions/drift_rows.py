"""Labelled rows of a file that is still growing: text comes in pieces, rows go out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nofluke.errors import InputError, some
from nofluke.questions.growing import GrowingText, number
from nofluke.scores.labels import of_texts, positives
from nofluke.scores.readers.features import ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ROLES: Final = {
    "label": ALIASES["label"],
    "prediction": ALIASES["prediction"],
    "error": ("error", "wrong", "loss"),
    "batch": ALIASES["batch"],
    "cluster": (),  # changes what is promised, so it is never guessed
}


class Labelled(NamedTuple):
    """One row.

    Attributes:
        record: Its text, for the digest of what was counted.
        error: 1 if it was decided wrongly, 0 if rightly, or its loss; None without a label.
        positive: Whether it is positive; None where there is no label column.
        batch: Its batch, or None.
        cluster: Its cluster, or None.
        line: Where it begins.
    """

    record: str
    error: float | None
    positive: bool | None
    batch: str | None
    cluster: str | None
    line: int


class LabelledReader(GrowingText[dict[str, str | None]]):
    r"""Rows with labels and predictions, or with errors, from a growing CSV, TSV or JSONL file.

    Args:
        form: "csv" (also with tabs or semicolons, by the first line) or "jsonl".
        label: The file, for messages.
        columns: Columns by role: label, prediction, error, batch, cluster.
        threshold: A row is flagged from this prediction on.
        positive: The label of the positive class; needed unless labels are 0 and 1, truth values,
            or -1 and 1.

    >>> reader = LabelledReader("csv", threshold=0.5)
    >>> [(r.error, r.positive) for r in reader.feed("y,p\n1,0.4\n0,0.9\n0,0.2\n1,")]
    [(1.0, True), (1.0, False), (0.0, False)]
    """

    def __init__(
        self,
        form: str,
        *,
        label: str = "the file",
        columns: Mapping[str, str | None] | None = None,
        threshold: float | None = None,
        positive: object = None,
    ) -> None:
        super().__init__(form, label=label)
        self._asked, self._threshold, self._positive = dict(columns or {}), threshold, positive
        self._kinds: dict[str, bool] = {}
        unknown = set(self._asked) - set(_ROLES)
        if unknown:
            raise InputError(
                f"columns= names the roles {some(sorted(unknown))}; roles of a log are "
                f"{', '.join(_ROLES)}.",
                code="NF295",
            )

    @property
    def by_class(self) -> bool:
        """Whether rows tell their class; false before the first line."""
        return self._layout is not None and self._layout["label"] is not None

    def feed(self, text: str) -> Iterator[Labelled]:
        """The rows that one more piece of text completes.

        Raises:
            ReadError: A line, a column or a value that cannot be used.
        """
        for record, line in self._records(text):
            row = self._row(record, line)
            if row is not None:
                yield self._labelled(record, row, line)

    def _labelled(self, record: str, row: Mapping[str, Any], line: int) -> Labelled:
        layout = self._layout
        assert layout is not None  # noqa: S101 (the first line came before)
        cells = {
            role: None if column is None else self._cell(row, column, line)
            for role, column in layout.items()
        }
        positive = None if layout["label"] is None else self._class(cells["label"])
        error = self._error(cells, layout, positive, line)
        batch, cluster = (
            None if layout[role] is None else str(cells[role]) for role in ("batch", "cluster")
        )
        return Labelled(record, error, positive, batch, cluster, line)

    def _error(
        self,
        cells: Mapping[str, Any],
        layout: Mapping[str, str | None],
        positive: bool | None,  # noqa: FBT001 (what the label says)
        line: int,
    ) -> float | None:
        if layout["label"] is not None and positive is None:
            return None
        if layout["error"] is not None:
            if _empty(cells["error"]):
                return None
            found = self._number(cells["error"], str(layout["error"]), line)
            if not 0 <= found <= 1:
                raise self._refuse(
                    f"line {line} has {layout['error']}={found:g}, outside [0, 1]; divide losses "
                    "by the largest possible one.",
                    "NF295",
                    line,
                    layout["error"],
                )
            return found
        predicted = self._number(cells["prediction"], str(layout["prediction"]), line)
        assert self._threshold is not None  # noqa: S101 (refused with the header)
        return float((predicted >= self._threshold) != positive)

    def _class(self, value: Any) -> bool | None:
        """Whether the label is the positive one; None where it is missing."""
        if _empty(value):
            return None
        text = str(value)
        if text not in self._kinds:
            known = [*self._kinds, text]
            found = positives(
                of_texts(known),
                positive=self._positive,
                places=lambda i: f"rows labelled {known[i]!r} of {self._label}",
            )
            self._kinds = dict(zip(known, map(bool, found), strict=True))
        return self._kinds[text]

    def _number(self, value: Any, column: str, line: int) -> float:
        found = number(value)
        if found is None:
            raise self._refuse(
                f"line {line} has {column}={value!r}, which is not a number; a labelled row needs "
                "one.",
                "NF295",
                line,
                column,
            )
        return found

    def _cell(self, row: Mapping[str, Any], column: str, line: int) -> Any:
        if column not in row:
            raise self._refuse(f"line {line} has no {column!r}.", "NF003", line, column)
        return row[column]

    def _resolve(self, names: list[str], line: int) -> dict[str, str | None]:
        absent = [c for c in self._asked.values() if c is not None and c not in names]
        if absent or len(set(names)) < len(names):
            what = f"no column {some(absent)}" if absent else "a column twice"
            raise self._refuse(f"has {what}; it has {some(names, most=20)}.", "NF003", line)
        by = {role: self._find(role, names) for role in _ROLES}
        decides = by["label"] is not None and by["prediction"] is not None
        if decides and self._threshold is not None and "error" not in self._asked:
            by["error"] = None  # a column of losses is no column of wrong decisions
        if by["error"] is None and not (decides and self._threshold is not None):
            lacking = "a threshold" if decides else "a label and a prediction, or an error"
            raise self._refuse(
                f"among {some(names, most=20)} there is not enough to tell wrong rows: {lacking} "
                'is missing; say columns={"label": "...", "prediction": "..."} with threshold=, or '
                'columns={"error": "..."}.',
                "NF295",
                line,
            )
        return by

    def _find(self, role: str, names: list[str]) -> str | None:
        if role in self._asked:
            return self._asked[role]
        taken = set(self._asked.values())
        found = [n for n in names if n.strip().lower() in _ROLES[role] and n not in taken]
        return found[0] if len(found) == 1 else None


def _empty(value: Any) -> bool:
    """Whether a cell holds nothing."""
    return value is None or (isinstance(value, str) and value.strip().lower() in {"", "nan"})

"""What a notebook shows of a small record: an interval, a band, a test, a choice of rows."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.report import wording
from nofluke.report.view import style
from nofluke.shown import Shown
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FEW: Final = 8  # values that are written out
_LONG: Final = 200  # characters of a value whose kind is not known


def record(thing: Shown) -> dict[str, Any]:
    """The words and fields of a record, by the names its template uses."""
    guarantee = getattr(thing, "guarantee", None)
    return {
        "kind": _words(type(thing).__name__),
        "style": style(),
        "guarantee": guarantee if isinstance(guarantee, str) else "",
        "lines": _own_text(thing).splitlines(),
        "facts": _facts(thing),
        **_rows(thing),
    }


def _words(name: str) -> str:
    """The name of a class as words.

    >>> _words("QuantileInterval"), _words("PSI"), _words("FoldAUC")
    ('quantile interval', 'PSI', 'fold AUC')
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", name)
    return " ".join(p if len(p) > 1 and p.isupper() else p.lower() for p in parts)


def _own_text(thing: Any) -> str:
    """Its own words; nothing where it has only those that every record has."""
    own = any("__str__" in vars(c) for c in type(thing).__mro__[:-1])
    return visible_lines(str(thing)) if own else ""


def visible_lines(text: str) -> str:
    """Text in lines, with everything else that cannot be seen spelled out."""
    return "\n".join(visible(line) for line in text.splitlines())


def _facts(thing: Any) -> list[tuple[str, str]]:
    if not dataclasses.is_dataclass(thing):
        return []
    names = [field.name for field in dataclasses.fields(thing)]
    return [(name.replace("_", " "), _field(name, getattr(thing, name))) for name in names]


def _field(name: str, value: Any) -> str:
    """A field in a few words; limits are rounded outward, so that they stay true."""
    limit = name in {"lower", "upper"} and isinstance(value, float | np.floating)
    return wording.named(name, value) if limit else _value(value)


def _rows(thing: Any) -> dict[str, Any]:
    """The rows that it has, as cells; nothing where it has none."""
    rows = thing.rows() if callable(getattr(thing, "rows", None)) else []
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        return {"heads": [], "cells": []}
    names = list(rows[0])
    return {
        "heads": [name.replace("_", " ") for name in names],
        "cells": [[wording.named(name, row.get(name)) for name in names] for row in rows],
    }


def _value(value: Any) -> str:
    """A field in a few words."""
    if value is None or isinstance(value, bool | np.bool_ | float | np.floating):
        return "none" if value is None else wording.cell(value)
    if isinstance(value, str | int | np.integer):
        return visible(str(value))
    return _array(value) if isinstance(value, np.ndarray) else _parts(value)


def _parts(value: Any) -> str:
    """A value that holds others, or of which nothing is known."""
    if isinstance(value, Mapping):
        return _several([f"{visible(str(k))}: {_value(v)}" for k, v in value.items()])
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _parts(value._asdict())
    if isinstance(value, list | tuple):
        several = [f"({_value(v)})" if isinstance(v, list | tuple) else _value(v) for v in value]
        same = len(set(several)) == 1 and len(several) > 2
        return f"{len(several)} times {several[0]}" if same else _several(several)
    if isinstance(value, Shown):
        return visible(_own_text(value)) or _words(type(value).__name__)
    text = visible(repr(value))
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def _several(parts: Sequence[str]) -> str:
    if not parts:
        return "none"
    more = f" and {len(parts) - _FEW} more" if len(parts) > _FEW else ""
    return "; ".join(parts[:_FEW]) + more


def _array(values: NDArray[Any]) -> str:
    """A few numbers written out; of many how many there are, and their range."""
    if values.size <= _FEW:
        return ", ".join(_value(v.item() if hasattr(v, "item") else v) for v in values.ravel())
    shape = " x ".join(map(str, values.shape))
    if values.dtype.kind not in "fiu":
        return f"{shape} values"
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    if not known.size:
        return f"{shape} numbers, none of them known"
    low, high = wording.number(float(known.min())), wording.number(float(known.max()))
    return f"{shape} numbers from {low} to {high}"

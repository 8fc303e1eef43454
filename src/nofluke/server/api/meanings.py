"""What the fields of records mean, from the docstrings of the records into the OpenAPI document."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIELD = re.compile(r"^    (\w+): ", re.MULTILINE)


def tell(schemas: dict[str, Any], kinds: Iterable[type[object]]) -> None:
    """Give each property of these kinds' schemas the meaning that its docstring states.

    Args:
        schemas: Schemas by the names of kinds; properties that have a description keep it.
        kinds: Classes whose docstrings have a section ``Attributes``.
    """
    for kind in kinds:
        properties = schemas.get(kind.__name__, {}).get("properties", {})
        for name, meaning in meanings(kind).items():
            if name in properties:
                properties[name].setdefault("description", meaning)


def meanings(kind: type[object]) -> dict[str, str]:
    """What the docstring of a class says of its attributes.

    >>> from nofluke.server.records import Checked
    >>> meanings(Checked)["rows"]
    'Rows read.'
    """
    _, _, told = (inspect.getdoc(kind) or "").partition("Attributes:\n")
    names = _FIELD.split(told.partition("\n\n")[0])[1:]
    return {
        name: " ".join(text.replace("``", "`").split())
        for name, text in zip(names[::2], names[1::2], strict=True)
    }

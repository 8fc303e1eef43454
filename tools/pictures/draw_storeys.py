"""The storeys of the house, from the contracts that import-linter keeps."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from typing import Any

from canvas import INK, PALE, Canvas

ROOT = Path(__file__).parents[2]
_SHADES = ("#eaf1f8", "#f6f0e8")
_WIDTH, _ROW, _NAME = 860, 30, 190
_LONGEST = 92  # letters that fit beside the name of a room


def contracts() -> list[dict[str, Any]]:
    """The contracts about layers, as pyproject.toml writes them."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [c for c in told["tool"]["importlinter"]["contracts"] if c["type"] == "layers"]


def drawn(contract: dict[str, Any]) -> str:
    """One storey for each layer, the highest first, with what its rooms say they are."""
    container = contract["containers"][0]
    storeys = [layer.split(" | ") for layer in contract["layers"]]
    rooms = sum(len(storey) for storey in storeys)
    title = f"The storeys of {container}"
    told = f"{contract['name']}. From above: " + "; ".join(", ".join(s) for s in storeys) + "."
    height = 58 + rooms * _ROW + len(storeys) * 6 + 10
    canvas = Canvas(_WIDTH, height, title=title, told=told)
    canvas.text(16, 26, title, bold=True)
    canvas.text(
        16, 46, "Imports point down. Rooms of one storey do not import each other.", ink=PALE
    )
    y = 58
    for number, storey in enumerate(storeys):
        tall = len(storey) * _ROW
        canvas.box(12, y, _WIDTH - 24, tall, fill=_SHADES[number % 2])
        for room in storey:
            canvas.text(28, y + 20, room, bold=True)
            canvas.text(_NAME, y + 20, _says(f"{container}.{room}"), ink=INK)
            y += _ROW
        y += 6
    return canvas.svg()


def _says(module: str) -> str:
    """The first sentence of a module's docstring, read without importing it."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(module)
    first = Path(found.origin).read_text("utf-8").partition('"""')[2].partition('"""')[0]
    line = " ".join(first.partition("\n\n")[0].replace("``", "").replace("`", "").split())
    if len(line) < _LONGEST:
        return line
    part = max((line[:_LONGEST].rpartition(mark)[0] for mark in ",;:"), key=len)
    return part if len(part) > _LONGEST / 3 else f"{line[:_LONGEST].rpartition(' ')[0]} ..."

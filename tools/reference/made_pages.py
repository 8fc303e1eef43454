"""The files of docs/reference that are made from the code, by name."""

from __future__ import annotations

from pathlib import Path

import answer_schema
import codes_page
import commands_page
import methods_page
import python_page

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def made() -> dict[str, str]:
    """Each file as it should be."""
    return {
        "methods.md": methods_page.page(),
        "commands.md": commands_page.page(),
        "python.md": python_page.page(),
        "codes.md": codes_page.page(),
        "answer.schema.json": answer_schema.text(),
    }

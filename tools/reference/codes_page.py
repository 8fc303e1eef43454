"""The pages of all codes on one page."""

from __future__ import annotations

import re

from nofluke import explain

_HEAD = """# Codes of errors and notes

An error and a note begin with a code. This is what `nofluke explain` says of each; it needs no
network. Beside a note there is an answer; with an error there is none.
"""


def page() -> str:
    """The whole page: a table of all codes, then each under its own heading."""
    pages = {code: explain.page(code) for code in explain.codes()}
    table = "\n| code | |\n|---|---|\n" + "".join(
        f"| [{code}](#{code.lower()}) | {title_of(text)} |\n" for code, text in pages.items()
    )
    return _HEAD + table + "".join(_section(code, text) for code, text in pages.items())


def title_of(text: str) -> str:
    """The title of a code's page, without the code."""
    return text.partition("\n")[0].partition(": ")[2]


def _section(code: str, text: str) -> str:
    body = re.sub(r"^#+ (.*)$", r"**\1**", text.partition("\n")[2].strip(), flags=re.MULTILINE)
    return f"\n## {code}\n\n**{title_of(text)}**\n\n{body}\n"

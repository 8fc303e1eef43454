"""Result to HTML text, and HTML text to a file that is whole or not there at all."""

from __future__ import annotations

import math
import secrets
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from nofluke.report import (  # the pages register themselves
    audit,  # noqa: F401
    champion,  # noqa: F401
    checkup,  # noqa: F401
    classifier,  # noqa: F401
    comparison,  # noqa: F401
    drift,  # noqa: F401
    envelope,  # noqa: F401
    final_report,  # noqa: F401
    leakage,  # noqa: F401
    ledger,  # noqa: F401
    nested,  # noqa: F401
    planning,  # noqa: F401
    pooled,  # noqa: F401
    ranking,  # noqa: F401
    risk_parts,  # noqa: F401
    runs,  # noqa: F401
    splits,  # noqa: F401
    watched,  # noqa: F401
    wording,
)
from nofluke.report.view import view

if TYPE_CHECKING:
    from os import PathLike

    import jinja2

    from nofluke.results import Result


def write(result: Result, path: str | PathLike[str]) -> None:
    """Write the answer as one self-contained HTML file.

    The file appears under its name only when it is complete; a failed run leaves an older
    report as it was.

    Args:
        result: The answer.
        path: Where the file goes; its folder must exist.

    Raises:
        InputError: There is no page for this kind of answer.
        OSError: The folder does not exist or cannot be written to.
    """
    text, target = page(result), Path(path).resolve()
    unfinished = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with unfinished.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def page(result: Result) -> str:
    """The answer as a whole HTML page."""
    return _templates().get_template("page.html.j2").render(body=body(result), kind=result.kind)


def body(result: Result) -> str:
    """The answer as an HTML fragment that brings its own style, for pages and notebooks."""
    template = _templates().get_template(f"{result.kind}.html.j2")
    return template.render(view(result))


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("nofluke.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(wording.FILTERS)
    # Pictures and the fragment are markup of our own making; nothing else is passed through.
    environment.filters["markup"] = Markup
    environment.globals["infinity"] = math.inf
    return environment

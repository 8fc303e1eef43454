"""Result to HTML text, and HTML text to a file that is whole or not there at all."""

from __future__ import annotations

import math
import secrets
from functools import lru_cache, singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError
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
    previews,
    ranking,  # noqa: F401
    records,
    risk_parts,  # noqa: F401
    runs,  # noqa: F401
    splits,  # noqa: F401
    watched,  # noqa: F401
    wording,
)
from nofluke.report.view import view
from nofluke.results import Result
from nofluke.scores.predictions import Predictions
from nofluke.scores.table import Scores
from nofluke.shown import Shown

if TYPE_CHECKING:
    from os import PathLike

    import jinja2


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
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename, error.filename2 = str(target), None  # nobody has asked for the other
        raise


def page(result: Result) -> str:
    """The answer as a whole HTML page."""
    return _templates().get_template("page.html.j2").render(body=body(result), kind=result.kind)


@singledispatch
def body(thing: Any) -> str:
    """Something as an HTML fragment that brings its own style, for pages and notebooks.

    Args:
        thing: An answer, a table of scores or predictions, or a small record such as an interval.

    Raises:
        InputError: It is none of these.
    """
    raise InputError(
        f"there is no page for a {type(thing).__name__}; pages are made of answers such as the one "
        "of certify(...), of tables of scores or predictions, and of intervals.",
        code="NF008",
    )


@body.register
def _answer(result: Result) -> str:
    names = [f"{result.kind}.html.j2", "table.html.j2"]
    return _templates().select_template(names).render(view(result))


@body.register
def _scores(table: Scores) -> str:
    return _templates().get_template("scores.html.j2").render(previews.scores(table))


@body.register
def _predictions(table: Predictions) -> str:
    return _templates().get_template("scores.html.j2").render(previews.predictions(table))


@body.register
def _record(record: Shown) -> str:
    return _templates().get_template("record.html.j2").render(records.record(record))


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

"""`nofluke check`: what is in this file, and what can it be asked?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter


def check(
    sources: Annotated[
        list[str], Parameter(help="Files, a folder, or - (stdin).", allow_leading_hyphen=True)
    ],
    /,
    *,
    better: Annotated[
        Literal["higher", "lower"] | None, Parameter(help="Which score wins; never guessed.")
    ] = None,
    bounds: Annotated[
        tuple[float, float] | None,
        Parameter(help="Lowest and highest possible score: 0 1.", allow_leading_hyphen=True),
    ] = None,
    binary: Annotated[bool, Parameter(help="Every score is 0 or 1 by its meaning.")] = False,
    metric: Annotated[str | None, Parameter(help="Which metric, if the file has several.")] = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: candidate=model,score=latency.")
    ] = None,
    failed: Annotated[
        str | None, Parameter(help="Failed rows: a column, or error_code=429,-1.")
    ] = None,
    train: Annotated[
        Path | None, Parameter(help="Training rows: is any of them among the examples?")
    ] = None,
    where: Annotated[
        list[str], Parameter(help="Which rows of a log: filter=strict-match; repeat.")
    ] = [],  # noqa: B006 (never changed)
    reader: Annotated[
        str | None, Parameter(help="Reader of the log, or table; known by content.")
    ] = None,
    delimiter: Annotated[str | None, Parameter(help="What separates the cells of a text.")] = None,
    decimal: Annotated[str | None, Parameter(help="Decimal mark of a text: . or a comma.")] = None,
    format: Annotated[  # noqa: A002 (the option is called --format)
        Literal["text", "json", "csv", "html"], Parameter(help="What to print.")
    ] = "text",
    report: Annotated[Path | None, Parameter(help="Also write an HTML report here.")] = None,
    quiet: Annotated[bool, Parameter(help="Print the sentences only.")] = False,
) -> None:
    """What is in this file, what in it would mislead, and what can it be asked today?

    Example: nofluke check results/ --failed error_code=429
    """
    from nofluke.cli import arguments, show
    from nofluke.questions.check import check as ask

    with show.busy(f"reading {', '.join(sources)}"):
        answer = ask(
            arguments.sources(sources),
            better=better,
            bounds=bounds,
            binary=binary,
            metric=metric,
            where=arguments.narrowing(where),
            columns=arguments.roles(columns),
            failed=failed,
            reader=reader,
            delimiter=delimiter,
            decimal=decimal,
            train=train,
        )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=False, quiet=quiet)

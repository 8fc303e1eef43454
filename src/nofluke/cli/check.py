"""`nofluke check`: what is in this file, and what can it be asked?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from nofluke.cli import options


def check(
    sources: Annotated[
        list[str], Parameter(help="Files, a folder, or - (stdin).", allow_leading_hyphen=True)
    ],
    /,
    *,
    better: options.Better = None,
    bounds: options.Bounds = None,
    binary: options.Binary = False,
    metric: options.Metric = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: candidate=model,score=latency.")
    ] = None,
    failed: options.Failed = None,
    train: Annotated[
        Path | None, Parameter(help="Training rows: is any of them among the examples?")
    ] = None,
    where: options.Where = [],  # noqa: B006 (never changed)
    reader: options.Reader = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    quiet: options.Quiet = False,
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

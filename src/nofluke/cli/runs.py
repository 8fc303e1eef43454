"""`nofluke runs`: read repeated runs, ask, show the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter


def runs(
    sources: Annotated[
        list[str],
        Parameter(
            help="One table of runs, or one file for each configuration.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    quantile: Annotated[
        list[str], Parameter(help="Which quantile: 0.5 is the median; a comma list.")
    ] = ["0.5"],  # noqa: B006 (never changed)
    level: Annotated[float, Parameter(help="Confidence of each interval.")] = 0.9,
    method: Annotated[str, Parameter(help="auto, or a method of quantiles by name.")] = "auto",
    guaranteed: Annotated[
        bool, Parameter(help="At least this confidence for every distribution.")
    ] = False,
    tail: Annotated[
        Literal["log-concave"] | None, Parameter(help="Declare what the tails are like.")
    ] = None,
    joint: Annotated[bool, Parameter(help="Quantiles of one configuration hold at once.")] = False,
    simultaneous: Annotated[bool, Parameter(help="All intervals hold at once.")] = False,
    against: Annotated[
        str | None, Parameter(help="Compare the others with this configuration.")
    ] = None,
    paired: Annotated[
        bool, Parameter(help="With --against: differences run by run, by their ids.")
    ] = False,
    value: Annotated[
        Literal["mean"] | None, Parameter(help="A run's number: its mean over examples.")
    ] = None,
    each: Annotated[
        Literal["example", "cluster"] | None, Parameter(help="An answer for each of these.")
    ] = None,
    missing: Annotated[str, Parameter(help="raise, own or worst.")] = "raise",
    better: Annotated[
        Literal["higher", "lower"] | None, Parameter(help="Which score wins; never guessed.")
    ] = None,
    bounds: Annotated[
        tuple[float, float] | None,
        Parameter(help="Lowest and highest possible score: 0 1.", allow_leading_hyphen=True),
    ] = None,
    metric: Annotated[str | None, Parameter(help="Which metric, if the file has several.")] = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: run=seed,score=acc; cluster= for none.")
    ] = None,
    failed: Annotated[
        str | None, Parameter(help="Failed rows: a column, or error_code=429,-1.")
    ] = None,
    where: Annotated[
        list[str], Parameter(help="Which rows of a log: filter=strict-match; repeat.")
    ] = [],  # noqa: B006 (never changed)
    reader: Annotated[
        str | None, Parameter(help="Reader of the log, or table; known by content.")
    ] = None,
    delimiter: Annotated[str | None, Parameter(help="What separates the cells of a text.")] = None,
    decimal: Annotated[str | None, Parameter(help="Decimal mark of a text: . or a comma.")] = None,
    ledger: Annotated[
        Path | None, Parameter(help="Write this look down in a ledger first, or be refused.")
    ] = None,
    format: Annotated[  # noqa: A002 (the option is called --format)
        Literal["text", "json", "csv", "html"], Parameter(help="What to print.")
    ] = "text",
    report: Annotated[Path | None, Parameter(help="Write an HTML report here.")] = None,
    show_work: Annotated[
        bool, Parameter(help="Print ranks, coverage, and the bootstrap beside it.")
    ] = False,
    quiet: Annotated[bool, Parameter(help="Print the sentences only.")] = False,
) -> None:
    """Where does a quantile of the score of one run lie, judged from a few runs?

    Example: nofluke runs seeds.csv --quantile 0.05 --bounds 0 1
    """
    from nofluke.cli import arguments, ledgers, show
    from nofluke.questions.runs import runs as ask
    from nofluke.scores.readers import read

    with show.busy(f"reading {', '.join(sources)}"):
        scores = read(
            arguments.sources(sources),
            better=better,
            bounds=bounds,
            metric=metric,
            columns=arguments.roles(columns),
            failed=failed,
            where=arguments.narrowing(where),
            reader=reader,
            delimiter=delimiter,
            decimal=decimal,
        )
    answer = ledgers.on_record(ask, ledger)(
        scores,
        quantile=arguments.numbers(quantile, name="--quantile"),
        level=level,
        method=method,
        guaranteed=guaranteed,
        tail=tail,
        joint=joint,
        simultaneous=simultaneous,
        against=against,
        paired=paired,
        value=value,
        each=each,
        missing=missing,
    )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=show_work, quiet=quiet)

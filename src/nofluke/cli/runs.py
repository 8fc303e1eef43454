"""`nofluke runs`: read repeated runs, ask, show the answer."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from nofluke.cli import options


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
    better: options.Better = None,
    bounds: options.Bounds = None,
    metric: options.Metric = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: run=seed,score=acc; cluster= for none.")
    ] = None,
    failed: options.Failed = None,
    where: options.Where = [],  # noqa: B006 (never changed)
    reader: options.Reader = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    engine: options.Engine = "auto",
    memory: options.Memory = None,
    spill: options.Spill = None,
    stats: options.Stats = False,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    show_work: Annotated[
        bool, Parameter(help="Print ranks, coverage, and the bootstrap beside it.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Where does a quantile of the score of one run lie, judged from a few runs?

    Example: nofluke runs seeds.csv --quantile 0.05 --bounds 0 1
    """
    from nofluke.cli import arguments, engines, ledgers, show
    from nofluke.questions.runs import runs as ask

    with engines.opened(
        sources,
        engine=engine,
        memory=memory,
        spill=spill,
        stats=stats,
        recorded=ledger is not None,
        better=better,
        bounds=bounds,
        metric=metric,
        columns=arguments.roles(columns),
        failed=failed,
        where=arguments.narrowing(where),
        reader=reader,
        delimiter=delimiter,
        decimal=decimal,
    ) as scores:
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

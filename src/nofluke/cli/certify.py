"""`nofluke certify`: read a table, ask, show the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter


def certify(
    sources: Annotated[
        list[str], Parameter(help="Files, a folder, or - (stdin).", allow_leading_hyphen=True)
    ],
    /,
    *,
    better: Annotated[
        Literal["higher", "lower"] | None, Parameter(help="Which score wins; never guessed.")
    ] = None,
    select: Annotated[
        str,
        Parameter(help="top:M, threshold:V, within:D, names:a,b; @median, @q0.9, @column:NAME."),
    ] = "top:5",
    delta: Annotated[float, Parameter(help="Error budget for the shortlist.")] = 0.1,
    gamma: Annotated[
        list[str],
        Parameter(help="Failure rates: repeat, or 0.1,0.05. [default: 0.1]", show_default=False),
    ] = ["0.1"],  # noqa: B006 (never changed)
    claim: Annotated[str, Parameter(help="fcr, fcx:SHARE, simultaneous or winner.")] = "fcr",
    rule: Annotated[
        str, Parameter(help="auto, minimax, bonferroni, sizes:3,5, psdme, ...")
    ] = "auto",
    band: Annotated[str, Parameter(help="auto, kolmogorov, dkw, clopper_pearson.")] = "auto",
    side: Annotated[str, Parameter(help="auto, lower, upper or both.")] = "auto",
    tried: Annotated[
        int | None, Parameter(help="Candidates tried in all, dropped ones included.")
    ] = None,
    missing: Annotated[str, Parameter(help="raise, common, own or worst.")] = "raise",
    failed: Annotated[
        str | None, Parameter(help="Failed rows: a column, or error_code=429,-1.")
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
    where: Annotated[
        list[str], Parameter(help="Which rows of a log: filter=strict-match; repeat.")
    ] = [],  # noqa: B006 (never changed)
    reader: Annotated[
        str | None, Parameter(help="Reader of the log, or table; known by content.")
    ] = None,
    delimiter: Annotated[str | None, Parameter(help="What separates the cells of a text.")] = None,
    decimal: Annotated[str | None, Parameter(help="Decimal mark of a text: . or a comma.")] = None,
    functional: Annotated[
        list[str], Parameter(help="Also mean, median, q0.9, cvar0.1, iqr of each.")
    ] = [],  # noqa: B006 (never changed)
    split: Annotated[
        float | None, Parameter(help="Choose on this share, evaluate on the rest.")
    ] = None,
    unit: Annotated[
        str, Parameter(help="What is an independent draw: example or cluster.")
    ] = "example",
    repeats: Annotated[
        str, Parameter(help="Of several runs of an example: first or average.")
    ] = "first",
    dependence: Annotated[
        str, Parameter(help="Rows that follow each other: refuse or ignore.")
    ] = "refuse",
    seed: Annotated[
        int | None, Parameter(help="Seed of the split and of the draw from clusters.")
    ] = None,
    ledger: Annotated[
        Path | None, Parameter(help="Write this look down in a ledger first, or be refused.")
    ] = None,
    format: Annotated[  # noqa: A002 (the option is called --format)
        Literal["text", "json", "csv", "html"], Parameter(help="How to print.")
    ] = "text",
    report: Annotated[Path | None, Parameter(help="Also write an HTML report here.")] = None,
    show_work: Annotated[bool, Parameter(help="Print the terms of the bound.")] = False,
    quiet: Annotated[bool, Parameter(help="Print the sentences only.")] = False,
) -> None:
    """Guarantees for the candidates you chose, from the data that chose them.

    Example: nofluke certify results.parquet --better lower --select top:5 --gamma 0.1
    """
    from nofluke.cli import arguments, ledgers, show
    from nofluke.questions.certify import certify as ask
    from nofluke.scores.readers import read

    with show.busy(f"reading {', '.join(sources)}"):
        scores = read(
            arguments.sources(sources),
            better=better,
            bounds=bounds,
            binary=binary,
            metric=metric,
            columns=arguments.roles(columns),
            failed=failed,
            keep=arguments.kept_columns(select),
            where=arguments.narrowing(where),
            reader=reader,
            delimiter=delimiter,
            decimal=decimal,
        )
    answer = ledgers.on_record(ask, ledger)(
        scores,
        select,
        delta=delta,
        gamma=arguments.numbers(gamma, name="--gamma"),
        rule=rule,
        band=band,
        side=side,
        claim=claim,
        tried=tried,
        missing=missing,
        functionals=functional,
        split=split,
        unit=unit,
        repeats=repeats,
        dependence=dependence,
        seed=seed,
    )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=show_work, quiet=quiet)

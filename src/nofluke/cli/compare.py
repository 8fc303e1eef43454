"""`nofluke compare`: pair two candidates, ask, show the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from nofluke.cli import options

if TYPE_CHECKING:
    from nofluke.results import Result


def compare(
    sources: Annotated[
        list[str],
        Parameter(
            help="Baseline and candidate, or one table with --a and --b.",
            allow_leading_hyphen=True,
            show_default=False,
        ),
    ] = [],  # noqa: B006 (never changed)
    /,
    *,
    a: Annotated[str | None, Parameter(help="Baseline, if one table holds both.")] = None,
    b: Annotated[str | None, Parameter(help="The candidate compared with it.")] = None,
    alternative: Annotated[
        str,
        Parameter(
            help="better (default), worse, different, not-worse, equivalent.", show_default=False
        ),
    ] = "better",
    margin: Annotated[
        float, Parameter(help="Gain to be shown, or loss tolerated.", allow_leading_hyphen=True)
    ] = 0.0,
    alpha: Annotated[float, Parameter(help="Error level of the verdict.")] = 0.05,
    better: options.Better = None,
    bounds: options.Bounds = None,
    binary: options.Binary = False,
    method: Annotated[str, Parameter(help="auto, mcnemar, star, betting, t, ...")] = "auto",
    planned: Annotated[
        int | None, Parameter(help="Pairs planned in advance: look at any time.")
    ] = None,
    plan: Annotated[
        Path | None, Parameter(help="Keep to this plan (nofluke plan --write).")
    ] = None,
    clusters: Annotated[bool, Parameter(help="Count clusters, not examples.")] = False,
    max_cluster_size: options.MaxClusterSize = None,
    groups: Annotated[bool, Parameter(help="Ask in each group as well.")] = False,
    mix: Annotated[str | None, Parameter(help="Shares of use: news=0.3,social=0.7.")] = None,
    population: Annotated[
        int | None, Parameter(help="Size of the fixed benchmark these are drawn from.")
    ] = None,
    unpaired: Annotated[bool, Parameter(help="Two samples that share no example.")] = False,
    pooled: Annotated[
        str | None, Parameter(help="Corpus statistic: errors/words, spearman:x,y.")
    ] = None,
    missing: Annotated[str, Parameter(help="raise, common or worst.")] = "raise",
    metric: options.Metric = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: example=doc_id,score=acc.")
    ] = None,
    failed: options.Failed = None,
    where: options.Where = [],  # noqa: B006 (never changed)
    reader: options.Reader = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    audit_methods: Annotated[
        bool,
        Parameter(help="False-alarm rates of common tests on these data.", show_default=False),
    ] = False,
    follow: Annotated[
        Path | None, Parameter(help="Watch a growing file and stop when decided.")
    ] = None,
    poll: Annotated[float, Parameter(help="Seconds between looks at it.")] = 1.0,
    idle: Annotated[
        float | None, Parameter(help="Give up after so many seconds without a line.")
    ] = None,
    state: Annotated[Path | None, Parameter(help="Keep the stream here, to go on later.")] = None,
    seed: Annotated[int, Parameter(help="Seed of orders, resamples and streams.")] = 0,
    engine: options.Engine = "auto",
    memory: options.Memory = None,
    spill: options.Spill = None,
    stats: options.Stats = False,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    show_work: Annotated[bool, Parameter(help="Print the terms of the interval.")] = False,
    quiet: options.Quiet = False,
) -> int | None:
    """Does B beat A on the same examples, with a guarantee, while you watch?

    Example: nofluke compare base.jsonl new.jsonl --metric accuracy
    """
    given = dict(locals())
    from nofluke.cli import arguments, comparison_options, engines, ledgers, show

    comparison_options.refuse_ignored(compare, given)
    if follow is not None:
        return _follow(
            follow,
            bounds=arguments.binary_bounds(bounds, binary=binary),
            better=better,
            margin=margin,
            alternative=alternative,
            alpha=alpha,
            planned=planned,
            metric=metric,
            columns=arguments.mapping(columns, name="--columns"),
            a=a,
            b=b,
            poll=poll,
            idle=idle,
            format=format,
            state=state,
        )
    from nofluke.questions.compare import compare as ask

    source, a, b = arguments.two_sides(sources, a, b)
    with engines.opened(
        sources,
        engine=engine,
        memory=memory,
        spill=spill,
        stats=stats,
        recorded=ledger is not None,
        sources=source,
        better=better,
        # Bounds are for the two that are compared, not for everybody in the table.
        bounds=None,
        binary=binary,
        metric=metric,
        columns=arguments.pooled_roles(pooled, arguments.roles(columns)),
        failed=failed,
        keep=arguments.pooled_columns(pooled),
        where=arguments.narrowing(where),
        reader=reader,
        delimiter=delimiter,
        decimal=decimal,
        contents=True,
    ) as scores:
        if plan is not None and not (a and b):
            from nofluke.questions.plan_file import read as read_plan

            a, b = a or read_plan(plan).a, b or read_plan(plan).b
        a, b = arguments.named_sides(scores.candidates, a, b)
        answer: Result
        if pooled is not None:
            from nofluke.questions.pooled import compare_pooled

            answer = ledgers.on_record(compare_pooled, ledger)(
                scores,
                a,
                b,
                pooled,
                alpha=alpha,
                alternative=alternative,
                better=better,
                missing=missing,
                seed=seed,
            )
        elif audit_methods:
            from nofluke.questions.methods_audit import audit_methods as audit

            answer = ledgers.on_record(audit, ledger)(
                scores, a, b, alpha=alpha, bounds=bounds, seed=seed
            )
        else:
            answer = ledgers.on_record(ask, ledger)(
                scores,
                a,
                b,
                margin=margin,
                alternative=alternative,
                alpha=alpha,
                method=method,
                planned=planned,
                bounds=bounds,
                binary=binary or None,
                clusters=clusters or None,
                max_cluster_size=max_cluster_size,
                groups=groups or None,
                mix=arguments.shares(mix),
                population=population,
                paired=not unpaired,
                missing=missing,
                seed=seed,
                plan=plan,
            )
        if report is not None:
            answer.report(arguments.report(report, sources))
        show.answer(answer, form=format, work=show_work, quiet=quiet)
    return None


def _follow(path: Path, **how: Any) -> int:
    from nofluke.cli.follow import follow

    return follow(path, **how)

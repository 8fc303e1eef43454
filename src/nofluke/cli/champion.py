"""`nofluke champion`: read numbers, a table or predictions, ask, show the card."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.scores.predictions import Predictions
    from nofluke.scores.table import Scores


def champion(
    sources: Annotated[
        list[str],
        Parameter(
            help="A table of scores or of labelled predictions, or the scores themselves.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    planned: Annotated[
        str, Parameter(help="What was to be reported: mean, median or name:ID.")
    ] = "mean",
    gate: Annotated[
        float | None,
        Parameter(help="The score that is to be reached.", allow_leading_hyphen=True),
    ] = None,
    level: Annotated[float, Parameter(help="Confidence of each interval.")] = 0.95,
    better: Annotated[
        Literal["higher", "lower"] | None, Parameter(help="Which score wins; never guessed.")
    ] = None,
    tried: Annotated[
        int | None, Parameter(help="How many were tried, those not shown included.")
    ] = None,
    published: Annotated[
        str | None,
        Parameter(help="A reported score, or name:ID: its rank.", allow_leading_hyphen=True),
    ] = None,
    n_positive: Annotated[int | None, Parameter(help="Positive rows behind each area.")] = None,
    n_negative: Annotated[int | None, Parameter(help="Negative rows behind each area.")] = None,
    positive: Annotated[
        str | None, Parameter(help="The label of the positive class: read predictions.")
    ] = None,
    clusters: Annotated[
        str | None, Parameter(help="Column of clusters of predictions, counted instead of rows.")
    ] = None,
    metric: Annotated[str | None, Parameter(help="Name of the score, such as auc.")] = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: score=auc; label= reads predictions.")
    ] = None,
    where: Annotated[
        list[str], Parameter(help="Which rows of a log: filter=strict-match; repeat.")
    ] = [],  # noqa: B006 (never changed)
    reader: Annotated[
        str | None, Parameter(help="Reader of the log, or table; known by content.")
    ] = None,
    delimiter: Annotated[str | None, Parameter(help="What separates the cells of a text.")] = None,
    decimal: Annotated[str | None, Parameter(help="Decimal mark of a text: . or a comma.")] = None,
    seed: Annotated[int, Parameter(help="Seed of simulated quantiles.")] = 0,
    format: Annotated[  # noqa: A002 (the option is called --format)
        Literal["text", "json", "csv", "html"], Parameter(help="What to print.")
    ] = "text",
    report: Annotated[Path | None, Parameter(help="Write an HTML report here.")] = None,
    quiet: Annotated[bool, Parameter(help="Print the sentences only.")] = False,
) -> None:
    """What is the best of several runs worth, beside what was planned?

    Example: nofluke champion 0.78 0.80 0.83 --metric auc --gate 0.82 --tried 30
    """
    from nofluke.cli import arguments, show
    from nofluke.questions.champion import champion as ask

    roles = arguments.with_roles(columns, cluster=clusters)
    texts = {"delimiter": delimiter, "decimal": decimal}
    how = {
        "better": better,
        "metric": metric,
        "where": arguments.narrowing(where),
        "reader": reader,
    }
    given = _given(sources, roles, positive, how, texts)
    answer = ask(
        given,
        planned=planned,
        gate=gate,
        level=level,
        better=better,
        tried=tried,
        published=published,
        n_positive=n_positive,
        n_negative=n_negative,
        metric=metric,
        seed=seed,
    )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=False, quiet=quiet)


def _given(
    words: list[str], roles: Any, positive: str | None, how: dict[str, Any], texts: dict[str, Any]
) -> list[float] | Scores | Predictions:
    """Numbers where every word is one; predictions where labels are named; else scores."""
    from nofluke.cli import arguments, show
    from nofluke.scores.readers import read
    from nofluke.scores.readers.predictions import read_predictions

    try:
        return arguments.numbers(words, name="scores")
    except InputError:
        pass  # then they are files
    sources = arguments.sources(words)
    with show.busy(f"reading {', '.join(words)}"):
        if positive is not None or "label" in (roles or {}):
            return read_predictions(sources, columns=roles, positive=positive, **texts)
        return read(sources, columns=roles, **how, **texts)

"""`nofluke champion`: read numbers, a table or predictions, ask, show the card."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from nofluke.cli import options
from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.scores.predictions import Predictions
    from nofluke.scores.table import Scores


def champion(
    sources: Annotated[
        list[str],
        Parameter(
            help="The scores themselves, or a table or folder of scores or labelled predictions.",
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
    better: options.Better = None,
    tried: Annotated[
        int | None, Parameter(help="How many were tried, those not shown included.")
    ] = None,
    published: Annotated[
        str | None,
        Parameter(
            help="A reported score (or name:ID), to be ranked among these.",
            allow_leading_hyphen=True,
        ),
    ] = None,
    n_positive: Annotated[int | None, Parameter(help="Positive rows behind each area.")] = None,
    n_negative: Annotated[int | None, Parameter(help="Negative rows behind each area.")] = None,
    n_rows: Annotated[
        int | None, Parameter(help="Rows behind each share: accuracy, error rate, recall.")
    ] = None,
    decimals: Annotated[
        int | None, Parameter(help="Places reported; those of numbers typed here are seen.")
    ] = None,
    positive: Annotated[
        str | None, Parameter(help="The label of the positive class: read predictions.")
    ] = None,
    clusters: Annotated[
        str | None, Parameter(help="Column of clusters, counted instead of rows.")
    ] = None,
    bounds: Annotated[
        tuple[float, float] | None,
        Parameter(help="Lowest and highest score of a row: 0 1.", allow_leading_hyphen=True),
    ] = None,
    metric: Annotated[str | None, Parameter(help="Name of the score, such as auc.")] = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: score=auc; label= reads predictions.")
    ] = None,
    where: options.Where = [],  # noqa: B006 (never changed)
    reader: options.Reader = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    seed: Annotated[int, Parameter(help="Seed of simulated quantiles.")] = 0,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    quiet: options.Quiet = False,
) -> None:
    """What is the best of several runs worth, beside what was planned?

    Example: nofluke champion 0.78 0.80 0.83 --n-positive 50 --n-negative 950 --gate 0.82
    """
    from nofluke.cli import arguments, ledgers, show
    from nofluke.questions.champion import champion as ask

    roles = arguments.with_roles(columns, cluster=clusters)
    texts = {"delimiter": delimiter, "decimal": decimal}
    how = {
        "better": better,
        "metric": metric,
        "bounds": bounds,
        "where": arguments.narrowing(where),
        "reader": reader,
    }
    given = _given(sources, roles, positive, how, texts)
    answer = ledgers.on_record(ask, ledger)(
        given,
        planned=planned,
        gate=gate,
        level=level,
        better=better,
        tried=tried,
        published=published,
        n_positive=n_positive,
        n_negative=n_negative,
        n_rows=n_rows,
        decimals=decimals,
        metric=metric,
        seed=seed,
    )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=False, quiet=quiet)


def _given(
    words: list[str], roles: Any, positive: str | None, how: dict[str, Any], texts: dict[str, Any]
) -> list[str] | Scores | Predictions:
    """Numbers as they are written where every word is one; predictions where labels are named."""
    from nofluke.cli import arguments, show

    written = _written(words, texts["decimal"])
    if _numbers(written):
        _refuse_either(words, texts["decimal"])
        _refuse_columns(roles, positive, how["bounds"])
        return written
    sources = arguments.sources(words)
    with show.busy(f"reading {', '.join(words)}"):
        return _read(sources, roles, positive, how, texts)


def _written(words: list[str], decimal: str | None) -> list[str]:
    """The numbers, which commas part unless they are decimal marks."""
    if decimal == ",":
        return [word.strip().replace(",", ".") for word in words]
    return [part.strip() for word in words for part in word.split(",")]


def _refuse_either(words: list[str], decimal: str | None) -> None:
    """0,78 is one number to some and two to others, and is not guessed."""
    either = [word for word in words if re.fullmatch(r"[+-]?\d+,\d+", word.strip())]
    if either and decimal is None:
        one, two = either[0].strip().replace(",", "."), either[0].strip().replace(",", " ")
        raise InputError(
            f"{either[0]!r} may be {one} or the two numbers {two}; write which of both, or say "
            "--decimal , where the comma is a decimal mark.",
            code="NF008",
        )


def _numbers(words: list[str]) -> bool:
    """Whether the words are numbers; some numbers among files are a slip."""
    number = [_is_number(word) for word in words]
    others = [w for w, yes in zip(words, number, strict=True) if not yes and not Path(w).exists()]
    if any(number) and others:
        raise InputError(
            f"{others[0]!r} is neither a number nor a file, among numbers; give the scores of all "
            "candidates, such as 0.78 0.80 0.83, or files.",
            code="NF008",
        )
    return all(number)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _refuse_columns(roles: Any, positive: str | None, bounds: Any) -> None:
    """Numbers have no columns, labels and rows to speak of."""
    if roles is not None or positive is not None or bounds is not None:
        raise InputError(
            "--columns, --clusters, --positive and --bounds are about rows, and the scores are "
            "numbers without any; give the table of rows, or leave them out.",
            code="NF008",
        )


def _read(
    sources: str | list[str] | dict[str, str],
    roles: Any,
    positive: str | None,
    how: dict[str, Any],
    texts: dict[str, Any],
) -> Scores | Predictions:
    from nofluke.scores.readers import read
    from nofluke.scores.readers.predictions import read_predictions

    if positive is not None or "label" in (roles or {}):
        return read_predictions(sources, columns=roles, positive=positive, **texts)
    try:
        return read(sources, columns=roles, **how, **texts)
    except InputError as error:
        if error.code != "NF003":
            raise
        raise InputError(
            f"{error} With one number for each run, give a table with a line for each (seed,auc), "
            "or a CSV file for each that holds its name or nothing beside the number.",
            code="NF003",
        ) from error

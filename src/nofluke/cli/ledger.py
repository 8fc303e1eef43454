"""`nofluke ledger`: begin, write to, show, check, export and import a register of a test set."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from nofluke.cli import options
from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.ledger.book import Ledger
    from nofluke.ledger.events import Event

FAULTS = 1  # exit code of a check that found something


def init(
    ledger: Annotated[
        str,
        Parameter(
            help="A file that is not there: ledger.db, or ledger.jsonl for lines; or a ledger in "
            "a store, sqlite:///keeper.db#name or postgresql://user@host/database#name."
        ),
    ],
    /,
    *,
    name: Annotated[str | None, Parameter(help="What it is a register of.")] = None,
    who: Annotated[str | None, Parameter(help="Who writes; the user by default.")] = None,
) -> None:
    """Begin a ledger in a new file.

    Example: nofluke ledger init ledger.db --name tumours
    """
    from nofluke.ledger.book import Ledger

    with Ledger.begin(ledger, name=name, who=who) as book:
        _say(f"{book.place} has begun.\nhead: {book.head}")


def log(
    ledger: Annotated[str, Parameter(help="The ledger.")],
    kind: Annotated[
        str,
        Parameter(
            help="data, freeze, role, split, preprocessing, candidates, rule, access, "
            "predictions, scope or note."
        ),
    ],
    fields: Annotated[
        list[str],
        Parameter(help='What it says: unit=patient site="one site only"; settings=@grid.json.'),
    ] = [],  # noqa: B006 (never changed)
    /,
    *,
    file: Annotated[
        list[Path], Parameter(help="With freeze and predictions: files to fix; repeat.")
    ] = [],  # noqa: B006 (never changed)
    holdout: Annotated[
        list[str] | None, Parameter(help="With data: scores or predictions of the rows.")
    ] = None,
    role: Annotated[
        Literal["test", "validation"], Parameter(help="With data: what the rows are for.")
    ] = "test",
    name: Annotated[str | None, Parameter(help="With data and role: name of the rows.")] = None,
    columns: Annotated[
        str | None, Parameter(help="With data: roles of columns, label=died,prediction=risk.")
    ] = None,
    positive: Annotated[
        str | None, Parameter(help="With data: the label of the positive class.")
    ] = None,
    pipeline: Annotated[
        str | None, Parameter(help="With freeze: a commit or digest of the pipeline.")
    ] = None,
    who: Annotated[str | None, Parameter(help="Who writes; the user by default.")] = None,
) -> None:
    """Write an entry.

    Example: nofluke ledger log ledger.db rule rule="largest area" fixed="2026-03-01, plan.md"
    """
    from nofluke.ledger.book import Ledger

    said = _fields(fields)
    with Ledger(ledger, who=who) as book:
        event = _logged(
            book,
            kind,
            said,
            file=file,
            holdout=holdout,
            role=role,
            name=name,
            columns=columns,
            positive=positive,
            pipeline=pipeline,
        )
    _say(f"entry {event.seq}: {event.kind}\nhead: {event.seq}:{event.digest}")


def show(
    ledger: Annotated[str, Parameter(help="The ledger.")],
    /,
    *,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    quiet: options.Quiet = False,
) -> None:
    """What is on record, what is missing, and what can no longer be known.

    Example: nofluke ledger show ledger.db --report ledger.html
    """
    from nofluke.cli import arguments
    from nofluke.cli.show import answer as shown
    from nofluke.ledger.book import Ledger

    with Ledger(ledger) as book:
        answer = book.report()
    if report is not None:
        answer.report(arguments.report(report, [book.place]))
    shown(answer, form=format, work=False, quiet=quiet)


def verify(
    ledger: Annotated[str, Parameter(help="The ledger.")],
    /,
    *,
    head: Annotated[
        list[str], Parameter(help="A head that was kept elsewhere, 12:3f0a...; repeat.")
    ] = [],  # noqa: B006 (never changed)
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    quiet: options.Quiet = False,
) -> int:
    """Is every entry as it was written? The exit code is 1 where something is found.

    Example: nofluke ledger verify ledger.db --head 12:3f0a...
    """
    from nofluke.cli import arguments
    from nofluke.cli.show import answer as shown
    from nofluke.ledger.book import Ledger

    with Ledger(ledger) as book:
        answer = book.verify(heads=head)
    if report is not None:
        answer.report(arguments.report(report, [book.place]))
    shown(answer, form=format, work=False, quiet=quiet)
    return 0 if answer.intact else FAULTS


def export(
    ledger: Annotated[str, Parameter(help="The ledger.")],
    target: Annotated[Path, Parameter(help="A file that is not there, of JSON lines.")],
    /,
) -> None:
    """Write all entries to a file of JSON lines.

    Example: nofluke ledger export ledger.db ledger.jsonl
    """
    from nofluke.ledger.book import Ledger

    with Ledger(ledger) as book:
        count = book.export(target)
        _say(f"{target}: {_entries(count)}.\nhead: {book.head}")


def bring(
    ledger: Annotated[str, Parameter(help="A place where no ledger is, as init takes it.")],
    source: Annotated[Path, Parameter(help="JSON lines as export writes them.")],
    /,
    *,
    head: Annotated[list[str], Parameter(help="A head that was kept elsewhere; repeat.")] = [],  # noqa: B006 (never changed)
) -> None:
    """A new ledger from exported entries, if all of them are as they were written.

    Example: nofluke ledger import copy.db ledger.jsonl
    """
    from nofluke.ledger.book import Ledger

    with Ledger.bring(ledger, source, heads=head) as book:
        _say(f"{book.place}: {_entries(len(book.entries()))}.\nhead: {book.head}")


def _logged(book: Ledger, kind: str, said: dict[str, Any], **how: Any) -> Event:
    """The entry of this kind; options of other kinds are refused, since they would be ignored."""
    takes = {
        "data": ("holdout", "role", "name", "columns", "positive"),
        "freeze": ("file", "pipeline"),
        "role": ("name",),
        "predictions": ("file",),
    }.get(kind, ())
    usual: dict[str, Any] = {"file": [], "role": "test"}
    ignored = [n for n, value in how.items() if n not in takes and value != usual.get(n)]
    if ignored:
        raise InputError(f"--{ignored[0]} has no use with {kind}; leave it out.", code="NF069")
    if kind == "data":
        _refuse(said, kind)
        return _registered(book, **{name: how[name] for name in takes})
    if kind == "freeze":
        text = str(said.pop("text", ""))
        _refuse(said, kind)
        return book.freeze(how["file"], pipeline=how["pipeline"], text=text)
    if kind == "role":
        why = str(said.pop("why", ""))
        _refuse(said, kind)
        return book.give_up(how["name"] or "", why=why)
    if kind == "predictions" and how["file"]:
        said["files"] = [str(path) for path in how["file"]]
    return book.record(kind, **said)


def _registered(
    book: Ledger,
    *,
    holdout: list[str] | None,
    role: str,
    name: str | None,
    columns: str | None,
    positive: str | None,
) -> Event:
    from nofluke.cli import arguments
    from nofluke.scores.readers import read
    from nofluke.scores.readers.predictions import read_predictions

    if not holdout or not name:
        raise InputError(
            "rows are registered with --holdout FILE --name NAME, where the file holds anybody's "
            "scores or predictions of them.",
            code="NF069",
        )
    sources, roles = arguments.sources(holdout), arguments.roles(columns)
    labelled = positive is not None or "label" in (roles or {})
    data = (
        read_predictions(sources, columns=roles, positive=positive)
        if labelled
        else read(sources, columns=roles)
    )
    return book.register(data, role=role, name=name)


def _fields(words: list[str]) -> dict[str, Any]:
    """Fields as they are typed; a word twice is a list, and @FILE is what a file says."""
    found: dict[str, list[Any]] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(f"{word!r} is no FIELD=VALUE, as in unit=patient.", code="NF069")
        found.setdefault(name, []).append(_content(Path(value[1:])) if value[:1] == "@" else value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _content(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix.lower() == ".json" else text
    except (OSError, ValueError) as error:
        raise InputError(f"@{path} cannot be read: {error}.", code="NF069") from None


def _refuse(said: dict[str, Any], kind: str) -> None:
    if said:
        raise InputError(f"{kind} takes no {next(iter(said))!r}; see --help.", code="NF069")


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _say(text: str) -> None:
    from nofluke.cli.tables import visible

    sys.stdout.write("".join(f"{visible(line)}\n" for line in text.split("\n")))

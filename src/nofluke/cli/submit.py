"""`nofluke submit`: hand predictions in to a board, and read what was told."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from nofluke.errors import AccessError, InputError, NoflukeError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Where the token is looked for; never among the words of the command, which others can see.
VARIABLE = "NOFLUKE_TOKEN"

_WAIT = 300.0
_FAILED = 70  # exit code: the server could not score what it had accepted


def submit(
    file: Annotated[Path, Parameter(help="Predictions by id: CSV, TSV, JSON lines or Parquet.")],
    /,
    *,
    board: Annotated[
        str, Parameter(help="The board as the browser shows it: https://host/b/name.")
    ],
    message: Annotated[
        str, Parameter(name=["--message", "-m"], help="Words for your own team.")
    ] = "",
    name: Annotated[
        str | None, Parameter(help="What it is called on the board; the file's name by default.")
    ] = None,
    training: Annotated[
        float | None,
        Parameter(
            help="Your own score, on rows not used for training, where the board asks for it.",
            allow_leading_hyphen=True,
        ),
    ] = None,
    dry_run: Annotated[
        bool, Parameter(help="Only check whether it could be submitted: costs nothing.")
    ] = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Wait until it is scored; up to 5 minutes.")
    ] = True,
    token_file: Annotated[
        Path | None, Parameter(help=f"A file that holds the token; else {VARIABLE}.")
    ] = None,
    allow_http: Annotated[
        bool, Parameter(help="Send the token without TLS to another machine.")
    ] = False,
    format: Annotated[Literal["text", "json"], Parameter(help="How to print.")] = "text",  # noqa: A002 (the option is called --format)
) -> int:
    """Hand predictions in to a board: a look is charged, and what it told is printed.

    The same predictions handed in again are the same submission, and cost nothing.

    Example: nofluke submit predictions.csv --board https://board.example.org/b/tumours --dry-run
    """
    from nofluke.server.client import Address, Client

    if not file.is_file():
        raise InputError(f"there is no file {file}.", code="NF001")
    address = Address.of(board, allow_http=allow_http)
    client = Client(address.api, token(token_file))
    said = {} if training is None else {"training": repr(training)}
    if dry_run:
        _show(client.check(address.slug, file, **said), _checked, form=format)
        return 0
    said |= {"name": name or file.stem or "predictions", "message": message}
    try:
        told, new = client.submit(address.slug, file, **said)
        if wait:
            told = client.waited(told, seconds=_WAIT)
    except KeyboardInterrupt:
        sys.stderr.write(
            "Interrupted; a look may be charged. The same command again tells what became of it, "
            "and costs nothing more.\n"
        )
        raise
    left = client.board(address.slug).get("left")
    _show({"submission": told, "new": new, "left": left}, _told, form=format)
    return _FAILED if told["status"] == "failed" else 0


def token(file: Path | None) -> str:
    """The token, from a file or from the environment.

    Raises:
        AccessError: There is none (NF073).
        InputError: Others can read the file, or it holds no token (NF096).
    """
    if file is None:
        found = os.environ.get(VARIABLE, "")
        if not found.strip():
            raise AccessError(
                f"there is no token: put it into {VARIABLE}, or into a file of yours alone and say "
                "--token-file. The page of your account makes one.",
                code="NF073",
            )
    else:
        _refuse_open(file)
        try:
            found = file.read_text(encoding="ascii")
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no token"
            raise InputError(f"--token-file {file} cannot be read: {why}.", code="NF096") from None
    told = found.strip()
    if not told or not told.isascii() or not told.isprintable() or " " in told or len(told) > 500:
        raise InputError(
            "what was given as a token is none; a token is one word that begins with nfk_.",
            code="NF096",
        )
    return told


def _refuse_open(file: Path) -> None:
    """A token that others can read is theirs, too."""
    if os.name == "posix" and file.is_file():
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & 0o077:
            raise InputError(
                f"others can read --token-file {file} (mode {mode:o}); chmod 600 {file}, and make "
                "a new token if they may have done so.",
                code="NF096",
            )


def _show(told: dict[str, Any], words: Any, *, form: str) -> None:
    from nofluke.cli.tables import visible

    if form == "json":
        sys.stdout.write(f"{json.dumps(told, ensure_ascii=True, indent=2)}\n")
        return
    try:
        lines = list(words(told))
    except (KeyError, TypeError):
        raise NoflukeError(
            "the server's answer lacks what this version of nofluke looks for; --format json "
            "prints it as it is.",
            code="NF096",
        ) from None
    sys.stdout.write("".join(f"{visible(line)}\n" for line in lines))


def _checked(told: dict[str, Any]) -> Iterator[str]:
    yield f"{told['rows']} rows, as the board asks for; nothing was scored, and nothing charged."
    if told["known"] is not None:
        yield (
            f"You handed the same predictions in before: submission {told['known']}. Handing them "
            "in again tells the same, and costs nothing."
        )
    yield from remaining(told["left"])


def _told(told: dict[str, Any]) -> Iterator[str]:
    made = told["submission"]
    yield f"{made['name']}: submission {made['id']}, look {made['number']} at these rows."
    if not told["new"]:
        yield "These predictions were handed in before; nothing more was charged."
    if made["status"] == "queued":
        yield "It waits to be scored; the look is charged. Ask again with the same command."
    elif made["status"] == "failed":
        yield f"It could not be scored ({made['code']}); the look was given back."
    for sentence in made["sentences"]:
        yield f"* {sentence}"
    if made["look"] is not None:
        yield f"On record: entries {made['attempt']} and {made['look']} of the board's ledger."
    yield from remaining(told["left"])


def remaining(told: dict[str, Any]) -> Iterator[str]:
    """What is left of every budget, a line each.

    >>> list(remaining({"looks": 93, "looks_of": 100, "member": 1, "member_of": 5}))
    ['Left at these rows: 93 of 100 looks.', 'Left for you: 1 of 5.']
    """
    yield f"Left at these rows: {told['looks']} of {told['looks_of']} looks."
    for whom, key in (("your team", "team"), ("you", "member")):
        if told.get(f"{key}_of") is not None:
            yield f"Left for {whom}: {told[key]} of {told[f'{key}_of']}."
    if told.get("rule") is not None:
        yield f"Left of what the rule may tell: {told['rule']:g}."

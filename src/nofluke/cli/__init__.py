"""The command line: read, ask, show. Commands are imported when they are called."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import TYPE_CHECKING

from nofluke.cli.commands import ABOUT, COMMANDS, EXAMPLE, Command, text, width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cyclopts import App

ANSWERED, BAD_INPUT, REFUSED, INTERNAL, INTERRUPTED, TERMINATED = 0, 2, 4, 70, 130, 143


def main(tokens: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    # Most of what a command makes are modules, which stay: looking for garbage among them takes
    # longer than what it frees.
    gc.set_threshold(50_000, 20, 20)
    sys.exit(run(sys.argv[1:] if tokens is None else list(tokens)))


def run(tokens: list[str]) -> int:
    """Run one command; its exit code: 0 answered, 2 unusable input, 4 refused by a guard, 70 ours.

    A command that returns a whole number says itself.
    """
    _stand_in()
    _speak_any_id()
    _write_all()
    return _help() if tokens in ([], ["--help"], ["-h"]) else _answered(tokens)


def _answered(tokens: list[str]) -> int:
    from cyclopts import CycloptsError

    from nofluke.errors import HoldoutError, NoflukeError

    code: object = None
    try:
        code = app()(tokens, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()  # a disk that is full says so here, and not when it is too late
    except CycloptsError as error:
        command = f"{tokens[0]} " if tokens and tokens[0] in app() else ""
        _complain("NF008", f"{error} See nofluke {command}--help.")
        return BAD_INPUT
    except NoflukeError as error:
        from nofluke.cli.spelling import of_command

        _complain(error.code, of_command(str(error), tokens[0] if tokens else ""))
        return REFUSED if isinstance(error, HoldoutError) else BAD_INPUT
    except (BrokenPipeError, SystemExit) as end:
        # The reader of our output has gone (`| head`); nothing more can be said to it. Rich turns
        # that into an exit of its own. A gate that comes here has no verdict, and never passes.
        code = BAD_INPUT if tokens[:1] == ["gate"] else ANSWERED
        ended = getattr(end, "code", None)
        if ended in (INTERRUPTED, TERMINATED):  # Ctrl-C, as cyclopts tells it, or SIGTERM
            code = ended
        else:
            silence()
    except OSError as error:
        _complain(*_unwritten(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("NOFLUKE_TRACEBACK"):
            raise
        _complain(
            "NF070",
            f"an error of nofluke's own, not of your input: {type(error).__name__}: {error}. "
            "Set NOFLUKE_TRACEBACK=1 to see where, and please report it.",
        )
        return INTERNAL
    return code if isinstance(code, int) else ANSWERED


def _help() -> int:
    """Print what the program can be asked, without what its commands need."""
    try:
        sys.stdout.write(text(width()))
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
    return ANSWERED


def app() -> App:
    """The commands; each module is named by text, so that --help loads none of them."""
    from cyclopts import App, Parameter

    from nofluke.cli import version

    groups = {"ledger": _ledger, "store": _store}
    commands = App(
        name="nofluke",
        help=ABOUT,
        help_epilogue=f"Example: {EXAMPLE}",
        version=version.text,
        help_format="plaintext",  # Markdown would cost a third of the time of --help
        help_formatter="plain",
        default_parameter=Parameter(negative=()),
    )
    for one in COMMANDS:
        if one.name in groups:
            commands.command(groups[one.name](App, one))
            continue
        word = one.name.replace("-", "_")
        commands.command(
            f"nofluke.cli.{word}:{word}",
            name=one.name,
            help=one.answers,
            help_epilogue=one.epilogue or None,
        )
    return commands


def _ledger(app: type[App], command: Command) -> App:
    """The commands of a ledger."""
    from cyclopts import Parameter

    ledger = app(
        name=command.name,
        help=command.answers,
        help_epilogue=command.epilogue,
        help_format="plaintext",
        help_formatter="plain",
        default_parameter=Parameter(negative=()),
    )
    told = {
        "init": ("Begin a ledger in a new file.", "ledger.db --name tumours"),
        "log": (
            "Write an entry: rows, a freeze, a record of what was fixed or tried, a look.",
            'ledger.db rule rule="largest area" fixed="2026-03-01, plan.md"',
        ),
        "show": (
            "What is on record, what is missing, and what can no longer be known.",
            "ledger.db --report ledger.html",
        ),
        "verify": (
            "Is every entry as it was written? Exit code 1 where something is found.",
            "ledger.db --head 12:3f0a...",
        ),
        "export": ("Write all entries to a file of JSON lines.", "ledger.db ledger.jsonl"),
        "import": ("A new ledger from exported entries.", "copy.db ledger.jsonl"),
    }
    _add(ledger, "nofluke.cli.ledger", told, functions={"import": "bring"})
    return ledger


def _store(app: type[App], command: Command) -> App:
    """The commands of a store."""
    from cyclopts import Parameter

    store = app(
        name=command.name,
        help=command.answers,
        help_epilogue=command.epilogue,
        help_format="plaintext",
        help_formatter="plain",
        default_parameter=Parameter(negative=()),
    )
    told = {
        "migrate": ("Make the tables, or bring them to the newest revision.", "keeper.db"),
        "check": (
            "Are the tables of this version, ledgers as written, and looks counted once?",
            "keeper.db",
        ),
        "backup": (
            "Write all rows to one file, while others go on writing.",
            "keeper.db keeper.backup",
        ),
        "restore": (
            "Put the rows of a backup into a store that has none.",
            "keeper.backup postgresql://keeper@localhost/keeper",
        ),
    }
    _add(store, "nofluke.cli.store", told)
    return store


def _add(
    group: App,
    module: str,
    told: Mapping[str, tuple[str, str]],
    *,
    functions: Mapping[str, str] | None = None,
) -> None:
    """Add commands by name, each with its own example: without one it would show the group's.

    Args:
        group: Commands of one kind.
        module: Where their functions are.
        told: By name: what the command does, and what follows it in an example.
        functions: Names of functions that are not those of their commands.
    """
    for name, (words, example) in told.items():
        function = (functions or {}).get(name, name)
        group.command(
            f"{module}:{function}",
            name=name,
            help=words,
            help_epilogue=f"Example: nofluke {group.name[0]} {name} {example}",
        )


def silence() -> None:
    """Send what is left of our output nowhere, as its reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _unwritten(error: OSError) -> tuple[str, str]:
    """Code and words for what could not be read or written."""
    from nofluke.sources import spills

    if not spills.is_full(error):
        if error.filename is None or error.strerror is None:
            return "NF001", f"{error}."
        return "NF001", f"{error.filename} cannot be read or written: {error.strerror}."
    if error.filename is None:
        silence()  # nothing more can be said there, not even at the end
        return "NF410", (
            f"the answer could not be written to standard output in full ({error.strerror}); what "
            "is there is a part. Free some space and ask again."
        )
    return "NF410", (
        f"{error.filename} could not be written ({error.strerror}); nothing half-written is left. "
        "Free some space and ask again."
    )


def _stand_in() -> None:
    """Where a stream is closed (`>&-`) Python has none; what is written to it goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _speak_any_id() -> None:
    """Ids may hold any letter, so a terminal that lacks one gets its escape and no crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _write_all() -> None:
    """Where Python does not buffer (`PYTHONUNBUFFERED`), what a full disk cuts off is lost unsaid.

    A buffer goes on until all is written or the disk says why not.
    """
    out = sys.stdout
    raw = getattr(out, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=out.encoding, errors=out.errors, line_buffering=True
        )


def _complain(code: str, message: str) -> None:
    if sys.stderr is None:
        return
    sys.stderr.write(f"{code}  {message}\n")
    if code not in ("NF070",):
        sys.stderr.write(f"More: nofluke explain {code}\n")

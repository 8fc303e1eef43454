"""The ledger itself: entries are added under the lock of its store, and never changed."""

from __future__ import annotations

import datetime as dt
import getpass
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from nofluke.errors import HoldoutError, InputError, LedgerError
from nofluke.ledger import chain, events, fingerprints, kinds, lines, pipelines, roles, stores
from nofluke.ledger.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from nofluke.ledger.answers import LedgerReport, Verified
    from nofluke.ledger.events import Event
    from nofluke.ledger.fingerprints import Marks
    from nofluke.ledger.stores import Store

_HEX = set("0123456789abcdef")
_SHORTEST = 7  # characters of a commit by which people name a pipeline


def now() -> str:
    """The time of this machine in UTC, as entries hold it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def user() -> str:
    """Who is at work, as far as the machine knows."""
    try:
        return os.environ.get("NOFLUKE_WHO") or getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"


class Ledger:
    """A register of what was fixed, tried and looked at; entries are added and never changed.

    Open one with ``Ledger(path)``, begin one with ``Ledger.begin(path)``; both are context
    managers. Any number of processes may write to one ledger.

    Args:
        place: A file that ``begin`` or ``bring`` made.
        who: Who writes; the name of the user (or NOFLUKE_WHO) by default.
        clock: Gives the time of an entry as text.

    Raises:
        LedgerError: There is no ledger, or it cannot be read (NF068).

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger.begin(folder.name + "/ledger.db", name="tumours", who="ann") as ledger:
    ...     rule = ledger.record("rule", rule="largest area", fixed="2026-03-01, plan.md")
    ...     rule.seq, ledger.verify().intact
    (2, True)
    """

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        who: str | None = None,
        clock: Callable[[], str] = now,
    ) -> None:
        who = _name(user() if who is None else who, "who")
        self._have(stores.existing(place), who, clock)

    @classmethod
    def begin(
        cls,
        place: str | os.PathLike[str],
        *,
        name: str | None = None,
        who: str | None = None,
        clock: Callable[[], str] = now,
    ) -> Self:
        """Begin a ledger at a place where none is.

        Args:
            place: A file that is not there: JSON lines where it ends in .jsonl, else SQLite; or a
                ledger in a database, as ``stores.create`` takes it.
            name: What it is a register of; the name of the file or of the ledger by default.
            who: Who begins it.
            clock: Gives the time of an entry as text.

        Raises:
            LedgerError: Something is there, or nothing can be written (NF068).
        """
        first = _first(
            stores.title(place) if name is None else name,
            _name(user() if who is None else who, "who"),
            clock,
        )
        stores.create(place, first.line()).close()
        return cls(place, who=who, clock=clock)

    @classmethod
    def bring(
        cls,
        place: str | os.PathLike[str],
        source: str | os.PathLike[str],
        *,
        heads: Sequence[str] = (),
        who: str | None = None,
        clock: Callable[[], str] = now,
    ) -> Self:
        """A new ledger with the entries of an exported one, if they are as they were written.

        Line ends of other systems are taken as line ends; nothing else may have changed.

        Args:
            place: A file that is not there.
            source: A file of JSON lines, as ``export`` writes it.
            heads: Heads that were kept elsewhere; the entries must pass through them.
            who: Who writes to it from now on.
            clock: Gives the time of an entry as text.

        Raises:
            LedgerError: The entries are not whole (NF067), or something cannot be read or written
                (NF068).
        """
        found = lines.read(Path(source))
        checked = chain.check(found, heads=[chain.head_of(text) for text in heads])
        if checked.faults:
            raise _broken(str(source), checked.faults)
        store = stores.create(place, found[0])
        try:
            if len(found) > 1:
                store.append(lambda last, rest: found[1:])  # noqa: ARG005 (the shape of make)
        finally:
            store.close()
        return cls(place, who=who, clock=clock)

    @classmethod
    def over(
        cls,
        store: Store,
        *,
        who: str | None = None,
        clock: Callable[[], str] = now,
    ) -> Self:
        """A ledger over a store at hand, such as one that appends in a transaction of others.

        Args:
            store: A store that holds a ledger; it is let go of by ``close``.
            who: Who writes.
            clock: Gives the time of an entry as text.
        """
        made = cls.__new__(cls)
        made._have(store, who, clock)  # noqa: SLF001 (of its own)
        return made

    def _have(self, store: Store, who: str | None, clock: Callable[[], str]) -> None:
        self._who = _name(user() if who is None else who, "who")
        self._clock = clock
        self._store = store

    @classmethod
    def begin_over(
        cls,
        store: Store,
        *,
        name: str,
        who: str | None = None,
        clock: Callable[[], str] = now,
    ) -> Self:
        """Begin a ledger in a store at hand, which holds no line yet.

        Args:
            store: The store.
            name: What it is a register of.
            who: Who begins it.
            clock: Gives the time of an entry as text.

        Raises:
            LedgerError: There is a line, or nothing can be written (NF068).
        """
        who = _name(user() if who is None else who, "who")
        first = _first(name, who, clock)

        def make(last: bytes | None, rest: bytes) -> list[bytes]:
            if last is not None or rest:
                raise LedgerError(
                    f"{store.place} holds a ledger already, and none is written over.",
                    code="NF068",
                )
            return [first.line()]

        store.append(make)
        return cls.over(store, who=who, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self.place})"

    @property
    def place(self) -> str:
        """Where it is."""
        return self._store.place

    @property
    def head(self) -> str:
        """Number and digest of the last entry, to be kept where nobody can change it."""
        return str(_whole(self.place, self._store.lines()).head)

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def entries(self) -> list[Event]:
        """All entries, from the first to the last.

        Raises:
            LedgerError: The chain is broken (NF067), or the file cannot be read (NF068).
        """
        found = list(self._store.lines())
        _whole(self.place, found)
        return [events.read(line) for line in found]

    def record(self, kind: str, **fields: Any) -> Event:
        """Write down one of the records that people keep, see ``kinds.RECORDS``.

        Args:
            kind: "split", "preprocessing", "candidates", "rule", "access", "predictions", "scope"
                or "note".
            **fields: What it must say; what does not apply is said in words. ``files=`` of
                predictions names files, of which the digests are kept.

        Returns:
            The entry.

        Raises:
            InputError: A field is missing or unknown (NF069).
            LedgerError: It could not be kept (NF067, NF068).
        """
        body = kinds.checked(kind, fingerprints.spelled(fields))
        if kind == "predictions":
            body["files"] = pipelines.digests(pipelines.paths(fields["files"]))
        return self._add(lambda _: (kind, body))

    def register(self, data: Any, *, role: str = "test", name: str) -> Event:
        """Register rows as a test set or as validation rows, by their content.

        Args:
            data: Scores or predictions of these rows, by anybody; for validation rows also numbers
                or a file. A test set needs labels, or ids that say more than a number of the row.
            role: "test": fresh until somebody learns something of them. "validation": rows that
                give feedback as often as they are asked.
            name: What they are called from now on.

        Raises:
            InputError: Rows or a name that are registered already, or a test set that could not be
                known again (NF069).
            LedgerError: It could not be kept (NF067, NF068).
        """
        if role not in roles.ROLES:
            raise InputError(
                f"role={role!r} must be one of {', '.join(roles.ROLES)}.", code="NF069"
            )
        marks = fingerprints.marks(Path(data) if isinstance(data, str) else data)
        name = _name(name, "name")
        if role == "test" and not marks.lasting:
            raise InputError(
                "a test set must be known again under any candidate's scores, and these rows have "
                "neither labels nor ids that say more than their number; register labelled "
                "predictions, or name a column of ids.",
                code="NF069",
            )

        def body(entries: Iterable[Event]) -> tuple[str, Mapping[str, Any]]:
            found = roles.register(entries)
            known = [r for r in found.known(marks) if r.registered is not None]
            if known:
                raise InputError(
                    f"these rows are registered already, as {known[0].name!r} (entry "
                    f"{known[0].registered}); another name makes no other rows.",
                    code="NF069",
                )
            if found.named(name) is not None:
                raise InputError(
                    f"the name {name!r} belongs to other rows already; take another one.",
                    code="NF069",
                )
            return "data", {"name": name, "role": role, "marks": marks.body()}

        return self._add(body)

    def keep(self, kind: str, body: Mapping[str, Any]) -> Event:
        """Write down what a keeper of rows has decided under a lock of its own.

        The ledger checks nothing here and reads its last entry only, so that this takes as long
        in a long ledger as in a short one.

        Args:
            kind: One of ``kinds.KEPT``.
            body: What it says, as JSON.

        Raises:
            InputError: Another kind (NF069).
            LedgerError: It could not be kept (NF067, NF068).
        """
        if kind not in kinds.KEPT or kind == "init":
            raise InputError(
                f"kind={kind!r} must be one of {', '.join(k for k in kinds.KEPT if k != 'init')}.",
                code="NF069",
            )
        return self._add(lambda _: (kind, body))

    def give_up(self, name: str, *, why: str) -> Event:
        """Use a test set as validation rows from now on; there is no way back.

        Args:
            name: The name it was registered under.
            why: The reason, in words.

        Raises:
            InputError: There is no such test set (NF069).
        """

        def body(entries: Iterable[Event]) -> tuple[str, Mapping[str, Any]]:
            rows = roles.register(entries).named(name)
            if rows is None or rows.role != "test":
                raise InputError(
                    f"there is no test set {name!r}; a set of rows can only go from test to "
                    "validation.",
                    code="NF069",
                )
            return "role", {"name": name, "role": "validation", "why": _name(why, "why")}

        return self._add(body)

    def freeze(
        self,
        paths: Iterable[str | os.PathLike[str]] = (),
        *,
        pipeline: str | None = None,
        text: str = "",
    ) -> Event:
        """Lock the pipeline: nothing of it may change before a test set is opened.

        Args:
            paths: Its files (code, settings, weights). They are compared when a fresh test set is
                opened, where they can still be read.
            pipeline: Or a name that fixes it: a commit, or a digest.
            text: Further words.

        Raises:
            InputError: Neither files nor a digest (NF069).
        """
        listed = pipelines.paths(list(paths))
        if not listed and pipeline is None:
            raise InputError(
                "a freeze needs the files of the pipeline, or a commit or digest (pipeline=).",
                code="NF069",
            )
        fixed = pipeline is None or (len(pipeline) >= _SHORTEST and set(pipeline) <= _HEX)
        if not fixed:
            raise InputError(
                f"pipeline={pipeline!r} fixes nothing: expected a commit or a digest in lower-case "
                "hexadecimal digits, or give the files.",
                code="NF069",
            )
        # Written with its folder, so that it is found again from elsewhere.
        held = pipelines.digests([path.resolve() for path in listed])
        body = {"files": held, "pipeline": pipeline, "text": text}
        body["digest"] = hashlib.sha256(canonical([pipeline, held])).hexdigest()
        return self._add(lambda _: ("freeze", body))

    def attempt(
        self, question: str, data: Sequence[Marks], options: Mapping[str, Any]
    ) -> tuple[Event, roles.Register]:
        """Write down that a question is about to be asked of some rows, or that it is refused.

        Args:
            question: Its name.
            data: By what its rows are known.
            options: Its arguments, as JSON.

        Returns:
            The entry, and what the entries before it say.

        Raises:
            HoldoutError: The rows are a fresh test set and no pipeline is frozen, or the frozen one
                has changed (NF066); or they are guarded (NF088). The refusal is an entry, too.
            LedgerError: It could not be kept (NF067, NF068).
        """
        asked = {
            "question": question,
            "options": dict(options),
            "data": [marks.body() for marks in data],
        }
        asked["key"] = hashlib.sha256(canonical(asked)).hexdigest()
        before: list[roles.Register] = []

        def body(entries: Iterable[Event]) -> tuple[str, Mapping[str, Any]]:
            found = roles.register(entries)
            before.append(found)
            # Files may be large, and nobody else can write meanwhile.
            changed = pipelines.changed(found.frozen) if found.fresh(data) else []
            why = roles.refusal(found, data, changed)
            return ("attempt", asked) if why is None else ("refused", {**asked, "why": why})

        event = self._add(body)
        if event.kind == "refused":
            looks = sum(len(r.looks) for marks in data for r in before[0].known(marks))
            guarded = bool(before[0].guarded(data))
            freeze = f" Freeze it first (nofluke ledger log {self.place} freeze --file ...)."
            raise HoldoutError(
                f"{event.body['why']}.{'' if guarded else freeze} The refusal is entry "
                f"{event.seq}; nothing was returned.",
                code="NF088" if guarded else "NF066",
                looks=looks,
            )
        return event, before[0]

    def outcome(self, attempt: Event, kind: str, body: Mapping[str, Any]) -> Event:
        """Write down what an attempt returned ("look"), or that it returned nothing ("failed")."""
        return self._add(lambda _: (kind, {"attempt": attempt.seq, **body}))

    def verify(self, *, heads: Sequence[str] = ()) -> Verified:
        """Whether the ledger is as it was written.

        Args:
            heads: Heads that were kept elsewhere, as NUMBER:DIGEST; only they show that entries at
                the end were removed, or that all was written anew.

        Raises:
            InputError: A text that is no head (NF069).
            LedgerError: The file cannot be read at all (NF068).
        """
        from nofluke.ledger.answers import verified

        kept = [chain.head_of(text) for text in heads]
        return verified(self.place, self._store, kept)

    def report(self) -> LedgerReport:
        """What is on record, what is missing, and what can no longer be known.

        Raises:
            LedgerError: The chain is broken (NF067), or the file cannot be read (NF068).
        """
        from nofluke.ledger.answers import report

        return report(self.place, self.entries())

    def export(self, target: str | os.PathLike[str]) -> int:
        """Write all entries to a new file of JSON lines; returns how many.

        Raises:
            LedgerError: The chain is broken (NF067); something is there, or it cannot be written
                (NF068).
        """
        found = list(self._store.lines())
        _whole(self.place, found)
        path = Path(target)
        try:
            lines.write(path, found)
        except FileExistsError:
            raise LedgerError(
                f"{path} is there already, and is not written over; name another file.",
                code="NF068",
            ) from None
        except OSError as error:
            why = error.strerror or error
            raise LedgerError(f"{path} cannot be written: {why}.", code="NF068") from None
        return len(found)

    def _add(self, make: Callable[[Iterable[Event]], tuple[str, Mapping[str, Any]]]) -> Event:
        """Add an entry that may depend on all before it, while nobody else can add one."""
        added: list[Event] = []

        def new(last: bytes | None, rest: bytes) -> list[bytes]:
            before = _last(self.place, last)
            told = []
            if rest:
                told.append(self._next(before, "torn", _remains(rest)))
                before = told[0]
            kind, body = make(self._events())
            told.append(self._next(before, kind, body))
            added.append(told[-1])
            return [event.line() for event in told]

        self._store.append(new)
        return added[0]

    def _events(self) -> Iterator[Event]:
        """The entries before a new one, read only if somebody asks."""
        found = list(self._store.lines())
        _whole(self.place, found)
        yield from (events.read(line) for line in found)

    def _next(self, before: Event, kind: str, body: Mapping[str, Any]) -> Event:
        return events.sealed(
            seq=before.seq + 1,
            time=self._clock(),
            who=self._who,
            kind=kind,
            body=body,
            previous=before.digest,
        )


def _first(name: str, who: str, clock: Callable[[], str]) -> Event:
    return events.sealed(
        seq=1,
        time=clock(),
        who=who,
        kind="init",
        body={"name": _name(name, "name")},
        previous=events.NOTHING,
    )


def _last(place: str, line: bytes | None) -> Event:
    """The last entry, to which the next one is chained."""
    why = "it has no entry"
    if line is not None:
        why = "its last entry is not as it was written"
        try:
            event = events.read(line)
        except ValueError:
            pass
        else:
            if events.fits(event):
                return event
    raise LedgerError(
        f"nothing is added to the ledger {place}, because {why}. See nofluke ledger verify.",
        code="NF067",
    )


def _whole(place: str, found: Iterable[bytes]) -> chain.Checked:
    checked = chain.check(found)
    if checked.faults:
        raise _broken(place, checked.faults)
    return checked


def _broken(place: str, faults: Sequence[chain.Fault]) -> LedgerError:
    first, more = faults[0], len(faults) - 1
    rest = f", and {more} more" if more else ""
    return LedgerError(
        f"the ledger {place} is not as it was written: at entry {first.place}, {first.says}{rest}. "
        "nofluke ledger verify lists all; go on from a copy that was kept.",
        code="NF067",
    )


def _remains(rest: bytes) -> dict[str, Any]:
    """What is known of what an interrupted writer left."""
    text = rest[: kinds.MOST_TEXT].decode("utf-8", "backslashreplace")
    return {"bytes": len(rest), "sha256": hashlib.sha256(rest).hexdigest(), "text": text}


def _name(text: Any, what: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{what}={text!r} must be a text that says something.", code="NF069")
    return text.strip()

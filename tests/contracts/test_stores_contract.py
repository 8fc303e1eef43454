"""Every store of a ledger keeps the contract: whole lines, in order, whoever writes and dies."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nofluke
from nofluke.errors import LedgerError
from nofluke.ledger import Ledger, chain, events, stores
from nofluke.testing import check_store

SRC = str(Path(nofluke.__file__).parents[1])
# A further store is one more place here: a file, or a ledger in a database.
FILES = {"sqlite": "ledger.db", "json lines": "ledger.jsonl"}
PLACES = (*FILES, "database of sqlite", "postgresql")


@pytest.fixture(params=PLACES)
def place(request, tmp_path):
    if request.param in FILES:
        return tmp_path / FILES[request.param]
    if request.param == "postgresql":
        return f"{request.getfixturevalue('postgres').new()}#tumours"
    return f"sqlite:///{tmp_path / 'keeper.db'}#tumours"


def another(place, name):
    """A place of the same kind: another file, or another ledger in the same database."""
    if isinstance(place, Path):
        return place.with_name(f"{name}{place.suffix}")
    return f"{place.partition('#')[0]}#{name}"


def nowhere(place):
    """A place of the same kind that cannot be."""
    if isinstance(place, Path):
        return place.parent / "nowhere" / place.name
    url, _, name = place.partition("#")
    return f"{url.rpartition('/')[0]}/nowhere/keeper#{name}"


@pytest.fixture
def impatient(monkeypatch):
    from nofluke.database import drivers
    from nofluke.ledger import lines, sqlite

    for module in (lines, sqlite, drivers):
        monkeypatch.setattr(module, "PATIENCE", 0.05)


def lines_of(place):
    store = stores.existing(place)
    try:
        return list(store.lines())
    finally:
        store.close()


def started(script, *words, out=subprocess.DEVNULL):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, words)],
        env={**os.environ, "PYTHONPATH": SRC},
        stdout=out,
        stderr=subprocess.PIPE,
        bufsize=0,  # what the first lines are read with must not swallow others
    )


def test_the_contract_that_authors_check(place):
    check_store(lambda first: stores.create(place, first), lambda: stores.existing(place))


class Careless:
    """A store in memory that breaks one promise."""

    place, shared = "memory", []

    def __init__(self, breaks):
        self.breaks = breaks

    @classmethod
    def created(cls, first, breaks):
        cls.shared = [first]
        return cls(breaks)

    def append(self, make):
        last = self.shared[-1]
        try:
            new = make(last if self.breaks != "last" else None, b"")
        except ZeroDivisionError:
            if self.breaks == "error":
                return
            if self.breaks == "half":
                self.shared.append(b"half")
            raise
        if self.breaks == "strip":
            new = [line.strip(b"\x00") for line in new]
        if self.breaks == "race":
            time.sleep(0.001)
        self.shared.extend(new)

    def lines(self):
        return iter(list(self.shared))

    def faults(self):
        return ["a page is torn"] if self.breaks == "fault" else []

    def close(self):
        if self.breaks == "forgets":
            self.shared.pop()


@pytest.mark.parametrize(
    ("breaks", "says"),
    [
        ("last", "was shown"),
        ("error", "swallowed"),
        ("half", "making lines failed"),
        ("strip", "lines were appended"),
        ("race", "threads wrote"),
        ("fault", "has faults"),
        ("forgets", "opened again"),
    ],
)
def test_a_store_that_breaks_a_promise_is_found(breaks, says):
    with pytest.raises(AssertionError, match=says):
        check_store(lambda first: Careless.created(first, breaks), lambda: Careless(breaks))


@pytest.mark.usefixtures("impatient")
def test_reading_while_making_does_not_let_another_writer_in(place):
    store, other = stores.create(place, b"{1}"), stores.existing(place)

    def make(last, rest):
        assert list(store.lines()) == [b"{1}"]
        with pytest.raises(LedgerError):
            other.append(lambda last, rest: [b"{3}"])
        return [b"{2}"]

    store.append(make)
    other.append(lambda last, rest: [b"{3}"])
    assert list(store.lines()) == [b"{1}", b"{2}", b"{3}"]
    store.close()
    other.close()


def test_nothing_is_written_over(place, tmp_path):
    stores.create(place, b"{1}").close()
    with pytest.raises(LedgerError, match="there already"):
        stores.create(place, b"{2}")
    assert lines_of(place) == [b"{1}"]
    assert [p.name for p in tmp_path.iterdir() if "part" in p.name] == []


def test_no_place_no_store(place):
    with pytest.raises(LedgerError, match="no ledger at"):
        stores.existing(place)
    with pytest.raises(LedgerError, match="no ledger can be made"):
        stores.create(nowhere(place), b"{1}")
    stores.create(another(place, "other"), b"{1}").close()
    with pytest.raises(LedgerError, match="no ledger at"):
        stores.existing(place)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("name", FILES.values(), ids=FILES)
def test_a_failed_write_is_an_error(name, tmp_path):
    place = tmp_path / name
    Ledger.begin(place).close()
    place.chmod(0o444)
    with pytest.raises(LedgerError, match="cannot be"), Ledger(place) as ledger:
        ledger.record("note", text="x")


# One process imports, and forks eight writers that begin together.
WRITERS = """
import os, sys
from nofluke.ledger import Ledger
place, each, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
go, ready = os.pipe()
children = []
for k in range(8):
    child = os.fork()
    if child == 0:
        os.close(ready)
        os.read(go, 1)
        try:
            with Ledger(place, who=f"writer {k}") as ledger:
                for i in range(each):
                    ledger.record("note", text=f"{i} " + "x" * size)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    children.append(child)
os.close(ready)
sys.exit(sum(os.waitpid(child, 0)[1] != 0 for child in children))
"""


@pytest.mark.parametrize("size", [200, pytest.param(300_000, marks=pytest.mark.slow)])
def test_eight_writers_lose_nothing(place, size):
    """The case ledger-01: 8 processes write 25 entries each, of 200 bytes and of 300 kB."""
    eight_writers(place, 25, size)


@pytest.mark.parametrize("name", FILES.values(), ids=FILES)
def test_eight_hasty_writers_lose_nothing(name, tmp_path):
    eight_writers(tmp_path / name, 100, 0)


def eight_writers(place, each, size):
    Ledger.begin(place, who="first").close()
    writers = started(WRITERS, place, each, size)
    assert writers.communicate()[1] == b""
    assert writers.returncode == 0

    checked = chain.check(lines_of(place))
    assert (checked.faults, checked.entries) == ((), 1 + 8 * each)
    with Ledger(place) as ledger:
        entries = ledger.entries()
    assert [e.seq for e in entries] == list(range(1, 2 + 8 * each))
    assert len({e.digest for e in entries}) == 1 + 8 * each
    for k in range(8):
        own = [e.body["text"].split()[0] for e in entries if e.who == f"writer {k}"]
        assert own == [str(i) for i in range(each)]


# One process imports, and forks four that begin the same ledger together.
RACERS = """
import os, sys
from nofluke.errors import LedgerError
from nofluke.ledger import Ledger
if "://" in sys.argv[1]:
    import nofluke.database.lines, nofluke.database.engine, alembic.command
go, ready = os.pipe()
children = []
for k in range(4):
    child = os.fork()
    if child == 0:
        os.close(ready)
        os.read(go, 1)
        try:
            Ledger.begin(sys.argv[1], who=str(k)).close()
        except LedgerError:
            os._exit(3)
        os._exit(0)
    children.append(child)
os.close(ready)
print(*(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""

KILLED = """
import sys
from nofluke.ledger import Ledger
with Ledger(sys.argv[1], who="killed") as ledger:
    while True:
        event = ledger.record("note", text="x" * int(sys.argv[2]))
        sys.stdout.write(f"{event.seq} {event.digest}\\n")
        sys.stdout.flush()
"""


def test_what_was_granted_survives_kill_9(place):
    Ledger.begin(place).close()
    granted = {}
    for turn in range(4 if isinstance(place, Path) else 2):
        writer = started(KILLED, place, [100, 100_000][turn % 2], out=subprocess.PIPE)
        first = b"".join(writer.stdout.readline() for _ in range(3))
        time.sleep(0.011 * (turn + 1))
        writer.send_signal(signal.SIGKILL)
        out, err = writer.communicate()
        assert (writer.returncode, err) == (-signal.SIGKILL, b"")
        for line in (first + out).decode().splitlines():
            seq, _, digest = line.partition(" ")
            if len(digest) == 64:  # the last line of the pipe may be cut
                granted[int(seq)] = digest
    with Ledger(place) as ledger:
        ledger.record("note", text="after")
        assert ledger.verify().intact
        kept = {e.seq: e.digest for e in ledger.entries()}
    assert len(granted) > 5
    assert granted.items() <= kept.items()


def test_writers_of_two_ledgers_do_not_meet(place):
    other = another(place, "other")
    for p in (place, other):
        Ledger.begin(p).close()
    with Ledger(place) as a, Ledger(other) as b:
        a.record("note", text="a")
        b.record("note", text="b")
        assert [e.body.get("text") for e in a.entries()] == [None, "a"]
        assert [e.body.get("text") for e in b.entries()] == [None, "b"]


def test_begun_twice_at_once_is_one_ledger(place):
    racers = started(RACERS, place, out=subprocess.PIPE)
    out, err = racers.communicate()
    assert (sorted(out.split()), err) == ([b"0", b"3", b"3", b"3"], b"")
    assert chain.check(lines_of(place)).entries == 1


def test_a_half_written_line_is_told_and_recorded(tmp_path):
    # What kill -9 may leave in a file of lines: every beginning of the line being written.
    whole = tmp_path / "whole.jsonl"
    with Ledger.begin(whole, who="ann", clock=lambda: "2026-01-01T00:00:00.000Z") as ledger:
        ledger.record("access", data="test", question="auc", returned=0.8, feedback="yes")
    data = whole.read_bytes()
    start = data.index(b"\n") + 1
    for cut in range(start + 1, len(data)):
        torn = tmp_path / "torn.jsonl"
        torn.write_bytes(data[:cut])
        with Ledger(torn, who="bob", clock=lambda: "2026-01-02T00:00:00.000Z") as ledger:
            found = ledger.verify()
            assert [f.kind for f in found.faults] == ["store"]
            assert "no end" in found.faults[0].says
            ledger.record("note", text="on")
            entries = ledger.entries()
            assert [e.kind for e in entries] == ["init", "torn", "note"]
            assert entries[1].body["text"] == data[start:cut].decode()
            assert ledger.verify().intact
            assert any(n.startswith("NF364") for n in ledger.report().notes)


@pytest.mark.usefixtures("impatient")
def test_a_held_lock_is_an_error_in_the_end(place):
    Ledger.begin(place).close()
    with Ledger(place) as held, Ledger(place) as other:

        def meanwhile(last, rest):
            with pytest.raises(LedgerError) as refused:
                other.record("note", text="x")
            assert refused.value.code == "NF068"
            return [last]

        held._store.append(meanwhile)
    assert len(lines_of(place)) == 2


def test_a_full_disk_leaves_all_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "ledger.jsonl"
    Ledger.begin(path).close()
    path.write_bytes(path.read_bytes() + b'{"half')
    before = path.read_bytes()
    real, left = os.pwrite, [40]

    def full(fd, text, place):
        if not left:
            return real(fd, text, place)
        done = real(fd, text[: left[0]], place)
        left.clear()
        monkeypatch.setattr(os, "fsync", broken)
        return done

    def broken(fd):
        monkeypatch.undo()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="No space left"):
        ledger.record("note", text="x")
    assert path.read_bytes() == before


def test_sql_hands_do_not_slip(tmp_path):
    import sqlite3
    from contextlib import closing

    path = tmp_path / "ledger.db"
    Ledger.begin(path).close()
    with closing(sqlite3.connect(path)) as db:
        for statement in ("UPDATE entries SET line = x'00'", "DELETE FROM entries"):
            with pytest.raises(sqlite3.IntegrityError, match="of a ledger are not"):
                db.execute(statement)
        db.execute("DROP TRIGGER entries_are_not_deleted")
        db.commit()
    with Ledger(path) as ledger:
        assert [f.kind for f in ledger.verify().faults] == ["store"]


def test_another_database_is_no_ledger(tmp_path):
    import sqlite3
    from contextlib import closing

    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(LedgerError, match="no ledger"):
        Ledger(path)
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(LedgerError, match="no ledger"):
        Ledger(tmp_path / "text.txt")
    with pytest.raises(LedgerError, match="postgresql"):
        Ledger("mysql://somewhere/x")


def test_entries_are_json_for_everybody(place):
    Ledger.begin(place, name="größe").close()
    said = [json.loads(line) for line in lines_of(place)]
    assert said[0]["body"] == {"name": "größe"}
    assert events.fits(events.read(lines_of(place)[0]))

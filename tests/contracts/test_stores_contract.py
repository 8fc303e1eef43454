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

SRC = str(Path(nofluke.__file__).parents[1])
# A further store is one more place here.
PLACES = {"sqlite": "ledger.db", "json lines": "ledger.jsonl"}


@pytest.fixture(params=PLACES.values(), ids=PLACES)
def place(request, tmp_path):
    return tmp_path / request.param


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
    )


def test_lines_come_back_in_order(place):
    store = stores.create(place, b"{1}")
    store.append(lambda last, rest: [last + rest + b"2", b"3"])
    store.append(lambda last, rest: [last + b"4"])
    assert list(store.lines()) == [b"{1}", b"{1}2", b"3", b"34"]
    assert store.faults() == []
    store.close()
    assert lines_of(place) == [b"{1}", b"{1}2", b"3", b"34"]


def test_nothing_is_kept_where_making_fails(place):
    store = stores.create(place, b"{1}")

    def fails(last, rest):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.append(fails)
    assert list(store.lines()) == [b"{1}"]
    store.append(lambda last, rest: [b"{2}"])
    assert list(store.lines()) == [b"{1}", b"{2}"]
    store.close()


def test_what_makes_a_line_may_read_all(place):
    store = stores.create(place, b"{1}")
    store.append(lambda last, rest: [b"".join(store.lines())])
    assert list(store.lines()) == [b"{1}", b"{1}"]
    store.close()


def test_reading_while_making_does_not_let_another_writer_in(place, monkeypatch):
    from nofluke.ledger import lines, sqlite

    monkeypatch.setattr(lines, "PATIENCE", 0.05)
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
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


def test_nothing_is_written_over(place):
    stores.create(place, b"{1}").close()
    with pytest.raises(LedgerError, match="there already"):
        stores.create(place, b"{2}")
    assert lines_of(place) == [b"{1}"]
    assert [p.name for p in place.parent.iterdir() if "part" in p.name] == []


def test_no_place_no_store(place, tmp_path):
    with pytest.raises(LedgerError, match="no ledger at"):
        stores.existing(place)
    with pytest.raises(LedgerError, match="no ledger can be made"):
        stores.create(tmp_path / "nowhere" / place.name, b"{1}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_failed_write_is_an_error(place):
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


@pytest.mark.parametrize(
    ("each", "size"), [(100, 0), (25, 200), (25, 300_000)], ids=["100", "25 small", "25 large"]
)
def test_eight_writers_lose_nothing(place, each, size):
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
    for turn in range(4):
        writer = started(KILLED, place, [100, 100_000][turn % 2], out=subprocess.PIPE)
        first = writer.stdout.readline()
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


def test_writers_of_two_ledgers_do_not_meet(tmp_path, place):
    other = tmp_path / f"other{place.suffix}"
    for p in (place, other):
        Ledger.begin(p, name=p.stem).close()
    with Ledger(place) as a, Ledger(other) as b:
        a.record("note", text="a")
        b.record("note", text="b")
        assert [e.body.get("text") for e in a.entries()] == [None, "a"]
        assert [e.body.get("text") for e in b.entries()] == [None, "b"]


def test_begun_twice_at_once_is_one_ledger(place):
    script = (
        "import sys\nfrom nofluke.ledger import Ledger\n"
        "try: Ledger.begin(sys.argv[1], who=sys.argv[2]).close()\n"
        "except Exception as error: sys.exit(3)\n"
    )
    racers = [started(script, place, k) for k in range(4)]
    for racer in racers:
        racer.communicate()
    assert sorted(r.returncode for r in racers) == [0, 3, 3, 3]
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


def test_a_held_lock_is_an_error_in_the_end(place, monkeypatch):
    from nofluke.ledger import lines, sqlite

    monkeypatch.setattr(lines, "PATIENCE", 0.05)
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
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
        Ledger("postgresql://somewhere/x")


def test_entries_are_json_for_everybody(place):
    Ledger.begin(place, name="größe").close()
    said = [json.loads(line) for line in lines_of(place)]
    assert said[0]["body"] == {"name": "größe"}
    assert events.fits(events.read(lines_of(place)[0]))

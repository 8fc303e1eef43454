"""SQLite and PostgreSQL keep one contract: snapshots, whole transactions, errors that tell."""

import logging
import os
import sqlite3
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

import nofluke
from nofluke.database import drivers, durability
from nofluke.database.engine import Database
from nofluke.database.tables import settings, users
from nofluke.errors import StoreConflict, StoreError
from nofluke.ledger import Ledger

SRC = str(Path(nofluke.__file__).parents[1])


def put(connection, name, value="v"):
    connection.execute(settings.insert(), {"name": name, "value": value})


def count(connection):
    return connection.execute(select(func.count()).select_from(settings)).scalar()


def test_a_transaction_is_kept_as_a_whole(database):
    with database.writing() as connection:
        put(connection, "a")
        put(connection, "b")
    with pytest.raises(ZeroDivisionError):  # noqa: PT012, SIM117 (the block is what is tested)
        with database.writing() as connection:
            put(connection, "c")
            raise ZeroDivisionError
    with database.reading() as connection:
        assert count(connection) == 2


def test_a_reader_sees_one_moment(database):
    with database.reading() as reader:
        assert count(reader) == 0
        with database.writing() as writer:
            put(writer, "a")
        assert count(reader) == 0
    with database.reading() as reader:
        assert count(reader) == 1


def test_a_reader_writes_nothing(database):
    with pytest.raises(StoreError) as refused, database.reading() as connection:
        put(connection, "a")
    assert refused.value.code == "NF071"
    with database.writing() as connection:  # the same connections still write
        put(connection, "a")


def test_what_contradicts_is_told_without_its_values(database):
    with database.writing() as connection:
        put(connection, "a")
    with pytest.raises(StoreConflict) as refused, database.writing() as connection:
        put(connection, "a", "a label")
    assert refused.value.code == "NF071"
    said = "".join(traceback.format_exception(refused.value))
    assert "a label" not in said
    with pytest.raises(StoreConflict), database.writing() as connection:
        connection.execute(
            text("INSERT INTO members (board, \"user\", role, joined) VALUES ('x', 'y', 'o', 't')")
        )


def test_parameters_are_not_logged(database, caplog):
    with caplog.at_level(logging.INFO, logger="sqlalchemy"), database.writing() as connection:
        put(connection, "key", "a label")
    assert "INSERT INTO settings" in caplog.text
    assert "a label" not in caplog.text


def test_writers_with_one_lock_come_one_after_another(database):
    with database.writing() as connection:
        put(connection, "n", "0")

    def add(_):
        with database.writing("counter") as connection:
            n = int(connection.execute(select(settings.c.value)).scalar())
            time.sleep(0.001)
            connection.execute(settings.update().values(value=str(n + 1)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(80)))
    with database.reading() as connection:
        assert connection.execute(select(settings.c.value)).scalar() == "80"


def test_writers_with_other_locks_do_not_wait_on_a_server(postgres):
    with Database(postgres.migrated()) as database, database.writing("a", "b") as one:
        put(one, "one")
        with database.writing("c") as other:
            put(other, "other")
        with database.reading() as connection:
            assert connection.execute(select(settings.c.name)).scalars().all() == ["other"]


def test_a_held_lock_is_an_error_in_the_end(database, store, monkeypatch):
    monkeypatch.setattr(drivers, "PATIENCE", 0.05)
    with Database(store) as held:
        held.migrate()
        refused = []

        def meanwhile():
            with pytest.raises(StoreError) as error, held.writing("a") as connection:
                put(connection, "x")
            refused.append(error.value.code)

        with held.writing("a") as connection:
            put(connection, "y")
            thread = threading.Thread(target=meanwhile)
            thread.start()
            thread.join()
        assert refused == ["NF071"]
        with held.writing("a") as connection:
            put(connection, "x")


def test_truth_and_large_bytes_come_back(database):
    with database.writing() as connection:
        connection.execute(
            users.insert(),
            {"id": "u", "name": "Ünï", "folded": "ünï", "password": "p", "admin": True,
             "created": "t"},
        )  # fmt: skip
    with database.reading() as connection:
        row = connection.execute(select(users)).one()
    assert (row.name, row.admin, row.disabled) == ("Ünï", True, None)


def test_it_is_durable(database):
    with database.reading() as connection:
        assert durability.faults(connection) == []
        if database.kind == "sqlite":
            assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
    if database.kind == "sqlite":
        assert Path(database.url.removeprefix("sqlite:///")).stat().st_mode & 0o077 == 0


def test_a_server_that_may_lose_rows_is_told(postgres, monkeypatch):
    url = postgres.migrated() + "%20-csynchronous_commit%3Doff"
    with Database(url) as database, database.reading() as connection:
        # What this package acknowledges is on disk all the same.
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
        monkeypatch.setattr(durability, "NEEDED", ("fsync", "ssl"))
        assert [f[:10] for f in durability.faults(connection)] == ["ssl is off"]
        connection.execute(text("SET synchronous_commit = off"))
        assert "synchronous_commit is off" in durability.faults(connection)[1]


def test_a_file_that_is_no_store_is_let_go_of(tmp_path, monkeypatch):
    opened, connect = [], sqlite3.connect

    def recorded(*given, **options):
        opened.append(connect(*given, **options))
        return opened[-1]

    path = tmp_path / "x.db"
    path.write_text("hello")
    monkeypatch.setattr(drivers.sqlite3, "connect", recorded)
    with Database(path) as database, pytest.raises(StoreError):
        database.check()
    assert opened
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


@pytest.mark.parametrize("made", ["nothing", "folder", "other", "text"])
def test_what_is_no_store(tmp_path, made):
    path = tmp_path / "x.db"
    if made == "folder":
        path.mkdir()
    if made == "other":
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE t (x)")
    if made == "text":
        path.write_text("hello")
    with Database(path) as database:
        for ask in (database.check, lambda: database.writing().__enter__()):
            with pytest.raises(StoreError) as refused:
                ask()
            assert refused.value.code == "NF071"
        if made != "nothing":
            with pytest.raises(StoreError):
                database.migrate()


def test_a_server_that_is_away(postgres):
    url = postgres.url("nowhere")
    with Database(url) as database, pytest.raises(StoreError, match="does not exist") as refused:
        database.migrate()
    assert refused.value.code == "NF071"


def test_no_password_is_shown(postgres, caplog):
    from postgres import PASSWORD

    url = postgres.migrated()
    wrong = url.replace("s3cret", "wr0ng")
    secrets = (PASSWORD, "s3cret", "wr0ng", "%2F")
    said = []
    with caplog.at_level(logging.DEBUG):
        for place in (url, wrong, url.replace("127.0.0.1", "127.0.0.1:1/x@")):
            try:
                with Database(place) as database:
                    said += [repr(database), str(database), database.url]
                    said.append(repr(vars(database)))
                    database.check()
            except StoreError as error:
                said += ["".join(traceback.format_exception(error)), str(error)]
            try:
                Ledger(place + "#none")
            except Exception as error:
                said += ["".join(traceback.format_exception(error)), str(error)]
    assert len(said) > 10
    assert [s for s in [*said, caplog.text] if any(word in s for word in secrets)] == []


def test_it_outlives_a_restart_of_the_server(postgres):
    with Database(postgres.migrated()) as database:
        with database.writing() as connection:
            put(connection, "a")
        try:
            with pytest.raises(StoreError) as lost, database.writing() as connection:  # noqa: PT012
                put(connection, "b")
                postgres.kill()
                put(connection, "c")
            assert lost.value.code == "NF071"
            with pytest.raises(StoreError) as away, database.reading() as connection:
                count(connection)
            assert away.value.code == "NF071"
        finally:
            postgres.start()
        with database.writing() as connection:
            put(connection, "d")
        with database.reading() as connection:
            names = connection.execute(select(settings.c.name)).scalars().all()
        assert sorted(names) == ["a", "d"]


WRITER = """
import sys
from nofluke.ledger import Ledger
with Ledger(sys.argv[1], who="writer") as ledger:
    for _ in range(100_000):
        event = ledger.record("note", text="x" * 2000)
        sys.stdout.write(f"{event.seq} {event.digest}\\n")
        sys.stdout.flush()
"""


def test_what_was_acknowledged_survives_kill_9_of_the_server(postgres):
    place = postgres.migrated() + "#tumours"
    Ledger.begin(place).close()
    granted = {}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, place],
            env={**os.environ, "PYTHONPATH": SRC},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # what the first line is read with must not swallow others
        )
        for _ in range(2)
    ]
    try:
        firsts = [writer.stdout.readline() for writer in writers]
        time.sleep(0.1)
        postgres.kill()
        for writer, first in zip(writers, firsts, strict=True):
            out, err = writer.communicate(timeout=60)
            assert writer.returncode == 1
            assert b"LedgerError: the ledger tumours cannot be" in err
            for line in (first + out).decode().splitlines():
                seq, _, digest = line.partition(" ")
                assert granted.setdefault(int(seq), digest) == digest
    finally:
        for writer in writers:
            writer.kill()
        postgres.start()
    with Ledger(place) as ledger:
        assert ledger.verify().intact
        kept = {e.seq: e.digest for e in ledger.entries()}
        ledger.record("note", text="after")
    assert granted.items() <= kept.items()
    # At most one entry of each writer was kept without being acknowledged.
    assert 5 < len(granted) <= len(kept) - 1 <= len(granted) + 2


def test_a_file_whose_log_cannot_be_opened_says_where_it_lies(tmp_path):
    path = tmp_path / "keeper.db"
    with Database(path) as made:
        made.migrate()
    path.with_name("keeper.db-wal").unlink(missing_ok=True)
    path.with_name("keeper.db-wal").mkdir()  # as little can be written as in a read-only folder
    with Database(path) as database, pytest.raises(StoreError, match="folder must be one that"):
        database.check()

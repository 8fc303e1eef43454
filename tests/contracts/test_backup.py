"""A backup is a true copy, whatever database it was made of, or it is refused."""

import json
import threading
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from filling import fill, told
from sqlalchemy import text

from nofluke.cli.store import _faults
from nofluke.database import revisions
from nofluke.database.backup import backup, read, restore
from nofluke.database.engine import Database
from nofluke.database.tables import entries
from nofluke.errors import StoreError
from nofluke.ledger import Ledger


@pytest.fixture
def filled(store):
    with Ledger.begin(f"{store}#tumours", who="ann") as ledger:
        ledger.record("note", text="größe")
        head = ledger.head
    with Database(store) as database:
        with database.writing() as connection:
            fill(connection)
        yield database, head


def contents_of(database):
    with database.reading() as connection:
        return told(connection)


def places(request, tmp_path):
    return f"sqlite:///{tmp_path / 'other.db'}", request.getfixturevalue("postgres").new()


def test_it_comes_back_in_every_database(filled, request, tmp_path):
    database, head = filled
    path = tmp_path / "k.backup"
    manifest = backup(database, path, check=_faults)
    assert manifest.heads["tumours"] == head
    assert manifest.faults.keys() == {n for n in manifest.heads if n != "tumours"}
    assert path.stat().st_mode & 0o077 == 0
    assert read(path) == manifest
    before = contents_of(database)
    assert all(len(rows) >= 2 for rows in before.values())
    for k, place in enumerate(places(request, tmp_path)):
        with Database(place) as other:
            if k:
                other.migrate()  # an empty store with its tables is taken, too
            assert restore(path, other, check=_faults) == manifest
            assert contents_of(other) == before
            other.check()
            again = tmp_path / f"{k}.backup"
            backup(other, again, check=_faults)
            assert read(again).tables == manifest.tables
        with Ledger(f"{place}#tumours") as ledger:
            assert ledger.verify(heads=[head]).intact
            ledger.record("note", text="on")
    assert [p.name for p in tmp_path.iterdir() if "part" in p.name] == []


def test_it_is_of_one_moment(database, tmp_path):
    stop = threading.Event()
    seen = []

    def write():
        k = 0
        while not stop.is_set():
            with database.writing() as connection:  # two rows that belong together
                for name in ("a", "b"):
                    connection.execute(
                        text("INSERT INTO settings (name, value) VALUES (:n, 'v')"),
                        {"n": f"{k}{name}"},
                    )
            k += 1
            seen.append(k)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        while not seen:
            pass
        counts = [backup(database, tmp_path / str(k)).tables["settings"]["rows"] for k in range(4)]
    finally:
        stop.set()
        thread.join()
    assert [n % 2 for n in counts] == [0] * 4
    assert counts == sorted(counts)
    assert counts[-1] > 0


def test_one_of_an_older_revision_comes_to_the_newest(store, tmp_path):
    with Database(store) as database:
        database.prepare()
        with database.writing() as connection:
            revisions.upgrade(connection, database.url, "0002")
            fill(connection)
        manifest = backup(database, tmp_path / "old")
        assert manifest.revision == "0002"
        before = contents_of(database)
    with Database(tmp_path / "new.db") as other:
        restore(tmp_path / "old", other)
        other.check()
        assert {n: contents_of(other)[n] for n in before} == before
    with Database(tmp_path / "newest.db") as other:
        other.migrate()
        with pytest.raises(StoreError, match="name a new store") as refused:
            restore(tmp_path / "old", other)
        assert refused.value.code == "NF072"


def test_nothing_is_written_over(filled, tmp_path):
    database, _ = filled
    path = tmp_path / "k.backup"
    backup(database, path)
    with pytest.raises(StoreError, match="there already"):
        backup(database, path)
    before = contents_of(database)
    with pytest.raises(StoreError, match="has rows already"):
        restore(path, database)
    assert contents_of(database) == before
    with pytest.raises(StoreError, match="cannot be written"):
        backup(database, tmp_path / "nowhere" / "k.backup")


def test_a_damaged_file_is_refused(filled, tmp_path):
    database, _ = filled
    whole = tmp_path / "whole"
    backup(database, whole)
    data = whole.read_bytes()
    damaged, target = tmp_path / "damaged", tmp_path / "target.db"
    for k in range(60):
        place = k * (len(data) - 1) // 59
        damaged.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        # A flipped bit in what zip does not read, such as a time, changes nothing.
        with suppress(StoreError):
            read(damaged)
            with zipfile.ZipFile(damaged) as one, zipfile.ZipFile(whole) as other:
                assert [one.read(n) for n in one.namelist()] == [
                    other.read(n) for n in other.namelist()
                ]
    for cut in (0, 10, len(data) // 2, len(data) - 1):
        damaged.write_bytes(data[:cut])
        with Database(target) as store, pytest.raises(StoreError):
            restore(damaged, store)
        assert not target.exists()


def altered(source, target, change):
    """The archive with its members as ``change`` leaves them."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def row_away(members):
    members["users.jsonl"] = members["users.jsonl"].split(b"\n", 1)[1]


def table_away(members):
    del members["users.jsonl"]


def member_more(members):
    members["../evil"] = b"x"


def no_manifest(members):
    del members["manifest.json"]


def other_format(members):
    members["manifest.json"] = members["manifest.json"].replace(b"store 1", b"store 9")


def other_revision(members):
    members["manifest.json"] = members["manifest.json"].replace(
        f'"{revisions.NEWEST}"'.encode(), b'"0999"'
    )


@pytest.mark.parametrize(
    "change", [row_away, table_away, member_more, no_manifest, other_format, other_revision]
)
def test_another_content_is_refused(tmp_path, change):
    with Database(tmp_path / "k.db") as database:
        database.migrate()
        with database.writing() as connection:
            fill(connection)
        backup(database, tmp_path / "whole")
    altered(tmp_path / "whole", tmp_path / "other", change)
    with Database(tmp_path / "new.db") as store, pytest.raises(StoreError) as refused:
        restore(tmp_path / "other", store)
    assert refused.value.code == ("NF072" if change is other_revision else "NF071")
    assert not (tmp_path / "new.db").exists()


def test_rows_that_fit_their_digest_and_no_table_leave_nothing(store, tmp_path):
    import hashlib

    def change(members):
        line = b'{"name":"a","value":"b","more":"c"}\n'
        manifest = json.loads(members["manifest.json"])
        manifest["tables"]["settings"] = {"rows": 1, "sha256": hashlib.sha256(line).hexdigest()}
        members["manifest.json"] = json.dumps(manifest).encode()
        members["settings.jsonl"] = line

    with Database(tmp_path / "k.db") as database:
        database.migrate()
        with database.writing() as connection:
            connection.execute(entries.insert(), {"ledger": "a", "seq": 1, "line": b"x"})
        backup(database, tmp_path / "whole")
    altered(tmp_path / "whole", tmp_path / "other", change)
    with Database(store) as target:
        with pytest.raises(StoreError, match="none of its table"):
            restore(tmp_path / "other", target)
        assert target.revision is None  # all of it is undone, the tables too
        restore(tmp_path / "whole", target)
        assert Path(tmp_path / "whole").exists()

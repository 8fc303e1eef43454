"""Every revision of the tables comes to be the newest one, with its rows, in both databases."""

import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from filling import fill, told
from sqlalchemy import text

from nofluke.database import revisions
from nofluke.database.engine import Database
from nofluke.database.tables import METADATA
from nofluke.errors import StoreError


def differences(connection):
    """Where the tables are not those of ``METADATA``."""
    options = {"compare_type": True, "compare_server_default": True}
    return compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)


def test_the_revisions_are_those_of_the_steps():
    script = ScriptDirectory.from_config(revisions.settings())
    steps = [step.revision for step in script.walk_revisions()]
    assert tuple(reversed(steps)) == revisions.REVISIONS


@pytest.mark.parametrize("start", [None, *revisions.REVISIONS])
def test_upgrade_with_rows(store, start):
    with Database(store) as database:
        assert database.prepare() is None
        if start is not None:
            with database.writing() as connection:
                revisions.upgrade(connection, database.url, start)
                fill(connection)
        with database.reading() as connection:
            before = told(connection)
        assert all(len(rows) == 2 for rows in before.values())
        assert database.revision == start

        database.migrate()

        assert database.revision == revisions.NEWEST
        with database.reading() as connection:
            assert differences(connection) == []
            after = told(connection)
        assert {name: after[name] for name in before} == before
        assert set(after) == set(METADATA.tables)
        database.migrate()
        database.check()


def test_a_difference_would_be_seen(database):
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE users ADD COLUMN more TEXT"))
        assert len(differences(connection)) == 1


def test_begun_by_several_at_once(store):
    together = threading.Barrier(4)
    failed = []

    def begin():
        with Database(store) as database:
            together.wait()
            try:
                database.migrate()
                database.check()
            except Exception as error:
                failed.append(error)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_another_revision_is_refused(store):
    with Database(store) as database:
        database.prepare()
        with pytest.raises(StoreError, match="no tables") as none:
            database.check()
        with database.writing() as connection:
            revisions.upgrade(connection, database.url, "0001")
        with pytest.raises(StoreError, match="revision 0001.*nofluke store migrate") as old:
            database.check()
        with database.writing() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        for ask in (database.check, database.migrate):
            with pytest.raises(StoreError, match="a newer version of nofluke") as new:
                ask()
            assert {e.value.code for e in (none, old, new)} == {"NF072"}


def test_a_failed_step_changes_nothing(store, monkeypatch):
    with Database(store) as database:
        database.prepare()
        with database.writing() as connection:
            revisions.upgrade(connection, database.url, "0001")
            connection.execute(text("CREATE TABLE tokens (x TEXT)"))  # in the way of 0002
        with pytest.raises(StoreError):
            database.migrate()
        assert database.revision == "0001"
        with database.reading() as connection:
            assert set(told(connection)) == {"entries", "tokens"}

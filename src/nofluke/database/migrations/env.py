"""Runs the steps in the transaction of the connection that is handed in."""

from __future__ import annotations

from alembic import context

from nofluke.database.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,  # SQLite's are, too, once pysqlite leaves transactions alone
)
with context.begin_transaction():
    context.run_migrations()

"""One database, SQLite or PostgreSQL, for ledgers and for the guarded test sets of a server.

Needs the extra ``nofluke[server]`` (SQLite) or ``nofluke[postgres]``.
"""

from __future__ import annotations

from importlib.util import find_spec

from nofluke.errors import MissingExtra

for _name in ("sqlalchemy", "alembic"):
    if find_spec(_name) is None:
        raise MissingExtra(
            f'a store in a database needs {_name}: pip install "nofluke[server]".', code="NF099"
        )

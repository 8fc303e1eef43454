"""One database, SQLite or PostgreSQL, for ledgers and for the guarded test sets of a server.

Needs the extra ``nofluke[server]`` (SQLite) or ``nofluke[postgres]``.
"""

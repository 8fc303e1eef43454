"""Rows for every table of a store, and all that a store says."""

from sqlalchemy import BigInteger, Boolean, Integer, LargeBinary

from nofluke.database import contents


def fill(connection):
    """Two rows in each table: the first refers to the second one where rows of a table may."""
    for table in contents.tables(connection):
        for k in (1, 0):
            connection.execute(table.insert(), {c.name: value(c, k) for c in table.columns})


def value(column, k):
    keys = list(column.foreign_keys)
    if keys and keys[0].column.table is column.table:
        return value(keys[0].column, 1) if k == 0 else None
    if keys:
        return value(keys[0].column, k)
    if column.nullable and k == 1:
        return None
    if isinstance(column.type, Boolean):
        return k == 1
    if isinstance(column.type, BigInteger):
        return 2**40 + k
    if isinstance(column.type, Integer):
        return k
    if isinstance(column.type, LargeBinary):
        return bytes(range(256)) * 3 + bytes([k])
    # Letters that languages sort otherwise than by their bytes.
    return f"{'_aBé'[k:]} {column.table.name}.{column.name} \"'\\ \n%s"


def told(connection):
    """All lines of all tables."""
    return {t.name: list(contents.encoded(connection, t)) for t in contents.tables(connection)}

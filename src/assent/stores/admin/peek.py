"""Questions to a database before it is opened: no file is changed, neither the database nor its logs."""

import asyncio
import os
import sqlite3
from contextlib import closing

from sqlalchemy import inspect

from assent.stores.admin.connections import read
from assent.stores.postgres.database import is_postgres
from assent.stores.sql.errors import to_store_error
from assent.stores.sql.statement import CoreConnection
from assent.stores.sql.tables import people
from assent.stores.sqlite.file import file_uri

_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'people'"
_ROW = "SELECT 1 FROM people LIMIT 1"


async def has_people(address: str) -> bool:
    """Whether a database of any schema has a person; a database that does not exist yet has none."""
    if is_postgres(address):
        return await read(address, _has_people)
    return await asyncio.to_thread(_has_people_in_file, address)


def _has_people(connection: CoreConnection) -> bool:
    if not inspect(connection.core).has_table(people.name):
        return False
    return bool(connection.fetch(_ROW, ()))


def _has_people_in_file(path: str) -> bool:
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return False
    # Without a log, all rows are in the file itself, and SQLite would create a log to read them.
    how = "mode=ro" if os.path.exists(f"{os.path.realpath(path)}-wal") else "immutable=1"
    try:
        with closing(sqlite3.connect(file_uri(path, how), uri=True)) as connection:
            if connection.execute(_TABLE).fetchone() is None:
                return False
            return connection.execute(_ROW).fetchone() is not None
    except sqlite3.Error as error:
        raise to_store_error(error, path) from error

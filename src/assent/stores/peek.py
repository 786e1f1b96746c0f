"""A look at a database before it is opened: nothing is changed, neither in it nor beside it."""

import asyncio
import os
import sqlite3
from contextlib import closing

from sqlalchemy import Connection, inspect

from assent.stores.connections import read
from assent.stores.door_tables import people
from assent.stores.faults import explained
from assent.stores.file import uri_of
from assent.stores.postgres import is_postgres

_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'people'"
_ROW = "SELECT 1 FROM people LIMIT 1"


async def has_people(address: str) -> bool:
    """Whether a database knows anybody, whatever its schema; one that is not there yet does not."""
    if is_postgres(address):
        return await read(address, _has_people)
    return await asyncio.to_thread(_has_people_in_file, address)


def _has_people(connection: Connection) -> bool:
    if not inspect(connection).has_table(people.name):
        return False
    return connection.exec_driver_sql(_ROW).first() is not None


def _has_people_in_file(path: str) -> bool:
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return False
    # Without a log beside it all is in the file itself; SQLite would make a log just to look.
    how = "mode=ro" if os.path.exists(f"{os.path.realpath(path)}-wal") else "immutable=1"
    try:
        with closing(sqlite3.connect(uri_of(path, how), uri=True)) as connection:
            if connection.execute(_TABLE).fetchone() is None:
                return False
            return connection.execute(_ROW).fetchone() is not None
    except sqlite3.Error as error:
        raise explained(error, path) from error

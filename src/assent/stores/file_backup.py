"""A copy of an SQLite file: a backup that somebody asked for, or the one before an upgrade."""

import filecmp
import os
import sqlite3
from contextlib import closing
from itertools import count

from sqlalchemy import Connection

from assent.errors import StoreError
from assent.stores import schema
from assent.stores.faults import explained
from assent.stores.file import FileIdentity
from assent.stores.finished import finished


def copy_file(path: str, target: str) -> None:
    """Copy a file that others may be writing to; what they write meanwhile is in it or not, never half."""
    if not os.path.isfile(path):
        raise StoreError(f"cannot back up {path}: there is no such file")
    try:
        source_uri = FileIdentity(path).uri
        with (
            closing(sqlite3.connect(source_uri, uri=True)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
            # A backup is one file: nothing of it may wait in a log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise explained(error, path) from error


def upgrade_file(connection: Connection, path: str) -> str:
    """Back a file up and bring it to this version's schema; where the backup is, empty if none was needed.

    The caller's transaction keeps others from writing between the backup and the upgrade, and makes the
    upgrade all or nothing.
    """
    found = schema.standing(connection)
    if found.is_usable or found.is_newer:
        return ""
    backup = "" if found.is_empty else _back_up(path, f"{path}.schema-{found.found}")
    schema.upgrade(connection)
    return backup


def _back_up(path: str, name: str) -> str:
    """A backup under that name or the next; one of the same content, of an earlier try, is not made twice."""
    names = (f"{name}.{number}" if number else name for number in count())
    taken: list[str] = []
    while os.path.lexists(free := next(names)):
        taken.append(free)
    with finished(free, "back up to") as unfinished:
        copy_file(path, unfinished)
    if taken and os.path.isfile(taken[-1]) and filecmp.cmp(taken[-1], free, shallow=False):
        os.unlink(free)
        return taken[-1]
    return free

"""Empty SQLite databases for tests that need one, but do not test how it is created.

Creating the tables costs a test most of its CPU time, so a process creates them once and copies the file.
"""

import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from assent.stores.sql.statement import CoreConnection
from assent.stores.sqlite.connection import sqlite_engine
from assent.stores.sqlite.file import FileIdentity, prepare_file, upgrade_file


def create_empty_database(path: Path) -> None:
    """Create a database with the current tables, unless the file exists."""
    if prepare_file(str(path)):
        path.write_bytes(_empty_database())


@cache
def _empty_database() -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "assent.db")
        prepare_file(str(path))
        with sqlite_engine(FileIdentity(str(path)), writing=True).begin() as core:
            upgrade_file(CoreConnection(core), str(path))
        # Moves what is in the log beside the file into the file.
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()

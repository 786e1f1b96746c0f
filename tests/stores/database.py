"""A database for tests that work on its tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from assent.stores import migrations as schema
from assent.stores.sql.statement import CoreConnection
from assent.stores.sqlite.connection import sqlite_engine
from assent.stores.sqlite.file import FileIdentity, prepare_file


def writing_engine(path: Path) -> Engine:
    """An engine that writes to a file, and creates it if necessary."""
    prepare_file(str(path))
    return sqlite_engine(FileIdentity(str(path)), writing=True)


@contextmanager
def transaction(path: Path) -> Iterator[CoreConnection]:
    """A transaction on a file with all tables."""
    engine = writing_engine(path)
    try:
        with engine.begin() as core:
            connection = CoreConnection(core)
            if schema.read_version(connection).is_empty:
                schema.upgrade(connection)
            yield connection
    finally:
        engine.dispose()

"""A database for tests that work on its tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from assent.stores import schema
from assent.stores.sqlite import sqlite_engine


@contextmanager
def transaction(path: Path) -> Iterator[Connection]:
    """A transaction on a file, which has all tables."""
    engine = sqlite_engine(str(path), writing=True)
    try:
        with engine.begin() as connection:
            if schema.standing(connection).is_empty:
                schema.upgrade(connection)
            yield connection
    finally:
        engine.dispose()

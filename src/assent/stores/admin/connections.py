"""Opens a database for one function, which reads or changes it in one transaction, then closes it."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from typing import TypeVar

from sqlalchemy import inspect
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from assent.errors import StoreError
from assent.stores import migrations as schema
from assent.stores.postgres.database import SERVER_TIMEOUT, is_postgres, parse_address, without_password
from assent.stores.sql.errors import mark_unknown_outcome, to_store_error
from assent.stores.sql.statement import CoreConnection
from assent.stores.sql.tables import people
from assent.stores.sqlite.connection import sqlite_engine
from assent.stores.sqlite.file import FileIdentity, file_uri

T = TypeVar("T")
_READ_ONLY_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


async def read_any_schema(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Run a function that reads a database of any schema, as of one moment and without blocking writers."""
    return await _run_in_transaction(address, work, writing=False)


async def write_any_schema(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Run a function that changes a database of any schema, in one transaction."""
    return await _run_in_transaction(address, work, writing=True)


async def read_current_schema(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Run a function that reads a database of the current schema."""
    return await read_any_schema(address, _with_schema_check(address, work))


async def write_current_schema(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Run a function that changes a database of the current schema."""
    return await write_any_schema(address, _with_schema_check(address, work))


def describe_address(address: str) -> str:
    """The path of a file, or the address without its password, for messages."""
    return without_password(parse_address(address)) if is_postgres(address) else address


@contextmanager
def open_file(path: str, *, writing: bool) -> Generator[CoreConnection]:
    """Open a file in one transaction."""
    engine = sqlite_engine(FileIdentity(path), writing=writing)
    try:
        with engine.connect() as connection:
            transaction = connection.begin()
            yield CoreConnection(connection)
            with mark_unknown_outcome():
                transaction.commit()
    except Exception as error:
        raise to_store_error(error, path) from error
    finally:
        engine.dispose()


_FIND_PEOPLE_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'people'"
_FIND_ANY_PERSON = "SELECT 1 FROM people LIMIT 1"


async def has_people(address: str) -> bool:
    """Whether a database of any schema has a person; a database that does not exist yet has none."""
    if is_postgres(address):
        return await read_any_schema(address, _has_people)
    return await asyncio.to_thread(_has_people_in_file, address)


async def _run_in_transaction(address: str, work: Callable[[CoreConnection], T], *, writing: bool) -> T:
    work = _with_file_errors(work)
    if not is_postgres(address):
        return await asyncio.to_thread(_run_on_sqlite_file, address, work, writing=writing)
    engine = _create_engine(address)
    try:
        async with engine.connect() as connection:
            transaction = await connection.begin()
            if not writing:
                await connection.exec_driver_sql(_READ_ONLY_SNAPSHOT)
            found = await connection.run_sync(lambda core: work(CoreConnection(core)))
            with mark_unknown_outcome():
                await transaction.commit()
            return found
    except Exception as error:
        raise to_store_error(error, describe_address(address)) from error
    finally:
        await engine.dispose()


def _with_file_errors(work: Callable[[CoreConnection], T]) -> Callable[[CoreConnection], T]:
    """Wrap a function so that an error of another file is not reported as an error of the database."""

    def run_with_file_errors(connection: CoreConnection) -> T:
        try:
            return work(connection)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(f"a file could not be read or written: {reason}; nothing was changed") from error

    return run_with_file_errors


def _run_on_sqlite_file(path: str, work: Callable[[CoreConnection], T], *, writing: bool) -> T:
    if not os.path.isfile(path):
        raise StoreError(f"cannot use {path}: there is no such file")
    with open_file(path, writing=writing) as connection:
        return work(connection)


def _create_engine(address: str) -> AsyncEngine:
    try:
        return create_async_engine(
            parse_address(address), poolclass=NullPool, connect_args={"timeout": SERVER_TIMEOUT}
        )
    except ImportError as error:
        raise StoreError(f"{error.name} is not installed: pip install 'assent[postgres]'") from None


def _with_schema_check(address: str, work: Callable[[CoreConnection], T]) -> Callable[[CoreConnection], T]:
    def check_and_run(connection: CoreConnection) -> T:
        schema.check_version(schema.read_version(connection), describe_address(address))
        return work(connection)

    return check_and_run


def _has_people(connection: CoreConnection) -> bool:
    if not inspect(connection.core).has_table(people.name):
        return False
    return bool(connection.fetch(_FIND_ANY_PERSON, ()))


def _has_people_in_file(path: str) -> bool:
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return False
    # Without a log, all rows are in the file itself; opening it normally would create a log.
    how = "mode=ro" if os.path.exists(f"{os.path.realpath(path)}-wal") else "immutable=1"
    try:
        with closing(sqlite3.connect(file_uri(path, how), uri=True)) as connection:
            if connection.execute(_FIND_PEOPLE_TABLE).fetchone() is None:
                return False
            return connection.execute(_FIND_ANY_PERSON).fetchone() is not None
    except sqlite3.Error as error:
        raise to_store_error(error, path) from error

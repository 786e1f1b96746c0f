"""A database that is opened for one piece of work: read or changed in one transaction, then closed."""

import asyncio
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from assent.errors import StoreError
from assent.stores import migrations as schema
from assent.stores.postgres.database import TIMEOUT, is_postgres, parse_address, without_password
from assent.stores.sql.errors import committing, to_store_error
from assent.stores.sql.statement import CoreConnection
from assent.stores.sqlite.connection import sqlite_engine
from assent.stores.sqlite.file import FileIdentity

T = TypeVar("T")
_AS_OF_ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


async def read(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Read a database of any schema as of one moment, without blocking writers."""
    return await _on(address, work, writing=False)


async def write(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Change a database of any schema in one transaction."""
    return await _on(address, work, writing=True)


async def query(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Read a database that has this version's schema."""
    return await read(address, _knowing(address, work))


async def update(address: str, work: Callable[[CoreConnection], T]) -> T:
    """Change a database that has this version's schema."""
    return await write(address, _knowing(address, work))


def describe_address(address: str) -> str:
    """The file, or the address without its password."""
    return without_password(parse_address(address)) if is_postgres(address) else address


@contextmanager
def open_file(path: str, *, writing: bool) -> Generator[CoreConnection]:
    """A file in one transaction."""
    engine = sqlite_engine(FileIdentity(path), writing=writing)
    try:
        with engine.connect() as connection:
            transaction = connection.begin()
            yield CoreConnection(connection)
            with committing():
                transaction.commit()
    except Exception as error:
        raise to_store_error(error, path) from error
    finally:
        engine.dispose()


def _knowing(address: str, work: Callable[[CoreConnection], T]) -> Callable[[CoreConnection], T]:
    def knowing(connection: CoreConnection) -> T:
        schema.check_version(schema.read_version(connection), describe_address(address))
        return work(connection)

    return knowing


def _minding_files(work: Callable[[CoreConnection], T]) -> Callable[[CoreConnection], T]:
    """The same work; an error of another file is not reported as one of the database."""

    def minding(connection: CoreConnection) -> T:
        try:
            return work(connection)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(f"a file could not be read or written: {reason}; nothing was changed") from error

    return minding


async def _on(address: str, work: Callable[[CoreConnection], T], *, writing: bool) -> T:
    work = _minding_files(work)
    if not is_postgres(address):
        return await asyncio.to_thread(_on_file, address, work, writing=writing)
    engine = _engine(address)
    try:
        async with engine.connect() as connection:
            transaction = await connection.begin()
            if not writing:
                await connection.exec_driver_sql(_AS_OF_ONE_MOMENT)
            found = await connection.run_sync(lambda core: work(CoreConnection(core)))
            with committing():
                await transaction.commit()
            return found
    except Exception as error:
        raise to_store_error(error, describe_address(address)) from error
    finally:
        await engine.dispose()


def _engine(address: str) -> AsyncEngine:
    try:
        return create_async_engine(
            parse_address(address), poolclass=NullPool, connect_args={"timeout": TIMEOUT}
        )
    except ImportError as error:
        raise StoreError(f"{error.name} is not installed: pip install 'assent[postgres]'") from None


def _on_file(path: str, work: Callable[[CoreConnection], T], *, writing: bool) -> T:
    if not os.path.isfile(path):
        raise StoreError(f"cannot use {path}: there is no such file")
    with open_file(path, writing=writing) as connection:
        return work(connection)

"""Opening a shelf: an SQLite file, or a PostgreSQL database where its driver is installed."""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from assent.errors import AssentError
from assent.hosts.chat.belt.shelf.port import Shelf
from assent.hosts.chat.belt.shelf.sqlite import SqliteShelf


def open_shelf(address: str) -> Shelf:
    """The shelf at an address: a `postgresql://` URL or the path of an SQLite file."""
    if not address.startswith(("postgresql://", "postgres://")):
        return SqliteShelf(address)
    if find_spec("asyncpg") is None:
        raise AssentError("asyncpg is not installed: pip install 'assent[postgres]'")
    return cast("Shelf", import_module("assent.hosts.chat.belt.shelf.postgres").PostgresShelf(address))

"""Opening a database to manage its people and tokens, with the rights of the person at this terminal."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

from assent.cli.base.database import find_database, find_existing_database
from assent.cli.base.decider import current_config_paths
from assent.client.local_server import find_local_server
from assent.compose import local_person, open_store
from assent.config.files import make_private_directory
from assent.door.authentication import Authenticator
from assent.gate.access import Principal


class IdentityAdmin(NamedTuple):
    """The object that manages people and tokens, and the person at this terminal."""

    authenticator: Authenticator
    by: Principal


@asynccontextmanager
async def open_identity_admin(database: str | None, *, create: bool = False) -> AsyncGenerator[IdentityAdmin]:
    """Open a database to manage its people and tokens; with `create`, a missing database is created.

    No policy file is read, so that an invalid policy cannot lock the owner out.
    """
    store = await open_store(_find_database_address(database, create=create))
    try:
        yield IdentityAdmin(Authenticator(store), local_person())
    finally:
        await store.close()


def _find_database_address(database: str | None, *, create: bool) -> str:
    explicit = database or os.environ.get("ASSENT_DATABASE") or _running_server_database()
    if not create:
        return find_existing_database(explicit)
    address = find_database(explicit)
    if os.path.dirname(address) == current_config_paths().data:
        make_private_directory(current_config_paths().data)
    return address


def _running_server_database() -> str | None:
    """The database file of the user's running server; None if there is no server or it uses no file."""
    server = find_local_server(current_config_paths().data)
    return server.database if server is not None and os.path.isabs(server.database) else None

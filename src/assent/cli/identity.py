"""The people and tokens in a database, and the log-in links to its server."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

import click

from assent.cli.database import find_database, find_existing_database
from assent.cli.decider import current_paths
from assent.cli.terminal import Style, paint
from assent.client.local_server import LocalServer, find_local_server, without_password
from assent.compose import local_person, open_store
from assent.config.files import make_private_directory
from assent.config.settings import ServerSettings, load_server_settings
from assent.door.authentication import Authenticator, login_url
from assent.errors import AssentError
from assent.gate.access import Principal


class IdentityAdmin(NamedTuple):
    """What manages people and tokens, and the id of the person at this terminal."""

    keeper: Authenticator
    by: Principal


@asynccontextmanager
async def open_identity(database: str | None, *, create: bool = False) -> AsyncGenerator[IdentityAdmin]:
    """Open the people and tokens of a database; with `create`, a missing database is created.

    Reads no policy file, so that a broken policy cannot lock the owner out.
    """
    store = await open_store(_find_address(database, create=create))
    try:
        yield IdentityAdmin(Authenticator(store), local_person())
    finally:
        await store.close()


def login_address(secret: str, url: str | None, database: str | None = None) -> str:
    """The URL of a log-in link on the given server, or on the server of this database."""
    return login_url(url or _server_url(database), secret)


def print_login_link(secret: str, url: str | None, database: str | None = None) -> None:
    """Print a log-in link, and how long it is valid on standard error."""
    click.echo(login_address(secret, url, database))
    click.echo(paint("valid once, for 15 minutes", Style.FAINT), err=True)
    if url is None and _notice() is None and not _settings().public_url:
        click.echo(paint("your server is not running: `assent serve` starts it", Style.FAINT), err=True)


def _find_address(database: str | None, *, create: bool) -> str:
    explicit = database or os.environ.get("ASSENT_DATABASE") or _served_file()
    if not create:
        return find_existing_database(explicit)
    address = find_database(explicit)
    if os.path.dirname(address) == current_paths().data:
        make_private_directory(current_paths().data)
    return address


def _served_file() -> str | None:
    """The database file of the user's running server, if it uses a file."""
    notice = _notice()
    return notice.database if notice is not None and os.path.isabs(notice.database) else None


def _server_url(database: str | None) -> str:
    notice, settings = _notice(), _settings()
    if settings.public_url or notice is None or not _serves(notice, database):
        return settings.url + settings.base_path
    return notice.url


def _settings() -> ServerSettings:
    try:
        return load_server_settings(current_paths(), os.environ)
    except AssentError:
        return ServerSettings()


def _serves(notice: LocalServer, database: str | None) -> bool:
    """Whether the running server uses this database."""
    address = database or os.environ.get("ASSENT_DATABASE")
    if not address:
        return True
    return notice.database == without_password(address if "://" in address else os.path.abspath(address))


def _notice() -> LocalServer | None:
    return find_local_server(current_paths().data)

"""The register that a command works on: the people of a database, and the server that lets them in."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

import click

from assent.cli.database import address_of, existing
from assent.cli.standpoint import here
from assent.cli.terminal import Style, paint
from assent.client.local_server import LocalServer, find_local_server, without_password
from assent.compose import local_person, open_store
from assent.config.private import private_directory
from assent.config.server import ServerSettings, load_server
from assent.door.authentication import Authenticator, login_url
from assent.errors import AssentError
from assent.gate.access import Principal


class Reception(NamedTuple):
    """A doorkeeper, and the person who sits at this terminal."""

    keeper: Authenticator
    by: Principal


@asynccontextmanager
async def reception(database: str | None, *, make: bool = False) -> AsyncGenerator[Reception]:
    """The doorkeeper of the database that is meant; with `make`, one that is not there yet is made.

    No policy is read for it: whoever is locked out by a file that cannot be used gets in all the same.
    """
    store = await open_store(_address(database, make=make))
    try:
        yield Reception(Authenticator(store), local_person())
    finally:
        await store.close()


def address_for(link: str, url: str | None, database: str | None = None) -> str:
    """Where a link is followed: at the server that is meant, or the one of this machine on that database."""
    return login_url(url or _server_url(database), link)


def tell_link(link: str, url: str | None, database: str | None = None) -> None:
    """Print a link, and beside it what it is worth."""
    click.echo(address_for(link, url, database))
    click.echo(paint("it works once, within 15 minutes", Style.FAINT), err=True)
    if url is None and _notice() is None and not _settings().public_url:
        click.echo(paint("no server of yours runs here: `assent serve` starts one", Style.FAINT), err=True)


def _address(database: str | None, *, make: bool) -> str:
    said = database or os.environ.get("ASSENT_DATABASE") or _served()
    if not make:
        return existing(said)
    address = address_of(said)
    if os.path.dirname(address) == here().data:
        private_directory(here().data)
    return address


def _served() -> str | None:
    """The file that a server of this person serves, if that is where it keeps things."""
    notice = _notice()
    return notice.database if notice is not None and os.path.isabs(notice.database) else None


def _server_url(database: str | None) -> str:
    notice, settings = _notice(), _settings()
    if settings.public_url or notice is None or not _serves(notice, database):
        return settings.url + settings.base_path
    return notice.url


def _settings() -> ServerSettings:
    try:
        return load_server(here(), os.environ)
    except AssentError:
        return ServerSettings()


def _serves(notice: LocalServer, database: str | None) -> bool:
    """Whether the server that left a notice is the one of the database that is meant."""
    said = database or os.environ.get("ASSENT_DATABASE")
    if not said:
        return True
    return notice.database == without_password(said if "://" in said else os.path.abspath(said))


def _notice() -> LocalServer | None:
    return find_local_server(here().data)

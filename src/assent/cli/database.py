"""Which database a command uses."""

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from assent.cli.decider import current_paths
from assent.cli.terminal import visible
from assent.client.local_server import find_local_server
from assent.errors import InputError

Params = ParamSpec("Params")
Result = TypeVar("Result")

FILE_NAME = "assent.db"


def database_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Add `--database`, the same for every command."""
    help_ = (
        "an SQLite file or a postgresql:// address;"
        " default: $ASSENT_DATABASE, ./assent.db, or the database in your data directory"
    )
    return click.option("--database", metavar="ADDRESS", help=help_)(function)


def find_database(option: str | None) -> str:
    """The address from the option, the environment, this directory or the user's data directory."""
    if address := _explicit_address(option):
        return address
    return FILE_NAME if os.path.exists(FILE_NAME) else os.path.join(current_paths().data, FILE_NAME)


def find_existing_database(option: str | None) -> str:
    """The same address; a file that does not exist is an error instead of a new empty database."""
    address = find_database(option)
    if "://" not in address and not os.path.exists(address):
        raise InputError(f"database {address} does not exist; name one with --database or $ASSENT_DATABASE")
    if address == FILE_NAME and not _explicit_address(option):
        _warn_about_other_database()
    return address


def _explicit_address(option: str | None) -> str | None:
    return option or os.environ.get("ASSENT_DATABASE")


def _warn_about_other_database() -> None:
    """Warn that the file in this directory is used although the user's server has another database."""
    notice = find_local_server(current_paths().data)
    if notice is not None and notice.database != os.path.abspath(FILE_NAME):
        warning = f"using {FILE_NAME} in this directory; for your server add --database {notice.database}"
        click.echo(f"assent: {visible(warning)}", err=True)

"""Choosing the database of a command: `--database`, the environment, or a default file."""

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from assent.cli.base.decider import current_config_paths
from assent.cli.base.terminal import visible_text
from assent.client.local_server import find_local_server
from assent.errors import InputError

Params = ParamSpec("Params")
Result = TypeVar("Result")

DATABASE_FILE_NAME = "assent.db"


def database_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Add the option `--database` to a command."""
    help_ = (
        "an SQLite file or a postgresql:// address;"
        " default: $ASSENT_DATABASE, ./assent.db, or the database in your data directory"
    )
    return click.option("--database", metavar="ADDRESS", help=help_)(function)


def find_database(option: str | None) -> str:
    """Find the database address: from the option, the environment, this directory or the data directory."""
    if address := _configured_address(option):
        return address
    return (
        DATABASE_FILE_NAME
        if os.path.exists(DATABASE_FILE_NAME)
        else os.path.join(current_config_paths().data, DATABASE_FILE_NAME)
    )


def find_existing_database(option: str | None) -> str:
    """Find the same address as `find_database`, but raise an error if the file does not exist."""
    address = find_database(option)
    if "://" not in address and not os.path.exists(address):
        raise InputError(f"database {address} does not exist; name one with --database or $ASSENT_DATABASE")
    if address == DATABASE_FILE_NAME and not _configured_address(option):
        _warn_about_other_database()
    return address


def _configured_address(option: str | None) -> str | None:
    return option or os.environ.get("ASSENT_DATABASE")


def _warn_about_other_database() -> None:
    """Warn if the user's running server uses another database than the file in this directory."""
    notice = find_local_server(current_config_paths().data)
    if notice is not None and notice.database != os.path.abspath(DATABASE_FILE_NAME):
        warning = (
            f"using {DATABASE_FILE_NAME} in this directory; for your server add --database {notice.database}"
        )
        click.echo(f"assent: {visible_text(warning)}", err=True)

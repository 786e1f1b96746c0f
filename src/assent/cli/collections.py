"""`assent collections`: add, list and remove the documents that a chat can search."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from assent.cli.base.command import CommandGroup, run_async
from assent.cli.base.decider import current_config_paths
from assent.cli.base.output import json_option, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.errors import NotFoundError
from assent.hosts.chat.tools.collections import (
    Collection,
    DocumentIndex,
    check_collection_name,
    open_index,
    read_documents,
)
from assent.hosts.chat.tools.settings import load_tool_settings

Params = ParamSpec("Params")
Result = TypeVar("Result")

_DATABASE_HELP = (
    "an SQLite file or a postgresql:// address;"
    " default: $ASSENT_COLLECTIONS, the one in belt.toml, or the one in your data directory"
)


def _database_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    return click.option("--database", metavar="ADDRESS", help=_DATABASE_HELP)(function)


@click.group(name="collections", cls=CommandGroup)
def collection_commands() -> None:
    """Manage the documents that a chat can search."""


@collection_commands.command(name="add")
@click.argument("name")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@_database_option
def add_collection(name: str, paths: tuple[str, ...], database: str | None) -> None:
    """Add the text files PATHS, or the text files below them, to the collection NAME."""
    check_collection_name(name)
    found = read_documents(list(paths))
    run_async(_open_document_index(database).add_documents(name, found.passages))
    for line in found.skipped_files:
        click.echo(with_style(f"skipped {visible_text(line)}", Style.FAINT), err=True)
    click.echo(
        f"{visible_text(name)}: added {Collection(name, found.documents, len(found.passages)).size_text}"
    )


@collection_commands.command(name="list")
@_database_option
@json_option
def list_collections(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the collections and their sizes."""
    found = run_async(_open_document_index(database).list_collections())
    if as_json:
        print_json([one._asdict() for one in found])
        return
    for one in found:
        click.echo(f"{with_style(visible_text(one.name), Style.STRONG)}  {one.size_text}")
    if not found:
        click.echo("there are no collections", err=True)


@collection_commands.command(name="remove")
@click.argument("name")
@_database_option
def remove_collection(name: str, database: str | None) -> None:
    """Remove the collection NAME."""
    if not run_async(_open_document_index(database).remove_collection(name)):
        raise NotFoundError("collection", name)
    click.echo(f"removed {visible_text(name)}")


def _open_document_index(database: str | None) -> DocumentIndex:
    return open_index(database or load_tool_settings(current_config_paths()).collections)

"""`assent collections`: the document collections that a chat can search."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from assent.cli.database import json_option, print_json, run
from assent.cli.group import Group
from assent.cli.standpoint import here
from assent.cli.terminal import Style, paint, visible
from assent.errors import NotFoundError
from assent.hosts.chat.tools.document_index import (
    Collection,
    DocumentIndex,
    check_collection,
    open_index,
    read_documents,
)
from assent.hosts.chat.tools.settings import load_tool_settings

Params = ParamSpec("Params")
Result = TypeVar("Result")

_TOLD = "an SQLite file or a postgresql:// address; otherwise $ASSENT_COLLECTIONS, belt.toml's, or your own"


def _database_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    return click.option("--database", metavar="ADDRESS", help=_TOLD)(function)


@click.group(cls=Group)
def collections() -> None:
    """Put documents where a chat can ask them."""


@collections.command()
@click.argument("name")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@_database_option
def add(name: str, paths: tuple[str, ...], database: str | None) -> None:
    """Put the text files PATHS, or those below them, into the collection NAME."""
    check_collection(name)
    read = read_documents(list(paths))
    run(_index(database).add(name, read.passages))
    for line in read.left_out:
        click.echo(paint(f"left out {visible(line)}", Style.FAINT), err=True)
    click.echo(f"{visible(name)}: {Collection(name, read.documents, len(read.passages)).size} added")


@collections.command(name="list")
@_database_option
@json_option
def list_(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the collections and how much is in each."""
    found = run(_index(database).collections())
    if as_json:
        print_json([one._asdict() for one in found])
        return
    for one in found:
        click.echo(f"{paint(visible(one.name), Style.STRONG)}  {one.size}")
    if not found:
        click.echo("there are no collections", err=True)


@collections.command()
@click.argument("name")
@_database_option
def remove(name: str, database: str | None) -> None:
    """Take the collection NAME away."""
    if not run(_index(database).remove(name)):
        raise NotFoundError("collection", name)
    click.echo(f"removed {visible(name)}")


def _index(database: str | None) -> DocumentIndex:
    return open_index(database or load_tool_settings(here()).collections)

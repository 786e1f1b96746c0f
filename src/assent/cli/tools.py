"""`assent tools`: tools that ask because their definition changed, and accepting what they say now."""

import click

from assent.cli.database import database_option, json_option, print_json, run
from assent.cli.desk import desk_on
from assent.cli.group import Group
from assent.cli.terminal import Style, paint, visible
from assent.errors import InputError, NotFoundError
from assent.gate.agents import ChangedDefinition
from assent.wire.policy import definition_to_json


@click.group(cls=Group)
def tools() -> None:
    """See which tools changed their definition; accept it."""


@tools.command()
@database_option
@json_option
def changed(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the tools whose definition changed since it was accepted, and what changed."""
    run(_changed(database, as_json=as_json))


@tools.command()
@click.argument("tool")
@click.option("--origin", help="whose tool it is, where several are called so")
@database_option
def accept(tool: str, origin: str | None, database: str | None) -> None:
    """Accept the definition that TOOL has now; its calls no longer ask because of it."""
    run(_accept(tool, origin, database))


async def _changed(database: str | None, *, as_json: bool) -> None:
    async with desk_on(database) as desk:
        found = await desk.changed_definitions()
    if as_json:
        print_json([definition_to_json(one) for one in found])
        return
    for one in found:
        _show(one)
    if not found:
        click.echo("no definition changed", err=True)


async def _accept(tool: str, origin: str | None, database: str | None) -> None:
    async with desk_on(database) as desk:
        every = [one for one in await desk.changed_definitions() if one.tool == tool]
        found = [one for one in every if origin in (None, one.origin)]
        if not found:
            raise NotFoundError("changed definition", tool)
        if len({(one.origin, one.digest) for one in found}) > 1:
            raise InputError(f"several tools are called `{visible(tool)}`: say whose with --origin")
        _show(found[0])
        await desk.accept(found[0])
    click.echo(f"accepted {visible(tool)}")


def _show(one: ChangedDefinition) -> None:
    click.echo(f"{paint(visible(one.tool), Style.STRONG)}  of {visible(one.origin)}")
    for difference in one.differences:
        click.echo(f"    {visible(difference.field)}")
        for mark, side in (("-", difference.before), ("+", difference.after)):
            if side is not None:
                click.echo(f"      {mark} {visible(side)}")
    if not one.differences:
        click.echo("    what it said before was not kept: look at it as it is now")

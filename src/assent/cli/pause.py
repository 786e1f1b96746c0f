"""`assent pause` and `assent unpause`: one switch that stops every agent, and starts them again."""

import click

from assent.cli.database import database_option, json_option, print_json, run
from assent.cli.desk import desk_on


@click.command()
@database_option
@json_option
def pause(database: str | None, as_json: bool) -> None:  # noqa: FBT001 - click's own shape
    """Let each call that does more than read wait, on every pod; what people answer meanwhile is kept."""
    run(_turn(database, paused=True, as_json=as_json))


@click.command()
@database_option
@json_option
def unpause(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Let calls go on; those that only the pause held are decided again."""
    run(_turn(database, paused=False, as_json=as_json))


async def _turn(database: str | None, *, paused: bool, as_json: bool) -> None:
    async with desk_on(database) as desk:
        await desk.turn_switch(paused=paused)
    if as_json:
        print_json({"paused": paused})
    else:
        click.echo("every agent is paused: only reads run" if paused else "agents go on")

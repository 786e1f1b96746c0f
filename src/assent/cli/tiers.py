"""`assent tiers`: what an administrator says of each agent and tool."""

import click

from assent.cli.database import database_option, gate_on, json_option, print_json, run
from assent.cli.group import Group
from assent.cli.terminal import visible
from assent.engine.policy.tiers import Tier, parse_tier
from assent.wire.policy import tool_tier_to_json

TIERS = [tier.value for tier in Tier]


@click.group(cls=Group)
def tiers() -> None:
    """See and set what each agent may do with each tool."""


@tiers.command(name="list")
@click.option("--agent", help="only this agent's")
@database_option
@json_option
def list_(agent: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the tiers that are set."""
    run(_list(agent, database, as_json=as_json))


@tiers.command(name="set")
@click.argument("agent")
@click.argument("tool")
@click.argument("tier", metavar="|".join(TIERS), type=click.Choice(TIERS))
@database_option
def set_(agent: str, tool: str, tier: str, database: str | None) -> None:
    """Say what AGENT may do with TOOL; it counts from the next decision on."""
    run(_set(agent, tool, tier, database))


async def _list(agent: str | None, database: str | None, *, as_json: bool) -> None:
    async with gate_on(database) as desk:
        found = await desk.gate.policy.tiers(desk.person, agent)
    if as_json:
        print_json([tool_tier_to_json(one) for one in found])
        return
    for one in found:
        source = "" if one.assignment.explicit else "  (by its name)"
        click.echo(f"{visible(one.agent)}  {visible(one.tool)}  {one.assignment.tier}{source}")
    if not found:
        click.echo("no tiers are set", err=True)


async def _set(agent: str, tool: str, tier: str, database: str | None) -> None:
    async with gate_on(database) as desk:
        await desk.gate.policy.set_tiers(desk.person, agent, {tool: parse_tier(tier)})
    click.echo(f"{visible(agent)}, {visible(tool)}: {tier}")

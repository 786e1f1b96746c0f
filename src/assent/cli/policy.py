"""`assent grants`, `tiers`, `tools`, `pause` and `resume`: list and change the policy in a database."""

import click

from assent.cli.base.backend import open_command_backend, open_local_backend
from assent.cli.base.command import CommandGroup, run_async
from assent.cli.base.database import database_option
from assent.cli.base.output import age_in_largest_unit, json_option, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.engine.policy.snapshot import Tier, parse_tier
from assent.errors import InputError, NotFoundError
from assent.gate.definitions import DefinitionToReview
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Lifetime
from assent.wire.policy import definition_to_json, grant_to_json, rule_to_json, tool_tier_to_json

TIER_WORDS = [tier.value for tier in Tier]
DIGEST_PREFIX = 12
"""How many digits of a digest are printed."""


@click.group(name="grants", cls=CommandGroup)
def grant_commands() -> None:
    """List and revoke standing approvals."""


@grant_commands.command(name="list")
@database_option
@json_option
def list_grants(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List grants and stored rules, oldest first."""
    run_async(_list_grants(database, as_json=as_json))


@grant_commands.command(name="revoke")
@click.argument("id")
@database_option
def revoke_grant(id: str, database: str | None) -> None:
    """Revoke the grant or rule ID; this takes effect immediately on every pod."""
    run_async(_revoke_grant(id, database))


@click.group(name="tiers", cls=CommandGroup)
def tier_commands() -> None:
    """List and set what each agent may do with each tool."""


@tier_commands.command(name="list")
@click.option("--agent", metavar="NAME", help="only the tiers of this agent")
@database_option
@json_option
def list_tiers(agent: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the tiers that are set."""
    run_async(_list_tiers(agent, database, as_json=as_json))


@tier_commands.command(name="set")
@click.argument("agent")
@click.argument("tool")
@click.argument("tier", metavar="|".join(TIER_WORDS), type=click.Choice(TIER_WORDS))
@database_option
def set_tier(agent: str, tool: str, tier: str, database: str | None) -> None:
    """Set what AGENT may do with TOOL; this takes effect with the next decision."""
    run_async(_set_tier(agent, tool, tier, database))


@click.group(name="tools", cls=CommandGroup)
def tool_commands() -> None:
    """List and accept definitions of tools that nobody accepted; move the rules of a renamed tool."""


@tool_commands.command(name="review")
@database_option
@json_option
def list_tools_to_review(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the tools whose definition is new or changed, with what an administrator would accept."""
    run_async(_list_tools_to_review(database, as_json=as_json))


@tool_commands.command(name="accept")
@click.argument("tool")
@click.option("--origin", metavar="NAME", help="the origin of the tool, if several have this name")
@click.option("--digest", metavar="TEXT", default="", help="the start of the digest of the definition")
@database_option
def accept_tool(tool: str, origin: str | None, digest: str, database: str | None) -> None:
    """Accept the present definition of TOOL, as `assent tools review` shows it."""
    run_async(_accept_tool(tool, origin, digest, database))


@tool_commands.command(name="move-rules")
@click.argument("tool")
@click.argument("to")
@database_option
def move_rules(tool: str, to: str, database: str | None) -> None:
    """Move the stored rules and tiers of the renamed tool TOOL to its new name TO, once."""
    run_async(_move_rules(tool, to, database))


@click.command(name="pause")
@database_option
@json_option
def pause_agents(database: str | None, as_json: bool) -> None:  # noqa: FBT001 - click passes flags by name
    """Pause every agent on every pod: calls that do more than read wait; people can still answer."""
    run_async(_set_agents_paused(database, paused=True, as_json=as_json))


@click.command(name="resume")
@database_option
@json_option
def resume_agents(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Resume every agent: calls that only the pause held are decided again."""
    run_async(_set_agents_paused(database, paused=False, as_json=as_json))


async def _list_grants(database: str | None, *, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        found = await backend.list_grants()
        rules = await backend.list_rules()
    if as_json:
        print_json(
            {"grants": [grant_to_json(one) for one in found], "rules": [rule_to_json(one) for one in rules]}
        )
        return
    for grant in found:
        _print_grant(
            grant.id, grant.pattern, f"{_grant_scope_text(grant)}, {_grant_limits_text(grant)}", grant
        )
    for rule in rules:
        _print_grant(rule.id, rule.text, f"{rule.list} rule, {_grant_scope_text(rule)}", rule)
    if not found and not rules:
        click.echo("no grants or rules", err=True)


async def _revoke_grant(id: str, database: str | None) -> None:
    async with open_command_backend(database) as backend:
        await backend.revoke_grant_or_rule(id)
    click.echo(f"revoked {visible_text(id)}")


def _print_grant(id: str, text: str, details: str, grant: StoredGrant | StoredRule) -> None:
    click.echo(f"{with_style(id, Style.STRONG)}  {visible_text(text)}")
    click.echo(
        with_style(
            f"    {visible_text(details)}; by {visible_text(grant.by)} {age_in_largest_unit(grant.at)} ago",
            Style.FAINT,
        )
    )


def _grant_scope_text(grant: StoredGrant | StoredRule) -> str:
    names = {"conversation": grant.conversation, "agent": grant.agent, "user": grant.user}
    return ", ".join(f"{kind} {name}" for kind, name in names.items() if name is not None) or "everyone"


def _grant_limits_text(grant: StoredGrant) -> str:
    """The limits of a grant as text; the grant ends when the first of them is reached."""
    limits: list[str] = []
    if grant.until is not None:
        limits.append(f"until {grant.until.astimezone():%Y-%m-%d %H:%M}")
    if grant.uses is not None:
        limits.append(f"{grant.uses} uses left")
    if grant.lifetime is Lifetime.RESTART:
        limits.append("until the restart")
    return ", ".join(limits) or "without limit"


async def _list_tiers(agent: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_local_backend(database) as backend:
        found = await backend.gate.policy.tiers(backend.person, agent)
    if as_json:
        print_json([tool_tier_to_json(one) for one in found])
        return
    for one in found:
        source = "" if one.assignment.explicit else "  (from its name)"
        click.echo(f"{visible_text(one.agent)}  {visible_text(one.tool)}  {one.assignment.tier}{source}")
    if not found:
        click.echo("no tiers are set", err=True)


async def _set_tier(agent: str, tool: str, tier: str, database: str | None) -> None:
    async with open_local_backend(database) as backend:
        await backend.gate.policy.set_tiers(backend.person, agent, {tool: parse_tier(tier)})
    click.echo(f"{visible_text(agent)}, {visible_text(tool)}: {tier}")


async def _list_tools_to_review(database: str | None, *, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        found = await backend.list_definitions_to_review()
    if as_json:
        print_json([definition_to_json(one) for one in found])
        return
    for one in found:
        _print_tool_to_review(one)
    if not found:
        click.echo("no definition is new or changed", err=True)


async def _accept_tool(tool: str, origin: str | None, digest: str, database: str | None) -> None:
    async with open_command_backend(database) as backend:
        to_review = await backend.list_definitions_to_review()
        found = [one for one in to_review if one.tool == tool and origin in (None, one.origin)]
        found = [one for one in found if one.digest.startswith(digest)]
        if not found:
            raise NotFoundError("definition to review", tool)
        if len({(one.origin, one.digest) for one in found}) > 1:
            name = visible_text(tool)
            raise InputError(f"`{name}` has several definitions: choose one with --origin or --digest")
        _print_tool_to_review(found[0])
        await backend.accept_definition(found[0])
    click.echo(f"accepted {visible_text(tool)}")


async def _move_rules(tool: str, to: str, database: str | None) -> None:
    async with open_command_backend(database) as backend:
        moved = await backend.move_rules(tool, to)
    click.echo(f"moved to {visible_text(to)}: rules {moved.rules}, tiers {moved.tiers}")


def _print_tool_to_review(found: DefinitionToReview) -> None:
    name = with_style(visible_text(found.tool), Style.STRONG)
    click.echo(f"{name}  of {visible_text(found.origin)}: {found.review}, {found.digest[:DIGEST_PREFIX]}")
    for difference in found.differences:
        click.echo(f"    {visible_text(difference.field)}")
        for sign, text in (("-", difference.before), ("+", difference.after)):
            if text is not None:
                click.echo(f"      {sign} {visible_text(text)}")
    if not found.differences:
        click.echo("    the accepted definition was not stored: read the present one")


async def _set_agents_paused(database: str | None, *, paused: bool, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        await backend.set_agents_paused(paused=paused)
    if as_json:
        print_json({"paused": paused})
    else:
        click.echo("every agent is paused: only reads run" if paused else "every agent is resumed")

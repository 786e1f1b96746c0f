"""`assent grants`: what was said yes to for longer, and ending it."""

import click

from assent.cli.database import ago, database_option, json_option, print_json, run
from assent.cli.desk import desk_on
from assent.cli.group import Group
from assent.cli.terminal import Style, paint, visible
from assent.gate.preset import Lifetime
from assent.gate.stored_policy import StoredGrant, StoredRule
from assent.wire.policy import grant_to_json, rule_to_json


@click.group(cls=Group)
def grants() -> None:
    """See what was said yes to for longer; end it."""


@grants.command(name="list")
@database_option
@json_option
def list_(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List grants and stored rules, oldest first."""
    run(_list(database, as_json=as_json))


@grants.command()
@click.argument("id")
@database_option
def revoke(id: str, database: str | None) -> None:
    """End the grant or rule ID; no decision after this uses it, on any pod."""
    run(_revoke(id, database))


async def _list(database: str | None, *, as_json: bool) -> None:
    async with desk_on(database) as desk:
        given = await desk.grants()
        rules = await desk.rules()
    if as_json:
        print_json(
            {"grants": [grant_to_json(one) for one in given], "rules": [rule_to_json(one) for one in rules]}
        )
        return
    for grant in given:
        _show(grant.id, grant.pattern, f"{_scope(grant)}, {_lifetime(grant)}", grant)
    for rule in rules:
        _show(rule.id, rule.text, f"{rule.list} rule, {_scope(rule)}", rule)
    if not given and not rules:
        click.echo("nothing was granted", err=True)


async def _revoke(id: str, database: str | None) -> None:
    async with desk_on(database) as desk:
        await desk.revoke(id)
    click.echo(f"revoked {visible(id)}")


def _show(id: str, text: str, how: str, given: StoredGrant | StoredRule) -> None:
    click.echo(f"{paint(id, Style.STRONG)}  {visible(text)}")
    click.echo(paint(f"    {visible(how)}; by {visible(given.by)} {ago(given.at)} ago", Style.FAINT))


def _scope(given: StoredGrant | StoredRule) -> str:
    named = {"conversation": given.conversation, "agent": given.agent, "user": given.user}
    said = [f"{kind} {name}" for kind, name in named.items() if name is not None]
    return ", ".join(said) or "everyone"


def _lifetime(grant: StoredGrant) -> str:
    """Every limit that it has; the first one that is reached ends it."""
    limits: list[str] = []
    if grant.until is not None:
        limits.append(f"until {grant.until.astimezone():%Y-%m-%d %H:%M}")
    if grant.uses is not None:
        limits.append(f"{grant.uses} uses left")
    if grant.lifetime is Lifetime.RESTART:
        limits.append("until the restart")
    return ", ".join(limits) or "for good"

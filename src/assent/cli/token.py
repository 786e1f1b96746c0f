"""`assent token`: what programs prove themselves with, as a person, an agent or a service."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import click

from assent.cli.database import ago, database_option, json_option, print_json, run
from assent.cli.group import Group
from assent.cli.moments import shown
from assent.cli.register import reception
from assent.cli.terminal import Style, paint, visible
from assent.errors import InputError, NotFoundError
from assent.gate.access import Kind
from assent.gate.people import Credential, Purpose
from assent.wire.people import credential_to_json

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_SHORT = 8


class Wanted(NamedTuple):
    """Whose token is to be made."""

    kind: Kind
    name: str
    on_behalf: str


@click.group(cls=Group)
def token() -> None:
    """Make, list and revoke the tokens of people, agents and services."""


@token.command()
@click.option("--user", metavar="NAME", help="of a person, who may do with it all that they may")
@click.option("--agent", metavar="NAME", help="of an agent: it submits its own calls and nothing else")
@click.option("--service", metavar="NAME", help="of a service that works for a person")
@click.option("--for", "person", metavar="NAME", help="whom the agent or service works for; else you")
@click.option("--expires", metavar="HOW", help="30m, 12h, 90d; otherwise it holds until it is revoked")
@click.option("--label", default="", help="what it is for, so that it can be told from others")
@database_option
@json_option
def create(
    person: str | None,
    expires: str | None,
    label: str,
    database: str | None,
    as_json: bool,  # noqa: FBT001
    **named: str | None,
) -> None:
    """Make a token and print it; it is shown now and never again."""
    kinds = {Kind.PERSON: named["user"], Kind.AGENT: named["agent"], Kind.SERVICE: named["service"]}
    wanted = _wanted(kinds, person)
    run(_create(wanted, _span(expires), label, database, as_json=as_json))


@token.command(name="list")
@click.option("--user", metavar="NAME", help="only this person's, and those of whatever works for them")
@database_option
@json_option
def list_(user: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the tokens, sessions and links that hold, oldest first; never a secret."""
    run(_list(user, database, as_json=as_json))


@token.command()
@click.argument("id")
@database_option
@json_option
def revoke(id: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """End the token, session or link ID; the first characters are enough."""
    run(_revoke(id, database, as_json=as_json))


async def _create(
    wanted: Wanted, lives_for: timedelta | None, label: str, database: str | None, *, as_json: bool
) -> None:
    async with reception(database) as (keeper, by):
        on_behalf = "" if wanted.kind is Kind.PERSON else wanted.on_behalf or by.id
        minted = await keeper.new_token(
            wanted.kind, wanted.name, by=by, on_behalf=on_behalf, label=label, lives_for=lives_for
        )
    made = minted.credential
    if as_json:
        print_json({**credential_to_json(made), "secret": minted.secret})
        return
    click.echo(minted.secret)
    click.echo(paint(f"{made.id[:_SHORT]}: {_whose(made)}; shown this once", Style.FAINT), err=True)


async def _list(user: str | None, database: str | None, *, as_json: bool) -> None:
    async with reception(database) as (keeper, by):
        found = await keeper.people.credentials(by, person=user)
    if as_json:
        print_json([credential_to_json(one) for one in found])
        return
    for one in found:
        label = f"  {visible(one.label)}" if one.label else ""
        click.echo(f"{paint(one.id[:_SHORT], Style.STRONG)}  {one.purpose} of {_whose(one)}{label}")
        click.echo(
            paint(f"    made by {visible(one.made_by)} {ago(one.made_at)} ago, {_until(one)}", Style.FAINT)
        )
    if not found:
        click.echo("there are no tokens", err=True)


async def _revoke(id: str, database: str | None, *, as_json: bool) -> None:
    async with reception(database) as (keeper, by):
        meant = _meant(await keeper.people.credentials(by), id)
        await keeper.people.revoke_credential(by, meant.purpose, meant.id)
    if as_json:
        print_json({"id": meant.id, "revoked": True})
    else:
        click.echo(f"revoked {meant.id[:_SHORT]}, a {meant.purpose} of {_whose(meant)}")


def _wanted(named: dict[Kind, str | None], person: str | None) -> Wanted:
    said = [(kind, name) for kind, name in named.items() if name is not None]
    if len(said) != 1:
        raise click.UsageError("say whose token it is: one of --user, --agent and --service")
    kind, name = said[0]
    if kind is Kind.PERSON and person is not None:
        raise click.UsageError("--for goes with --agent or --service: a person works for nobody")
    return Wanted(kind, name, person or "")


def _span(text: str | None) -> timedelta | None:
    if text is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,5})([mhd])", text)
    if found is None:
        raise InputError(f"--expires `{visible(text)}` must be 30m, 12h or 90d")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _meant(held: Sequence[Credential], start: str) -> Credential:
    found = [one for one in held if start and one.id.startswith(start)]
    if len(found) > 1:
        raise InputError(f"`{visible(start)}` is the beginning of {len(found)} of them; write more of it")
    if not found:
        raise NotFoundError("token", start)
    return found[0]


def _whose(credential: Credential) -> str:
    work = f", who works for {visible(credential.on_behalf)}" if credential.on_behalf else ""
    kind = "" if credential.kind is Kind.PERSON else f"the {credential.kind} "
    return f"{kind}{visible(credential.principal_id)}{work}"


def _until(credential: Credential) -> str:
    if credential.purpose is Purpose.SESSION:
        return "for 30 days after its last use"
    return "until it is revoked" if credential.expires_at is None else f"until {shown(credential.expires_at)}"

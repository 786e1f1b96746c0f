"""`assent token`: create, list and revoke the tokens of people, agents and services."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import click

from assent.cli.base.command import CommandGroup, run_async
from assent.cli.base.database import database_option
from assent.cli.base.identities import open_identity_admin
from assent.cli.base.output import age_in_largest_unit, format_time, json_option, parse_duration, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.door.authentication import NewCredential
from assent.errors import InputError, NotFoundError
from assent.gate.access import Kind, check_administrator
from assent.gate.page_tokens import PageScope
from assent.gate.people import Credential, Purpose
from assent.gate.unknown_tools import UnknownAnswer, UnknownTools
from assent.wire.people import credential_to_json

_SHORT_ID_LENGTH = 8
"""Number of characters of a token id that lists show."""


class TokenOwner(NamedTuple):
    """The principal that a token is for, and the person for whom an agent or a service works."""

    kind: Kind
    name: str
    on_behalf: str


@click.group(name="token", cls=CommandGroup)
def token_commands() -> None:
    """Create, list and revoke the tokens of people, agents and services."""


@token_commands.command(name="create")
@click.option("--user", metavar="NAME", help="a token of a person, with all rights of that person")
@click.option("--agent", metavar="NAME", help="a token of an agent, which can only submit its own calls")
@click.option("--service", metavar="NAME", help="a token of a service that works for a person")
@click.option(
    "--for", "person", metavar="NAME", help="the person for whom the agent or service works; default: you"
)
@click.option(
    "--unknown",
    type=click.Choice([one.value for one in UnknownAnswer]),
    help="with --agent: calls of tools that nobody declared; default: unchanged, refuse at first",
)
@click.option(
    "--page",
    metavar="CONVERSATION",
    help="a token with which web pages serve tools of this conversation, and nothing else",
)
@click.option("--origin", "origins", metavar="ORIGIN", multiple=True, help="with --page: the pages' origin")
@click.option("--expires", metavar="DURATION", help="30m, 12h, 90d; default: never")
@click.option("--label", default="", help="a note that lists show")
@database_option
@json_option
def create_token(
    person: str | None,
    unknown: str | None,
    expires: str | None,
    label: str,
    database: str | None,
    as_json: bool,  # noqa: FBT001
    origins: tuple[str, ...],
    **names: str | None,
) -> None:
    """Create a token and print it; it cannot be shown again."""
    page = names.pop("page")
    if page is not None:
        _check_page_options(person, unknown, names)
        scope = PageScope(page, origins)
        run_async(_create_page_token(scope, _parse_lifetime(expires), label, database, as_json=as_json))
        return
    if origins:
        raise click.UsageError("--origin requires --page")
    kinds = {Kind.PERSON: names["user"], Kind.AGENT: names["agent"], Kind.SERVICE: names["service"]}
    owner = _parse_token_owner(kinds, person)
    if unknown is not None and owner.kind is not Kind.AGENT:
        raise click.UsageError("--unknown requires --agent: only agents call tools")
    answer = None if unknown is None else UnknownAnswer(unknown)
    run_async(_create_token(owner, _parse_lifetime(expires), label, answer, database, as_json=as_json))


@token_commands.command(name="list")
@click.option("--user", metavar="NAME", help="only tokens of this person and of agents that work for them")
@database_option
@json_option
def list_tokens(user: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the valid tokens, sessions and log-in links, oldest first, without their secrets."""
    run_async(_print_tokens(user, database, as_json=as_json))


@token_commands.command(name="revoke")
@click.argument("id")
@database_option
@json_option
def revoke_token(id: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Revoke the token, session or log-in link ID; the first characters are enough."""
    run_async(_revoke_token(id, database, as_json=as_json))


async def _create_token(
    owner: TokenOwner,
    lives_for: timedelta | None,
    label: str,
    unknown: UnknownAnswer | None,
    database: str | None,
    *,
    as_json: bool,
) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        if unknown is not None:
            check_administrator(by)
        on_behalf = "" if owner.kind is Kind.PERSON else owner.on_behalf or by.id
        minted = await authenticator.new_token(
            owner.kind, owner.name, by=by, on_behalf=on_behalf, label=label, lives_for=lives_for
        )
        if unknown is not None:
            await UnknownTools(authenticator.people.store).set_answer(by, owner.name, unknown)
    _print_secret(minted, as_json=as_json)


def _check_page_options(person: str | None, unknown: str | None, names: dict[str, str | None]) -> None:
    if person is not None or unknown is not None or any(names.values()):
        raise click.UsageError("--page is used with --origin, --expires and --label only")


async def _create_page_token(
    scope: PageScope, lives_for: timedelta | None, label: str, database: str | None, *, as_json: bool
) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        minted = await authenticator.new_page_token(scope, by=by, label=label, lives_for=lives_for)
    _print_secret(minted, as_json=as_json)


def _print_secret(minted: NewCredential, *, as_json: bool) -> None:
    created = minted.credential
    if as_json:
        print_json({**credential_to_json(created), "secret": minted.secret})
        return
    click.echo(minted.secret)
    note = f"{created.id[:_SHORT_ID_LENGTH]}: {_token_owner_text(created)}; shown only once"
    click.echo(with_style(note, Style.FAINT), err=True)


async def _print_tokens(user: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        found = await authenticator.people.credentials(by, person=user)
    if as_json:
        print_json([credential_to_json(one) for one in found])
        return
    for one in found:
        label = f"  {visible_text(one.label)}" if one.label else ""
        short_id = with_style(one.id[:_SHORT_ID_LENGTH], Style.STRONG)
        click.echo(f"{short_id}  {one.purpose} of {_token_owner_text(one)}{label}")
        created = f"created by {visible_text(one.made_by)} {age_in_largest_unit(one.made_at)} ago"
        origin = f"    {created}, {_token_expiry_text(one)}"
        click.echo(with_style(origin, Style.FAINT))
    if not found:
        click.echo("there are no tokens", err=True)


async def _revoke_token(id: str, database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        credential = _find_credential(await authenticator.people.credentials(by), id)
        await authenticator.people.revoke_credential(by, credential.purpose, credential.id)
    if as_json:
        print_json({"id": credential.id, "revoked": True})
    else:
        owner = _token_owner_text(credential)
        click.echo(f"revoked {credential.id[:_SHORT_ID_LENGTH]}, a {credential.purpose} of {owner}")


def _parse_token_owner(names: dict[Kind, str | None], person: str | None) -> TokenOwner:
    given = [(kind, name) for kind, name in names.items() if name is not None]
    if len(given) != 1:
        raise click.UsageError("give exactly one of --user, --agent and --service")
    kind, name = given[0]
    if kind is Kind.PERSON and person is not None:
        raise click.UsageError("--for requires --agent or --service: a person does not work for another one")
    return TokenOwner(kind, name, person or "")


def _parse_lifetime(text: str | None) -> timedelta | None:
    if text is None:
        return None
    duration = parse_duration(text)
    if not duration:
        raise InputError(f"--expires `{visible_text(text)}` must be 30m, 12h or 90d")
    return duration


def _find_credential(credentials: Sequence[Credential], prefix: str) -> Credential:
    found = [one for one in credentials if prefix and one.id.startswith(prefix)]
    if len(found) > 1:
        raise InputError(f"`{visible_text(prefix)}` is the start of {len(found)} ids; write more of the id")
    if not found:
        raise NotFoundError("token", prefix)
    return found[0]


def _token_owner_text(credential: Credential) -> str:
    work = f", who works for {visible_text(credential.on_behalf)}" if credential.on_behalf else ""
    kind = "" if credential.kind is Kind.PERSON else f"the {credential.kind} "
    return f"{kind}{visible_text(credential.principal_id)}{work}"


def _token_expiry_text(credential: Credential) -> str:
    if credential.purpose is Purpose.SESSION:
        return "expires 30 days after its last use"
    if credential.expires_at is None:
        return "does not expire"
    return f"expires {format_time(credential.expires_at)}"

"""`assent user` and `assent login`: create people, set their roles, and print log-in links."""

import click

from assent.cli.database import database_option
from assent.cli.identity import IdentityAdmin, login_address, open_identity, print_login_link
from assent.cli.output import json_option, print_json, time_since
from assent.cli.root import Group, run_async
from assent.cli.terminal import Style, paint, visible
from assent.errors import InputError, NotFoundError
from assent.gate.access import Role
from assent.gate.people import Person
from assent.wire.people import person_to_json

NO_ROLE = "none"
ROLES = [*(role.value for role in Role), NO_ROLE]
_URL_HELP = "the URL of the server, if it is not the configured one"


@click.group(cls=Group)
def user() -> None:
    """Create people, set their roles, disable and enable them."""


@user.command()
@click.argument("id")
@click.option("--name", default="", help="the display name")
@click.option("--administrator", is_flag=True, help="may change policy and create people")
@click.option("--identity", metavar="ISSUER|SUBJECT", help="the identity at the sign-in provider")
@click.option("--url", help=_URL_HELP)
@database_option
@json_option
def create(
    id: str,
    name: str,
    administrator: bool,  # noqa: FBT001
    identity: str | None,
    url: str | None,
    database: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Create the person ID and print a log-in link that works once."""
    person = Person(id=id, name=name, administrator=administrator, identity=identity)
    run_async(_create(person, url, database, as_json=as_json))


@user.command(name="list")
@database_option
@json_option
def list_(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List all people, including disabled ones."""
    run_async(_list(database, as_json=as_json))


@user.command()
@click.argument("id")
@database_option
@json_option
def disable(id: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Disable the person ID: revoke their tokens and sessions, and those of agents that work for them."""
    run_async(_disable(id, database, as_json=as_json))


@user.command()
@click.argument("id")
@click.option("--url", help=_URL_HELP)
@database_option
@json_option
def enable(id: str, url: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Enable the person ID again and print a log-in link; revoked tokens stay revoked."""
    run_async(_enable(id, url, database, as_json=as_json))


@user.command()
@click.argument("id")
@click.argument("subject")
@click.argument("role", metavar="|".join(ROLES), type=click.Choice(ROLES))
@database_option
@json_option
def role(id: str, subject: str, role: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Set the role of the person ID for SUBJECT: another person's `agent:NAME` or `conversation:ID`."""
    run_async(_set_role(id, subject, None if role == NO_ROLE else Role(role), database, as_json=as_json))


@click.command()
@click.option("--user", metavar="NAME", help="the person; default: you")
@click.option("--url", help=_URL_HELP)
@database_option
@json_option
def login(user: str | None, url: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Print a new log-in link; existing tokens and sessions stay valid."""
    run_async(_login(user, url, database, as_json=as_json))


async def _create(person: Person, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity(database, create=True) as (keeper, by):
        created = await keeper.people.add_person(by, person)
        secret = (await keeper.new_link(created.id, by=by)).secret
    if as_json:
        print_json({"person": person_to_json(created), "login_url": login_address(secret, url, database)})
    else:
        click.echo(f"created {visible(created.id)}", err=True)
        print_login_link(secret, url, database)


async def _list(database: str | None, *, as_json: bool) -> None:
    async with open_identity(database) as (keeper, by):
        people = await keeper.people.people(by)
    if as_json:
        print_json([person_to_json(one) for one in people])
        return
    for one in people:
        _show(one)
    if not people:
        click.echo("there are no people", err=True)


async def _disable(id: str, database: str | None, *, as_json: bool) -> None:
    async with open_identity(database) as (keeper, by):
        person = await keeper.people.disable_person(by, id)
    if as_json:
        print_json(person_to_json(person))
    else:
        click.echo(f"disabled {visible(id)}")


async def _enable(id: str, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity(database) as (keeper, by):
        await keeper.people.enable_person(by, id)
        secret = (await keeper.new_link(id, by=by)).secret
    if as_json:
        print_json({"person": id, "login_url": login_address(secret, url, database)})
    else:
        click.echo(f"enabled {visible(id)}", err=True)
        print_login_link(secret, url, database)


async def _set_role(id: str, subject: str, role: Role | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity(database) as (keeper, by):
        await keeper.people.set_role(by, id, subject, role)
        roles = await keeper.people.roles(by, id)
    if as_json:
        print_json({"person": id, "roles": {name: held.value for name, held in sorted(roles.items())}})
    else:
        click.echo(f"{visible(id)}, {visible(subject)}: {role or NO_ROLE}")


async def _login(user: str | None, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity(database, create=user is None) as admin:
        name = user or await _find_owner(admin)
        secret = (await admin.keeper.new_link(name, by=admin.by)).secret
    if as_json:
        print_json({"user": name, "login_url": login_address(secret, url, database)})
    else:
        print_login_link(secret, url, database)


async def _find_owner(admin: IdentityAdmin) -> str:
    """The person at this terminal, who becomes the owner of a database without people."""
    people = await admin.keeper.people.people(admin.by)
    if not people:
        await admin.keeper.people.add_person(admin.by, Person(id=admin.by.id, administrator=True))
        return admin.by.id
    try:
        return (await admin.keeper.people.active_person(admin.by.id)).id
    except NotFoundError:
        names = ", ".join(f"`{one.id}`" for one in people if one.administrator and one.disabled_at is None)
        raise InputError(
            f"there is no person `{admin.by.id}`: choose one with --user; administrators are {names}"
        ) from None


def _show(person: Person) -> None:
    facts = [
        visible(person.name),
        "administrator" if person.administrator else "",
        f"signs in as {visible(person.identity)}" if person.identity else "",
        f"created {time_since(person.added_at)} ago",
        f"disabled {time_since(person.disabled_at)} ago" if person.disabled_at else "",
    ]
    click.echo(f"{paint(visible(person.id), Style.STRONG)}  {', '.join(filter(None, facts))}")

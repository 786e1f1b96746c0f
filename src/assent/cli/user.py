"""`assent user`: the people who may come in, and what they are to others' conversations and agents."""

import click

from assent.cli.database import ago, database_option, json_option, print_json, run
from assent.cli.group import Group
from assent.cli.register import address_for, reception, tell_link
from assent.cli.terminal import Style, paint, visible
from assent.gate.access import Role
from assent.gate.people import Person
from assent.wire.people import person_to_json

NOTHING = "none"
ROLES = [*(role.value for role in Role), NOTHING]


@click.group(cls=Group)
def user() -> None:
    """Add people, say what they may do, shut them out."""


@user.command()
@click.argument("id")
@click.option("--name", default="", help="the name that is shown")
@click.option("--administrator", is_flag=True, help="may change policy and let others in")
@click.option("--identity", metavar="ISSUER|SUBJECT", help="who they are to the provider they sign in with")
@click.option("--url", help="where people reach the server, if it does not know that itself")
@database_option
@json_option
def add(
    id: str,
    name: str,
    administrator: bool,  # noqa: FBT001
    identity: str | None,
    url: str | None,
    database: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Add the person ID, and print a link by which they log in, once."""
    person = Person(id=id, name=name, administrator=administrator, identity=identity)
    run(_add(person, url, database, as_json=as_json))


@user.command(name="list")
@database_option
@json_option
def list_(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List everybody, those who were shut out included."""
    run(_list(database, as_json=as_json))


@user.command()
@click.argument("id")
@database_option
@json_option
def disable(id: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Shut the person ID out: every token and session ends, also of whatever acts for them."""
    run(_disable(id, database, as_json=as_json))


@user.command()
@click.argument("id")
@click.option("--url", help="where people reach the server, if it does not know that itself")
@database_option
@json_option
def enable(id: str, url: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Let the person ID in again, and print a link by which they log in; old tokens stay ended."""
    run(_enable(id, url, database, as_json=as_json))


@user.command()
@click.argument("id")
@click.argument("subject")
@click.argument("role", metavar="|".join(ROLES), type=click.Choice(ROLES))
@database_option
@json_option
def role(id: str, subject: str, role: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Say what the person ID is to SUBJECT, `agent:NAME` or `conversation:ID` of somebody else."""
    run(_role(id, subject, None if role == NOTHING else Role(role), database, as_json=as_json))


async def _add(person: Person, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with reception(database, make=True) as (keeper, by):
        added = await keeper.people.add_person(by, person)
        link = (await keeper.new_link(added.id, by=by)).secret
    if as_json:
        print_json({"person": person_to_json(added), "login_url": address_for(link, url, database)})
    else:
        click.echo(f"added {visible(added.id)}", err=True)
        tell_link(link, url, database)


async def _list(database: str | None, *, as_json: bool) -> None:
    async with reception(database) as (keeper, by):
        found = await keeper.people.people(by)
    if as_json:
        print_json([person_to_json(one) for one in found])
        return
    for one in found:
        _show(one)
    if not found:
        click.echo("nobody was added yet", err=True)


async def _disable(id: str, database: str | None, *, as_json: bool) -> None:
    async with reception(database) as (keeper, by):
        person = await keeper.people.disable_person(by, id)
    if as_json:
        print_json(person_to_json(person))
    else:
        click.echo(f"disabled {visible(id)}")


async def _enable(id: str, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with reception(database) as (keeper, by):
        await keeper.people.enable_person(by, id)
        link = (await keeper.new_link(id, by=by)).secret
    if as_json:
        print_json({"person": id, "login_url": address_for(link, url, database)})
    else:
        click.echo(f"enabled {visible(id)}", err=True)
        tell_link(link, url, database)


async def _role(id: str, subject: str, role: Role | None, database: str | None, *, as_json: bool) -> None:
    async with reception(database) as (keeper, by):
        await keeper.people.set_role(by, id, subject, role)
        roles = await keeper.people.roles(by, id)
    if as_json:
        print_json({"person": id, "roles": {name: held.value for name, held in sorted(roles.items())}})
    else:
        click.echo(f"{visible(id)}, {visible(subject)}: {role or NOTHING}")


def _show(person: Person) -> None:
    facts = [
        visible(person.name),
        "administrator" if person.administrator else "",
        f"signs in as {visible(person.identity)}" if person.identity else "",
        f"added {ago(person.added_at)} ago",
        f"disabled {ago(person.disabled_at)} ago" if person.disabled_at else "",
    ]
    click.echo(f"{paint(visible(person.id), Style.STRONG)}  {', '.join(filter(None, facts))}")

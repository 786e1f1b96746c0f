"""`assent user` and `assent login`: create people, set their roles, and print log-in links to the server."""

import os

import click

from assent.cli.base.command import CommandGroup, run_async
from assent.cli.base.database import database_option
from assent.cli.base.decider import current_config_paths
from assent.cli.base.identities import IdentityAdmin, open_identity_admin
from assent.cli.base.output import age_in_largest_unit, json_option, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.client.local_server import LocalServer, find_local_server, without_password
from assent.config.settings import ServerSettings, load_server_settings
from assent.door.authentication import login_url
from assent.errors import AssentError, InputError, NotFoundError
from assent.gate.access import Role
from assent.gate.people import Person
from assent.gate.workbench_access import WorkbenchAccess, WorkbenchRights
from assent.wire.people import person_to_json

NO_ROLE = "none"
ROLE_WORDS = [*(role.value for role in Role), NO_ROLE]
WORKBENCH_WORDS = ("files", "terminal", NO_ROLE)
_URL_HELP = "the URL of the server, if it is not the configured one"


@click.group(name="user", cls=CommandGroup)
def user_commands() -> None:
    """Create people, set their roles, disable and enable them."""


@user_commands.command(name="create")
@click.argument("id")
@click.option("--name", default="", help="the display name")
@click.option("--administrator", is_flag=True, help="may change policy and create people")
@click.option("--identity", metavar="ISSUER|SUBJECT", help="the identity at the sign-in provider")
@click.option("--url", help=_URL_HELP)
@database_option
@json_option
def create_person(
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
    run_async(_create_person(person, url, database, as_json=as_json))


@user_commands.command(name="list")
@database_option
@json_option
def list_people(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List all people, including disabled ones."""
    run_async(_print_people(database, as_json=as_json))


@user_commands.command(name="disable")
@click.argument("id")
@database_option
@json_option
def disable_person(id: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Disable the person ID: revoke their tokens and sessions, and those of agents that work for them."""
    run_async(_disable_person(id, database, as_json=as_json))


@user_commands.command(name="enable")
@click.argument("id")
@click.option("--url", help=_URL_HELP)
@database_option
@json_option
def enable_person(id: str, url: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Enable the person ID again and print a log-in link; revoked tokens stay revoked."""
    run_async(_enable_person(id, url, database, as_json=as_json))


@user_commands.command(name="role")
@click.argument("id")
@click.argument("subject")
@click.argument("role", metavar="|".join(ROLE_WORDS), type=click.Choice(ROLE_WORDS))
@database_option
@json_option
def set_role(id: str, subject: str, role: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Set the role of the person ID for SUBJECT: another person's `agent:NAME` or `conversation:ID`."""
    run_async(_set_role(id, subject, None if role == NO_ROLE else Role(role), database, as_json=as_json))


@user_commands.command(name="workbench")
@click.argument("id")
@click.argument("rights", nargs=-1, metavar="|".join(WORKBENCH_WORDS), type=click.Choice(WORKBENCH_WORDS))
@database_option
@json_option
def set_workbench_rights(id: str, rights: tuple[str, ...], database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show or set what the person ID may use of the workbench from other machines than the server's."""
    if NO_ROLE in rights and len(rights) > 1:
        raise click.UsageError(f"`{NO_ROLE}` stands alone")
    wanted = WorkbenchRights(files="files" in rights, terminal="terminal" in rights) if rights else None
    run_async(_set_workbench_rights(id, wanted, database, as_json=as_json))


@click.command(name="login")
@click.option("--user", metavar="NAME", help="the person; default: you")
@click.option("--url", help=_URL_HELP)
@database_option
@json_option
def create_login_link(user: str | None, url: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Print a new log-in link; existing tokens and sessions stay valid."""
    run_async(_print_new_login_link(user, url, database, as_json=as_json))


def login_link_url(secret: str, url: str | None, database: str | None = None) -> str:
    """The URL of a log-in link: on the given server, or on the server that uses this database."""
    return login_url(url or _server_url(database), secret)


def print_login_link(secret: str, url: str | None, database: str | None = None) -> None:
    """Print a log-in link on standard output, and its validity on standard error."""
    click.echo(login_link_url(secret, url, database))
    click.echo(with_style("valid once, for 15 minutes", Style.FAINT), err=True)
    if url is None and _find_running_server() is None and not _load_settings_or_defaults().public_url:
        click.echo(with_style("your server is not running: `assent serve` starts it", Style.FAINT), err=True)


async def _create_person(person: Person, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database, create=True) as (authenticator, by):
        created = await authenticator.people.add_person(by, person)
        secret = (await authenticator.new_link(created.id, by=by)).secret
    if as_json:
        print_json({"person": person_to_json(created), "login_url": login_link_url(secret, url, database)})
    else:
        click.echo(f"created {visible_text(created.id)}", err=True)
        print_login_link(secret, url, database)


async def _print_people(database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        people = await authenticator.people.people(by)
    if as_json:
        print_json([person_to_json(one) for one in people])
        return
    for one in people:
        _print_person(one)
    if not people:
        click.echo("there are no people", err=True)


async def _disable_person(id: str, database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        person = await authenticator.people.disable_person(by, id)
    if as_json:
        print_json(person_to_json(person))
    else:
        click.echo(f"disabled {visible_text(id)}")


async def _enable_person(id: str, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        await authenticator.people.enable_person(by, id)
        secret = (await authenticator.new_link(id, by=by)).secret
    if as_json:
        print_json({"person": id, "login_url": login_link_url(secret, url, database)})
    else:
        click.echo(f"enabled {visible_text(id)}", err=True)
        print_login_link(secret, url, database)


async def _set_role(id: str, subject: str, role: Role | None, database: str | None, *, as_json: bool) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        await authenticator.people.set_role(by, id, subject, role)
        roles = await authenticator.people.roles(by, id)
    if as_json:
        print_json({"person": id, "roles": {name: held.value for name, held in sorted(roles.items())}})
    else:
        click.echo(f"{visible_text(id)}, {visible_text(subject)}: {role or NO_ROLE}")


async def _set_workbench_rights(
    id: str, wanted: WorkbenchRights | None, database: str | None, *, as_json: bool
) -> None:
    async with open_identity_admin(database) as (authenticator, by):
        await authenticator.people.active_person(id)
        access = WorkbenchAccess(authenticator.people.store)
        if wanted is not None:
            await access.set_rights(by, id, wanted)
        rights = await access.rights_of(by, id)
    if as_json:
        print_json({"person": id, "files": rights.files, "terminal": rights.terminal})
    else:
        click.echo(f"{visible_text(id)}, workbench: {rights.words or NO_ROLE}")


async def _print_new_login_link(
    user: str | None, url: str | None, database: str | None, *, as_json: bool
) -> None:
    async with open_identity_admin(database, create=user is None) as admin:
        name = user or await _find_or_create_owner(admin)
        secret = (await admin.authenticator.new_link(name, by=admin.by)).secret
    if as_json:
        print_json({"user": name, "login_url": login_link_url(secret, url, database)})
    else:
        print_login_link(secret, url, database)


async def _find_or_create_owner(admin: IdentityAdmin) -> str:
    """Return the id of the person at this terminal; in a database without people, create them as owner."""
    people = await admin.authenticator.people.people(admin.by)
    if not people:
        await admin.authenticator.people.add_person(admin.by, Person(id=admin.by.id, administrator=True))
        return admin.by.id
    try:
        return (await admin.authenticator.people.active_person(admin.by.id)).id
    except NotFoundError:
        names = ", ".join(f"`{one.id}`" for one in people if one.administrator and one.disabled_at is None)
        raise InputError(
            f"there is no person `{admin.by.id}`: choose one with --user; administrators are {names}"
        ) from None


def _print_person(person: Person) -> None:
    facts = [
        visible_text(person.name),
        "administrator" if person.administrator else "",
        f"signs in as {visible_text(person.identity)}" if person.identity else "",
        f"created {age_in_largest_unit(person.added_at)} ago",
        f"disabled {age_in_largest_unit(person.disabled_at)} ago" if person.disabled_at else "",
    ]
    click.echo(f"{with_style(visible_text(person.id), Style.STRONG)}  {', '.join(filter(None, facts))}")


def _server_url(database: str | None) -> str:
    server, settings = _find_running_server(), _load_settings_or_defaults()
    if settings.public_url or server is None or not _does_server_use_database(server, database):
        return settings.url + settings.base_path
    return server.url


def _load_settings_or_defaults() -> ServerSettings:
    try:
        return load_server_settings(current_config_paths(), os.environ)
    except AssentError:
        return ServerSettings()


def _does_server_use_database(server: LocalServer, database: str | None) -> bool:
    """Whether the running server uses this database."""
    address = database or os.environ.get("ASSENT_DATABASE")
    if not address:
        return True
    return server.database == without_password(address if "://" in address else os.path.abspath(address))


def _find_running_server() -> LocalServer | None:
    return find_local_server(current_config_paths().data)

"""`assent login`: on the server's own machine, a new link by which its owner comes in."""

import click

from assent.cli.database import database_option, json_option, print_json, run
from assent.cli.register import Reception, address_for, reception, tell_link
from assent.errors import InputError, NotFoundError
from assent.gate.people import Person


@click.command()
@click.option("--user", metavar="NAME", help="somebody else than you")
@click.option("--url", help="where people reach the server, if it does not know that itself")
@database_option
@json_option
def login(user: str | None, url: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Print a new log-in link; every token and session there is goes on."""
    run(_login(user, url, database, as_json=as_json))


async def _login(user: str | None, url: str | None, database: str | None, *, as_json: bool) -> None:
    async with reception(database, make=user is None) as desk:
        name = user or await _owner(desk)
        minted = await desk.keeper.new_link(name, by=desk.by)
    if as_json:
        print_json({"user": name, "login_url": address_for(minted.secret, url, database)})
    else:
        tell_link(minted.secret, url, database)


async def _owner(desk: Reception) -> str:
    """The person at this terminal, who becomes the owner where nobody is known yet."""
    people = await desk.keeper.people.people(desk.by)
    if not people:
        await desk.keeper.people.add_person(desk.by, Person(id=desk.by.id, administrator=True))
        return desk.by.id
    try:
        return (await desk.keeper.people.active_person(desk.by.id)).id
    except NotFoundError:
        names = ", ".join(f"`{one.id}`" for one in people if one.administrator and one.disabled_at is None)
        raise InputError(
            f"nobody here is called `{desk.by.id}`: say who with --user; administrators are {names}"
        ) from None

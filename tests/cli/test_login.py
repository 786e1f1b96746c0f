"""`assent login` lets the owner of this machine in again, and ends nothing."""

import json

from assent.client.local_server import LocalServer, write_local_server
from assent.gate.access import Kind, Principal
from assent.gate.people import Person, Purpose
from tests.cli.running import Command, Place
from tests.cli.welcoming import ME, keeper_at, link_in, with_people
from tests.principals import administrator


async def test_the_owner_who_lost_their_token_gets_in_and_nothing_ends(
    place: Place, command: Command
) -> None:
    await with_people(place, Person(id=ME, administrator=True))
    async with keeper_at(place) as keeper:
        lost = (await keeper.new_token(Kind.PERSON, ME, by=administrator(ME))).secret
        session = (await keeper.new_session(ME)).secret

        ran = command("login")

        minted = await keeper.log_in(link_in(ran.out), address="")
        held = [
            await keeper.principal_of(minted.secret, Purpose.SESSION),
            await keeper.principal_of(lost),
            await keeper.principal_of(session, Purpose.SESSION),
        ]
    assert ran.out.startswith("http://127.0.0.1:8722/login#")
    assert held == [Principal(id=ME, administrator=True)] * 3


async def test_where_nobody_is_known_yet_whoever_sits_there_is_the_owner(
    place: Place, command: Command
) -> None:
    said = json.loads(command("login", "--database", "assent.db", "--json").out)

    async with keeper_at(place) as keeper:
        [person] = await keeper.people.store.people()
        assert await keeper.log_in(link_in(said["login_url"]), address="")
    assert (said["user"], person.id, person.administrator) == (ME, ME, True)


async def test_somebody_else_is_named(place: Place, command: Command) -> None:
    await with_people(place, Person(id="ada", administrator=True), Person(id="ben"))

    nobody, ben = command("login"), command("login", "--user", "ben", "--url", "https://assent.example")
    unknown = command("login", "--user", "eve")

    assert (nobody.status, nobody.out) == (2, "")
    assert "administrators are `ada`" in nobody.err
    assert ben.out.startswith("https://assent.example/login#")
    assert (unknown.status, unknown.err) == (2, "assent: there is no person `eve`\n")
    async with keeper_at(place) as keeper:
        assert {one.id for one in await keeper.people.store.people()} == {"ada", "ben"}


async def test_the_server_that_runs_says_where_it_is_and_what_it_serves(
    place: Place, command: Command
) -> None:
    data = place.home / ".local" / "share" / "assent"
    data.mkdir(parents=True, mode=0o700)
    served = place.root / "assent.db"
    await with_people(place, Person(id=ME, administrator=True))
    notice = LocalServer(url="http://127.0.0.1:9999/a", database=str(served), token_file="", pid=1)
    write_local_server(str(data), notice)
    elsewhere = place.root / "elsewhere"
    elsewhere.mkdir()

    ran = place.run("login", cwd=elsewhere)

    assert ran.status == 0, ran.err
    assert ran.out.startswith("http://127.0.0.1:9999/a/login#")
    assert ran.err == "it works once, within 15 minutes\n"
    async with keeper_at(place) as keeper:
        assert await keeper.log_in(link_in(ran.out), address="")


async def test_the_server_of_another_database_is_not_where_a_link_leads(
    place: Place, command: Command
) -> None:
    data = place.home / ".local" / "share" / "assent"
    data.mkdir(parents=True, mode=0o700)
    await with_people(place, Person(id=ME, administrator=True))
    notice = LocalServer(url="http://127.0.0.1:9999", database=str(data / "assent.db"), token_file="", pid=1)
    write_local_server(str(data), notice)

    ran = command("login", "--database", "assent.db")

    assert ran.out.startswith("http://127.0.0.1:8722/login#")


async def test_the_public_address_is_where_people_go(place: Place, command: Command) -> None:
    await with_people(place, Person(id=ME, administrator=True))
    place.write_user_file('[server]\npublic_url = "https://assent.example"\nbase_path = "/gate"\n')

    ran = command("login")

    assert ran.out.startswith("https://assent.example/gate/login#")
    assert ran.err == "it works once, within 15 minutes\n"


async def test_a_file_that_cannot_be_read_shuts_nobody_out(place: Place, command: Command) -> None:
    await with_people(place, Person(id=ME, administrator=True))
    place.write_user_file("this is = = no policy")

    ran = command("login")

    assert ran.status == 0, ran.err
    async with keeper_at(place) as keeper:
        assert await keeper.log_in(link_in(ran.out), address="")

"""`assent user` creates, lists, disables and enables people; `assent login` prints log-in links."""

import json
import re

import pytest

from assent.cli.user import login_link_url, open_identity_admin
from assent.client.local_server import LocalServer, write_local_server
from assent.errors import InputError
from assent.gate.access import Kind, Principal, Role
from assent.gate.people import Person, Purpose
from tests.cli.identities import LOCAL_PERSON_ID, add_people, find_link_secret, open_authenticator
from tests.cli.running import Command, CommandSandbox
from tests.principals import administrator
from tests.stores.database import transaction

ADMINISTRATOR = Person(id="ada", administrator=True)
LINK_NOTES = ["valid once, for 15 minutes", "your server is not running: `assent serve` starts it"]


async def test_a_new_person_gets_a_login_link_that_works_once(
    sandbox: CommandSandbox, command: Command
) -> None:
    ran = command("user", "create", "ben", "--name", "Ben", "--administrator", "--database", "assent.db")

    assert ran.status == 0
    assert ran.out.startswith("http://127.0.0.1:8722/login#assent_l_")
    assert ran.err.splitlines() == ["created ben", *LINK_NOTES]
    async with open_authenticator(sandbox) as keeper:
        minted = await keeper.log_in(find_link_secret(ran.out), address="")
        found = await keeper.principal_of(minted.secret, Purpose.SESSION)
        [person] = await keeper.people.store.people()
    assert found == Principal(id="ben", administrator=True)
    assert person.name == "Ben"


async def test_json_has_the_person_and_the_login_url(sandbox: CommandSandbox, command: Command) -> None:
    ran = command(
        "user", "create", "ben", "--identity", "https://id.example|42", "--url", "https://assent.example/a/",
        "--database", "assent.db", "--json",
    )  # fmt: skip

    said = json.loads(ran.out)
    assert (said["person"]["id"], said["person"]["identity"]) == ("ben", "https://id.example|42")
    assert said["login_url"].startswith("https://assent.example/a/login#assent_l_")
    assert ran.err == ""


@pytest.mark.proves("T-19")
async def test_a_missing_database_is_created_for_this_user_only(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("user", "create", "ben")

    directory = sandbox.home / ".local" / "share" / "assent"
    assert ran.status == 0, ran.err
    assert directory.stat().st_mode & 0o777 == 0o700
    assert (directory / "assent.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.proves("T-19")
async def test_a_data_directory_that_other_users_can_access_is_refused(sandbox: CommandSandbox) -> None:
    directory = sandbox.home / ".local" / "share" / "assent"
    directory.mkdir(parents=True, mode=0o755)
    directory.chmod(0o755)

    ran = sandbox.run("user", "create", "ben")

    assert ran.status == 2
    assert "other users can access it" in ran.err


async def test_a_duplicate_or_misleading_name_is_refused(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, ADMINISTRATOR)

    again, hidden = command("user", "create", "ada"), command("user", "create", "a\u202eda")

    assert (again.status, hidden.status, again.out, hidden.out) == (2, 2, "", "")
    assert "there is a person `ada` already" in again.err


async def test_all_people_are_listed_with_their_roles(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, ADMINISTRATOR, Person(id="ben", name="Ben", identity="https://id.example|42"))
    async with open_authenticator(sandbox) as keeper:
        await keeper.people.store.disable_person("ben", by="ada")

    listed = [re.sub(r"\d+s ago", "just now", line) for line in command("user", "list").lines]
    assert listed == [
        "ada  administrator, created just now",
        "ben  Ben, signs in as https://id.example|42, created just now, disabled just now",
    ]
    assert [one["id"] for one in json.loads(command("user", "list", "--json").out)] == ["ada", "ben"]


async def test_an_empty_list_prints_a_note_to_standard_error(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox)

    ran = command("user", "list")

    assert (ran.status, ran.out, ran.err) == (0, "", "there are no people\n")


@pytest.mark.proves("T-14")
async def test_a_disabled_person_is_rejected_in_every_process(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, ADMINISTRATOR, Person(id="ben"))
    async with open_authenticator(sandbox) as keeper:
        token = (await keeper.new_token(Kind.PERSON, "ben", by=administrator("ada"))).secret
        agent = (await keeper.new_token(Kind.AGENT, "clerk", on_behalf="ben", by=administrator("ada"))).secret
        before = await keeper.principal_of(token)

        ran = command("user", "disable", "ben")

        assert (ran.status, ran.out) == (0, "disabled ben\n")
        assert before == Principal(id="ben")
        assert [await keeper.principal_of(one) for one in (token, agent)] == [None, None]
    assert json.loads(command("user", "disable", "ben", "--json").out)["disabled_at"] is not None


@pytest.mark.proves("T-14")
async def test_an_enabled_person_needs_a_new_link_and_old_tokens_stay_revoked(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, ADMINISTRATOR, Person(id="ben"))
    async with open_authenticator(sandbox) as keeper:
        token = (await keeper.new_token(Kind.PERSON, "ben", by=administrator("ada"))).secret
        command("user", "disable", "ben")

        ran = command("user", "enable", "ben")

        minted = await keeper.log_in(find_link_secret(ran.out), address="")
        assert ran.err.splitlines() == ["enabled ben", *LINK_NOTES]
        assert await keeper.principal_of(minted.secret, Purpose.SESSION) == Principal(id="ben")
        assert await keeper.principal_of(token) is None
    said = json.loads(command("user", "enable", "ben", "--json").out)
    assert (said["person"], "assent_l_" in said["login_url"]) == ("ben", True)
    assert command("user", "enable", "eve").err == "assent: there is no person `eve`\n"


async def test_an_id_of_two_words_is_refused_in_one_sentence(
    sandbox: CommandSandbox, command: Command
) -> None:
    ran = command("user", "create", "Ben Smith", "--database", "assent.db")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "assent: the id `Ben Smith` contains a space: choose one word, such as `ben-smith`,"
        " and set the full name separately\n"
    )
    assert (
        command("user", "create", "ben-smith", "--name", "Ben Smith", "--database", "assent.db").status == 0
    )


async def test_the_last_administrator_and_an_unknown_person_cannot_be_disabled(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, ADMINISTRATOR)

    last, unknown = command("user", "disable", "ada"), command("user", "disable", "eve")

    assert (last.status, unknown.status) == (2, 2)
    assert "last administrator" in last.err
    assert unknown.err == "assent: there is no person `eve`\n"


async def test_a_role_is_set_and_removed(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, ADMINISTRATOR, Person(id="ben"))

    given = command("user", "role", "ben", "agent:clerk", "approver")
    more = command("user", "role", "ben", "conversation:c1", "viewer", "--json")
    async with open_authenticator(sandbox) as keeper:
        held = dict(await keeper.people.store.roles("ben"))
    taken = command("user", "role", "ben", "agent:clerk", "none")

    assert given.out == "ben, agent:clerk: approver\n"
    assert json.loads(more.out) == {
        "person": "ben",
        "roles": {"conversation:c1": "viewer", "agent:clerk": "approver"},
    }
    assert held == {"agent:clerk": Role.APPROVER, "conversation:c1": Role.VIEWER}
    assert taken.out == "ben, agent:clerk: none\n"
    assert command("user", "role", "ben", "agent:clerk", "king").status == 2
    vague = command("user", "role", "ben", "clerk", "viewer")
    assert vague.status == 2
    assert "a role is for `agent:NAME` or `conversation:ID`, not for `clerk`" in vague.err


async def test_files_and_terminals_are_turned_on_and_off(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, ADMINISTRATOR, Person(id="ben"))

    before = command("user", "workbench", "ben")
    both = command("user", "workbench", "ben", "terminal", "files")
    one = command("user", "workbench", "ben", "files", "--json")
    shown = command("user", "workbench", "ben")
    off = command("user", "workbench", "ben", "none")

    assert before.out == "ben, workbench: none\n"
    assert both.out == "ben, workbench: files terminal\n"
    assert json.loads(one.out) == {"person": "ben", "files": True, "terminal": False}
    assert (shown.out, off.out) == ("ben, workbench: files\n", "ben, workbench: none\n")
    assert command("user", "workbench", "ben", "none", "files").status == 2
    assert command("user", "workbench", "ben", "everything").status == 2
    assert "there is no person `nobody`" in command("user", "workbench", "nobody", "files").err
    reasons = [one["entry"]["reason"] for one in json.loads(command("audit", "list", "--json").out)]
    assert reasons.count("workbench of ben: files terminal") == 1
    assert reasons.count("workbench of ben: off") == 1


@pytest.mark.proves("T-10")
async def test_hidden_characters_of_a_name_are_shown(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, ADMINISTRATOR)
    with transaction(sandbox.root / "assent.db") as connection:
        connection.core.exec_driver_sql("UPDATE people SET name = 'A\x1b[2J', identity = 'https://x|\x07'")

    ran = command("user", "list")

    assert "A\\u001b[2J" in ran.out
    assert "https://x|\\u0007" in ran.out
    assert "\x1b" not in ran.out


async def test_login_prints_a_new_link_and_revokes_nothing(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, Person(id=LOCAL_PERSON_ID, administrator=True))
    async with open_authenticator(sandbox) as keeper:
        lost = (
            await keeper.new_token(Kind.PERSON, LOCAL_PERSON_ID, by=administrator(LOCAL_PERSON_ID))
        ).secret
        session = (await keeper.new_session(LOCAL_PERSON_ID)).secret

        ran = command("login")

        minted = await keeper.log_in(find_link_secret(ran.out), address="")
        held = [
            await keeper.principal_of(minted.secret, Purpose.SESSION),
            await keeper.principal_of(lost),
            await keeper.principal_of(session, Purpose.SESSION),
        ]
    assert ran.out.startswith("http://127.0.0.1:8722/login#")
    assert held == [Principal(id=LOCAL_PERSON_ID, administrator=True)] * 3


async def test_login_to_an_empty_database_makes_the_local_person_its_owner(
    sandbox: CommandSandbox, command: Command
) -> None:
    said = json.loads(command("login", "--database", "assent.db", "--json").out)

    async with open_authenticator(sandbox) as keeper:
        [person] = await keeper.people.store.people()
        assert await keeper.log_in(find_link_secret(said["login_url"]), address="")
    assert (said["user"], person.id, person.administrator) == (LOCAL_PERSON_ID, LOCAL_PERSON_ID, True)


async def test_login_can_name_another_person(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, Person(id="ada", administrator=True), Person(id="ben"))

    nobody, ben = command("login"), command("login", "--user", "ben", "--url", "https://assent.example")
    unknown = command("login", "--user", "eve")

    assert (nobody.status, nobody.out) == (2, "")
    assert "administrators are `ada`" in nobody.err
    assert ben.out.startswith("https://assent.example/login#")
    assert (unknown.status, unknown.err) == (2, "assent: there is no person `eve`\n")
    async with open_authenticator(sandbox) as keeper:
        assert {one.id for one in await keeper.people.store.people()} == {"ada", "ben"}


async def test_login_uses_the_address_and_database_of_the_running_server(
    sandbox: CommandSandbox, command: Command
) -> None:
    data = sandbox.home / ".local" / "share" / "assent"
    data.mkdir(parents=True, mode=0o700)
    served = sandbox.root / "assent.db"
    await add_people(sandbox, Person(id=LOCAL_PERSON_ID, administrator=True))
    notice = LocalServer(url="http://127.0.0.1:9999/a", database=str(served), token_file="", pid=1)
    write_local_server(str(data), notice)
    elsewhere = sandbox.root / "elsewhere"
    elsewhere.mkdir()

    ran = sandbox.run("login", cwd=elsewhere)

    assert ran.status == 0, ran.err
    assert ran.out.startswith("http://127.0.0.1:9999/a/login#")
    assert ran.err == "valid once, for 15 minutes\n"
    async with open_authenticator(sandbox) as keeper:
        assert await keeper.log_in(find_link_secret(ran.out), address="")


async def test_a_link_does_not_lead_to_the_server_of_another_database(
    sandbox: CommandSandbox, command: Command
) -> None:
    data = sandbox.home / ".local" / "share" / "assent"
    data.mkdir(parents=True, mode=0o700)
    await add_people(sandbox, Person(id=LOCAL_PERSON_ID, administrator=True))
    notice = LocalServer(url="http://127.0.0.1:9999", database=str(data / "assent.db"), token_file="", pid=1)
    write_local_server(str(data), notice)

    ran = command("login", "--database", "assent.db")

    assert ran.out.startswith("http://127.0.0.1:8722/login#")


async def test_a_link_leads_to_the_public_address(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, Person(id=LOCAL_PERSON_ID, administrator=True))
    sandbox.write_user_file('[server]\npublic_url = "https://assent.example"\nbase_path = "/gate"\n')

    ran = command("login")

    assert ran.out.startswith("https://assent.example/gate/login#")
    assert ran.err == "valid once, for 15 minutes\n"


async def test_an_invalid_policy_file_does_not_prevent_a_login(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, Person(id=LOCAL_PERSON_ID, administrator=True))
    sandbox.write_user_file("this is = = no policy")

    ran = command("login")

    assert ran.status == 0, ran.err
    async with open_authenticator(sandbox) as keeper:
        assert await keeper.log_in(find_link_secret(ran.out), address="")


async def test_only_some_commands_create_a_missing_database(
    sandbox: CommandSandbox, command: Command
) -> None:
    with pytest.raises(InputError, match="does not exist"):
        async with open_identity_admin(str(sandbox.root / "new.db")):
            pass
    async with open_identity_admin(str(sandbox.root / "new.db"), create=True) as identity:
        assert list(await identity.authenticator.people.store.people()) == []


def test_the_secret_of_a_link_is_in_the_fragment_of_the_url(command: Command) -> None:
    assert (
        login_link_url("assent_l_x", "https://assent.example/") == "https://assent.example/login#assent_l_x"
    )
    assert login_link_url("assent_l_x", None) == "http://127.0.0.1:8722/login#assent_l_x"

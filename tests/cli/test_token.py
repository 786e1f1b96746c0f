"""`assent token` creates tokens, shows each once, lists them and revokes them in every process."""

import json
from datetime import timedelta

import pytest

from assent.gate.access import Kind, Principal
from assent.gate.conversation import Conversation
from assent.gate.page_tokens import PageScope
from assent.gate.people import Person, Purpose
from assent.gate.unknown_tools import UnknownTools
from assent.stores.sqlite.database import open_sqlite
from tests.cli.identities import LOCAL_PERSON_ID, add_people, open_authenticator
from tests.cli.running import Command, CommandSandbox
from tests.principals import administrator

LOCAL_ADMINISTRATOR = Person(id=LOCAL_PERSON_ID, administrator=True)


async def test_a_token_is_printed_alone_and_works(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR, Person(id="ben"))

    mine = command("token", "create", "--user", LOCAL_PERSON_ID, "--label", "laptop")
    agents = command("token", "create", "--agent", "clerk", "--for", "ben")
    services = command("token", "create", "--service", "ci")

    async with open_authenticator(sandbox) as keeper:
        found = [await keeper.principal_of(ran.out.strip()) for ran in (mine, agents, services)]
    assert found == [
        Principal(id=LOCAL_PERSON_ID, administrator=True),
        Principal(id="clerk", kind=Kind.AGENT, on_behalf="ben"),
        Principal(id="ci", kind=Kind.SERVICE, on_behalf=LOCAL_PERSON_ID),
    ]
    assert [ran.out[:9] for ran in (mine, agents, services)] == ["assent_p_", "assent_a_", "assent_s_"]
    assert [len(ran.lines) for ran in (mine, agents, services)] == [1, 1, 1]
    assert agents.err.endswith(": the agent clerk, who works for ben; shown only once\n")


async def test_a_token_expires_after_the_given_time(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)

    said = json.loads(command("token", "create", "--user", LOCAL_PERSON_ID, "--expires", "90d", "--json").out)

    async with open_authenticator(sandbox) as keeper:
        [kept] = await keeper.people.store.credentials()
        assert await keeper.principal_of(said["secret"]) is not None
    assert kept.made_at is not None
    assert kept.expires_at == kept.made_at + timedelta(days=90)
    assert (said["id"], said["kind"], said["purpose"]) == (kept.id, "person", "token")


async def test_a_token_opens_and_closes_its_agent_for_undeclared_tools(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)
    found = []
    for words in ((), ("--unknown", "ask"), (), ("--unknown", "refuse")):
        assert command("token", "create", "--agent", "clerk", *words).status == 0
        async with open_authenticator(sandbox) as keeper:
            found.append(await UnknownTools(keeper.people.store).answer("clerk"))

    assert found == ["refuse", "ask", "ask", "refuse"]
    shown = command("audit", "list", "--view", "changes", "--json").out
    assert "unknown tools: ask" in shown
    assert "unknown tools: refuse" in shown


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--user", "ana", "--agent", "clerk"),
        ("--user", "ana", "--for", "ben"),
        ("--user", "eve"),
        ("--agent", "clerk", "--for", "eve"),
        ("--agent", ""),
        ("--user", LOCAL_PERSON_ID, "--unknown", "ask"),
        ("--agent", "clerk", "--unknown", "run"),
        ("--user", LOCAL_PERSON_ID, "--expires", "0d"),
        ("--user", LOCAL_PERSON_ID, "--expires", "soon"),
        ("--user", LOCAL_PERSON_ID, "--expires", "-1d"),
    ],
    ids=" ".join,
)
async def test_a_token_needs_exactly_one_owner(
    sandbox: CommandSandbox, command: Command, words: tuple[str, ...]
) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)

    ran = command("token", "create", *words)

    assert (ran.status, ran.out) == (2, "")
    async with open_authenticator(sandbox) as keeper:
        assert list(await keeper.people.store.credentials()) == []


async def test_tokens_are_listed_without_their_secrets(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR, Person(id="ben"))
    first = command("token", "create", "--agent", "clerk", "--for", "ben", "--label", "build").out.strip()
    second = command("token", "create", "--user", LOCAL_PERSON_ID, "--expires", "12h").out.strip()

    every, bens = (
        command("token", "list"),
        json.loads(command("token", "list", "--user", "ben", "--json").out),
    )

    assert every.lines[0].endswith("token of the agent clerk, who works for ben  build")
    assert f"created by {LOCAL_PERSON_ID} " in every.lines[1]
    assert every.lines[1].endswith(", does not expire")
    assert every.lines[2].endswith(f"token of {LOCAL_PERSON_ID}")
    assert [one["principal_id"] for one in bens] == ["clerk"]
    for secret in (first, second):
        assert secret not in every.out + json.dumps(bens)
        assert secret[9:] not in every.out + json.dumps(bens)


@pytest.mark.proves("T-14")
async def test_a_revoked_token_is_invalid_in_every_process(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)
    async with open_authenticator(sandbox) as keeper:
        minted = await keeper.new_token(Kind.PERSON, LOCAL_PERSON_ID, by=administrator(LOCAL_PERSON_ID))
        other = await keeper.new_token(Kind.PERSON, LOCAL_PERSON_ID, by=administrator(LOCAL_PERSON_ID))

        ran = command("token", "revoke", minted.credential.id[:12])

        assert (ran.status, ran.out) == (
            0,
            f"revoked {minted.credential.id[:8]}, a token of {LOCAL_PERSON_ID}\n",
        )
        assert await keeper.principal_of(minted.secret) is None
        assert await keeper.principal_of(other.secret) is not None
        again = command("token", "revoke", minted.credential.id)
        said = json.loads(command("token", "revoke", other.credential.id, "--json").out)
    assert again.status == 2
    assert said == {"id": other.credential.id, "revoked": True}


async def test_an_ambiguous_prefix_revokes_nothing(sandbox: CommandSandbox, command: Command) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)
    for _ in range(17):
        command("token", "create", "--user", LOCAL_PERSON_ID)

    statuses = [command("token", "revoke", start).status for start in "0123456789abcdef"]

    assert 2 in statuses
    assert command("token", "revoke", "").status == 2


async def test_an_empty_list_prints_a_note_to_standard_error(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)

    ran = command("token", "list")

    assert (ran.status, ran.out, ran.err) == (0, "", "there are no tokens\n")


# ---- page tokens ---------------------------------------------------------------------------------


async def test_a_page_token_is_for_one_conversation_and_the_given_origins(
    sandbox: CommandSandbox, command: Command
) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)
    await add_conversation(sandbox, "talk", LOCAL_PERSON_ID)
    origins = ("--origin", "https://crm.example", "--origin", "http://127.0.0.1:5173")

    plain = command("token", "create", "--page", "talk", *origins)
    said = json.loads(command("token", "create", "--page", "talk", *origins[:2], "--json").out)
    listed = json.loads(command("token", "list", "--json").out)

    async with open_authenticator(sandbox) as keeper:
        found = await keeper.authenticate(plain.out.strip(), Purpose.PAGE)
        assert found is not None
        scope = await keeper.page_scope(found.credential)
        as_token = await keeper.principal_of(plain.out.strip())
    assert scope == PageScope("talk", ("https://crm.example", "http://127.0.0.1:5173"))
    assert as_token is None
    assert (said["purpose"], plain.lines) == ("page", [plain.out.strip()])
    assert sorted(one["purpose"] for one in listed) == ["page", "page"]
    assert said["secret"] not in json.dumps(listed)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--page", "talk"), "1 to 10 origins"),
        (("--page", "talk", "--origin", "crm.example"), "is not an origin"),
        (("--page", "talk", "--origin", "https://crm.example/app"), "is not an origin"),
        (("--page", "unknown", "--origin", "https://crm.example"), "no conversation"),
        (("--agent", "clerk", "--origin", "https://crm.example"), "--origin requires --page"),
        (("--page", "talk", "--origin", "https://crm.example", "--agent", "clerk"), "--page is used with"),
        (("--page", "talk", "--origin", "https://crm.example", "--for", "ben"), "--page is used with"),
        (("--page", "talk", "--origin", "https://crm.example", "--unknown", "ask"), "--page is used with"),
    ],
)
async def test_a_page_token_is_refused_with_a_reason(
    sandbox: CommandSandbox, command: Command, words: tuple[str, ...], problem: str
) -> None:
    await add_people(sandbox, LOCAL_ADMINISTRATOR)
    await add_conversation(sandbox, "talk", LOCAL_PERSON_ID)

    ran = command("token", "create", *words)

    async with open_authenticator(sandbox) as keeper:
        assert not await keeper.people.store.credentials()
    assert ran.status != 0
    assert problem in ran.err
    assert ran.out == ""


async def add_conversation(sandbox: CommandSandbox, id: str, owner: str) -> None:
    store = await open_sqlite(str(sandbox.root / "assent.db"))
    try:
        await store.save_conversation(Conversation(id=id, owner=owner, agent="chat", preset="workbench"))
    finally:
        await store.close()

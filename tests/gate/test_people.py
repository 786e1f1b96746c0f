"""A credential is valid only with its person, its time and its purpose."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, Role
from assent.gate.people import (
    ActiveCredential,
    Credential,
    PeopleAdmin,
    Person,
    Purpose,
    check_credential,
    check_display_name,
    check_person,
    is_active,
)
from assent.stores.memory.store import MemoryStore
from tests.principals import administrator

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ANA = Person(id="ana", administrator=True)
TOKEN = Credential(id="k1", purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id="ana")
AGENT = replace(TOKEN, kind=Kind.AGENT, principal_id="clerk", on_behalf="ana")


@pytest.mark.proves("T-43")
def test_a_credential_is_valid_only_while_all_conditions_hold() -> None:
    ends = {None: True, NOW - SECOND: False, NOW: False, NOW + SECOND: True}
    people = {"ana": (ANA, True), "disabled": (replace(ANA, disabled_at=NOW), False), "nobody": (None, False),
              "another": (Person(id="ben"), False)}  # fmt: skip

    for credential, ended, end, who in product((TOKEN, AGENT), (None, NOW), ends, people):
        tried = replace(credential, ended_at=ended, expires_at=end)
        person, counts = people[who]

        assert is_active(tried, person, at=NOW) is (ended is None and ends[end] and counts)


def test_only_a_service_may_have_no_person() -> None:
    service = replace(TOKEN, kind=Kind.SERVICE, principal_id="backup")

    assert is_active(service, None, at=NOW)
    assert not is_active(replace(service, on_behalf="ana"), None, at=NOW)
    assert not is_active(replace(AGENT, on_behalf=""), None, at=NOW)


@pytest.mark.proves("T-5", "T-18")
def test_only_a_person_has_administrator_rights_and_roles() -> None:
    roles = {"c1": Role.OWNER}

    assert ActiveCredential(TOKEN, ANA, roles, NOW).principal == Principal(
        id="ana", administrator=True, roles=roles
    )
    for kind in (Kind.AGENT, Kind.SERVICE):
        held = replace(AGENT, kind=kind)
        assert ActiveCredential(held, ANA, roles, NOW).principal == Principal(
            id="clerk", kind=kind, on_behalf="ana"
        )


@pytest.mark.parametrize(
    "name", ["", " ", "ana ", "\tana", "a" * 129, "a\x00", "a\u202eb", "a\u200b", "a\n", "\ufeffana"]
)
def test_a_misleading_name_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        check_display_name("name of a person", name)
    for wrong in (Person(id=name), Person(id="ana", name=name or "\n"), Person(id="ana", name="x\u202e")):
        with pytest.raises(InputError):
            check_person(wrong)


@pytest.mark.parametrize(
    "name", ["ana", "o'hara", "María", "日本", "ana@example.org", "a" * 128, "x<b>", "🙂"]
)
def test_any_fully_visible_name_is_accepted(name: str) -> None:
    check_person(Person(id=name, name=name))


def test_an_id_with_spaces_is_refused_with_a_suggestion() -> None:
    check_person(Person(id="ben-smith", name="Ben Smith"))

    with pytest.raises(
        InputError, match="choose one word, such as `ben-smith`, and set the full name separately"
    ):
        check_person(Person(id="Ben  Smith"))


def test_an_empty_or_too_long_identity_is_refused() -> None:
    check_person(replace(ANA, identity="https://id.example|42"))
    for identity in ("", "x" * 1025, "https://id.example|4\x002"):
        with pytest.raises(InputError):
            check_person(replace(ANA, identity=identity))


def test_only_people_can_log_in() -> None:
    check_credential(replace(TOKEN, purpose=Purpose.SESSION))
    for kind, purpose in product((Kind.AGENT, Kind.SERVICE), (Purpose.SESSION, Purpose.LINK)):
        with pytest.raises(InputError):
            check_credential(replace(AGENT, kind=kind, purpose=purpose))
    with pytest.raises(InputError):
        check_credential(replace(TOKEN, label="a\x1b[2J"))


ADA = administrator("ada")
ANA_CALLER = Principal(id="ana")
CLERK = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana", administrator=True)
DIGEST = "d1" * 32


async def people_admin_with_people() -> PeopleAdmin:
    people = PeopleAdmin(MemoryStore())
    await people.add_person(ADA, Person(id="ada", administrator=True))
    await people.add_person(ADA, Person(id="ana"))
    return people


def sample_token(id: str, name: str = "ana") -> Credential:
    return Credential(id=id, purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id=name, made_by="ada")


async def audit_decisions(people: PeopleAdmin) -> list[str]:
    store = people.store
    assert isinstance(store, MemoryStore)
    await store.flush_audit()
    return [link.entry.decision for link in (await store.audit())[0]]


@pytest.mark.parametrize("who", [ANA_CALLER, CLERK])
async def test_only_an_administrator_can_change_people_and_a_refusal_leaves_no_audit_row(
    who: Principal,
) -> None:
    people = await people_admin_with_people()
    before = await audit_decisions(people)
    for change in (
        lambda: people.add_person(who, Person(id="eve")),
        lambda: people.set_administrator(who, "ana", administrator=True),
        lambda: people.disable_person(who, "ada"),
        lambda: people.enable_person(who, "ada"),
        lambda: people.set_role(who, "ana", "agent:clerk", Role.APPROVER),
        lambda: people.people(who),
        lambda: people.roles(who, "ana"),
    ):
        with pytest.raises(ForbiddenError):
            await change()

    assert await audit_decisions(people) == before


async def test_a_role_must_be_for_an_agent_or_a_conversation() -> None:
    people = await people_admin_with_people()
    with pytest.raises(InputError, match="a role is for"):
        await people.set_role(ADA, "ana", "clerk", Role.APPROVER)


async def test_people_can_add_and_revoke_only_their_own_credentials() -> None:
    people = await people_admin_with_people()
    await people.add_credential(ADA, sample_token("k1", "ada"), DIGEST, lives_for=None)
    await people.add_credential(ANA_CALLER, sample_token("k2"), "d2" * 32, lives_for=None)
    with pytest.raises(ForbiddenError):
        await people.add_credential(ANA_CALLER, sample_token("k3", "ada"), "d3" * 32, lives_for=None)
    with pytest.raises(NotFoundError):
        await people.revoke_credential(ANA_CALLER, Purpose.TOKEN, "k1")
    with pytest.raises(NotFoundError):
        await people.revoke_credential(ANA_CALLER, Purpose.SESSION, "k2")
    await people.revoke_credential(ANA_CALLER, Purpose.TOKEN, "k2")

    assert [one.id for one in await people.credentials(ADA)] == ["k1"]
    assert list(await people.credentials(ANA_CALLER)) == []
    assert (await audit_decisions(people))[-3:] == ["token_made", "token_made", "token_ended"]


async def test_a_disabled_person_is_not_active_and_can_be_enabled() -> None:
    people = await people_admin_with_people()
    disabled = await people.disable_person(ADA, "ana")

    assert disabled.disabled_at is not None
    with pytest.raises(NotFoundError):
        await people.active_person("ana")
    await people.enable_person(ADA, "ana")
    assert (await people.active_person("ana")).id == "ana"
    assert (await audit_decisions(people))[-2:] == ["person_disabled", "person_enabled"]

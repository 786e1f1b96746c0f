"""People are read and changed with the rights of the caller, and every change is a row of the audit."""

import pytest

from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, Role
from assent.gate.people import Credential, Person, Purpose
from assent.gate.people_admin import PeopleAdmin
from assent.stores.memory.store import MemoryStore
from tests.principals import administrator

ADA = administrator("ada")
ANA = Principal(id="ana")
CLERK = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana", administrator=True)
DIGEST = "d1" * 32


async def some_people() -> PeopleAdmin:
    people = PeopleAdmin(MemoryStore())
    await people.add_person(ADA, Person(id="ada", administrator=True))
    await people.add_person(ADA, Person(id="ana"))
    return people


def a_token(id: str, name: str = "ana") -> Credential:
    return Credential(id=id, purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id=name, made_by="ada")


async def decisions(people: PeopleAdmin) -> list[str]:
    store = people.store
    assert isinstance(store, MemoryStore)
    await store.flush_audit()
    return [link.entry.decision for link in (await store.audit())[0]]


@pytest.mark.parametrize("who", [ANA, CLERK])
async def test_only_an_administrator_changes_people_and_what_is_refused_leaves_no_row(
    who: Principal,
) -> None:
    people = await some_people()
    before = await decisions(people)
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

    assert await decisions(people) == before


async def test_a_role_is_for_an_agent_or_a_conversation() -> None:
    people = await some_people()
    with pytest.raises(InputError, match="a role is for"):
        await people.set_role(ADA, "ana", "clerk", Role.APPROVER)


async def test_a_person_adds_and_revokes_credentials_of_their_own_only() -> None:
    people = await some_people()
    await people.add_credential(ADA, a_token("k1", "ada"), DIGEST, lives_for=None)
    await people.add_credential(ANA, a_token("k2"), "d2" * 32, lives_for=None)
    with pytest.raises(ForbiddenError):
        await people.add_credential(ANA, a_token("k3", "ada"), "d3" * 32, lives_for=None)
    with pytest.raises(NotFoundError):
        await people.revoke_credential(ANA, Purpose.TOKEN, "k1")
    with pytest.raises(NotFoundError):
        await people.revoke_credential(ANA, Purpose.SESSION, "k2")
    await people.revoke_credential(ANA, Purpose.TOKEN, "k2")

    assert [one.id for one in await people.credentials(ADA)] == ["k1"]
    assert list(await people.credentials(ANA)) == []
    assert (await decisions(people))[-3:] == ["token_made", "token_made", "token_ended"]


async def test_a_disabled_person_is_not_active_and_can_be_enabled() -> None:
    people = await some_people()
    disabled = await people.disable_person(ADA, "ana")

    assert disabled.disabled_at is not None
    with pytest.raises(NotFoundError):
        await people.active_person("ana")
    await people.enable_person(ADA, "ana")
    assert (await people.active_person("ana")).id == "ana"
    assert (await decisions(people))[-2:] == ["person_disabled", "person_enabled"]

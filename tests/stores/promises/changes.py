"""Every change of people, roles or credentials is in the audit with its author, but without a secret."""

import pytest

from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Role
from assent.gate.audit import find_chain_breaks
from assent.gate.people import PeopleAdmin
from assent.gate.store import AuditFilter, Store
from tests.principals import administrator
from tests.stores.promises.given import StorePromises, list_all_links, sample_entry
from tests.stores.promises.identities import (
    ANA,
    BEN,
    as_identity_store,
    sample_agent_token,
    sample_credential,
    sample_link,
)

DIGEST = "d1" * 32


async def change_rows(store: Store) -> list[tuple[str, str, str]]:
    """The audited changes: who, what and whose."""
    await store.flush_audit()
    links, _ = await store.audit(AuditFilter(changes=True), limit=1000)
    return [(one.entry.user, one.entry.decision, one.entry.reason) for one in links]


class ChangePromises(StorePromises):
    """Every change of people, roles or credentials is in the audit with its author, but without a secret."""

    @pytest.mark.proves("T-39", "T-40")
    async def test_each_change_of_people_or_credentials_is_one_audit_row(self, store: Store) -> None:
        people = PeopleAdmin(as_identity_store(store))
        await people.add_person(administrator("root"), ANA)
        await people.add_person(administrator("ana"), BEN)
        await people.set_administrator(administrator("ana"), "ben", administrator=True)
        await people.set_administrator(administrator("idp"), "ben", administrator=False)
        await people.set_role(administrator("ana"), "ben", "agent:clerk", Role.APPROVER)
        await people.set_role(administrator("ana"), "ben", "conversation:c1", None)
        await people.add_credential(
            administrator("ana"), sample_agent_token("0123456789abcdef"), DIGEST, lives_for=None
        )
        await people.revoke_credential(administrator("ben"), None, "0123456789abcdef")
        await people.disable_person(administrator("ana"), "ben")
        await people.enable_person(administrator("ana"), "ben")

        assert await change_rows(store) == [
            ("root", "person_added", "ana, administrator"),
            ("ana", "person_added", "ben"),
            ("ana", "administrator_made", "ben"),
            ("idp", "administrator_ended", "ben"),
            ("ana", "role_given", "ben, agent:clerk: approver"),
            ("ana", "role_taken", "ben, conversation:c1"),
            ("ana", "token_made", "01234567: agent clerk for ana, laptop"),
            ("ben", "token_ended", "01234567: agent clerk for ana, laptop"),
            ("ana", "person_disabled", "ben"),
            ("ana", "person_enabled", "ben"),
        ]
        links = await list_all_links(store)
        assert list(find_chain_breaks(links)) == []
        assert DIGEST not in repr(links)

    async def test_a_change_without_effect_writes_no_audit_row(self, store: Store) -> None:
        people = PeopleAdmin(as_identity_store(store))
        await people.add_person(administrator("root"), ANA)
        await people.add_credential(administrator("ana"), sample_credential("k1"), DIGEST, lives_for=None)
        await people.revoke_credential(administrator("ana"), None, "k1")
        before = await change_rows(store)
        with pytest.raises(ConflictError):
            await people.add_person(administrator("eve"), ANA)
        with pytest.raises(ConflictError):
            await people.disable_person(administrator("eve"), "ana")
        with pytest.raises(NotFoundError):
            await people.enable_person(administrator("eve"), "eve")
        for id_ in ("k1", "k2"):
            with pytest.raises(NotFoundError):
                await people.revoke_credential(administrator("eve"), None, id_)
        assert not await as_identity_store(store).revoke_credential("k1", by="eve")

        assert await change_rows(store) == before

    async def test_using_a_link_writes_no_audit_row(self, store: Store) -> None:
        people = PeopleAdmin(as_identity_store(store))
        await people.add_person(administrator("root"), ANA)
        await people.add_credential(administrator("ana"), sample_link("k1"), DIGEST, lives_for=None)
        await people.use_link(DIGEST)

        assert [what for _, what, _ in await change_rows(store)] == ["person_added", "link_made"]

    async def test_changes_do_not_count_as_decisions_about_a_tool(self, store: Store) -> None:
        people = PeopleAdmin(as_identity_store(store))
        await people.add_person(administrator("root"), ANA)
        await people.add_credential(
            administrator("ana"), sample_agent_token("k1", name="ghost"), DIGEST, lives_for=None
        )
        store.record(sample_entry(1, verdict="run"))
        await store.flush_audit()
        tally = await store.tally()
        decisions, hits = await store.rule_hits()

        assert (decisions, list(hits), sum(tally.decisions.values())) == (1, [], 1)
        assert "ghost" not in {one.agent for one in await store.tool_uses()}
        assert (await store.audit(AuditFilter(answers=True)))[0] == ()

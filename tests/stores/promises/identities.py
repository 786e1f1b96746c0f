"""Tests that people, roles and credentials are stored, expire and are revoked."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from assent.errors import ConflictError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, Role
from assent.gate.people import (
    REPLY_RETENTION,
    REQUEST_TIMEOUT,
    ActiveCredential,
    Credential,
    IdentityStore,
    Person,
    Purpose,
    StoredReply,
)
from assent.gate.store import Store
from tests.stores.promises.given import HOSTILE_IDS, HOUR, SetClock, StorePromises

ANA = Person(id="ana", name="Ana", administrator=True)
BEN = Person(id="ben")
SHORT_TIME = timedelta(milliseconds=30)


def as_identity_store(store: Store) -> IdentityStore:
    """The store as an identity store: it implements both protocols."""
    return store  # type: ignore[return-value]


def sample_credential(id: str = "k1", **changes: object) -> Credential:
    credential = Credential(
        id=id, purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id="ana", made_by="ana", label="laptop"
    )
    return replace(credential, **changes)  # type: ignore[arg-type]


def sample_link(id: str) -> Credential:
    return sample_credential(id, purpose=Purpose.LINK, label="")


def sample_agent_token(id: str, name: str = "clerk", on_behalf: str = "ana") -> Credential:
    return sample_credential(id, kind=Kind.AGENT, principal_id=name, on_behalf=on_behalf)


async def result_or_error(step: Callable[[], Awaitable[object]]) -> object:
    try:
        return await step()
    except ConflictError as error:
        return type(error)


class PeoplePromises(StorePromises):
    """Tests that people, roles and credentials are stored, expire and are revoked."""

    async def test_a_person_is_stored_unchanged(self, store: Store) -> None:
        identities = as_identity_store(store)
        signed_in = Person(id="ben", name="Ben ñ 日本", identity="https://id.example|42")

        ana = await identities.add_person(ANA, by="root")
        ben = await identities.add_person(signed_in, by="ana")

        assert list(await identities.people()) == [ana, ben]
        assert (replace(ana, added_at=None), replace(ben, added_at=None)) == (ANA, signed_in)
        assert await identities.person("ben") == ben == await identities.person_by_identity(str(ben.identity))
        assert await identities.person("eve") is None
        assert await identities.person_by_identity("https://id.example|4") is None

    async def test_the_id_and_the_identity_of_a_person_are_unique(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(replace(BEN, identity="https://id.example|42"), by="ana")

        for taken in (Person(id="ben"), Person(id="eve", identity="https://id.example|42")):
            with pytest.raises(ConflictError):
                await identities.add_person(taken, by="ana")
        assert [one.id for one in await identities.people()] == ["ben"]

    async def test_several_people_may_have_no_identity(self, store: Store) -> None:
        identities = as_identity_store(store)
        for id in HOSTILE_IDS:
            if id.split() == [id]:
                await identities.add_person(Person(id=id), by="ana")

        assert {one.id for one in await identities.people()} == {
            id for id in HOSTILE_IDS if id.split() == [id]
        }

    @pytest.mark.parametrize(
        "name", ["", " ana", "ana maría", "a" * 129, "an\u202ea", "an\x00a", "a\nb", "\u200bana"]
    )
    async def test_a_misleading_name_is_refused(self, store: Store, name: str) -> None:
        with pytest.raises(InputError):
            await as_identity_store(store).add_person(Person(id=name), by="ana")

    async def test_a_person_who_is_enabled_again_needs_a_new_credential(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_person(BEN, by="ana")
        await identities.add_credential(sample_credential(principal_id="ben"), "d" * 64, lives_for=None)
        await identities.disable_person("ben", by="ana")
        await identities.enable_person("ben", by="ana")
        old = await identities.credential("d" * 64)
        await identities.add_credential(
            sample_credential(principal_id="ben", id="2" * 32), "e" * 64, lives_for=None
        )
        new = await identities.credential("e" * 64)
        found = await identities.person("ben")

        assert (old, found is not None and found.disabled_at) == (None, None)
        assert new is not None
        assert new.principal.id == "ben"
        with pytest.raises(NotFoundError):
            await identities.enable_person("eve", by="ana")

    async def test_a_role_can_be_set_changed_and_removed(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(BEN, by="ana")

        await identities.set_role("ben", "conversation:c1", Role.VIEWER, by="ana")
        await identities.set_role("ben", "agent:clerk", Role.APPROVER, by="ana")
        await identities.set_role("ben", "conversation:c1", Role.APPROVER, by="ana")
        given = dict(await identities.roles("ben"))
        await identities.set_role("ben", "conversation:c1", None, by="ana")
        await identities.set_role("ben", "conversation:c1", None, by="ana")

        assert given == {"conversation:c1": Role.APPROVER, "agent:clerk": Role.APPROVER}
        assert dict(await identities.roles("ben")) == {"agent:clerk": Role.APPROVER}
        assert dict(await identities.roles("eve")) == {}
        with pytest.raises(NotFoundError):
            await identities.set_role("eve", "conversation:c1", Role.OWNER, by="ana")

    async def test_a_token_gives_the_person_and_their_current_rights(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        ben = await identities.add_person(BEN, by="ana")
        made = await identities.add_credential(
            sample_credential(principal_id="ben"), "d" * 64, lives_for=timedelta(days=1)
        )
        await identities.set_role("ben", "conversation:c1", Role.VIEWER, by="ana")

        known = await identities.credential("d" * 64)
        await identities.set_administrator("ben", administrator=True, by="ana")
        later = await identities.credential("d" * 64)

        assert isinstance(known, ActiveCredential)
        assert (known.credential, known.person, dict(known.roles)) == (
            made,
            ben,
            {"conversation:c1": Role.VIEWER},
        )
        assert known.principal == Principal(id="ben", roles={"conversation:c1": Role.VIEWER})
        assert made.made_at is not None
        assert made.expires_at == made.made_at + timedelta(days=1)
        assert later is not None
        assert later.principal.administrator

    @pytest.mark.proves("T-5", "T-18")
    async def test_an_agent_has_no_rights_of_its_person(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.set_role("ana", "conversation:c1", Role.OWNER, by="root")
        await identities.add_person(replace(BEN, id="clerk", administrator=True), by="root")
        await identities.add_credential(sample_agent_token("k1"), "d" * 64, lives_for=None)

        known = await identities.credential("d" * 64)

        assert known is not None
        assert known.principal == Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")

    async def test_a_service_but_not_an_agent_may_act_for_no_user(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        service = sample_credential("k1", kind=Kind.SERVICE, principal_id="backup")
        await identities.add_credential(service, "d" * 64, lives_for=None)

        known = await identities.credential("d" * 64)

        assert known is not None
        assert known.principal == Principal(id="backup", kind=Kind.SERVICE)
        with pytest.raises(InputError):
            await identities.add_credential(sample_agent_token("k2", on_behalf=""), "e" * 64, lives_for=None)
        link = replace(sample_agent_token("k2"), purpose=Purpose.LINK)
        with pytest.raises(InputError):
            await identities.add_credential(link, "e" * 64, lives_for=None)
        with pytest.raises(NotFoundError):
            await identities.add_credential(
                sample_agent_token("k2", on_behalf="eve"), "e" * 64, lives_for=None
            )

    async def test_an_unknown_digest_has_no_credential(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_credential(), "d" * 64, lives_for=None)

        assert [await identities.credential(digest) for digest in ("", "e" * 64, "d" * 63, "%")] == [None] * 4

    async def test_the_ids_and_digests_of_credentials_are_unique(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_credential("k1"), "d" * 64, lives_for=None)

        for again, digest in ((sample_credential("k1"), "e" * 64), (sample_credential("k2"), "d" * 64)):
            with pytest.raises(ConflictError):
                await identities.add_credential(again, digest, lives_for=None)
        assert [one.id for one in await identities.credentials()] == ["k1"]

    @pytest.mark.proves("T-43")
    async def test_a_credential_expires_by_the_stores_clock(self, store: Store, clock: SetClock) -> None:
        self.needs_clock()
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_credential(), "d" * 64, lives_for=HOUR)

        clock.advance(HOUR - SHORT_TIME)
        before = await identities.credential("d" * 64)
        clock.advance(SHORT_TIME)
        after = await identities.credential("d" * 64)
        await identities.extend_credential("k1", lives_for=HOUR)
        clock.advance(-2 * HOUR)

        assert before is not None
        assert after is None
        assert await identities.credential("d" * 64) is None
        assert list(await identities.credentials()) == []

    async def test_an_expired_credential_is_invalid(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_credential(), "d" * 64, lives_for=-SHORT_TIME)

        assert await identities.credential("d" * 64) is None
        assert list(await identities.credentials("ana")) == []

    async def test_an_extended_session_stays_valid(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        made = await identities.add_credential(
            sample_credential(purpose=Purpose.SESSION), "d" * 64, lives_for=HOUR
        )

        await identities.extend_credential("k1", lives_for=2 * HOUR)
        known = await identities.credential("d" * 64)

        assert known is not None
        assert made.expires_at is not None
        assert known.credential.expires_at is not None
        assert known.credential.expires_at >= made.expires_at + HOUR

    async def test_extending_a_credential_without_an_expiry_sets_none(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_credential(), "d" * 64, lives_for=None)

        await identities.extend_credential("k1", lives_for=HOUR)
        await identities.extend_credential("k9", lives_for=HOUR)
        known = await identities.credential("d" * 64)

        assert known is not None
        assert known.credential.expires_at is None

    async def test_a_revoked_credential_is_invalid_and_revoking_again_changes_nothing(
        self, store: Store
    ) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_credential("k1"), "d" * 64, lives_for=None)
        await identities.add_credential(sample_credential("k2"), "e" * 64, lives_for=None)

        await identities.revoke_credential("k1", by="ana")
        await identities.revoke_credential("k1", by="ana")

        assert await identities.credential("d" * 64) is None
        assert [one.id for one in await identities.credentials()] == ["k2"]
        with pytest.raises(NotFoundError):
            await identities.revoke_credential("k9", by="ana")

    async def test_of_many_concurrent_uses_of_a_link_one_succeeds(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_credential(sample_link("k1"), "d" * 64, lives_for=HOUR)

        known = await asyncio.gather(*(identities.use_link("d" * 64) for _ in range(20)))

        [let_in] = [one for one in known if one is not None]
        assert let_in.principal == Principal(id="ana", administrator=True)
        assert await identities.use_link("d" * 64) is None

    async def test_of_two_processes_that_use_a_link_one_succeeds(self, store: Store, other: Store) -> None:
        await as_identity_store(store).add_person(ANA, by="root")
        for number in range(10):
            digest = f"{number:064x}"
            await as_identity_store(store).add_credential(sample_link(f"k{number}"), digest, lives_for=HOUR)
            known = await asyncio.gather(*(as_identity_store(one).use_link(digest) for one in (store, other)))

            assert sum(one is not None for one in known) == 1

    async def test_only_a_valid_link_can_be_used(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_person(BEN, by="ana")
        await identities.add_credential(sample_credential("k1"), "a" * 64, lives_for=None)
        await identities.add_credential(sample_link("k2"), "b" * 64, lives_for=-SHORT_TIME)
        await identities.add_credential(sample_link("k3"), "c" * 64, lives_for=HOUR)
        bens = replace(sample_link("k4"), principal_id="ben")
        await identities.add_credential(bens, "d" * 64, lives_for=HOUR)
        await identities.revoke_credential("k3", by="ana")
        await identities.disable_person("ben", by="ana")

        assert [await identities.use_link(letter * 64) for letter in "abcde"] == [None] * 5
        assert await identities.credential("a" * 64) is not None

    @pytest.mark.proves("T-14")
    async def test_disabling_a_person_revokes_the_credentials_of_their_agents(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_person(BEN, by="ana")
        held = [
            sample_credential("k1", principal_id="ben"),
            sample_agent_token("k2", on_behalf="ben"),
            sample_credential("k3", kind=Kind.SERVICE, principal_id="ci", on_behalf="ben"),
            sample_agent_token("k4", name="ben", on_behalf="ana"),
        ]
        for number, credential in enumerate(held):
            await identities.add_credential(credential, f"{number:064x}", lives_for=None)

        await identities.disable_person("ben", by="ana")
        await identities.disable_person("ben", by="ana")

        known = [await identities.credential(f"{number:064x}") for number in range(4)]
        assert [one is not None for one in known] == [False, False, False, True]
        assert [one.id for one in await identities.credentials()] == ["k4"]
        assert [(one.id, one.disabled_at is None) for one in await identities.people()] == [
            ("ana", True),
            ("ben", False),
        ]
        with pytest.raises(NotFoundError):
            await identities.add_credential(
                sample_credential("k5", principal_id="ben"), "f" * 64, lives_for=None
            )
        with pytest.raises(NotFoundError):
            await identities.disable_person("eve", by="ana")

    async def test_the_last_administrator_cannot_be_removed(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_person(replace(BEN, administrator=True), by="ana")
        await identities.set_administrator("ben", administrator=False, by="ana")

        with pytest.raises(ConflictError):
            await identities.set_administrator("ana", administrator=False, by="ana")
        with pytest.raises(ConflictError):
            await identities.disable_person("ana", by="ana")
        with pytest.raises(NotFoundError):
            await identities.set_administrator("eve", administrator=True, by="ana")
        assert [(one.id, one.administrator) for one in await identities.people()] == [
            ("ana", True),
            ("ben", False),
        ]

    async def test_of_two_processes_that_remove_the_last_two_administrators_one_is_refused(
        self, store: Store, other: Store
    ) -> None:
        await as_identity_store(store).add_person(ANA, by="root")
        await as_identity_store(store).add_person(replace(BEN, administrator=True), by="root")

        outcomes = await asyncio.gather(
            result_or_error(lambda: as_identity_store(store).disable_person("ben", by="ana")),
            result_or_error(lambda: as_identity_store(other).disable_person("ana", by="ben")),
        )

        assert sorted(map(str, outcomes)) == sorted(["None", str(ConflictError)])
        assert sum(one.disabled_at is None for one in await as_identity_store(store).people()) == 1

    @pytest.mark.proves("T-38")
    async def test_credentials_are_listed_by_their_person(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.add_person(ANA, by="root")
        await identities.add_person(BEN, by="root")
        held = [
            sample_credential("k1"),
            sample_agent_token("k2", name="ben"),
            sample_credential("k3", principal_id="ben"),
        ]
        for number, credential in enumerate(held):
            await identities.add_credential(credential, f"{number:064x}", lives_for=None)

        listed = {
            who: [one.id for one in await identities.credentials(who)] for who in ("ana", "ben", "clerk", "")
        }

        assert listed == {"ana": ["k1", "k2"], "ben": ["k3"], "clerk": [], "": []}
        assert [one.id for one in await identities.credentials()] == ["k1", "k2", "k3"]

    @pytest.mark.proves("R-6")
    async def test_a_repeated_request_gets_the_same_reply(self, store: Store) -> None:
        identities = as_identity_store(store)
        reply = StoredReply(201, '{"id":"ñ"}')

        first = await identities.begin_request("ana", "key-1", "a" * 64)
        with pytest.raises(ConflictError, match="still running"):
            await identities.begin_request("ana", "key-1", "a" * 64)
        await identities.save_reply("ana", "key-1", reply)
        await identities.save_reply("ana", "key-1", StoredReply(500, ""))

        assert first is None
        assert await identities.begin_request("ana", "key-1", "a" * 64) == reply
        assert await identities.begin_request("ben", "key-1", "b" * 64) is None
        with pytest.raises(ConflictError, match="another request"):
            await identities.begin_request("ana", "key-1", "b" * 64)

    @pytest.mark.proves("R-6")
    async def test_of_many_requests_with_one_key_one_runs(self, store: Store) -> None:
        identities = as_identity_store(store)

        def begin_registration() -> Awaitable[object]:
            return identities.begin_request("ana", "key-1", "a" * 64)

        outcomes = await asyncio.gather(*(result_or_error(begin_registration) for _ in range(20)))

        assert sorted(map(str, outcomes)) == sorted(["None", *[str(ConflictError)] * 19])

    async def test_a_request_that_failed_may_be_tried_again(self, store: Store) -> None:
        identities = as_identity_store(store)
        await identities.begin_request("ana", "key-1", "a" * 64)

        await identities.save_reply("ana", "key-1", None)
        await identities.save_reply("ana", "key-2", None)
        await identities.save_reply("ana", "key-2", StoredReply(200, ""))

        assert await identities.begin_request("ana", "key-1", "b" * 64) is None
        assert await identities.begin_request("ana", "key-2", "c" * 64) is None

    async def test_the_key_of_a_dead_process_is_taken_over_and_an_old_key_is_deleted(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        identities = as_identity_store(store)
        await identities.begin_request("ana", "key-1", "a" * 64)
        await identities.begin_request("ana", "key-2", "a" * 64)
        await identities.save_reply("ana", "key-2", StoredReply(200, ""))

        clock.advance(REQUEST_TIMEOUT + SHORT_TIME)
        taken_over = await identities.begin_request("ana", "key-1", "a" * 64)
        with pytest.raises(ConflictError, match="still running"):
            await identities.begin_request("ana", "key-1", "a" * 64)
        clock.advance(REPLY_RETENTION)

        assert taken_over is None
        assert await identities.begin_request("ana", "key-2", "b" * 64) is None

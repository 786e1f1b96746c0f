"""People, roles and credentials are kept, and none of them outlives its reason."""

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
    Person,
    Purpose,
    Register,
    Reply,
)
from assent.gate.store import Store
from tests.stores.promises.given import HOSTILE_IDS, HOUR, GivenStore, SetClock

ANA = Person(id="ana", name="Ana", administrator=True)
BEN = Person(id="ben")
BLINK = timedelta(milliseconds=30)


def register_of(store: Store) -> Register:
    """The store as a register: it implements both protocols."""
    return store  # type: ignore[return-value]


def a_credential(id: str = "k1", **changes: object) -> Credential:
    credential = Credential(
        id=id, purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id="ana", made_by="ana", label="laptop"
    )
    return replace(credential, **changes)  # type: ignore[arg-type]


def a_link(id: str) -> Credential:
    return a_credential(id, purpose=Purpose.LINK, label="")


def an_agent(id: str, name: str = "clerk", on_behalf: str = "ana") -> Credential:
    return a_credential(id, kind=Kind.AGENT, principal_id=name, on_behalf=on_behalf)


async def outcome_of(step: Callable[[], Awaitable[object]]) -> object:
    try:
        return await step()
    except ConflictError as error:
        return type(error)


class Registers(GivenStore):
    """People, roles and credentials are kept, and none of them outlives its reason."""

    async def test_a_person_is_kept_as_they_were_added(self, store: Store) -> None:
        register = register_of(store)
        signed_in = Person(id="ben", name="Ben ñ 日本", identity="https://id.example|42")

        ana = await register.add_person(ANA, by="root")
        ben = await register.add_person(signed_in, by="ana")

        assert list(await register.people()) == [ana, ben]
        assert (replace(ana, added_at=None), replace(ben, added_at=None)) == (ANA, signed_in)
        assert await register.person("ben") == ben == await register.person_by_identity(str(ben.identity))
        assert await register.person("eve") is None
        assert await register.person_by_identity("https://id.example|4") is None

    async def test_nobody_takes_the_name_or_the_identity_of_somebody_else(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(replace(BEN, identity="https://id.example|42"), by="ana")

        for taken in (Person(id="ben"), Person(id="eve", identity="https://id.example|42")):
            with pytest.raises(ConflictError):
                await register.add_person(taken, by="ana")
        assert [one.id for one in await register.people()] == ["ben"]

    async def test_many_without_an_identity_do_not_get_in_each_others_way(self, store: Store) -> None:
        register = register_of(store)
        for id in HOSTILE_IDS:
            if id.split() == [id]:
                await register.add_person(Person(id=id), by="ana")

        assert {one.id for one in await register.people()} == {id for id in HOSTILE_IDS if id.split() == [id]}

    @pytest.mark.parametrize(
        "name", ["", " ana", "ana maría", "a" * 129, "an\u202ea", "an\x00a", "a\nb", "\u200bana"]
    )
    async def test_a_name_that_could_pass_for_another_is_refused(self, store: Store, name: str) -> None:
        with pytest.raises(InputError):
            await register_of(store).add_person(Person(id=name), by="ana")

    async def test_who_is_let_in_again_needs_a_new_credential(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_person(BEN, by="ana")
        await register.add_credential(a_credential(principal_id="ben"), "d" * 64, lives_for=None)
        await register.disable_person("ben", by="ana")
        await register.enable_person("ben", by="ana")
        old = await register.credential("d" * 64)
        await register.add_credential(a_credential(principal_id="ben", id="2" * 32), "e" * 64, lives_for=None)
        new = await register.credential("e" * 64)
        found = await register.person("ben")

        assert (old, found is not None and found.disabled_at) == (None, None)
        assert new is not None
        assert new.principal.id == "ben"
        with pytest.raises(NotFoundError):
            await register.enable_person("eve", by="ana")

    async def test_a_role_is_given_changed_and_taken(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(BEN, by="ana")

        await register.set_role("ben", "conversation:c1", Role.VIEWER, by="ana")
        await register.set_role("ben", "agent:clerk", Role.APPROVER, by="ana")
        await register.set_role("ben", "conversation:c1", Role.APPROVER, by="ana")
        given = dict(await register.roles("ben"))
        await register.set_role("ben", "conversation:c1", None, by="ana")
        await register.set_role("ben", "conversation:c1", None, by="ana")

        assert given == {"conversation:c1": Role.APPROVER, "agent:clerk": Role.APPROVER}
        assert dict(await register.roles("ben")) == {"agent:clerk": Role.APPROVER}
        assert dict(await register.roles("eve")) == {}
        with pytest.raises(NotFoundError):
            await register.set_role("eve", "conversation:c1", Role.OWNER, by="ana")

    async def test_a_token_says_who_holds_it_with_the_rights_they_have_now(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        ben = await register.add_person(BEN, by="ana")
        made = await register.add_credential(
            a_credential(principal_id="ben"), "d" * 64, lives_for=timedelta(days=1)
        )
        await register.set_role("ben", "conversation:c1", Role.VIEWER, by="ana")

        known = await register.credential("d" * 64)
        await register.set_administrator("ben", administrator=True, by="ana")
        later = await register.credential("d" * 64)

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
    async def test_an_agent_brings_no_right_of_the_person_it_works_for(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.set_role("ana", "conversation:c1", Role.OWNER, by="root")
        await register.add_person(replace(BEN, id="clerk", administrator=True), by="root")
        await register.add_credential(an_agent("k1"), "d" * 64, lives_for=None)

        known = await register.credential("d" * 64)

        assert known is not None
        assert known.principal == Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")

    async def test_a_service_may_work_for_nobody_and_an_agent_may_not(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        service = a_credential("k1", kind=Kind.SERVICE, principal_id="backup")
        await register.add_credential(service, "d" * 64, lives_for=None)

        known = await register.credential("d" * 64)

        assert known is not None
        assert known.principal == Principal(id="backup", kind=Kind.SERVICE)
        with pytest.raises(InputError):
            await register.add_credential(an_agent("k2", on_behalf=""), "e" * 64, lives_for=None)
        link = replace(an_agent("k2"), purpose=Purpose.LINK)
        with pytest.raises(InputError):
            await register.add_credential(link, "e" * 64, lives_for=None)
        with pytest.raises(NotFoundError):
            await register.add_credential(an_agent("k2", on_behalf="eve"), "e" * 64, lives_for=None)

    async def test_what_nobody_was_given_is_nobodys(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_credential(), "d" * 64, lives_for=None)

        assert [await register.credential(digest) for digest in ("", "e" * 64, "d" * 63, "%")] == [None] * 4

    async def test_a_secret_is_given_out_once(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_credential("k1"), "d" * 64, lives_for=None)

        for again, digest in ((a_credential("k1"), "e" * 64), (a_credential("k2"), "d" * 64)):
            with pytest.raises(ConflictError):
                await register.add_credential(again, digest, lives_for=None)
        assert [one.id for one in await register.credentials()] == ["k1"]

    @pytest.mark.proves("T-43")
    async def test_a_credential_ends_at_its_time_by_the_stores_own_clock(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_credential(), "d" * 64, lives_for=HOUR)

        clock.advance(HOUR - BLINK)
        before = await register.credential("d" * 64)
        clock.advance(BLINK)
        after = await register.credential("d" * 64)
        await register.extend_credential("k1", lives_for=HOUR)
        clock.advance(-2 * HOUR)

        assert before is not None
        assert after is None
        assert await register.credential("d" * 64) is None
        assert list(await register.credentials()) == []

    async def test_a_credential_that_has_expired_is_nobodys_on_any_clock(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_credential(), "d" * 64, lives_for=-BLINK)

        assert await register.credential("d" * 64) is None
        assert list(await register.credentials("ana")) == []

    async def test_a_session_that_is_extended_lives_on(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        made = await register.add_credential(a_credential(purpose=Purpose.SESSION), "d" * 64, lives_for=HOUR)

        await register.extend_credential("k1", lives_for=2 * HOUR)
        known = await register.credential("d" * 64)

        assert known is not None
        assert made.expires_at is not None
        assert known.credential.expires_at is not None
        assert known.credential.expires_at >= made.expires_at + HOUR

    async def test_what_never_expires_is_not_given_an_end_by_being_extended(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_credential(), "d" * 64, lives_for=None)

        await register.extend_credential("k1", lives_for=HOUR)
        await register.extend_credential("k9", lives_for=HOUR)
        known = await register.credential("d" * 64)

        assert known is not None
        assert known.credential.expires_at is None

    async def test_what_was_ended_holds_no_longer_and_ending_twice_is_ending_once(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_credential("k1"), "d" * 64, lives_for=None)
        await register.add_credential(a_credential("k2"), "e" * 64, lives_for=None)

        await register.revoke_credential("k1", by="ana")
        await register.revoke_credential("k1", by="ana")

        assert await register.credential("d" * 64) is None
        assert [one.id for one in await register.credentials()] == ["k2"]
        with pytest.raises(NotFoundError):
            await register.revoke_credential("k9", by="ana")

    async def test_of_many_who_follow_a_link_one_gets_in(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_credential(a_link("k1"), "d" * 64, lives_for=HOUR)

        known = await asyncio.gather(*(register.use_link("d" * 64) for _ in range(20)))

        [let_in] = [one for one in known if one is not None]
        assert let_in.principal == Principal(id="ana", administrator=True)
        assert await register.use_link("d" * 64) is None

    async def test_of_two_processes_one_follows_a_link(self, store: Store, other: Store) -> None:
        await register_of(store).add_person(ANA, by="root")
        for number in range(10):
            digest = f"{number:064x}"
            await register_of(store).add_credential(a_link(f"k{number}"), digest, lives_for=HOUR)
            known = await asyncio.gather(*(register_of(one).use_link(digest) for one in (store, other)))

            assert sum(one is not None for one in known) == 1

    async def test_only_a_link_that_holds_is_followed(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_person(BEN, by="ana")
        await register.add_credential(a_credential("k1"), "a" * 64, lives_for=None)
        await register.add_credential(a_link("k2"), "b" * 64, lives_for=-BLINK)
        await register.add_credential(a_link("k3"), "c" * 64, lives_for=HOUR)
        bens = replace(a_link("k4"), principal_id="ben")
        await register.add_credential(bens, "d" * 64, lives_for=HOUR)
        await register.revoke_credential("k3", by="ana")
        await register.disable_person("ben", by="ana")

        assert [await register.use_link(letter * 64) for letter in "abcde"] == [None] * 5
        assert await register.credential("a" * 64) is not None

    @pytest.mark.proves("T-14")
    async def test_who_is_disabled_takes_along_whoever_acts_for_them(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_person(BEN, by="ana")
        held = [
            a_credential("k1", principal_id="ben"),
            an_agent("k2", on_behalf="ben"),
            a_credential("k3", kind=Kind.SERVICE, principal_id="ci", on_behalf="ben"),
            an_agent("k4", name="ben", on_behalf="ana"),
        ]
        for number, credential in enumerate(held):
            await register.add_credential(credential, f"{number:064x}", lives_for=None)

        await register.disable_person("ben", by="ana")
        await register.disable_person("ben", by="ana")

        known = [await register.credential(f"{number:064x}") for number in range(4)]
        assert [one is not None for one in known] == [False, False, False, True]
        assert [one.id for one in await register.credentials()] == ["k4"]
        assert [(one.id, one.disabled_at is None) for one in await register.people()] == [
            ("ana", True),
            ("ben", False),
        ]
        with pytest.raises(NotFoundError):
            await register.add_credential(a_credential("k5", principal_id="ben"), "f" * 64, lives_for=None)
        with pytest.raises(NotFoundError):
            await register.disable_person("eve", by="ana")

    async def test_the_last_administrator_stays(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_person(replace(BEN, administrator=True), by="ana")
        await register.set_administrator("ben", administrator=False, by="ana")

        with pytest.raises(ConflictError):
            await register.set_administrator("ana", administrator=False, by="ana")
        with pytest.raises(ConflictError):
            await register.disable_person("ana", by="ana")
        with pytest.raises(NotFoundError):
            await register.set_administrator("eve", administrator=True, by="ana")
        assert [(one.id, one.administrator) for one in await register.people()] == [
            ("ana", True),
            ("ben", False),
        ]

    async def test_of_two_processes_that_remove_the_last_two_administrators_one_is_refused(
        self, store: Store, other: Store
    ) -> None:
        await register_of(store).add_person(ANA, by="root")
        await register_of(store).add_person(replace(BEN, administrator=True), by="root")

        outcomes = await asyncio.gather(
            outcome_of(lambda: register_of(store).disable_person("ben", by="ana")),
            outcome_of(lambda: register_of(other).disable_person("ana", by="ben")),
        )

        assert sorted(map(str, outcomes)) == sorted(["None", str(ConflictError)])
        assert sum(one.disabled_at is None for one in await register_of(store).people()) == 1

    @pytest.mark.proves("T-38")
    async def test_credentials_are_listed_by_the_person_behind_them(self, store: Store) -> None:
        register = register_of(store)
        await register.add_person(ANA, by="root")
        await register.add_person(BEN, by="root")
        held = [a_credential("k1"), an_agent("k2", name="ben"), a_credential("k3", principal_id="ben")]
        for number, credential in enumerate(held):
            await register.add_credential(credential, f"{number:064x}", lives_for=None)

        listed = {
            who: [one.id for one in await register.credentials(who)] for who in ("ana", "ben", "clerk", "")
        }

        assert listed == {"ana": ["k1", "k2"], "ben": ["k3"], "clerk": [], "": []}
        assert [one.id for one in await register.credentials()] == ["k1", "k2", "k3"]

    @pytest.mark.proves("R-6")
    async def test_a_request_that_comes_again_is_told_the_same(self, store: Store) -> None:
        register = register_of(store)
        reply = Reply(201, '{"id":"ñ"}')

        first = await register.begin_request("ana", "key-1", "a" * 64)
        with pytest.raises(ConflictError, match="still running"):
            await register.begin_request("ana", "key-1", "a" * 64)
        await register.save_reply("ana", "key-1", reply)
        await register.save_reply("ana", "key-1", Reply(500, ""))

        assert first is None
        assert await register.begin_request("ana", "key-1", "a" * 64) == reply
        assert await register.begin_request("ben", "key-1", "b" * 64) is None
        with pytest.raises(ConflictError, match="another request"):
            await register.begin_request("ana", "key-1", "b" * 64)

    @pytest.mark.proves("R-6")
    async def test_of_many_requests_with_one_key_one_goes_to_work(self, store: Store) -> None:
        register = register_of(store)

        def begin() -> Awaitable[object]:
            return register.begin_request("ana", "key-1", "a" * 64)

        outcomes = await asyncio.gather(*(outcome_of(begin) for _ in range(20)))

        assert sorted(map(str, outcomes)) == sorted(["None", *[str(ConflictError)] * 19])

    async def test_a_request_that_failed_may_be_tried_again(self, store: Store) -> None:
        register = register_of(store)
        await register.begin_request("ana", "key-1", "a" * 64)

        await register.save_reply("ana", "key-1", None)
        await register.save_reply("ana", "key-2", None)
        await register.save_reply("ana", "key-2", Reply(200, ""))

        assert await register.begin_request("ana", "key-1", "b" * 64) is None
        assert await register.begin_request("ana", "key-2", "c" * 64) is None

    async def test_a_key_whose_process_is_gone_is_taken_over_and_an_old_one_is_forgotten(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        register = register_of(store)
        await register.begin_request("ana", "key-1", "a" * 64)
        await register.begin_request("ana", "key-2", "a" * 64)
        await register.save_reply("ana", "key-2", Reply(200, ""))

        clock.advance(REQUEST_TIMEOUT + BLINK)
        taken_over = await register.begin_request("ana", "key-1", "a" * 64)
        with pytest.raises(ConflictError, match="still running"):
            await register.begin_request("ana", "key-1", "a" * 64)
        clock.advance(REPLY_RETENTION)

        assert taken_over is None
        assert await register.begin_request("ana", "key-2", "b" * 64) is None

"""The authenticator finds the principal of a secret, creates credentials, and logs people in."""

from datetime import timedelta

import pytest

from assent.door.authentication import LINK_LIFETIME, MAX_FAILURES, SESSION_LIFETIME, Authenticator, Throttle
from assent.door.credentials import SecretPrefix, digest_of, new_secret
from assent.errors import LoginError, NotFoundError, StoreError, ThrottledError
from assent.gate.access import Kind, Principal
from assent.gate.people import Person, Purpose
from assent.stores.memory.store import MemoryStore
from tests.principals import administrator
from tests.stores.promises.given import SetClock

HERE = "192.0.2.7"


async def new_authenticator(clock: SetClock | None = None) -> Authenticator:
    store = MemoryStore(clock=clock)
    await store.add_person(Person(id="ana", administrator=True), by="root")
    return Authenticator(store)


async def test_only_the_exact_token_authenticates() -> None:
    keeper = await new_authenticator()
    secret = (await keeper.new_token(Kind.PERSON, "ana", by=administrator("ana"), label="laptop")).secret

    near = [
        secret[:-1],
        secret + "a",
        secret.upper(),
        secret[:-1] + ("a" if secret[-1] != "a" else "b"),
        digest_of(secret),
    ]

    assert await keeper.principal_of(secret) == Principal(id="ana", administrator=True)
    assert [await keeper.principal_of(one) for one in [*near, "", "\x00", "é" * 52, "x" * 100_000]] == [
        None
    ] * 9


async def test_each_kind_of_token_has_its_own_prefix() -> None:
    keeper = await new_authenticator()

    secrets = [
        (await keeper.new_token(Kind.PERSON, "ana", by=administrator("ana"))).secret,
        (await keeper.new_token(Kind.AGENT, "clerk", on_behalf="ana", by=administrator("ana"))).secret,
        (await keeper.new_token(Kind.SERVICE, "ci", on_behalf="ana", by=administrator("ana"))).secret,
        (await keeper.new_session("ana")).secret,
        (await keeper.new_link("ana", by=administrator("ana"))).secret,
    ]

    assert [secret[:9] for secret in secrets] == [
        "assent_p_",
        "assent_a_",
        "assent_s_",
        "assent_c_",
        "assent_l_",
    ]


async def test_stored_credentials_contain_no_secret() -> None:
    keeper = await new_authenticator()
    minted = await keeper.new_token(Kind.PERSON, "ana", by=administrator("ana"))

    kept = (
        repr(vars(keeper.people.store))
        + repr(minted.credential)
        + repr(await keeper.people.store.credentials())
    )

    assert minted.secret not in kept
    assert minted.secret[9:] not in kept
    assert digest_of(minted.secret) in kept


async def test_a_log_in_link_works_once() -> None:
    keeper = await new_authenticator()
    link = (await keeper.new_link("ana", by=administrator("root"))).secret

    session = await keeper.log_in(link, address=HERE)

    assert await keeper.principal_of(session.secret, Purpose.SESSION) == Principal(
        id="ana", administrator=True
    )
    assert await keeper.principal_of(session.secret) is None
    with pytest.raises(LoginError):
        await keeper.log_in(link, address=HERE)


async def test_a_log_in_link_is_valid_for_15_minutes() -> None:
    clock = SetClock()
    keeper = await new_authenticator(clock)
    links = [(await keeper.new_link("ana", by=administrator("root"))).secret for _ in range(2)]

    clock.advance(timedelta(minutes=14, seconds=59))
    await keeper.log_in(links[0], address=HERE)
    clock.advance(timedelta(seconds=1))

    assert timedelta(minutes=15) == LINK_LIFETIME
    with pytest.raises(LoginError):
        await keeper.log_in(links[1], address=HERE)


async def test_a_new_link_revokes_no_other_credential() -> None:
    keeper = await new_authenticator()
    token = (await keeper.new_token(Kind.PERSON, "ana", by=administrator("ana"))).secret
    first = (await keeper.new_link("ana", by=administrator("ana"))).secret

    await keeper.new_link("ana", by=administrator("ana"))

    assert await keeper.principal_of(token) is not None
    assert (await keeper.log_in(first, address=HERE)).credential.purpose is Purpose.SESSION


async def test_only_a_log_in_link_can_log_in() -> None:
    keeper = await new_authenticator()
    others = [
        (await keeper.new_token(Kind.PERSON, "ana", by=administrator("ana"))).secret,
        (await keeper.new_session("ana")).secret,
        new_secret(SecretPrefix.LINK),
        "",
        "x" * 1000,
    ]

    for other in others:
        with pytest.raises(LoginError):
            await keeper.log_in(other, address=HERE)


async def test_log_ins_are_throttled_by_address_and_by_link() -> None:
    keeper = await new_authenticator()
    guessed = new_secret(SecretPrefix.LINK)
    for number in range(MAX_FAILURES):
        with pytest.raises(LoginError):
            await keeper.log_in(guessed, address=f"203.0.113.{number}")
        with pytest.raises(LoginError):
            await keeper.log_in(new_secret(SecretPrefix.LINK), address=HERE)
    good = (await keeper.new_link("ana", by=administrator("root"))).secret

    with pytest.raises(ThrottledError):
        await keeper.log_in(guessed[:20] + good[20:], address="198.51.100.1")
    with pytest.raises(ThrottledError):
        await keeper.log_in(good, address=HERE)
    assert await keeper.log_in(good, address="198.51.100.2")


async def test_logging_out_ends_only_this_session() -> None:
    keeper = await new_authenticator()
    here, there = [(await keeper.new_session("ana")).secret for _ in range(2)]

    await keeper.log_out(here)
    await keeper.log_out(here)
    await keeper.log_out("x")

    assert await keeper.principal_of(here, Purpose.SESSION) is None
    assert await keeper.principal_of(there, Purpose.SESSION) is not None


async def test_a_session_is_extended_but_not_at_every_request() -> None:
    clock = SetClock()
    keeper = await new_authenticator(clock)
    minted = await keeper.new_session("ana")
    ends = []

    for pause in (timedelta(0), timedelta(minutes=59), timedelta(minutes=2)):
        clock.advance(pause)
        await keeper.authenticate(minted.secret, Purpose.SESSION)
        ends += [one.expires_at for one in await keeper.people.store.credentials()]

    assert ends == [minted.credential.expires_at, minted.credential.expires_at, clock.now + SESSION_LIFETIME]


@pytest.mark.proves("R-10")
async def test_a_session_still_works_while_the_store_accepts_no_writes() -> None:
    class FullDiskStore(MemoryStore):
        async def extend_credential(self, id: str, *, lives_for: timedelta) -> None:
            raise StoreError("the disk is full")

    clock = SetClock()
    store = FullDiskStore(clock=clock)
    keeper = Authenticator(store)
    await store.add_person(Person(id="ana"), by="root")
    session = (await keeper.new_session("ana")).secret
    clock.advance(timedelta(days=2))

    assert await keeper.principal_of(session, Purpose.SESSION) == Principal(id="ana")


async def test_a_disabled_or_unknown_person_gets_no_link_or_session() -> None:
    keeper = await new_authenticator()
    await keeper.people.store.add_person(Person(id="ben"), by="ana")
    ben = await keeper.people.active_person("ben")
    await keeper.people.store.disable_person("ben", by="ana")

    assert ben.id == "ben"
    for id in ("ben", "eve"):
        with pytest.raises(NotFoundError):
            await keeper.people.active_person(id)
        with pytest.raises(NotFoundError):
            await keeper.new_link(id, by=administrator("ana"))
        with pytest.raises(NotFoundError):
            await keeper.new_session(id)


class ManualClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def retry_seconds(throttle: Throttle, *sources: str) -> int:
    try:
        throttle.check(*sources)
    except ThrottledError as error:
        return error.seconds
    return 0


def test_after_too_many_failures_a_source_waits_until_the_first_one_expires() -> None:
    clock = ManualClock()
    throttle = Throttle(tries=3, window=60, clock=clock)
    seen = []
    for _ in range(3):
        seen.append(retry_seconds(throttle, "a"))
        throttle.count_failure("a")
        clock.now += 10

    seen += [retry_seconds(throttle, "a")]
    clock.now += 29.5
    seen += [retry_seconds(throttle, "a")]
    clock.now += 0.5
    seen += [retry_seconds(throttle, "a")]

    assert seen == [0, 0, 0, 30, 1, 0]


def test_each_source_is_counted_separately_and_one_is_enough_to_refuse() -> None:
    throttle = Throttle(tries=1)
    throttle.count_failure("address a", "secret s")

    assert [
        retry_seconds(throttle, *one) > 0 for one in (("address a", "secret t"), ("address b", "secret s"))
    ] == [
        True,
        True,
    ]
    assert retry_seconds(throttle, "address b", "secret t", "") == 0


def test_an_empty_source_is_not_counted() -> None:
    throttle = Throttle(tries=1)
    throttle.count_failure("")

    throttle.check("")


def test_the_number_of_remembered_sources_is_limited() -> None:
    throttle = Throttle(tries=1)

    for number in range(10_001):
        throttle.count_failure(f"address {number}")

    assert retry_seconds(throttle, "address 0") == 0
    with pytest.raises(ThrottledError):
        throttle.check("address 10000")

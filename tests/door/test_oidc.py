"""Only somebody whom the provider vouches for, here and now and to us, is let in."""

import base64
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from assent.config.settings import OidcSettings
from assent.door.authentication import SIGN_IN_SECONDS, Authenticator, NewCredential, Throttle
from assent.door.oidc import OpenIdConnect, sign, verify
from assent.door.provider import KEY_REFRESH
from assent.door.provider import Provider as KnownProvider
from assent.errors import LoginError, ThrottledError
from assent.gate.people import Person, Purpose
from assent.stores.memory.store import MemoryStore
from tests.door.provider import CLIENT, CLIENT_SECRET, Claims, Provider, running

HERE = "192.0.2.7"
CALLBACK = "http://127.0.0.1:8722/v1/oidc/callback"


class SetTime:
    """A clock in seconds that a test moves."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class House:
    """Somebody to let in, a provider that vouches for them, and the door between."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.settings = OidcSettings(
            issuer=provider.issuer,
            client_id=CLIENT,
            client_secret=CLIENT_SECRET,
            scopes=("openid", "profile"),
        )
        self.time = SetTime()
        self.keeper = Authenticator(MemoryStore(), throttle=Throttle(tries=100))
        self.door = self.opened()

    def opened(self, **changes: object) -> OpenIdConnect:
        self.door = OpenIdConnect(
            replace(self.settings, **changes),  # type: ignore[arg-type]
            self.keeper,
            secret=b"s" * 32,
            callback=CALLBACK,
            provider=KnownProvider(self.provider.issuer, clock=self.time),
            clock=self.time,
        )
        return self.door

    @property
    def identity(self) -> str:
        return f"{self.provider.issuer}|42"

    async def knows_ben(self, **changes: object) -> None:
        ben = replace(Person(id="ben", identity=self.identity), **changes)  # type: ignore[arg-type]
        await self.keeper.people.store.add_person(ben, by="ana")

    async def signs_in(self) -> NewCredential:
        started = await self.door.begin()
        code, state = self.provider.follow(started.url)
        return await self.door.finish(code, state, started.cookie, address=HERE)


@pytest.fixture
def house() -> object:
    @asynccontextmanager
    async def furnished() -> AsyncIterator[House]:
        async with running() as provider:
            yield House(provider)

    return furnished()


async def test_somebody_who_signed_in_gets_a_session_as_the_person_they_are_here(house: House) -> None:
    await house.knows_ben()

    minted = await house.signs_in()

    found = await house.keeper.principal_of(minted.secret, Purpose.SESSION)
    assert found is not None
    assert (found.id, found.administrator) == ("ben", False)


async def test_the_provider_is_asked_for_a_code_with_a_state_a_nonce_and_a_challenge(house: House) -> None:
    first, second = await house.door.begin(), await house.door.begin()

    asked = [parse_qs(urlsplit(one.url).query) for one in (first, second)]
    assert asked[0]["response_type"] == ["code"]
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["redirect_uri"] == [CALLBACK]
    assert asked[0]["scope"] == ["openid profile"]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
        assert len(asked[0][name][0]) >= 43


def to(**changes: object) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **changes}


def without(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


LIES = {
    "another issuer": to(iss="https://evil.example"),
    "no issuer": without("iss"),
    "another audience": to(aud="another-client"),
    "an audience that only begins like us": to(aud=f"{CLIENT}-evil"),
    "many audiences, made for another": to(aud=[CLIENT, "other"], azp="other"),
    "many audiences, made for nobody": to(aud=[CLIENT, "other"]),
    "no audience": without("aud"),
    "another nonce": to(nonce="n" * 43),
    "an empty nonce": to(nonce=""),
    "no nonce": without("nonce"),
    "expired": to(exp=int(time.time()) - 3600),
    "no expiry": without("exp"),
    "an expiry that is no time": to(exp="tomorrow"),
    "issued tomorrow": to(iat=int(time.time()) + 86400),
    "not valid before tomorrow": to(nbf=int(time.time()) + 86400),
    "no subject": without("sub"),
    "an empty subject": to(sub=""),
    "a subject that is no text": to(sub=["42"]),
    "a subject that hides something": to(sub="42\x00"),
    "a subject that moves": to(sub="42\u202e"),
    "an endless subject": to(sub="4" * 256),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_token_that_is_not_about_us_and_now_lets_nobody_in(house: House, lie: str) -> None:
    await house.knows_ben()
    house.provider.change = LIES[lie]

    with pytest.raises(LoginError):
        await house.signs_in()
    assert list(await house.keeper.people.store.credentials()) == []


async def test_a_token_without_a_signature_lets_nobody_in(house: House) -> None:
    await house.knows_ben()
    house.provider.sign = house.provider.unsigned

    with pytest.raises(LoginError):
        await house.signs_in()


async def test_a_token_signed_with_the_public_key_as_a_secret_lets_nobody_in(house: House) -> None:
    await house.knows_ben()
    house.provider.sign = house.provider.signed_with_public_key

    with pytest.raises(LoginError):
        await house.signs_in()


async def test_a_token_signed_with_a_key_of_the_same_name_lets_nobody_in(house: House) -> None:
    await house.knows_ben()
    published = house.provider.published[:]
    house.provider.rotate("key-1")
    house.provider.published = published

    with pytest.raises(LoginError):
        await house.signs_in()


DEEP = base64.urlsafe_b64encode(b'{"kid":' + b"[" * 5000).decode() + ".e30.x"


@pytest.mark.parametrize(
    "token", ["", "x", "a.b.c", "e30.e30.", "eyJraWQiOjF9.e30.x", "é.é.é", "." * 30_000, DEEP], ids=range(8)
)
async def test_what_is_no_token_lets_nobody_in(house: House, token: str) -> None:
    await house.knows_ben()
    house.provider.sign = lambda claims: token

    with pytest.raises(LoginError):
        await house.signs_in()


async def test_a_key_that_is_new_is_found(house: House) -> None:
    await house.knows_ben()
    await house.signs_in()
    house.provider.rotate("key-2")
    house.time.ahead += KEY_REFRESH

    await house.signs_in()

    assert house.provider.asked.count("/keys") == 2


async def test_a_key_that_nobody_published_is_looked_for_once_in_a_while(house: House) -> None:
    await house.knows_ben()
    house.provider.rotate("key-2")
    house.provider.published.pop()

    for _ in range(5):
        with pytest.raises(LoginError, match="unknown key"):
            await house.signs_in()

    assert house.provider.asked.count("/keys") == 1


async def test_keys_that_are_known_are_not_asked_for_again(house: House) -> None:
    await house.knows_ben()

    for _ in range(3):
        await house.signs_in()

    assert house.provider.asked.count("/keys") == 1
    assert house.provider.asked.count("/.well-known/openid-configuration") == 1


async def test_only_the_browser_that_began_may_finish(house: House) -> None:
    await house.knows_ben()
    started = await house.door.begin()
    other = await house.door.begin()
    code, state = house.provider.follow(started.url)

    for said, kept in (
        (state, other.cookie),
        ("", started.cookie),
        (state, ""),
        (state, started.cookie + "0"),
    ):
        with pytest.raises(LoginError, match="sign in again"):
            await house.door.finish(code, said, kept, address=HERE)
    assert await house.door.finish(code, state, started.cookie, address=HERE)


async def test_a_code_is_worth_nothing_to_whoever_took_it(house: House) -> None:
    await house.knows_ben()
    victim, thief = await house.door.begin(), await house.door.begin()
    code, _ = house.provider.follow(victim.url)
    _, state = house.provider.follow(thief.url)

    with pytest.raises(LoginError, match="gave no token"):
        await house.door.finish(code, state, thief.cookie, address=HERE)


async def test_whom_the_provider_does_not_let_in_is_not_let_in_here(house: House) -> None:
    await house.knows_ben()
    started = await house.door.begin()
    _, state = house.provider.follow(started.url)

    with pytest.raises(LoginError, match="refused the sign-in"):
        await house.door.finish("", state, started.cookie, address=HERE)
    assert "/token" not in house.provider.asked


async def test_a_sign_in_that_took_too_long_is_begun_again(house: House) -> None:
    await house.knows_ben()
    started = await house.door.begin()
    code, state = house.provider.follow(started.url)

    house.time.ahead += SIGN_IN_SECONDS

    with pytest.raises(LoginError, match="sign in again"):
        await house.door.finish(code, state, started.cookie, address=HERE)


async def test_who_is_not_known_here_is_not_let_in(house: House) -> None:
    with pytest.raises(LoginError, match="assent user create"):
        await house.signs_in()
    assert list(await house.keeper.people.store.people()) == []


async def test_who_is_not_known_is_added_where_that_was_configured(house: House) -> None:
    house.opened(add_people=True)

    await house.signs_in()
    await house.signs_in()

    [person] = await house.keeper.people.store.people()
    assert person.id.startswith("ben-")
    assert (person.name, person.identity, person.administrator) == ("Ben", house.identity, False)


async def test_nobody_becomes_somebody_else_by_being_called_so_at_the_provider(house: House) -> None:
    house.opened(add_people=True)
    await house.keeper.people.store.add_person(Person(id="ana", administrator=True), by="root")
    house.provider.somebody = {"sub": "7", "name": "ana", "preferred_username": "ana", "email": "ana@x.org"}

    minted = await house.signs_in()

    found = await house.keeper.principal_of(minted.secret, Purpose.SESSION)
    assert found is not None
    assert found.id != "ana"
    assert not found.administrator


@pytest.mark.parametrize("name", ["", "\u202eana", "a\x00", " ", "x" * 500, ["ana"], None])
async def test_a_name_that_cannot_be_shown_is_left_out(house: House, name: object) -> None:
    house.opened(add_people=True)
    house.provider.somebody = {"sub": "7", "name": name, "preferred_username": name}

    await house.signs_in()

    [person] = await house.keeper.people.store.people()
    assert person.name == ""


async def test_who_was_shut_out_stays_out(house: House) -> None:
    await house.knows_ben()
    await house.keeper.people.store.disable_person("ben", by="ana")

    with pytest.raises(LoginError, match="is disabled"):
        await house.signs_in()


async def test_groups_say_at_every_sign_in_who_administers(house: House) -> None:
    house.opened(administrator_groups=("admins",))
    await house.keeper.people.store.add_person(Person(id="ana", administrator=True), by="root")
    await house.knows_ben()
    seen = []

    for groups in (["staff"], ["staff", "admins"], "admins", ["admins"], []):
        house.provider.somebody = {"sub": "42", "groups": groups}
        await house.signs_in()
        ben = await house.keeper.people.store.person("ben")
        seen.append(ben is not None and ben.administrator)

    assert seen == [False, True, False, True, False]


async def test_the_last_administrator_stays_one_whatever_the_groups_say(house: House) -> None:
    house.opened(administrator_groups=("admins",))
    await house.knows_ben(administrator=True)

    await house.signs_in()

    ben = await house.keeper.people.store.person("ben")
    assert ben is not None
    assert ben.administrator


async def test_without_groups_in_the_settings_they_make_nobody_an_administrator(house: House) -> None:
    house.opened(add_people=True)
    house.provider.somebody = {"sub": "42", "groups": ["admins", ""]}

    await house.signs_in()

    assert [one.administrator for one in await house.keeper.people.store.people()] == [False]


async def test_a_provider_that_says_it_is_another_is_not_asked(house: House) -> None:
    house.provider.named_issuer = "https://evil.example"

    with pytest.raises(LoginError, match="another"):
        await house.door.begin()


@pytest.mark.parametrize("issuer", ["http://id.example", "ftp://127.0.0.1", "file:///etc/passwd", ""])
async def test_a_provider_is_only_asked_where_nobody_can_answer_in_its_place(
    house: House, issuer: str
) -> None:
    with pytest.raises(LoginError, match="https"):
        await KnownProvider(issuer).endpoints()


async def test_a_provider_that_is_away_lets_nobody_in(house: House) -> None:
    with pytest.raises(LoginError, match="not available"):
        await KnownProvider("http://127.0.0.1:1").endpoints()


async def test_sign_ins_that_fail_are_throttled_by_address(house: House) -> None:
    house.keeper.throttle = Throttle(tries=3)
    for _ in range(3):
        with pytest.raises(LoginError):
            await house.door.finish("c", "s", "k", address=HERE)

    with pytest.raises(ThrottledError):
        await house.door.finish("c", "s", "k", address=HERE)
    with pytest.raises(LoginError):
        await house.door.finish("c", "s", "k", address="192.0.2.8")


KEY = b"k" * 32
VALUE = {"state": "ñ", "nonce": "2"}
TEXT = sign(KEY, "sign-in", VALUE, until=100)


def test_what_was_sealed_is_read_back_while_its_time_lasts() -> None:
    assert verify(KEY, "sign-in", TEXT, at=99.9) == VALUE
    assert verify(KEY, "sign-in", TEXT, at=100) is None


def test_nobody_else_and_for_nothing_else() -> None:
    assert verify(b"x" * 32, "sign-in", TEXT, at=1) is None
    assert verify(KEY, "session", TEXT, at=1) is None


@pytest.mark.parametrize("at", range(len(TEXT)))
def test_one_changed_character_breaks_the_seal(at: int) -> None:
    other = "A" if TEXT[at] != "A" else "B"

    assert verify(KEY, "sign-in", TEXT[:at] + other + TEXT[at + 1 :], at=1) is None


@pytest.mark.parametrize("text", ["", ".", "a", "a.b", "ñ.ñ", TEXT + "0", TEXT[:-1], TEXT.partition(".")[0]])
def test_what_was_never_sealed_is_nothing(text: str) -> None:
    assert verify(KEY, "sign-in", text, at=1) is None

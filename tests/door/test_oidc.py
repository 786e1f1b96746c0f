"""Only a person with a valid, current token of the provider can sign in."""

import base64
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

from assent.config.settings import OidcSettings
from assent.door.authentication import SIGN_IN_SECONDS, Authenticator, NewCredential, Throttle
from assent.door.oidc import KEY_REFRESH_SECONDS, OpenIdConnect, sign_value, verify_value
from assent.door.oidc import Provider as KnownProvider
from assent.errors import LoginError, ThrottledError
from assent.gate.people import Person, Purpose
from assent.stores.memory.store import MemoryStore
from tests.door.listening import serve_app
from tests.door.provider import CLIENT, CLIENT_SECRET, Claims, Provider, running_provider

HERE = "192.0.2.7"
CALLBACK = "http://127.0.0.1:8722/v1/oidc/callback"


class ManualClock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class OidcSetup:
    """A provider, a person, and the OpenID Connect client between them."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.settings = OidcSettings(
            issuer=provider.issuer,
            client_id=CLIENT,
            client_secret=CLIENT_SECRET,
            scopes=("openid", "profile"),
        )
        self.time = ManualClock()
        self.keeper = Authenticator(MemoryStore(), throttle=Throttle(tries=100))
        self.door = self.connect()

    def connect(self, **changes: object) -> OpenIdConnect:
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

    async def add_ben(self, **changes: object) -> None:
        ben = replace(Person(id="ben", identity=self.identity), **changes)  # type: ignore[arg-type]
        await self.keeper.people.store.add_person(ben, by="ana")

    async def sign_in(self) -> NewCredential:
        started = await self.door.begin()
        code, state = self.provider.follow_redirect(started.url)
        return await self.door.finish(code, state, started.cookie, address=HERE)


@pytest.fixture
def oidc_setup() -> object:
    @asynccontextmanager
    async def open_oidc_setup() -> AsyncIterator[OidcSetup]:
        async with running_provider() as provider:
            yield OidcSetup(provider)

    return open_oidc_setup()


async def test_a_person_who_signs_in_gets_a_session(
    oidc_setup: OidcSetup,
) -> None:
    await oidc_setup.add_ben()

    minted = await oidc_setup.sign_in()

    found = await oidc_setup.keeper.principal_of(minted.secret, Purpose.SESSION)
    assert found is not None
    assert (found.id, found.administrator) == ("ben", False)


async def test_the_provider_is_asked_for_a_code_with_a_state_a_nonce_and_a_challenge(
    oidc_setup: OidcSetup,
) -> None:
    first, second = await oidc_setup.door.begin(), await oidc_setup.door.begin()

    asked = [parse_qs(urlsplit(one.url).query) for one in (first, second)]
    assert asked[0]["response_type"] == ["code"]
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["redirect_uri"] == [CALLBACK]
    assert asked[0]["scope"] == ["openid profile"]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
        assert len(asked[0][name][0]) >= 43


def with_claims(**changes: object) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **changes}


def without_claim(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


WRONG_CLAIMS = {
    "another issuer": with_claims(iss="https://evil.example"),
    "no issuer": without_claim("iss"),
    "another audience": with_claims(aud="another-client"),
    "an audience that only begins like us": with_claims(aud=f"{CLIENT}-evil"),
    "many audiences, made for another": with_claims(aud=[CLIENT, "other"], azp="other"),
    "many audiences, made for nobody": with_claims(aud=[CLIENT, "other"]),
    "no audience": without_claim("aud"),
    "another nonce": with_claims(nonce="n" * 43),
    "an empty nonce": with_claims(nonce=""),
    "no nonce": without_claim("nonce"),
    "expired": with_claims(exp=int(time.time()) - 3600),
    "no expiry": without_claim("exp"),
    "an expiry that is no time": with_claims(exp="tomorrow"),
    "issued tomorrow": with_claims(iat=int(time.time()) + 86400),
    "not valid before tomorrow": with_claims(nbf=int(time.time()) + 86400),
    "no subject": without_claim("sub"),
    "an empty subject": with_claims(sub=""),
    "a subject that is no text": with_claims(sub=["42"]),
    "a subject that hides something": with_claims(sub="42\x00"),
    "a subject that moves": with_claims(sub="42\u202e"),
    "an endless subject": with_claims(sub="4" * 256),
}


@pytest.mark.parametrize("lie", WRONG_CLAIMS)
async def test_a_token_with_a_wrong_claim_is_refused(oidc_setup: OidcSetup, lie: str) -> None:
    await oidc_setup.add_ben()
    oidc_setup.provider.change = WRONG_CLAIMS[lie]

    with pytest.raises(LoginError):
        await oidc_setup.sign_in()
    assert list(await oidc_setup.keeper.people.store.credentials()) == []


async def test_a_token_without_a_signature_is_refused(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    oidc_setup.provider.signed_token = oidc_setup.provider.unsigned_token

    with pytest.raises(LoginError):
        await oidc_setup.sign_in()


async def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    oidc_setup.provider.signed_token = oidc_setup.provider.signed_with_public_key

    with pytest.raises(LoginError):
        await oidc_setup.sign_in()


async def test_a_token_signed_with_another_key_of_the_same_id_is_refused(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    published = oidc_setup.provider.published[:]
    oidc_setup.provider.rotate_key("key-1")
    oidc_setup.provider.published = published

    with pytest.raises(LoginError):
        await oidc_setup.sign_in()


DEEP = base64.urlsafe_b64encode(b'{"kid":' + b"[" * 5000).decode() + ".e30.x"


@pytest.mark.parametrize(
    "token", ["", "x", "a.b.c", "e30.e30.", "eyJraWQiOjF9.e30.x", "é.é.é", "." * 30_000, DEEP], ids=range(8)
)
async def test_an_invalid_token_is_refused(oidc_setup: OidcSetup, token: str) -> None:
    await oidc_setup.add_ben()
    oidc_setup.provider.signed_token = lambda claims: token

    with pytest.raises(LoginError):
        await oidc_setup.sign_in()


async def test_a_new_key_of_the_provider_is_found(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    await oidc_setup.sign_in()
    oidc_setup.provider.rotate_key("key-2")
    oidc_setup.time.ahead += KEY_REFRESH_SECONDS

    await oidc_setup.sign_in()

    assert oidc_setup.provider.asked.count("/keys") == 2


async def test_an_unknown_key_does_not_refresh_the_keys_too_often(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    oidc_setup.provider.rotate_key("key-2")
    oidc_setup.provider.published.pop()

    for _ in range(5):
        with pytest.raises(LoginError, match="unknown key"):
            await oidc_setup.sign_in()

    assert oidc_setup.provider.asked.count("/keys") == 1


async def test_known_keys_are_not_fetched_again(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()

    for _ in range(3):
        await oidc_setup.sign_in()

    assert oidc_setup.provider.asked.count("/keys") == 1
    assert oidc_setup.provider.asked.count("/.well-known/openid-configuration") == 1


async def test_only_the_browser_that_began_a_sign_in_can_complete_it(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    started = await oidc_setup.door.begin()
    other = await oidc_setup.door.begin()
    code, state = oidc_setup.provider.follow_redirect(started.url)

    for said, kept in (
        (state, other.cookie),
        ("", started.cookie),
        (state, ""),
        (state, started.cookie + "0"),
    ):
        with pytest.raises(LoginError, match="sign in again"):
            await oidc_setup.door.finish(code, said, kept, address=HERE)
    assert await oidc_setup.door.finish(code, state, started.cookie, address=HERE)


async def test_a_stolen_code_is_useless_without_the_verifier(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    victim, thief = await oidc_setup.door.begin(), await oidc_setup.door.begin()
    code, _ = oidc_setup.provider.follow_redirect(victim.url)
    _, state = oidc_setup.provider.follow_redirect(thief.url)

    with pytest.raises(LoginError, match="gave no token"):
        await oidc_setup.door.finish(code, state, thief.cookie, address=HERE)


async def test_a_person_whom_the_provider_refuses_is_refused(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    started = await oidc_setup.door.begin()
    _, state = oidc_setup.provider.follow_redirect(started.url)

    with pytest.raises(LoginError, match="refused the sign-in"):
        await oidc_setup.door.finish("", state, started.cookie, address=HERE)
    assert "/token" not in oidc_setup.provider.asked


async def test_a_sign_in_that_took_too_long_is_refused(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    started = await oidc_setup.door.begin()
    code, state = oidc_setup.provider.follow_redirect(started.url)

    oidc_setup.time.ahead += SIGN_IN_SECONDS

    with pytest.raises(LoginError, match="sign in again"):
        await oidc_setup.door.finish(code, state, started.cookie, address=HERE)


async def test_an_unknown_person_is_refused(oidc_setup: OidcSetup) -> None:
    with pytest.raises(LoginError, match="assent user create"):
        await oidc_setup.sign_in()
    assert list(await oidc_setup.keeper.people.store.people()) == []


async def test_an_unknown_person_is_added_if_configured(oidc_setup: OidcSetup) -> None:
    oidc_setup.connect(add_people=True)

    await oidc_setup.sign_in()
    await oidc_setup.sign_in()

    [person] = await oidc_setup.keeper.people.store.people()
    assert person.id.startswith("ben-")
    assert (person.name, person.identity, person.administrator) == ("Ben", oidc_setup.identity, False)


async def test_a_name_at_the_provider_never_takes_over_an_existing_person(oidc_setup: OidcSetup) -> None:
    oidc_setup.connect(add_people=True)
    await oidc_setup.keeper.people.store.add_person(Person(id="ana", administrator=True), by="root")
    oidc_setup.provider.somebody = {
        "sub": "7",
        "name": "ana",
        "preferred_username": "ana",
        "email": "ana@x.org",
    }

    minted = await oidc_setup.sign_in()

    found = await oidc_setup.keeper.principal_of(minted.secret, Purpose.SESSION)
    assert found is not None
    assert found.id != "ana"
    assert not found.administrator


@pytest.mark.parametrize("name", ["", "\u202eana", "a\x00", " ", "x" * 500, ["ana"], None])
async def test_an_unprintable_name_is_omitted(oidc_setup: OidcSetup, name: object) -> None:
    oidc_setup.connect(add_people=True)
    oidc_setup.provider.somebody = {"sub": "7", "name": name, "preferred_username": name}

    await oidc_setup.sign_in()

    [person] = await oidc_setup.keeper.people.store.people()
    assert person.name == ""


async def test_a_disabled_person_cannot_sign_in(oidc_setup: OidcSetup) -> None:
    await oidc_setup.add_ben()
    await oidc_setup.keeper.people.store.disable_person("ben", by="ana")

    with pytest.raises(LoginError, match="is disabled"):
        await oidc_setup.sign_in()


async def test_groups_set_the_administrator_right_at_every_sign_in(oidc_setup: OidcSetup) -> None:
    oidc_setup.connect(administrator_groups=("admins",))
    await oidc_setup.keeper.people.store.add_person(Person(id="ana", administrator=True), by="root")
    await oidc_setup.add_ben()
    seen = []

    for groups in (["staff"], ["staff", "admins"], "admins", ["admins"], []):
        oidc_setup.provider.somebody = {"sub": "42", "groups": groups}
        await oidc_setup.sign_in()
        ben = await oidc_setup.keeper.people.store.person("ben")
        seen.append(ben is not None and ben.administrator)

    assert seen == [False, True, False, True, False]


async def test_the_last_administrator_keeps_the_right_whatever_the_groups_are(oidc_setup: OidcSetup) -> None:
    oidc_setup.connect(administrator_groups=("admins",))
    await oidc_setup.add_ben(administrator=True)

    await oidc_setup.sign_in()

    ben = await oidc_setup.keeper.people.store.person("ben")
    assert ben is not None
    assert ben.administrator


async def test_without_configured_groups_the_administrator_right_is_unchanged(
    oidc_setup: OidcSetup,
) -> None:
    oidc_setup.connect(add_people=True)
    oidc_setup.provider.somebody = {"sub": "42", "groups": ["admins", ""]}

    await oidc_setup.sign_in()

    assert [one.administrator for one in await oidc_setup.keeper.people.store.people()] == [False]


async def test_a_provider_with_another_issuer_is_refused(oidc_setup: OidcSetup) -> None:
    oidc_setup.provider.named_issuer = "https://evil.example"

    with pytest.raises(LoginError, match="another"):
        await oidc_setup.door.begin()


@pytest.mark.parametrize("issuer", ["http://id.example", "ftp://127.0.0.1", "file:///etc/passwd", ""])
async def test_a_provider_without_https_is_refused(oidc_setup: OidcSetup, issuer: str) -> None:
    with pytest.raises(LoginError, match="https"):
        await KnownProvider(issuer).endpoints()


async def test_an_unavailable_provider_signs_nobody_in(oidc_setup: OidcSetup) -> None:
    with pytest.raises(LoginError, match="not available"):
        await KnownProvider("http://127.0.0.1:1").endpoints()


async def test_failed_sign_ins_are_throttled_by_address(oidc_setup: OidcSetup) -> None:
    oidc_setup.keeper.throttle = Throttle(tries=3)
    for _ in range(3):
        with pytest.raises(LoginError):
            await oidc_setup.door.finish("c", "s", "k", address=HERE)

    with pytest.raises(ThrottledError):
        await oidc_setup.door.finish("c", "s", "k", address=HERE)
    with pytest.raises(LoginError):
        await oidc_setup.door.finish("c", "s", "k", address="192.0.2.8")


KEY = b"k" * 32
VALUE = {"state": "ñ", "nonce": "2"}
TEXT = sign_value(KEY, "sign-in", VALUE, until=100)


def test_a_signed_value_is_verified_until_it_expires() -> None:
    assert verify_value(KEY, "sign-in", TEXT, at=99.9) == VALUE
    assert verify_value(KEY, "sign-in", TEXT, at=100) is None


def test_a_signed_value_needs_the_same_secret_and_purpose() -> None:
    assert verify_value(b"x" * 32, "sign-in", TEXT, at=1) is None
    assert verify_value(KEY, "session", TEXT, at=1) is None


@pytest.mark.parametrize("at", range(len(TEXT)))
def test_a_changed_character_makes_the_signature_invalid(at: int) -> None:
    other = "A" if TEXT[at] != "A" else "B"

    assert verify_value(KEY, "sign-in", TEXT[:at] + other + TEXT[at + 1 :], at=1) is None


@pytest.mark.parametrize("text", ["", ".", "a", "a.b", "ñ.ñ", TEXT + "0", TEXT[:-1], TEXT.partition(".")[0]])
def test_an_unsigned_text_has_no_value(text: str) -> None:
    assert verify_value(KEY, "sign-in", text, at=1) is None


@pytest.fixture
def provider() -> AbstractAsyncContextManager[Provider]:
    return running_provider()


async def test_every_public_signing_key_is_found_by_its_id(provider: Provider) -> None:
    provider.published += [ECKey.generate_key("P-256", {"kid": "curve"})]  # type: ignore[list-item]
    known = KnownProvider(provider.issuer)

    found = [(await known.key(id)).kid for id in ("key-1", "curve")]

    assert found == ["key-1", "curve"]
    assert (await known.key("key-1")).is_private is False


@pytest.mark.parametrize(
    "key",
    [
        OctKey.generate_key(256, {"kid": "odd"}),
        RSAKey.generate_key(2048, {"kid": "odd", "use": "enc"}),
    ],
    ids=["shared", "encrypts"],
)
async def test_a_key_that_cannot_sign_is_ignored(provider: Provider, key: RSAKey) -> None:
    provider.published = [key]

    with pytest.raises(LoginError, match="unknown key"):
        await KnownProvider(provider.issuer).key("odd")


@pytest.mark.parametrize(
    "said",
    [
        b"", b"[]", b"{}", b'"x"', b"\xff", b'{"issuer":1}', b'{"keys":[1,{"kty":"RSA"},{"kty":"x","kid":"a"}]}',
        b"[" * 2000, b" " * 1_100_000,
    ],
    ids=range(9),
)  # fmt: skip
async def test_an_invalid_reply_of_the_provider_is_refused(said: bytes) -> None:
    async def app(scope: object, receive: object, send: Callable) -> None:  # type: ignore[type-arg]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": said})

    async with serve_app(app) as address:
        with pytest.raises(LoginError):
            await KnownProvider(address).key("a")


async def test_a_redirect_of_the_provider_is_not_followed() -> None:
    async with running_provider() as real:

        async def app(scope: dict, receive: object, send: Callable) -> None:  # type: ignore[type-arg]
            headers = [(b"location", (real.issuer + scope["path"]).encode())]
            await send({"type": "http.response.start", "status": 302, "headers": headers})
            await send({"type": "http.response.body", "body": b""})

        async with serve_app(app) as address:
            with pytest.raises(LoginError, match="not available"):
                await KnownProvider(address).endpoints()
        assert real.asked == []


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
@pytest.mark.parametrize("address", ["http://id.example/x", "", 7, None, "//id.example/x"])
async def test_an_unsafe_endpoint_of_the_provider_is_refused(
    provider: Provider, name: str, address: object
) -> None:
    said = {**provider._metadata(), name: address}
    provider._metadata = lambda: said  # type: ignore[method-assign]

    with pytest.raises(LoginError, match=name):
        await KnownProvider(provider.issuer).endpoints()

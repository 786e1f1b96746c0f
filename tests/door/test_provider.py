"""What a provider publishes is read with care: only keys that sign, only where it says they are."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

from assent.door.provider import Provider as KnownProvider
from assent.errors import LoginError
from tests.door.listening import listening
from tests.door.provider import Provider, running


@pytest.fixture
def provider() -> AbstractAsyncContextManager[Provider]:
    return running()


async def test_every_public_key_that_signs_is_known_by_its_id(provider: Provider) -> None:
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
async def test_what_does_not_sign_is_no_key(provider: Provider, key: RSAKey) -> None:
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
async def test_what_a_provider_should_not_say_is_a_refusal(said: bytes) -> None:
    async def app(scope: object, receive: object, send: Callable) -> None:  # type: ignore[type-arg]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": said})

    async with listening(app) as address:
        with pytest.raises(LoginError):
            await KnownProvider(address).key("a")


async def test_a_provider_that_sends_elsewhere_is_not_followed() -> None:
    async with running() as real:

        async def app(scope: dict, receive: object, send: Callable) -> None:  # type: ignore[type-arg]
            headers = [(b"location", (real.issuer + scope["path"]).encode())]
            await send({"type": "http.response.start", "status": 302, "headers": headers})
            await send({"type": "http.response.body", "body": b""})

        async with listening(app) as address:
            with pytest.raises(LoginError, match="not available"):
                await KnownProvider(address).endpoints()
        assert real.asked == []


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
@pytest.mark.parametrize("address", ["http://id.example/x", "", 7, None, "//id.example/x"])
async def test_an_address_that_others_could_answer_for_is_not_used(
    provider: Provider, name: str, address: object
) -> None:
    said = {**provider._about(), name: address}
    provider._about = lambda: said  # type: ignore[method-assign]

    with pytest.raises(LoginError, match=name):
        await KnownProvider(provider.issuer).endpoints()

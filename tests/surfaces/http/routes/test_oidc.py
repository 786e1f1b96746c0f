"""Sign-in with an OpenID Connect provider, as a browser does it."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from assent.config.settings import OidcSettings
from assent.door.middleware import Door
from assent.door.oidc import OpenIdConnect
from assent.door.request import AllowedHosts
from assent.gate.people import Person
from assent.surfaces.http.app import create_app
from tests.door.provider import CLIENT, CLIENT_SECRET, Provider, running_provider
from tests.surfaces.http.api_server import HERE, ApiServer, open_api_server

START, CALLBACK = "/v1/oidc/start", "/v1/oidc/callback"


class OidcServer:
    """A server whose people sign in with a provider."""

    def __init__(self, api: ApiServer, provider: Provider) -> None:
        self.api = api
        self.provider = provider
        settings = OidcSettings(issuer=provider.issuer, client_id=CLIENT, client_secret=CLIENT_SECRET)
        sign_in = OpenIdConnect(settings, api.authenticator, secret=b"s" * 32, callback=HERE + CALLBACK)
        api.app = create_app(replace(api.service, sign_in=sign_in))
        api.asgi = Door(api.app, api.authenticator, AllowedHosts(public_url=HERE))

    async def add_ben(self) -> None:
        ben = Person(id="ben-at-work", identity=f"{self.provider.issuer}|42")
        await self.api.authenticator.people.store.add_person(ben, by="ada")


@pytest.fixture
def oidc_server() -> AbstractAsyncContextManager[OidcServer]:
    @asynccontextmanager
    async def open_oidc_server() -> AsyncIterator[OidcServer]:
        async with running_provider() as provider, open_api_server() as api:
            yield OidcServer(api, provider)

    return open_oidc_server()


async def test_a_browser_returns_from_the_provider_with_a_session(oidc_server: OidcServer) -> None:
    await oidc_server.add_ben()
    async with oidc_server.api.client() as browser:
        sent = await browser.get(START)
        code, state = oidc_server.provider.follow_redirect(sent.headers["location"])
        back = await browser.get(CALLBACK, params={"code": code, "state": state, "session_state": "x"})
        me = await browser.get("/v1/me")

    assert (sent.status_code, back.status_code, back.headers["location"]) == (303, 303, "/")
    assert (me.status_code, me.json()["id"]) == (200, "ben-at-work")
    [begun], [session, gone] = (one.headers.get_list("set-cookie") for one in (sent, back))
    assert "HttpOnly" in begun
    assert "SameSite=Lax" in begun
    assert "Path=/v1/oidc/" in begun
    assert session.startswith("assent_session=assent_c_")
    assert "SameSite=Strict" in session
    assert gone.startswith("assent_signin=; ")


@pytest.mark.proves("T-17")
async def test_a_callback_in_a_browser_that_did_not_begin_the_sign_in_is_refused(
    oidc_server: OidcServer,
) -> None:
    await oidc_server.add_ben()
    api = oidc_server.api
    async with api.client() as attacker, api.client() as victim:
        sent = await attacker.get(START)
        code, state = oidc_server.provider.follow_redirect(sent.headers["location"])
        await victim.get(START)
        before = await api.stored_state()
        refused: list[httpx.Response] = [
            await victim.get(CALLBACK, params={"code": code, "state": state}),
            await victim.get(CALLBACK),
            await victim.get(CALLBACK, params={"error": "access_denied", "state": "x"}),
        ]

    assert [one.status_code for one in refused] == [401, 401, 401]
    assert [one.headers.get_list("set-cookie") for one in refused] == [[], [], []]
    assert await api.stored_state() == before


async def test_an_unknown_person_is_refused_with_their_provider_identity(oidc_server: OidcServer) -> None:
    async with oidc_server.api.client() as browser:
        sent = await browser.get(START)
        code, state = oidc_server.provider.follow_redirect(sent.headers["location"])
        back = await browser.get(CALLBACK, params={"code": code, "state": state})

    assert back.status_code == 401
    assert f"`{oidc_server.provider.issuer}|42`" in back.json()["detail"]


async def test_without_a_provider_the_sign_in_route_returns_not_found(in_memory: ApiServer) -> None:
    replies = [await in_memory.get(None, path) for path in (START, CALLBACK)]

    assert [one.status for one in replies] == [404, 404]

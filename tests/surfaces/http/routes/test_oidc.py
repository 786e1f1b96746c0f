"""Somebody signs in with a provider through the door, as a browser would; nobody else gets in that way."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from assent.config.settings import OidcSettings
from assent.door.hosts import AllowedHosts
from assent.door.middleware import Door
from assent.door.oidc import OpenIdConnect
from assent.gate.people import Person
from assent.surfaces.http.app import create_app
from tests.door.provider import CLIENT, CLIENT_SECRET, Provider, running
from tests.surfaces.http.house import HERE, House, a_house

START, CALLBACK = "/v1/oidc/start", "/v1/oidc/callback"


class SigningIn:
    """A house whose people sign in with a provider."""

    def __init__(self, house: House, provider: Provider) -> None:
        self.house = house
        self.provider = provider
        settings = OidcSettings(issuer=provider.issuer, client_id=CLIENT, client_secret=CLIENT_SECRET)
        sign_in = OpenIdConnect(settings, house.keeper, secret=b"s" * 32, callback=HERE + CALLBACK)
        house.app = create_app(replace(house.service, sign_in=sign_in))
        house.asgi = Door(house.app, house.keeper, AllowedHosts(public_url=HERE))

    async def ben_is_known(self) -> None:
        ben = Person(id="ben-at-work", identity=f"{self.provider.issuer}|42")
        await self.house.keeper.people.store.add_person(ben, by="ada")


@pytest.fixture
def signing_in() -> AbstractAsyncContextManager[SigningIn]:
    @asynccontextmanager
    async def ready() -> AsyncIterator[SigningIn]:
        async with running() as provider, a_house() as house:
            yield SigningIn(house, provider)

    return ready()


async def test_a_browser_that_was_sent_away_comes_back_with_a_session(signing_in: SigningIn) -> None:
    await signing_in.ben_is_known()
    async with signing_in.house.client() as browser:
        sent = await browser.get(START)
        code, state = signing_in.provider.follow(sent.headers["location"])
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
async def test_a_link_to_come_back_by_does_nothing_in_a_browser_that_did_not_begin(
    signing_in: SigningIn,
) -> None:
    await signing_in.ben_is_known()
    house = signing_in.house
    async with house.client() as attacker, house.client() as victim:
        sent = await attacker.get(START)
        code, state = signing_in.provider.follow(sent.headers["location"])
        await victim.get(START)
        before = await house.everything()
        refused: list[httpx.Response] = [
            await victim.get(CALLBACK, params={"code": code, "state": state}),
            await victim.get(CALLBACK),
            await victim.get(CALLBACK, params={"error": "access_denied", "state": "x"}),
        ]

    assert [one.status_code for one in refused] == [401, 401, 401]
    assert [one.headers.get_list("set-cookie") for one in refused] == [[], [], []]
    assert await house.everything() == before


async def test_somebody_unknown_is_told_who_they_are(signing_in: SigningIn) -> None:
    async with signing_in.house.client() as browser:
        sent = await browser.get(START)
        code, state = signing_in.provider.follow(sent.headers["location"])
        back = await browser.get(CALLBACK, params={"code": code, "state": state})

    assert back.status_code == 401
    assert f"`{signing_in.provider.issuer}|42`" in back.json()["detail"]


async def test_without_a_provider_there_is_nowhere_to_go(in_memory: House) -> None:
    replies = [await in_memory.gets(None, path) for path in (START, CALLBACK)]

    assert [one.status for one in replies] == [404, 404]

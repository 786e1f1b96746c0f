"""The door lets through whom it knows, tells the app who they are, and refuses everything else alike."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

import httpx2
import pytest
import websockets
from websockets.asyncio.client import connect

from assent.door import middleware as body
from assent.door.authentication import Authenticator, Throttle
from assent.door.credentials import Prefix, new_secret
from assent.door.middleware import HEADERS, Door, LimitedBody, drain
from assent.door.request import MAX_ANONYMOUS_BODY, AllowedHosts, parse_proxies, too_large
from assent.errors import ForbiddenError, NotFoundError
from assent.gate.access import (
    Kind,
    Principal,
    Resource,
    Role,
    check_administrator,
    check_can_answer,
    check_can_call,
)
from assent.gate.people import Person
from assent.stores.memory.store import MemoryStore
from tests.door.calling import HOST, JSON, OWN, Echo, call, open_websocket
from tests.door.listening import serve_app
from tests.principals import administrator
from tests.stores.promises.given import SetClock

FOREIGN_ORIGINS = (
    "null", "http://evil.example", "http://localhost.evil:8722", "http://127.0.0.1:8723", "http://localhost:8722",
    "https://127.0.0.1:8722", "",
)  # fmt: skip


class DoorSetup:
    """A door, its authenticator, and an app that records the principals."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.keeper = Authenticator(self.store, throttle=Throttle(tries=5))
        self.echo = Echo()
        self.door = Door(self.echo, self.keeper, AllowedHosts(), proxies=parse_proxies(["10.0.0.0/8"]))

    async def token(self, kind: Kind = Kind.PERSON, name: str = "ana", on_behalf: str = "") -> str:
        return (await self.keeper.new_token(kind, name, by=administrator("ana"), on_behalf=on_behalf)).secret

    async def session(self) -> str:
        return (await self.keeper.new_session("ana")).secret

    @property
    def principal(self) -> Principal | None:
        found = self.echo.states[-1]["principal"]
        assert found is None or isinstance(found, Principal)
        return found


@pytest.fixture
def door_setup() -> AbstractAsyncContextManager[DoorSetup]:
    @asynccontextmanager
    async def furnished() -> AsyncIterator[DoorSetup]:
        door_setup = DoorSetup()
        await door_setup.store.add_person(Person(id="ana", administrator=True), by="root")
        await door_setup.store.set_role("ana", "conversation:c9", Role.VIEWER, by="root")
        yield door_setup

    return furnished()


def bearer(secret: str) -> tuple[str, str]:
    return "authorization", f"Bearer {secret}"


def cookie(secret: str) -> tuple[str, str]:
    return "cookie", f"assent_session={secret}"


async def test_somebody_with_a_token_or_a_session_is_known(door_setup: DoorSetup) -> None:
    for header in (bearer(await door_setup.token()), cookie(await door_setup.session())):
        answer = await call(door_setup.door, "GET", header)

        assert answer.status == 200
        assert door_setup.principal == Principal(
            id="ana", administrator=True, roles={"conversation:c9": Role.VIEWER}
        )
    assert door_setup.echo.states[-1]["credential"].principal_id == "ana"


async def test_nobody_is_let_through_as_nobody(door_setup: DoorSetup) -> None:
    for headers in ([], [cookie("x")], [cookie(new_secret(Prefix.SESSION))], [("cookie", "assent_session=")]):
        assert (await call(door_setup.door, "GET", *headers)).status == 200
        assert door_setup.principal is None


async def test_a_token_that_is_nobodys_is_refused_whatever_else_is_there(door_setup: DoorSetup) -> None:
    session = cookie(await door_setup.session())

    for header in (
        bearer(new_secret(Prefix.PERSON)),
        bearer(""),
        ("authorization", "Basic YTpi"),
        bearer("x" * 5000),
    ):
        answer = await call(door_setup.door, "GET", header, session)

        assert answer.status in (401, 429)
        assert answer.headers["content-type"] == ["application/problem+json"]
    assert door_setup.echo.states == []


@pytest.mark.proves("T-5")
async def test_one_purpose_never_stands_in_for_another(door_setup: DoorSetup) -> None:
    link = (await door_setup.keeper.new_link("ana", by=administrator("ana"))).secret
    token, session = await door_setup.token(), await door_setup.session()

    for header in (bearer(link), bearer(session)):
        assert (await call(door_setup.door, "GET", header)).status == 401
    for header in (cookie(link), cookie(token)):
        await call(door_setup.door, "GET", header)
        assert door_setup.principal is None


@pytest.mark.proves("T-5", "T-18", "T-38")
async def test_an_agent_is_who_its_token_says_and_nobody_else(door_setup: DoorSetup) -> None:
    token = await door_setup.token(Kind.AGENT, "clerk", on_behalf="ana")
    mine = Resource(owner="ana", conversation="c1", agent="clerk")

    await call(
        door_setup.door, "GET", bearer(token), ("x-agent", "cook"), ("x-user", "root"), query="agent=cook"
    )

    agent = door_setup.principal
    assert agent == Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")
    check_can_call(agent, mine)
    for other in (
        Resource(owner="ana", conversation="c1", agent="cook"),
        Resource(owner="ben", conversation="c1", agent="clerk"),
    ):
        with pytest.raises(NotFoundError):
            check_can_call(agent, other)
    with pytest.raises(ForbiddenError):
        check_can_answer(agent, mine)
    with pytest.raises(ForbiddenError):
        check_administrator(agent)


@pytest.mark.proves("T-14")
async def test_who_was_shut_out_is_nobody_at_the_next_request(door_setup: DoorSetup) -> None:
    await door_setup.store.add_person(Person(id="ben"), by="ana")
    token = await door_setup.token(name="ben")
    agent = await door_setup.token(Kind.AGENT, "clerk", on_behalf="ben")
    session = (await door_setup.keeper.new_session("ben")).secret

    await door_setup.store.disable_person("ben", by="ana")

    assert [(await call(door_setup.door, "GET", bearer(one))).status for one in (token, agent)] == [401, 401]
    await call(door_setup.door, "GET", cookie(session))
    assert door_setup.principal is None


@pytest.mark.proves("T-16")
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "DELETE"])
async def test_a_foreign_name_for_us_is_refused_before_anything_else(
    door_setup: DoorSetup, method: str
) -> None:
    token = bearer(await door_setup.token())
    for host in ("evil.example", "localhost.evil.example:8722", ""):
        answer = await call(door_setup.door, method, ("host", host), token, JSON)

        assert answer.status == 403
    assert door_setup.echo.states == []


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_foreign_page_gets_nothing_done_with_anybodys_rights(
    door_setup: DoorSetup, origin: str
) -> None:
    for given in (bearer(await door_setup.token()), cookie(await door_setup.session())):
        assert (await call(door_setup.door, "POST", given, JSON, ("origin", origin))).status == 403
        assert await open_websocket(door_setup.door, given, ("origin", origin)) == "refused"
    assert door_setup.echo.states == []


@pytest.mark.proves("T-15", "T-17")
async def test_a_cookie_needs_our_page_and_a_token_does_not(door_setup: DoorSetup) -> None:
    token, session = bearer(await door_setup.token()), cookie(await door_setup.session())

    assert (await call(door_setup.door, "POST", session, JSON)).status == 403
    assert await open_websocket(door_setup.door, session) == "refused"
    assert (await call(door_setup.door, "POST", session, JSON, OWN)).status == 200
    assert await open_websocket(door_setup.door, session, OWN) == "accepted"
    assert (await call(door_setup.door, "POST", token, JSON)).status == 200
    assert await open_websocket(door_setup.door, token) == "accepted"
    assert await open_websocket(door_setup.door, bearer(new_secret(Prefix.AGENT))) == "refused"
    assert await open_websocket(door_setup.door) == "refused"


@pytest.mark.proves("T-17")
async def test_a_form_changes_nothing(door_setup: DoorSetup) -> None:
    session = cookie(await door_setup.session())

    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain"):
        answer = await call(door_setup.door, "POST", session, OWN, ("content-type", kind), pieces=[b"{}"])
        assert answer.status == 415
    assert door_setup.echo.states == []


@pytest.mark.proves("T-15")
async def test_a_token_in_the_address_is_refused_and_not_repeated(door_setup: DoorSetup) -> None:
    token = await door_setup.token()

    answer = await call(door_setup.door, "GET", query=f"token={token}")

    assert answer.status == 400
    assert token.encode() not in answer.body


async def test_every_answer_has_the_headers_that_keep_a_page_safe(door_setup: DoorSetup) -> None:
    answers = [
        await call(door_setup.door),
        await call(door_setup.door, "GET", ("host", "evil.example")),
        await call(door_setup.door, "GET", bearer("x")),
    ]

    for answer in answers:
        assert {name: answer.headers[name] for name in HEADERS} == {
            name: [value] for name, value in HEADERS.items()
        }
        assert "'unsafe" not in answer.headers["content-security-policy"][0]
        assert "access-control-allow-origin" not in answer.headers


async def test_what_a_route_says_itself_stays(door_setup: DoorSetup) -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        headers = [(b"Cache-Control", b"max-age=60")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b""})  # type: ignore[operator]

    answer = await call(Door(app, door_setup.keeper, AllowedHosts()))

    assert answer.headers["Cache-Control"] == ["max-age=60"]
    assert "cache-control" not in answer.headers


async def test_tokens_that_are_nobodys_are_throttled_and_good_ones_are_not(door_setup: DoorSetup) -> None:
    token = bearer(await door_setup.token())

    seen = [(await call(door_setup.door, "GET", bearer(new_secret(Prefix.AGENT)))).status for _ in range(7)]
    limited = await call(door_setup.door, "GET", bearer(new_secret(Prefix.AGENT)))

    assert seen == [401] * 5 + [429] * 2
    assert int(limited.headers["retry-after"][0]) > 0
    assert (await call(door_setup.door, "GET", token)).status == 200
    elsewhere = await call(door_setup.door, "GET", bearer("x"), client=("192.0.2.9", 1))
    assert elsewhere.status == 401


async def test_the_address_is_that_of_the_client_behind_a_proxy_we_trust(door_setup: DoorSetup) -> None:
    forwarded = (("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", "https"))

    for client in ("10.0.0.9", "192.0.2.1"):
        await call(door_setup.door, "GET", *forwarded, client=(client, 1))

    seen = [(state["address"], state["secure"]) for state in door_setup.echo.states]
    assert seen == [("192.0.2.7", True), ("192.0.2.1", False)]


@pytest.mark.proves("R-17")
async def test_while_the_store_is_away_nobody_is_recognised_and_nothing_is_let_through(
    door_setup: DoorSetup,
) -> None:
    token, session = bearer(await door_setup.token()), cookie(await door_setup.session())
    await door_setup.store.close()

    answers = [await call(door_setup.door, "GET", one) for one in (token, session)]

    assert [answer.status for answer in answers] == [503, 503]
    assert door_setup.echo.states == []
    assert (await call(door_setup.door)).status == 200
    assert await open_websocket(door_setup.door, session, OWN) == "refused"


async def test_what_is_no_request_goes_straight_through(door_setup: DoorSetup) -> None:
    seen = []

    async def app(scope: dict, receive: object, send: object) -> None:  # type: ignore[type-arg]
        seen.append(scope["type"])

    async def nothing(*_: object) -> dict[str, object]:
        return {}

    await Door(app, door_setup.keeper, AllowedHosts())({"type": "lifespan"}, nothing, nothing)  # type: ignore[arg-type]

    assert seen == ["lifespan"]


async def test_a_session_that_is_used_lives_on_and_one_that_is_not_ends() -> None:
    clock = SetClock()
    store = MemoryStore(clock=clock)
    keeper = Authenticator(store)
    await store.add_person(Person(id="ana"), by="root")
    echo = Echo()
    door = Door(echo, keeper, AllowedHosts())
    used, unused = [cookie((await keeper.new_session("ana")).secret) for _ in range(2)]

    for _ in range(40):
        clock.advance(timedelta(days=1))
        await call(door, "GET", used)
        assert echo.states[-1]["principal"] == Principal(id="ana")

    await call(door, "GET", unused)
    assert echo.states[-1]["principal"] is None


# ---- through a real server ----------------------------------------------------------------------


async def test_a_body_without_a_length_that_is_too_long_is_told_so(door_setup: DoorSetup) -> None:
    door = Door(door_setup.echo, door_setup.keeper, AllowedHosts(), max_body=100_000)

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b"x" * 10_000

    async with serve_app(door) as address, httpx2.AsyncClient() as client:
        headers = {"authorization": f"Bearer {await door_setup.token()}", "content-type": "application/json"}
        chunked = await client.post(address, headers=headers, content=pieces())
        told = await client.post(address, headers=headers, content=b"x" * 300_000)

    assert (chunked.status_code, told.status_code) == (413, 413)
    assert (
        chunked.json()["detail"] == told.json()["detail"] == "the body of a request has at most 100,000 bytes"
    )


@pytest.mark.proves("T-41")
async def test_who_says_no_name_sends_no_more_than_a_log_in_needs(door_setup: DoorSetup) -> None:
    async with serve_app(door_setup.door) as address, httpx2.AsyncClient() as client:
        headers = {"origin": address, "content-type": "application/json"}
        known = headers | {"authorization": f"Bearer {await door_setup.token()}"}
        statuses = [
            (await client.post(address, headers=said, content=b"x" * size)).status_code
            for said in (headers, known)
            for size in (MAX_ANONYMOUS_BODY, MAX_ANONYMOUS_BODY + 1)
        ]

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(3):
                yield b"x" * (MAX_ANONYMOUS_BODY // 2)

        chunked = await client.post(address, headers=headers, content=pieces())

    assert statuses == [200, 413, 200, 200]
    assert (chunked.status_code, chunked.json()["detail"]) == (413, too_large(MAX_ANONYMOUS_BODY).detail)


@pytest.mark.proves("T-15")
async def test_a_socket_from_a_foreign_page_is_a_403_before_it_is_accepted(door_setup: DoorSetup) -> None:
    session = await door_setup.session()
    async with serve_app(door_setup.door) as address:
        port = address.rpartition(":")[2]
        foreign = [
            None,
            "null",
            "http://evil.example",
            f"http://localhost.evil:{port}",
            f"http://127.0.0.1:{int(port) + 1}",
        ]
        statuses = [await _status(port, origin, session) for origin in foreign]
        own = await _status(port, address, session)

    assert statuses == [403] * 5
    assert own == 101


async def _status(port: str, origin: str | None, session: str) -> int:
    headers = {"cookie": f"assent_session={session}"}
    try:
        async with connect(
            f"ws://127.0.0.1:{port}/v1/live",
            origin=origin,
            additional_headers=headers,
            open_timeout=60,
            proxy=None,  # type: ignore[arg-type]
        ):
            return 101
    except websockets.InvalidStatus as error:
        return error.response.status_code


async def test_what_fits_comes_through_whole() -> None:
    echo = Echo()
    door = Door(echo, Authenticator(MemoryStore()), AllowedHosts(), max_body=10)

    answer = await call(door, "POST", JSON, OWN, pieces=[b"12345", b"", b"67890"])

    assert (answer.status, echo.bodies) == (200, [b"1234567890"])


async def test_one_byte_more_is_refused_and_the_app_sees_that_the_client_left() -> None:
    echo = Echo()
    door = Door(echo, Authenticator(MemoryStore()), AllowedHosts(), max_body=10)

    answer = await call(door, "POST", JSON, OWN, pieces=[b"12345", b"67890", b"1"])

    assert (answer.status, answer.json()["title"]) == (413, "Request Entity Too Large")
    assert echo.bodies == [b"1234567890"]
    assert answer.headers["x-content-type-options"] == ["nosniff"]


async def test_an_app_that_answered_already_ends_its_answer() -> None:
    said: list[object] = []
    pieces = [b"123", b"456"]

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: object) -> None:
        said.append(message)

    measured = LimitedBody(receive, send, 4)
    await measured.send({"type": "http.response.start", "status": 200, "headers": []})
    got = [(await measured.receive())["type"] for _ in range(3)]
    await measured.send({"type": "http.response.body", "body": b"ok"})

    assert got == ["http.request", "http.disconnect", "http.disconnect"]
    assert [one["type"] for one in said] == ["http.response.start", "http.response.body"]  # type: ignore[index]


@pytest.mark.proves("R-19")
async def test_a_body_that_comes_too_slowly_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "BODY_TIMEOUT", 0.1)
    echo = Echo()
    door = Door(echo, Authenticator(MemoryStore()), AllowedHosts())
    said: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"1", "more_body": True}

    async def send(message: dict[str, object]) -> None:
        said.append(message)

    headers = [(name.encode(), value.encode()) for name, value in (HOST, JSON, OWN)]
    scope = {"type": "http", "method": "POST", "path": "/v1/x", "headers": headers, "scheme": "http"}
    async with asyncio.timeout(60):
        await door(scope, receive, send)  # type: ignore[arg-type]

    assert [one.get("status") for one in said] == [408, None]


async def test_who_has_sent_all_may_wait_as_long_as_they_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "BODY_TIMEOUT", 0.05)
    coming = [{"type": "http.request", "body": b"1", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, object]:
        await asyncio.sleep(0 if len(coming) > 1 else 0.1)
        return coming.pop(0)

    async def send(message: object) -> None:
        raise AssertionError(message)

    measured = body.LimitedBody(receive, send)

    assert [(await measured.receive())["type"] for _ in range(2)] == ["http.request", "http.disconnect"]


async def test_what_still_comes_is_taken_up_to_a_point() -> None:
    taken = 0

    async def receive() -> dict[str, object]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x" * 100, "more_body": True}

    await drain(receive, limit=1000)

    assert taken == 10

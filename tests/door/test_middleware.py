"""The door authenticates callers, passes their principal to the app, and refuses invalid requests."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

import httpx2
import pytest
import websockets
from websockets.asyncio.client import connect

from assent.door import middleware as body
from assent.door.authentication import Authenticator, Throttle
from assent.door.credentials import SecretPrefix, new_secret
from assent.door.middleware import SECURITY_HEADERS, Door, LimitedBody, drain_body
from assent.door.request import MAX_ANONYMOUS_BODY_BYTES, AllowedHosts, parse_proxies, too_large_problem
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
from tests.door.calling import HOST, JSON, OWN_ORIGIN, EchoApp, open_websocket, send_asgi_request
from tests.door.listening import serve_app
from tests.principals import administrator
from tests.stores.promises.given import SetClock
from tests.waiting import advance_loop_time, run_ready_tasks

FOREIGN_ORIGINS = (
    "null", "http://evil.example", "http://localhost.evil:8722", "http://127.0.0.1:8723", "http://localhost:8722",
    "https://127.0.0.1:8722", "",
)  # fmt: skip


class DoorSetup:
    """A door, its authenticator, and an app that records the principals."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.keeper = Authenticator(self.store, throttle=Throttle(tries=5))
        self.echo = EchoApp()
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
    async def open_door_setup() -> AsyncIterator[DoorSetup]:
        door_setup = DoorSetup()
        await door_setup.store.add_person(Person(id="ana", administrator=True), by="root")
        await door_setup.store.set_role("ana", "conversation:c9", Role.VIEWER, by="root")
        yield door_setup

    return open_door_setup()


def bearer_header(secret: str) -> tuple[str, str]:
    return "authorization", f"Bearer {secret}"


def cookie_header(secret: str) -> tuple[str, str]:
    return "cookie", f"assent_session={secret}"


async def test_a_token_or_a_session_authenticates_the_caller(door_setup: DoorSetup) -> None:
    for header in (bearer_header(await door_setup.token()), cookie_header(await door_setup.session())):
        answer = await send_asgi_request(door_setup.door, "GET", header)

        assert answer.status == 200
        assert door_setup.principal == Principal(
            id="ana", administrator=True, roles={"conversation:c9": Role.VIEWER}
        )
    assert door_setup.echo.states[-1]["credential"].principal_id == "ana"


async def test_a_request_without_credentials_passes_as_anonymous(door_setup: DoorSetup) -> None:
    for headers in (
        [],
        [cookie_header("x")],
        [cookie_header(new_secret(SecretPrefix.SESSION))],
        [("cookie", "assent_session=")],
    ):
        assert (await send_asgi_request(door_setup.door, "GET", *headers)).status == 200
        assert door_setup.principal is None


async def test_an_unknown_token_is_refused_even_with_a_valid_session(door_setup: DoorSetup) -> None:
    session = cookie_header(await door_setup.session())

    for header in (
        bearer_header(new_secret(SecretPrefix.PERSON)),
        bearer_header(""),
        ("authorization", "Basic YTpi"),
        bearer_header("x" * 5000),
    ):
        answer = await send_asgi_request(door_setup.door, "GET", header, session)

        assert answer.status in (401, 429)
        assert answer.headers["content-type"] == ["application/problem+json"]
    assert door_setup.echo.states == []


@pytest.mark.proves("T-5")
async def test_a_credential_works_for_its_own_purpose_only(door_setup: DoorSetup) -> None:
    link = (await door_setup.keeper.new_link("ana", by=administrator("ana"))).secret
    token, session = await door_setup.token(), await door_setup.session()

    for header in (bearer_header(link), bearer_header(session)):
        assert (await send_asgi_request(door_setup.door, "GET", header)).status == 401
    for header in (cookie_header(link), cookie_header(token)):
        await send_asgi_request(door_setup.door, "GET", header)
        assert door_setup.principal is None


@pytest.mark.proves("T-5", "T-18", "T-38")
async def test_an_agent_is_identified_by_its_token_only(door_setup: DoorSetup) -> None:
    token = await door_setup.token(Kind.AGENT, "clerk", on_behalf="ana")
    mine = Resource(owner="ana", conversation="c1", agent="clerk")

    await send_asgi_request(
        door_setup.door,
        "GET",
        bearer_header(token),
        ("x-agent", "cook"),
        ("x-user", "root"),
        query="agent=cook",
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
async def test_a_disabled_person_is_not_authenticated_at_the_next_request(door_setup: DoorSetup) -> None:
    await door_setup.store.add_person(Person(id="ben"), by="ana")
    token = await door_setup.token(name="ben")
    agent = await door_setup.token(Kind.AGENT, "clerk", on_behalf="ben")
    session = (await door_setup.keeper.new_session("ben")).secret

    await door_setup.store.disable_person("ben", by="ana")

    assert [
        (await send_asgi_request(door_setup.door, "GET", bearer_header(one))).status for one in (token, agent)
    ] == [
        401,
        401,
    ]
    await send_asgi_request(door_setup.door, "GET", cookie_header(session))
    assert door_setup.principal is None


@pytest.mark.proves("T-16")
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "DELETE"])
async def test_an_unknown_host_name_is_refused_first(door_setup: DoorSetup, method: str) -> None:
    token = bearer_header(await door_setup.token())
    for host in ("evil.example", "localhost.evil.example:8722", ""):
        answer = await send_asgi_request(door_setup.door, method, ("host", host), token, JSON)

        assert answer.status == 403
    assert door_setup.echo.states == []


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_page_of_another_site_cannot_use_the_rights_of_a_person(
    door_setup: DoorSetup, origin: str
) -> None:
    for given in (bearer_header(await door_setup.token()), cookie_header(await door_setup.session())):
        assert (
            await send_asgi_request(door_setup.door, "POST", given, JSON, ("origin", origin))
        ).status == 403
        assert await open_websocket(door_setup.door, given, ("origin", origin)) == "refused"
    assert door_setup.echo.states == []


@pytest.mark.proves("T-15", "T-17")
async def test_a_cookie_needs_our_origin_and_a_token_does_not(door_setup: DoorSetup) -> None:
    token, session = bearer_header(await door_setup.token()), cookie_header(await door_setup.session())

    assert (await send_asgi_request(door_setup.door, "POST", session, JSON)).status == 403
    assert await open_websocket(door_setup.door, session) == "refused"
    assert (await send_asgi_request(door_setup.door, "POST", session, JSON, OWN_ORIGIN)).status == 200
    assert await open_websocket(door_setup.door, session, OWN_ORIGIN) == "accepted"
    assert (await send_asgi_request(door_setup.door, "POST", token, JSON)).status == 200
    assert await open_websocket(door_setup.door, token) == "accepted"
    assert await open_websocket(door_setup.door, bearer_header(new_secret(SecretPrefix.AGENT))) == "refused"
    assert await open_websocket(door_setup.door) == "refused"


@pytest.mark.proves("T-17")
async def test_an_html_form_changes_nothing(door_setup: DoorSetup) -> None:
    session = cookie_header(await door_setup.session())

    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain"):
        answer = await send_asgi_request(
            door_setup.door, "POST", session, OWN_ORIGIN, ("content-type", kind), pieces=[b"{}"]
        )
        assert answer.status == 415
    assert door_setup.echo.states == []


@pytest.mark.proves("T-15")
async def test_a_token_in_the_url_is_refused_and_not_repeated(door_setup: DoorSetup) -> None:
    token = await door_setup.token()

    answer = await send_asgi_request(door_setup.door, "GET", query=f"token={token}")

    assert answer.status == 400
    assert token.encode() not in answer.body


async def test_every_response_has_the_security_headers(door_setup: DoorSetup) -> None:
    answers = [
        await send_asgi_request(door_setup.door),
        await send_asgi_request(door_setup.door, "GET", ("host", "evil.example")),
        await send_asgi_request(door_setup.door, "GET", bearer_header("x")),
    ]

    for answer in answers:
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == {
            name: [value] for name, value in SECURITY_HEADERS.items()
        }
        assert "'unsafe" not in answer.headers["content-security-policy"][0]
        assert "access-control-allow-origin" not in answer.headers


async def test_headers_that_a_route_sets_are_kept(door_setup: DoorSetup) -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        headers = [(b"Cache-Control", b"max-age=60")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b""})  # type: ignore[operator]

    answer = await send_asgi_request(Door(app, door_setup.keeper, AllowedHosts()))

    assert answer.headers["Cache-Control"] == ["max-age=60"]
    assert "cache-control" not in answer.headers


async def test_unknown_tokens_are_throttled_and_valid_ones_are_not(door_setup: DoorSetup) -> None:
    token = bearer_header(await door_setup.token())

    seen = [
        (
            await send_asgi_request(door_setup.door, "GET", bearer_header(new_secret(SecretPrefix.AGENT)))
        ).status
        for _ in range(7)
    ]
    limited = await send_asgi_request(door_setup.door, "GET", bearer_header(new_secret(SecretPrefix.AGENT)))

    assert seen == [401] * 5 + [429] * 2
    assert int(limited.headers["retry-after"][0]) > 0
    assert (await send_asgi_request(door_setup.door, "GET", token)).status == 200
    elsewhere = await send_asgi_request(door_setup.door, "GET", bearer_header("x"), client=("192.0.2.9", 1))
    assert elsewhere.status == 401


async def test_the_address_is_that_of_the_client_behind_a_trusted_proxy(door_setup: DoorSetup) -> None:
    forwarded = (("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", "https"))

    for client in ("10.0.0.9", "192.0.2.1"):
        await send_asgi_request(door_setup.door, "GET", *forwarded, client=(client, 1))

    seen = [(state["address"], state["secure"]) for state in door_setup.echo.states]
    assert seen == [("192.0.2.7", True), ("192.0.2.1", False)]


@pytest.mark.proves("R-17")
async def test_while_the_store_is_unavailable_no_request_passes(
    door_setup: DoorSetup,
) -> None:
    token, session = bearer_header(await door_setup.token()), cookie_header(await door_setup.session())
    await door_setup.store.close()

    answers = [await send_asgi_request(door_setup.door, "GET", one) for one in (token, session)]

    assert [answer.status for answer in answers] == [503, 503]
    assert door_setup.echo.states == []
    assert (await send_asgi_request(door_setup.door)).status == 200
    assert await open_websocket(door_setup.door, session, OWN_ORIGIN) == "refused"


async def test_a_lifespan_message_passes_unchanged(door_setup: DoorSetup) -> None:
    seen = []

    async def app(scope: dict, receive: object, send: object) -> None:  # type: ignore[type-arg]
        seen.append(scope["type"])

    async def receive_nothing(*_: object) -> dict[str, object]:
        return {}

    await Door(app, door_setup.keeper, AllowedHosts())({"type": "lifespan"}, receive_nothing, receive_nothing)  # type: ignore[arg-type]

    assert seen == ["lifespan"]


async def test_a_used_session_stays_valid_and_an_unused_one_expires() -> None:
    clock = SetClock()
    store = MemoryStore(clock=clock)
    keeper = Authenticator(store)
    await store.add_person(Person(id="ana"), by="root")
    echo = EchoApp()
    door = Door(echo, keeper, AllowedHosts())
    used, unused = [cookie_header((await keeper.new_session("ana")).secret) for _ in range(2)]

    for _ in range(40):
        clock.advance(timedelta(days=1))
        await send_asgi_request(door, "GET", used)
        assert echo.states[-1]["principal"] == Principal(id="ana")

    await send_asgi_request(door, "GET", unused)
    assert echo.states[-1]["principal"] is None


# ---- through a real server ----------------------------------------------------------------------


async def test_a_chunked_body_that_is_too_large_gets_413(door_setup: DoorSetup) -> None:
    door = Door(door_setup.echo, door_setup.keeper, AllowedHosts(), max_body=100_000)

    async def body_pieces() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b"x" * 10_000

    async with serve_app(door) as address, httpx2.AsyncClient() as client:
        headers = {"authorization": f"Bearer {await door_setup.token()}", "content-type": "application/json"}
        chunked = await client.post(address, headers=headers, content=body_pieces())
        told = await client.post(address, headers=headers, content=b"x" * 300_000)

    assert (chunked.status_code, told.status_code) == (413, 413)
    assert (
        chunked.json()["detail"] == told.json()["detail"] == "the body of a request has at most 100,000 bytes"
    )


@pytest.mark.proves("T-41")
async def test_an_anonymous_body_is_limited_to_the_size_of_a_log_in(door_setup: DoorSetup) -> None:
    async with serve_app(door_setup.door) as address, httpx2.AsyncClient() as client:
        headers = {"origin": address, "content-type": "application/json"}
        known = headers | {"authorization": f"Bearer {await door_setup.token()}"}
        statuses = [
            (await client.post(address, headers=said, content=b"x" * size)).status_code
            for said in (headers, known)
            for size in (MAX_ANONYMOUS_BODY_BYTES, MAX_ANONYMOUS_BODY_BYTES + 1)
        ]

        async def body_pieces() -> AsyncIterator[bytes]:
            for _ in range(3):
                yield b"x" * (MAX_ANONYMOUS_BODY_BYTES // 2)

        chunked = await client.post(address, headers=headers, content=body_pieces())

    assert statuses == [200, 413, 200, 200]
    assert (chunked.status_code, chunked.json()["detail"]) == (
        413,
        too_large_problem(MAX_ANONYMOUS_BODY_BYTES).detail,
    )


@pytest.mark.proves("T-15")
async def test_a_socket_of_another_site_gets_403_before_it_is_accepted(door_setup: DoorSetup) -> None:
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
        statuses = [await _reply_status(port, origin, session) for origin in foreign]
        own = await _reply_status(port, address, session)

    assert statuses == [403] * 5
    assert own == 101


async def _reply_status(port: str, origin: str | None, session: str) -> int:
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


async def test_a_body_within_the_limit_arrives_completely() -> None:
    echo = EchoApp()
    door = Door(echo, Authenticator(MemoryStore()), AllowedHosts(), max_body=10)

    answer = await send_asgi_request(door, "POST", JSON, OWN_ORIGIN, pieces=[b"12345", b"", b"67890"])

    assert (answer.status, echo.bodies) == (200, [b"1234567890"])


async def test_one_byte_above_the_limit_is_refused_and_the_app_gets_a_disconnect() -> None:
    echo = EchoApp()
    door = Door(echo, Authenticator(MemoryStore()), AllowedHosts(), max_body=10)

    answer = await send_asgi_request(door, "POST", JSON, OWN_ORIGIN, pieces=[b"12345", b"67890", b"1"])

    assert (answer.status, answer.json()["title"]) == (413, "Request Entity Too Large")
    assert echo.bodies == [b"1234567890"]
    assert answer.headers["x-content-type-options"] == ["nosniff"]


async def test_an_app_that_has_started_its_response_can_complete_it() -> None:
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
async def test_a_body_that_arrives_too_slowly_is_refused() -> None:
    echo = EchoApp()
    door = Door(echo, Authenticator(MemoryStore()), AllowedHosts())
    said: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        advance_loop_time(body.BODY_TIMEOUT / 4)
        await run_ready_tasks()
        return {"type": "http.request", "body": b"1", "more_body": True}

    async def send(message: dict[str, object]) -> None:
        said.append(message)

    headers = [(name.encode(), value.encode()) for name, value in (HOST, JSON, OWN_ORIGIN)]
    scope = {"type": "http", "method": "POST", "path": "/v1/x", "headers": headers, "scheme": "http"}
    await door(scope, receive, send)  # type: ignore[arg-type]

    assert [one.get("status") for one in said] == [408, None]


async def test_after_a_complete_body_there_is_no_timeout() -> None:
    coming = [{"type": "http.request", "body": b"1", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, object]:
        if len(coming) == 1:
            advance_loop_time(2 * body.BODY_TIMEOUT)
        await run_ready_tasks()
        return coming.pop(0)

    async def send(message: object) -> None:
        raise AssertionError(message)

    measured = body.LimitedBody(receive, send)

    assert [(await measured.receive())["type"] for _ in range(2)] == ["http.request", "http.disconnect"]


async def test_the_rest_of_a_body_is_read_up_to_a_limit() -> None:
    taken = 0

    async def receive() -> dict[str, object]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x" * 100, "more_body": True}

    await drain_body(receive, limit=1000)

    assert taken == 10

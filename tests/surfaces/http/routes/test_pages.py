"""The WebSocket of web pages: who may connect, what a frame may be, and a call from the chat to the page."""

import asyncio
import hashlib
import http.client
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from assent.client.client import Client
from assent.errors import AssentError
from tests.serving import RunningServer, server
from tests.surfaces.http.sockets import PATIENCE, LiveSocket, origin

LISTED = "https://crm.example"
PAGE = "page-0000000000001"
GET = {"name": "demo.getValue", "kind": "agentTool"}
SET = {
    "name": "demo.setValue",
    "kind": "agentTool",
    "sideEffect": True,
    "params": {"type": "object", "properties": {"value": {"type": "string"}}},
    "specifierTemplate": "{value}",
}


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    home = tmp_path_factory.mktemp("pages")
    directory = home / "config" / "assent"
    directory.mkdir(parents=True)
    (directory / "config.toml").write_text(f'[server]\npage_origins = ["{LISTED}"]\n')
    (directory / "config.toml").chmod(0o600)
    with server(home) as running:
        yield running


@pytest.fixture
def client(running_server: RunningServer) -> Iterator[Client]:
    with Client(running_server.url, running_server.token) as found:
        yield found


def new_conversation(client: Client) -> str:
    made: Any = client.request("POST", "/v1/conversations", {"preset": "workbench"}, tries=1)
    return str(made["id"])


@asynccontextmanager
async def open_page_socket(
    running: RunningServer, page_origin: str | None, **headers: str
) -> AsyncGenerator[LiveSocket]:
    address = running.url.replace("http", "ws", 1) + "/v1/pages"
    given = headers if page_origin is None else {"Origin": page_origin, **headers}
    timeouts = {"open_timeout": PATIENCE, "ping_timeout": PATIENCE}
    async with connect(address, additional_headers=given, proxy=None, **timeouts) as socket:
        yield LiveSocket(socket)


@asynccontextmanager
async def open_page(
    running: RunningServer, conversation: str, *, page: str = PAGE, token: str = ""
) -> AsyncGenerator[LiveSocket]:
    """A page of the server itself, which was accepted."""
    async with open_page_socket(running, origin(running)) as socket:
        await socket.send(type="auth", token=token or running.token)
        await socket.send(type="page", page=page, conversation=conversation, sdk="test/1")
        assert (await socket.receive())["type"] == "ready"
        yield socket


async def send_manifest(socket: LiveSocket, *tools: object, size: int = 40, id: str = "m1") -> dict[str, Any]:
    """Declare tools, in parts of this size; returns the reply."""
    text = json.dumps(tools)
    parts = [text[at : at + size] for at in range(0, len(text), size)] or [""]
    digest = hashlib.sha256(text.encode()).hexdigest()
    for number, part in enumerate(parts, start=1):
        await socket.send(type="manifest", id=id, part=number, parts=len(parts), digest=digest, text=part)
    return await socket.receive()


# ---- who may connect -----------------------------------------------------------------------------


@pytest.mark.proves("T-15")
@pytest.mark.parametrize(
    "page_origin", ["https://evil.example", "null", "http://127.0.0.1:1", f"{LISTED}.evil"]
)
async def test_an_origin_that_nobody_listed_cannot_connect(
    running_server: RunningServer, page_origin: str
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with open_page_socket(running_server, page_origin):
            pass

    assert refused.value.response.status_code == 403


async def test_a_listed_origin_opens_no_other_route(running_server: RunningServer) -> None:
    address = running_server.url.replace("http", "ws", 1) + "/v1/live"
    with pytest.raises(InvalidStatus):
        async with connect(address, additional_headers={"Origin": LISTED}, proxy=None):
            pass

    parts = urlsplit(running_server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    with closing(connection):
        connection.request("GET", "/v1/me", headers={"Origin": LISTED})
        assert connection.getresponse().status == 403


async def test_a_listed_page_cannot_use_the_token_of_a_person(
    running_server: RunningServer, client: Client
) -> None:
    async with open_page_socket(running_server, LISTED) as socket:
        await socket.send(type="auth", token=running_server.token)

        assert await socket.wait_for_close_code() == 4401


@pytest.mark.proves("T-15")
async def test_a_valid_cookie_counts_for_pages_of_this_server_only(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    cookie = log_in(running_server)

    async with open_page_socket(running_server, origin(running_server), Cookie=cookie) as socket:
        await socket.send(type="page", page=PAGE, conversation=conversation, sdk="test/1")
        own = await socket.receive()
    async with open_page_socket(running_server, LISTED, Cookie=cookie) as socket:
        await socket.send(type="page", page=PAGE, conversation=conversation, sdk="test/1")

        assert await socket.wait_for_close_code() in (4400, 4401)
    assert (own["type"], own["own"]) == ("ready", True)


def log_in(running: RunningServer) -> str:
    """Log in with a log-in link, and return the session cookie."""
    parts = urlsplit(running.login_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    with closing(connection):
        headers = {"Origin": origin(running), "Content-Type": "application/json"}
        connection.request("POST", "/v1/login", json.dumps({"link": parts.fragment}), headers)
        reply = connection.getresponse()
        assert reply.status == 204
        return str(reply.headers["set-cookie"]).partition(";")[0]


async def test_a_program_without_an_origin_is_refused(running_server: RunningServer) -> None:
    headers = {"Authorization": f"Bearer {running_server.token}"}
    async with open_page_socket(running_server, None, **headers) as socket:
        assert await socket.wait_for_close_code() == 4403


async def test_an_agent_cannot_open_a_page(running_server: RunningServer, client: Client) -> None:
    made: Any = client.request("POST", "/v1/tokens", {"kind": "agent", "name": "robot"}, tries=1)
    async with open_page_socket(running_server, origin(running_server)) as socket:
        await socket.send(type="auth", token=made["secret"])

        assert await socket.wait_for_close_code() == 4403


async def test_only_a_conversation_of_the_person_can_be_named(running_server: RunningServer) -> None:
    async with open_page_socket(running_server, origin(running_server)) as socket:
        await socket.send(type="auth", token=running_server.token)
        await socket.send(type="page", page=PAGE, conversation="another", sdk="test/1")

        assert await socket.wait_for_close_code() == 4404


# ---- page tokens ---------------------------------------------------------------------------------


def new_page_token(client: Client, conversation: str, *origins: str) -> tuple[str, str]:
    """The id and the secret of a new page token."""
    wanted = {"conversation": conversation, "origins": list(origins) or [LISTED]}
    made: Any = client.request("POST", "/v1/page-tokens", wanted, tries=1)
    return str(made["id"]), str(made["secret"])


async def test_a_page_token_serves_its_own_conversation_from_its_origin_only(
    running_server: RunningServer, client: Client
) -> None:
    conversation, other = new_conversation(client), new_conversation(client)
    _, token = new_page_token(client, conversation)
    _, elsewhere = new_page_token(client, conversation, "https://else.example")
    replies: list[object] = []
    for secret, named in ((token, conversation), (token, other), (elsewhere, conversation)):
        async with open_page_socket(running_server, LISTED) as socket:
            await socket.send(type="auth", token=secret)
            await socket.send(type="page", page=PAGE, conversation=named, sdk="test/1")
            if secret == token and named == conversation:
                ready = await socket.receive()
                accepted = await send_manifest(socket, SET, {"name": "files.list", "kind": "agentTool"})
                await socket.send(type="list_tools", id="l1")
                listed = await socket.receive()
                replies.append((ready["own"], ready["origin"]))
            else:
                replies.append(await socket.wait_for_close_code())

    assert replies == [(False, LISTED), 4403, 4403]
    assert [one["review"] for one in accepted["tools"]] == ["new", "refused"]
    assert [one["group"] for one in listed["groups"]] == ["demo"]


@pytest.mark.proves("T-6")
async def test_a_page_token_never_makes_a_page_of_this_server(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    _, token = new_page_token(client, conversation, origin(running_server))
    read = {
        "name": "files.read",
        "kind": "agentTool",
        "params": {"type": "object", "properties": {"path": {}}},
    }
    async with (
        open_page(running_server, conversation) as person,
        open_page(running_server, conversation, token=token) as program,
    ):
        await send_manifest(person, read)
        reply = await send_manifest(program, read, SET)
        await person.send(type="ping")
        # The page token has the same page id and origin, and does not replace the person's page.
        pong = await person.receive()

    assert [one["review"] for one in reply["tools"]] == ["refused", "new"]
    assert pong["type"] == "pong"


@pytest.mark.proves("T-4")
async def test_a_page_token_reads_answers_and_changes_nothing_else(
    running_server: RunningServer, client: Client
) -> None:
    _, token = new_page_token(client, new_conversation(client), origin(running_server))
    page = Client(running_server.url, token)
    with closing(page), pytest.raises(AssentError, match="token"):
        page.request("GET", "/v1/me", tries=1)

    address = running_server.url.replace("http", "ws", 1) + "/v1/live"
    async with connect(address, additional_headers={"Origin": origin(running_server)}, proxy=None) as live:
        await live.send(json.dumps({"type": "auth", "token": token}))
        await live.wait_closed()
    assert live.close_code == 4401


async def test_a_revoked_page_token_ends_its_connection(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    id, token = new_page_token(client, conversation, origin(running_server))
    async with open_page(running_server, conversation, token=token) as socket:
        client.request("DELETE", f"/v1/page-tokens/{id}", tries=1)

        assert await socket.wait_for_close_code() == 4401


@pytest.mark.parametrize("wrong", ["", "*", "crm.example", "https://crm.example/path", "https://CRM.example"])
def test_a_page_token_names_exact_origins(client: Client, wrong: str) -> None:
    with pytest.raises(AssentError):
        new_page_token(client, new_conversation(client), wrong)


def test_a_page_token_needs_a_conversation_of_the_person(client: Client) -> None:
    with pytest.raises(AssentError, match="no conversation"):
        new_page_token(client, "unknown")


# ---- frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "approval_response", "approvalId": "x", "decision": "allow_once"},
        {"type": "tool_call", "id": "x"},
        {"type": "manifest"},
        {"type": "ping", "more": 1},
        {"type": "list_tools"},
        {"type": "manifest", "id": "m", "part": 3, "parts": 3, "digest": "0" * 64, "text": ""},
    ],
)
async def test_an_invalid_frame_closes_the_page(
    running_server: RunningServer, client: Client, frame: dict[str, object]
) -> None:
    async with open_page(running_server, new_conversation(client)) as socket:
        await socket.send(**frame)

        assert await socket.wait_for_close_code() == 4400


async def test_a_page_id_is_long_and_plain(running_server: RunningServer, client: Client) -> None:
    async with open_page_socket(running_server, origin(running_server)) as socket:
        await socket.send(type="auth", token=running_server.token)
        await socket.send(type="page", page="short", conversation=new_conversation(client), sdk="")

        assert await socket.wait_for_close_code() == 4400


async def test_a_ping_is_answered_and_a_reply_to_nothing_is_ignored(
    running_server: RunningServer, client: Client
) -> None:
    async with open_page(running_server, new_conversation(client)) as socket:
        await socket.send(type="tool_result", id="unknown", ok=True, value=1)
        await socket.send(type="ping")

        assert await socket.receive() == {"type": "pong"}


@pytest.mark.proves("R003-10", "R003-12")
async def test_a_manifest_in_parts_takes_effect_as_a_whole(
    running_server: RunningServer, client: Client
) -> None:
    async with open_page(running_server, new_conversation(client)) as socket:
        accepted = await send_manifest(socket, GET, SET)
        refused = await send_manifest(socket, GET, {"name": "a b"}, id="m2")
        await socket.send(type="list_tools", id="l1")
        listed = await socket.receive()

    assert accepted == {
        "type": "manifest_accepted",
        "id": "m1",
        "tools": [
            {"name": "demo.getValue", "effect": "external", "review": "new"},
            {"name": "demo.setValue", "effect": "external", "review": "new"},
        ],
    }
    assert (refused["type"], refused["id"]) == ("manifest_refused", "m2")
    assert "tool 2" in refused["problem"]
    groups = {
        one["group"]: [(tool["name"], tool["source"]) for tool in one["tools"]] for one in listed["groups"]
    }
    assert groups["demo"] == [("demo.getValue", "page"), ("demo.setValue", "page")]
    assert {"server"} <= {source for tools in groups.values() for _, source in tools}


async def test_a_manifest_with_a_wrong_digest_is_refused(
    running_server: RunningServer, client: Client
) -> None:
    async with open_page(running_server, new_conversation(client)) as socket:
        await socket.send(type="manifest", id="m1", part=1, parts=1, digest="0" * 64, text="[]")

        assert (await socket.receive())["type"] == "manifest_refused"


# ---- a call --------------------------------------------------------------------------------------


@pytest.mark.proves("R003-4")
async def test_a_call_of_the_chat_is_carried_out_by_the_page(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    async with open_page(running_server, conversation) as socket:
        await send_manifest(socket, SET)
        said = '/call demo.setValue {"value": "2"}'
        stream = send_message(running_server, conversation, said, "autonomous")

        called = await socket.receive()
        await socket.send(type="tool_progress", id=called["id"], text="halfway")
        await socket.send(type="tool_result", id=called["id"], ok=True, part=1, parts=2, text='{"now"')
        await socket.send(type="tool_result", id=called["id"], ok=True, part=2, parts=2, text=': "2"}')
        text = (await asyncio.to_thread(stream.getresponse)).read().decode()
        stream.close()

    assert {**called, "id": ""} == {
        "type": "tool_call",
        "id": "",
        "tool": "demo.setValue",
        "args": {"value": "2"},
        "approved": False,
    }
    assert "halfway" in text
    assert '\\"now\\": \\"2\\"' in text


async def test_a_second_connection_with_the_same_id_replaces_the_first(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    async with open_page(running_server, conversation) as first, open_page(running_server, conversation):
        assert await first.wait_for_close_code() == 4409


async def test_the_status_of_a_second_page_says_that_a_tool_is_now_offered(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    async with (
        open_page(running_server, conversation, page=f"{PAGE}-1") as first,
        open_page(running_server, conversation, page=f"{PAGE}-2") as second,
    ):
        await send_manifest(first, SET)
        refused = await send_manifest(second, SET, id="m7")
        await send_manifest(first, id="m2")
        again = await second.receive()

    assert (refused["tools"][0]["review"], again["tools"][0]["review"]) == ("refused", "new")
    assert (again["type"], again["id"]) == ("manifest_accepted", "m7")


async def test_the_number_of_pages_of_a_conversation_is_limited(
    running_server: RunningServer, client: Client
) -> None:
    conversation = new_conversation(client)
    sockets = [open_page(running_server, conversation, page=f"{PAGE}-{number}") for number in range(10)]
    for one in sockets:
        await one.__aenter__()
    async with open_page_socket(running_server, origin(running_server)) as socket:
        await socket.send(type="auth", token=running_server.token)
        await socket.send(type="page", page=f"{PAGE}-more", conversation=conversation, sdk="")
        code = await socket.wait_for_close_code()
    for one in sockets:
        await one.__aexit__(None, None, None)

    assert code == 4429


def send_message(
    running: RunningServer, conversation: str, text: str, mode: str
) -> http.client.HTTPConnection:
    """Send a message; the connection's response is the stream."""
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    body = {"message": {"role": "user", "parts": [{"type": "text", "text": text}]}, "mode": mode}
    headers = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
    connection.request("POST", f"/v1/conversations/{conversation}/chat", json.dumps(body), headers)
    return connection

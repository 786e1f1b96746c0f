"""Rights are checked again before a long request acts for its principal."""

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import pytest

from assent.gate.access import Kind
from assent.gate.approval import State
from assent.gate.people import Purpose
from assent.surfaces.http.api import access
from assent.surfaces.http.api.access import yield_while_allowed
from assent.surfaces.http.api.bodies import StrictRequest
from assent.surfaces.http.routes import subscription
from assent.surfaces.http.routes.conversations import _create_access_check
from assent.surfaces.http.routes.subscription import POLICY_ERROR_MESSAGE
from tests.surfaces.http.api_server import HERE, ApiServer
from tests.waiting import wait_for_waiting_callers

Message = MutableMapping[str, Any]


class Socket:
    """A WebSocket client of a server in this process."""

    def __init__(self, api: ApiServer, name: str) -> None:
        self._in: asyncio.Queue[Message] = asyncio.Queue()
        self.out: asyncio.Queue[Message] = asyncio.Queue()
        self._in.put_nowait({"type": "websocket.connect"})
        headers = {"host": HERE.removeprefix("http://"), "authorization": f"Bearer {api.tokens[name]}"}
        scope = {
            "type": "websocket",
            "path": "/v1/live",
            "raw_path": b"/v1/live",
            "root_path": "",
            "scheme": "ws",
            "query_string": b"",
            "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8722),
            "subprotocols": [],
        }
        self.task = asyncio.ensure_future(api.asgi(scope, self._in.get, self.out.put))

    def send(self, **message: object) -> None:
        self._in.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    async def receive(self, kind: str) -> Message:
        """Receive the next message of a type, or the close message."""
        async with asyncio.timeout(60):
            while True:
                message = await self.out.get()
                if message["type"] == "websocket.close":
                    return message
                said = json.loads(message.get("text") or "{}")
                if said.get("type") == kind:
                    return dict(said)

    async def close(self) -> None:
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await self.task


async def open_socket_with_question(api: ApiServer, name: str) -> tuple[str, Socket]:
    """Create a question and a socket that has received it."""
    id = await api.ask()
    socket = Socket(api, name)
    socket.send(type="resume", after=None, speak="chat")
    await socket.receive("ready")
    return id, socket


@pytest.mark.proves("T-4")
async def test_a_person_with_the_right_can_answer_on_a_socket(in_memory: ApiServer) -> None:
    id, socket = await open_socket_with_question(in_memory, "chris")
    socket.send(type="tool_approval_response", id=id, decision="allow")
    await socket.receive("answered")

    assert (await in_memory.store.approval(id)).state is State.APPROVED
    await socket.close()


@pytest.mark.proves("T-4", "T-15")
async def test_a_disabled_person_cannot_answer_on_an_open_socket(
    in_memory: ApiServer,
) -> None:
    id, socket = await open_socket_with_question(in_memory, "chris")
    await in_memory.authenticator.people.store.disable_person("chris", by="ada")
    socket.send(type="tool_approval_response", id=id, decision="allow")
    end = await socket.receive("answered")

    assert (end["type"], end["code"]) == ("websocket.close", 4401)
    assert (await in_memory.store.approval(id)).state is State.PENDING
    await socket.task


@pytest.mark.proves("T-4")
async def test_a_person_who_lost_the_role_cannot_answer_on_an_open_socket(
    in_memory: ApiServer,
) -> None:
    id, socket = await open_socket_with_question(in_memory, "chris")
    await in_memory.authenticator.people.store.set_role("chris", "conversation:c1", None, by="ada")
    socket.send(type="tool_approval_response", id=id, decision="allow")
    error = await socket.receive("error")

    assert error["detail"] == f"there is no approval `{id}`"
    assert (await in_memory.store.approval(id)).state is State.PENDING
    await socket.close()


@pytest.mark.proves("T-14")
async def test_a_token_revoked_during_a_long_poll_cannot_claim_the_call(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    waiting = asyncio.create_task(api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 60}))
    await wait_for_waiting_callers(api.store)
    held = await api.authenticator.people.store.credentials("ana")
    (token,) = [one for one in held if (one.kind, one.purpose) == (Kind.AGENT, Purpose.TOKEN)]
    await api.authenticator.people.store.revoke_credential(token.id, by="ana")
    await api.answer(id)
    reply = await asyncio.wait_for(waiting, 60)

    assert (reply.status, reply.json["detail"]) == (401, "unknown, expired or revoked token")
    assert (await api.store.approval(id)).state is State.APPROVED


@pytest.mark.parametrize(
    ("name", "error_text"),
    [
        ("ada", "config.toml, line 3: no such mode"),
        ("chris", POLICY_ERROR_MESSAGE),
        ("robot", POLICY_ERROR_MESSAGE),
    ],
)
async def test_only_administrators_get_the_text_of_policy_file_errors(
    in_memory: ApiServer, monkeypatch: pytest.MonkeyPatch, name: str, error_text: str
) -> None:
    monkeypatch.setattr(subscription, "PING_SECONDS", 0.05)
    socket = Socket(in_memory, name)
    socket.send(type="resume", after=None)
    await socket.receive("ready")
    in_memory.policies.error = "config.toml, line 3: no such mode"
    message = await socket.receive("policy")

    assert message == {"type": "policy", "files": "files-1", "error": error_text}
    await socket.close()


async def test_a_stream_ends_when_its_client_loses_access(
    in_memory: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "RECHECK_SECONDS", 0.0)
    await in_memory.ask()
    headers = [(b"authorization", f"Bearer {in_memory.tokens['vera']}".encode())]
    request = StrictRequest({"type": "http", "headers": headers, "method": "GET", "path": "/"})

    async def numbered_items() -> AsyncIterator[int]:
        for number in range(4):
            if number == 2:
                await in_memory.authenticator.people.store.set_role("vera", "conversation:c1", None, by="ada")
            yield number

    heard = [
        one
        async for one in yield_while_allowed(
            numbered_items(), _create_access_check(in_memory.service, request, "c1")
        )
    ]

    assert heard == [0, 1]

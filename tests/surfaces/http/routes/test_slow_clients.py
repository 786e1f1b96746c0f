"""A client that accepts no data is disconnected, without effect on other clients."""

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import pytest

from assent.gate.access import Principal
from assent.surfaces.http.routes import live
from assent.surfaces.http.routes.live import EventStream
from assent.surfaces.http.routes.subscription import Subscription
from tests.surfaces.http.api_server import HERE, ApiServer

Message = MutableMapping[str, Any]
MOMENT = 0.05


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SEND_TIMEOUT", MOMENT)


async def wait_forever() -> Message:
    """Wait forever, as a client that neither sends nor disconnects."""
    return await asyncio.get_running_loop().create_future()


@pytest.mark.proves("R-19")
async def test_a_stream_that_the_client_does_not_read_ends(in_memory: ApiServer) -> None:
    ana = Principal(id="ana")
    await in_memory.ask()
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)
        if len(sent) > 2:
            await asyncio.sleep(60)

    async def reauthenticate() -> Principal:
        return ana

    subscription = Subscription(service=in_memory.service, principal=ana, reauthenticate=reauthenticate)
    async with asyncio.timeout(60):
        await EventStream(in_memory.service, subscription)({}, wait_forever, send)

    assert [message["type"] for message in sent] == ["http.response.start", *["http.response.body"] * 2]
    assert in_memory.service.metrics.live_connections == 0


@pytest.mark.proves("R-19")
async def test_a_socket_that_the_client_does_not_read_is_closed_as_too_slow(in_memory: ApiServer) -> None:
    await in_memory.ask()
    frames = [{"type": "websocket.connect"}]
    frames.append({"type": "websocket.receive", "text": json.dumps({"type": "resume", "after": None})})
    sent: list[Message] = []

    async def receive() -> Message:
        return frames.pop(0) if frames else await wait_forever()

    async def send(message: Message) -> None:
        sent.append(message)
        if message["type"] == "websocket.send":
            await asyncio.sleep(60)

    async with asyncio.timeout(60):
        await in_memory.asgi(_asgi_scope(in_memory), receive, send)

    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.send", "websocket.close"]
    assert sent[-1]["code"] == 4408
    assert in_memory.service.metrics.live_connections == 0


def _asgi_scope(api: ApiServer) -> Message:
    headers = {"host": HERE.removeprefix("http://"), "authorization": f"Bearer {api.tokens['ana']}"}
    return {
        "type": "websocket",
        "path": "/v1/live",
        "raw_path": b"/v1/live",
        "root_path": "",
        "query_string": b"",
        "scheme": "ws",
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "subprotocols": [],
    }

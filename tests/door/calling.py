"""Sends ASGI requests to an app in this process."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assent.door.middleware import App

HOST = ("host", "127.0.0.1:8722")
OWN_ORIGIN = ("origin", "http://127.0.0.1:8722")
JSON = ("content-type", "application/json")

Headers = Iterable[tuple[str, str]]


@dataclass
class Answer:
    """A reply of the app."""

    status: int = 0
    headers: dict[str, list[str]] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


class EchoApp:
    """An app that replies 200, and records the state and the body of each request."""

    def __init__(self) -> None:
        self.states: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.states.append(scope.get("state", {}))
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": 1000})
            return
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.bodies.append(body)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-app", b"1")]})
        await send({"type": "http.response.body", "body": b"ok"})


async def send_asgi_request(
    app: App,
    method: str = "GET",
    *headers: tuple[str, str],
    path: str = "/v1/x",
    query: str = "",
    pieces: Iterable[bytes] = (b"",),
    client: tuple[str, int] | None = ("127.0.0.1", 4000),
    scheme: str = "http",
) -> Answer:
    """Send a request; the default `Host` is this machine."""
    answer = Answer()
    parts = list(pieces)
    scope = _asgi_scope("http", headers, path, query, client, scheme) | {"method": method}

    async def receive() -> dict[str, Any]:
        if not parts:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert answer.status == 0, "answered twice"
            answer.status = message["status"]
            for name, value in message["headers"]:
                answer.headers.setdefault(name.decode(), []).append(value.decode())
        else:
            answer.body += message.get("body", b"")

    await app(scope, receive, send)
    return answer


async def open_websocket(app: App, *headers: tuple[str, str], scheme: str = "ws", query: str = "") -> str:
    """Open a WebSocket; returns `accepted` or `refused`."""
    said: list[str] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message["type"])

    await app(
        _asgi_scope("websocket", headers, "/v1/live", query, ("127.0.0.1", 4000), scheme), receive, send
    )
    return {"websocket.accept": "accepted", "websocket.close": "refused"}[said[0]]


def _asgi_scope(
    kind: str, headers: Headers, path: str, query: str, client: tuple[str, int] | None, scheme: str
) -> dict[str, Any]:
    listed = list(headers)
    if not any(name == "host" for name, _ in listed):
        listed.insert(0, HOST)
    return {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "scheme": scheme,
        "client": client,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in listed],
    }

"""The door in front of every listener: it refuses bad requests, authenticates, and limits bodies."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from assent.door.authentication import Authenticator
from assent.door.problem import Problem
from assent.door.request import (
    MAX_ANONYMOUS_BODY,
    MAX_BODY,
    AllowedHosts,
    Proxies,
    RequestHead,
    check_length,
    read_head,
    refusal,
    too_large,
)
from assent.errors import AssentError, ThrottledError
from assent.gate.people import ActiveCredential, Purpose

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors 'none';"
        " form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""The headers of every response, unless the route sets them."""
_ENCODED_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
BODY_TIMEOUT = 120.0
"""Seconds in which a body must arrive."""
_DRAIN_TIMEOUT = 5.0
"""Seconds for which a body over the limit is still read."""
_BODY_TIMED_OUT = Problem(
    408, f"a body must arrive within {BODY_TIMEOUT:.0f} seconds", {"connection": "close"}
)
_POLICY_VIOLATION = 1008
_log = logging.getLogger("assent.door")


class Door:
    """Adds `principal`, `credential`, `address` and `secure` to the `state` of each request's scope.

    The principal is None without authentication: the routes decide what is public.
    """

    def __init__(
        self,
        app: App,
        authenticator: Authenticator,
        hosts: AllowedHosts,
        *,
        proxies: Proxies | None = None,
        max_body: int = MAX_BODY,
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._hosts = hosts
        self._proxies = proxies or Proxies()
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the app, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        head = read_head(scope, self._proxies)
        if not head.is_websocket:
            send = _with_headers(send)
        found = refusal(head, self._hosts, self._max_body) or await self._authenticate(head)
        if isinstance(found, Problem):
            await _refuse(found, head, receive, send)
            return
        inner = _with_state(scope, head, found)
        if head.is_websocket:
            await self._app(inner, receive, send)
            return
        # A body is read before a route can refuse a request without authentication.
        max_body = self._max_body if found is not None else min(self._max_body, MAX_ANONYMOUS_BODY)
        problem = check_length(head, max_body)
        if problem is not None:
            await _refuse(problem, head, receive, send)
            return
        body = LimitedBody(receive, send, max_body)
        await self._app(inner, body.receive, body.send)

    async def _authenticate(self, head: RequestHead) -> ActiveCredential | Problem | None:
        """The principal; a wrong token is refused, an ended session is no authentication."""
        try:
            if head.token is None:
                return await self._authenticator.authenticate(head.session, Purpose.SESSION)
            return await self._authenticator.authenticate(head.token) or self._refuse_token(head)
        except ThrottledError as error:
            return Problem(429, str(error), {"retry-after": str(error.seconds)})
        except AssentError as error:
            _log.error("authentication is not possible: %s", error)
            detail = "authentication is not possible now: try again in a moment"
            return Problem(503, detail, {"retry-after": "1"})

    def _refuse_token(self, head: RequestHead) -> Problem:
        # Only failures are limited: a broken agent must not lock out the others on its machine.
        self._authenticator.count_failure(head.token or "", address=head.client.address)
        return Problem(401, "unknown, expired or revoked token", {"www-authenticate": "Bearer"})


class LimitedBody:
    """Limits a body in size and time: over a limit the client gets a problem, the app a disconnect."""

    def __init__(self, receive: Receive, send: Send, max_body: int = MAX_BODY) -> None:
        self._receive = receive
        self._send = send
        self._max_body = max_body
        self._size = 0
        self._deadline: float | None = asyncio.get_running_loop().time() + BODY_TIMEOUT
        """When the body must be complete; None once it is."""
        self._has_started = False
        self._is_over = False

    async def receive(self) -> Message:
        """The next part of the body."""
        if self._is_over:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            return await self._cut_off(_BODY_TIMED_OUT)
        if not message.get("more_body", False):
            self._deadline = None
        self._size += len(message.get("body", b""))
        if self._size <= self._max_body:
            return message
        if not self._has_started:
            await drain(self._receive)
        return await self._cut_off(too_large(self._max_body))

    async def send(self, message: Message) -> None:
        """Send the app's message, unless the client got a problem already."""
        if not self._is_over or self._has_started:
            self._has_started = True
            await self._send(message)

    async def _cut_off(self, problem: Problem) -> Message:
        """Send the problem, unless the app has begun its response; the app sees a disconnect."""
        self._is_over = True
        if not self._has_started:
            await self._send(problem.start())
            await self._send(problem.end())
        return {"type": "http.disconnect"}


async def drain(receive: Receive, limit: int = 2 * MAX_BODY) -> None:
    """Read the rest of a body, within limits: a client that is cut off while it sends gets no reply."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_TIMEOUT):
            size = 0
            is_more = True
            while is_more and size < limit:
                message = await receive()
                size += len(message.get("body", b""))
                is_more = message.get("more_body", False)


def _with_state(scope: Scope, head: RequestHead, known: ActiveCredential | None) -> Scope:
    state = {
        **scope.get("state", {}),
        "principal": None if known is None else known.principal,
        "credential": None if known is None else known.credential,
        "address": head.client.address,
        "secure": head.client.secure,
    }
    return {**scope, "state": state}


async def _refuse(problem: Problem, head: RequestHead, receive: Receive, send: Send) -> None:
    if head.is_websocket:
        # Before the handshake is complete a server turns this into a 403.
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        return
    if problem.status == 413:
        await drain(receive)
    await send(problem.start())
    await send(problem.end())


def _with_headers(send: Send) -> Send:
    """Sends with the headers that every response has."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            message = {**message, "headers": given + [one for one in _ENCODED_HEADERS if one[0] not in names]}
        await send(message)

    return send_with_headers

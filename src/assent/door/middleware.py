"""The door: middleware that refuses invalid requests, authenticates callers, and limits bodies."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from assent.door.authentication import Authenticator
from assent.door.problem import Problem
from assent.door.request import (
    MAX_ANONYMOUS_BODY_BYTES,
    MAX_BODY_BYTES,
    AllowedHosts,
    Proxies,
    RequestHead,
    check_length,
    find_listed_origin,
    find_refusal,
    read_head,
    too_large_problem,
)
from assent.errors import AssentError, ThrottledError
from assent.gate.people import ActiveCredential, Purpose

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SECURITY_HEADERS = {
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
"""Headers of every response, unless the route sets them."""
_ENCODED_HEADERS = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
BODY_TIMEOUT = 120.0
"""Seconds in which a complete body must arrive."""
_DRAIN_TIMEOUT = 5.0
"""Seconds to read the rest of a body that is too large."""
_BODY_TIMED_OUT = Problem(
    408, f"a body must arrive within {BODY_TIMEOUT:.0f} seconds", {"connection": "close"}
)
_POLICY_VIOLATION_CODE = 1008
_log = logging.getLogger("assent.door")


class Door:
    """Checks each request; adds `principal`, `credential`, `address`, `secure` and `other_origin` to `state`.

    The principal is None for a request without credentials: each route decides whether it is public.
    """

    def __init__(
        self,
        app: App,
        authenticator: Authenticator,
        hosts: AllowedHosts,
        *,
        proxies: Proxies | None = None,
        max_body: int = MAX_BODY_BYTES,
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
        origin = find_listed_origin(head, self._hosts)
        # INVARIANT: credentials that a browser sends by itself never count for a page of another origin.
        found = find_refusal(head, self._hosts, self._max_body) or (
            None if origin else await self._authenticate(head)
        )
        if isinstance(found, Problem):
            await _send_refusal(found, head, receive, send)
            return
        inner = _with_state(scope, head, found, origin)
        if head.is_websocket:
            await self._app(inner, receive, send)
            return
        # A route reads the body before it can refuse an anonymous request, so the limit is lower.
        max_body = self._max_body if found is not None else min(self._max_body, MAX_ANONYMOUS_BODY_BYTES)
        problem = check_length(head, max_body)
        if problem is not None:
            await _send_refusal(problem, head, receive, send)
            return
        body = LimitedBody(receive, send, max_body)
        await self._app(inner, body.receive, body.send)

    async def _authenticate(self, head: RequestHead) -> ActiveCredential | Problem | None:
        """Authenticate the caller; a wrong token is a problem, an expired session counts as anonymous."""
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
        # Only failures are limited, so that a broken agent does not block other agents on its machine.
        self._authenticator.count_failure(head.token or "", address=head.client.address)
        return Problem(401, "unknown, expired or revoked token", {"www-authenticate": "Bearer"})


class LimitedBody:
    """Limits the size and time of a body; above a limit the client gets a problem, the app a disconnect."""

    def __init__(self, receive: Receive, send: Send, max_body: int = MAX_BODY_BYTES) -> None:
        self._receive = receive
        self._send = send
        self._max_body = max_body
        self._size = 0
        self._deadline: float | None = asyncio.get_running_loop().time() + BODY_TIMEOUT
        """When the body must be complete; None once it is."""
        self._has_started = False
        self._is_over = False

    async def receive(self) -> Message:
        """Receive the next part of the body."""
        if self._is_over:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            return await self._refuse_body(_BODY_TIMED_OUT)
        if not message.get("more_body", False):
            self._deadline = None
        self._size += len(message.get("body", b""))
        if self._size <= self._max_body:
            return message
        if not self._has_started:
            await drain_body(self._receive)
        return await self._refuse_body(too_large_problem(self._max_body))

    async def send(self, message: Message) -> None:
        """Send a message of the app, unless the client already got a problem."""
        if not self._is_over or self._has_started:
            self._has_started = True
            await self._send(message)

    async def _refuse_body(self, problem: Problem) -> Message:
        """Send the problem, unless the app has started its response; returns a disconnect for the app."""
        self._is_over = True
        if not self._has_started:
            await self._send(problem.response_start())
            await self._send(problem.response_end())
        return {"type": "http.disconnect"}


async def drain_body(receive: Receive, limit: int = 2 * MAX_BODY_BYTES) -> None:
    """Read and discard the rest of a body: a client that still sends would not read the reply."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_TIMEOUT):
            size = 0
            is_more = True
            while is_more and size < limit:
                message = await receive()
                size += len(message.get("body", b""))
                is_more = message.get("more_body", False)


def _with_state(scope: Scope, head: RequestHead, known: ActiveCredential | None, origin: str) -> Scope:
    state = {
        **scope.get("state", {}),
        "principal": None if known is None else known.principal,
        "credential": None if known is None else known.credential,
        "address": head.client.address,
        "secure": head.client.secure,
        "other_origin": origin,
    }
    return {**scope, "state": state}


async def _send_refusal(problem: Problem, head: RequestHead, receive: Receive, send: Send) -> None:
    if head.is_websocket:
        # Before the handshake is complete, the server sends this as a 403 response.
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION_CODE})
        return
    if problem.status == 413:
        await drain_body(receive)
    await send(problem.response_start())
    await send(problem.response_end())


def _with_headers(send: Send) -> Send:
    """Wrap `send` to add the security headers to each response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            message = {**message, "headers": given + [one for one in _ENCODED_HEADERS if one[0] not in names]}
        await send(message)

    return send_with_headers

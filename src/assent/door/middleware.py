"""The door itself, before every listener: it refuses what none of us sends, and says who came."""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from assent.door.body import Measured, Message, Receive, Send, drained
from assent.door.identity import Doorkeeper
from assent.door.premises import Premises
from assent.door.problem import Problem
from assent.door.proxy import Proxies
from assent.door.visit import LARGEST, STRANGERS, Visit, overweight, refusal_of, visit_of
from assent.errors import AssentError, ThrottledError
from assent.gate.register import Known, Purpose

Scope = MutableMapping[str, Any]
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
"""What every response says, unless the route says it already."""
_ENCODED = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_POLICY = 1008
_log = logging.getLogger("assent.door")


class Door:
    """What comes through has `principal`, `credential`, `address` and `secure` in its scope's `state`.

    Nobody is `None`: what they may see without saying who they are is for the routes to say.
    """

    def __init__(
        self,
        app: App,
        keeper: Doorkeeper,
        premises: Premises,
        *,
        proxies: Proxies | None = None,
        largest: int = LARGEST,
    ) -> None:
        self._app = app
        self._keeper = keeper
        self._premises = premises
        self._proxies = proxies or Proxies()
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through to the app, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        visit = visit_of(scope, self._proxies)
        if not visit.is_socket:
            send = _dressed(send)
        found = refusal_of(visit, self._premises, self._largest) or await self._known(visit)
        if isinstance(found, Problem):
            await _refuse(found, visit, receive, send)
            return
        inner = _told(scope, visit, found)
        if visit.is_socket:
            await self._app(inner, receive, send)
            return
        # A body is read before a route can say that it is not for strangers.
        largest = self._largest if found is not None else min(self._largest, STRANGERS)
        if (problem := overweight(visit, largest)) is not None:
            await _refuse(problem, visit, receive, send)
            return
        measured = Measured(receive, send, largest)
        await self._app(inner, measured.receive, measured.send)

    async def _known(self, visit: Visit) -> Known | Problem | None:
        """Who came; a token that is wrong is refused, a session that is over is nobody's."""
        try:
            if visit.token is None:
                return await self._keeper.known(visit.session, Purpose.SESSION)
            return await self._keeper.known(visit.token) or self._unknown(visit)
        except ThrottledError as error:
            return Problem(429, str(error), {"retry-after": str(error.seconds)})
        except AssentError as error:
            _log.error("nobody can be recognised: %s", error)
            return Problem(503, "nobody can be recognised now: try again in a moment", {"retry-after": "1"})

    def _unknown(self, visit: Visit) -> Problem:
        # Only what fails is throttled: a broken agent must not shut out the others of its machine.
        self._keeper.refused(visit.token or "", address=visit.client.address)
        return Problem(401, "this token is not known, or no longer", {"www-authenticate": "Bearer"})


def _told(scope: Scope, visit: Visit, known: Known | None) -> Scope:
    state = {
        **scope.get("state", {}),
        "principal": None if known is None else known.principal,
        "credential": None if known is None else known.credential,
        "address": visit.client.address,
        "secure": visit.client.secure,
    }
    return {**scope, "state": state}


async def _refuse(problem: Problem, visit: Visit, receive: Receive, send: Send) -> None:
    if visit.is_socket:
        # Before it is accepted a server turns this into a plain 403.
        await send({"type": "websocket.close", "code": _POLICY})
        return
    if problem.status == 413:
        await drained(receive)
    await send(problem.start())
    await send(problem.end())


def _dressed(send: Send) -> Send:
    """Sends on, with the headers that every response has."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            message = {**message, "headers": given + [one for one in _ENCODED if one[0] not in names]}
        await send(message)

    return dressed

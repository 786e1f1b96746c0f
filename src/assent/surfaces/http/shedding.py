"""Shedding: over its capacity a server says 503 at once, and refuses health checks and answers last."""

import re

from assent.door.middleware import App, Receive, Scope, Send
from assent.door.problem import Problem
from assent.surfaces.http.waiting_room import FULL, LEAVING, WaitingRoom

AT_ONCE = 512
"""Requests in progress beyond which only vital ones are taken; long polls and streams aside."""
VITAL = 2 * AT_ONCE
"""Requests in progress beyond which not even those are."""
_STREAMS = re.compile(r"/v1/(live|events|conversations/[^/]+/(chat|stream))$")
_POLLS = re.compile(r"/v1/calls/[0-9a-f]{32}/wait$")
_VITAL = re.compile(
    r"/(healthz|readyz|v1/approvals/(answers|[0-9a-f]{32}(/answer)?)|v1/calls/[0-9a-f]{32}/report)$"
)
_PROBLEM = Problem(503, FULL, LEAVING)
_TRY_LATER = 1013


class Shedding:
    """Stands before the door, so that what is refused costs next to nothing."""

    def __init__(self, app: App, room: WaitingRoom) -> None:
        self._app = app
        self._room = room
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        path = str(scope.get("path", ""))
        if _STREAMS.search(path):
            await self._stream(scope, receive, send)
        elif scope["type"] not in ("http", "websocket") or _POLLS.search(path):
            # A poll may only take what was answered; the route knows whether it would wait.
            await self._app(scope, receive, send)
        elif self._busy >= (VITAL if _VITAL.search(path) else AT_ONCE):
            await _refuse(scope, send)
        else:
            self._busy += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._busy -= 1

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._room.has_room:
            await _refuse(scope, send)
            return
        with self._room.entered():
            await self._app(scope, receive, send)


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _TRY_LATER})
        return
    await send(_PROBLEM.start())
    await send(_PROBLEM.end())

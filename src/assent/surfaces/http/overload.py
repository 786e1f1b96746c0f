"""Overload: a server over its capacity replies 503 at once; health checks and answers are refused last."""

import re

from assent.door.middleware import App, Receive, Scope, Send
from assent.door.problem import Problem
from assent.surfaces.http.api.service import CLOSING, FULL, LongRequests

MAX_REQUESTS = 512
"""Requests in progress above which only vital ones are accepted; long polls and streams are not counted."""
MAX_VITAL = 2 * MAX_REQUESTS
"""Requests in progress above which none is accepted."""
_STREAMS = re.compile(r"/v1/(live|events|conversations/[^/]+/(chat|stream))$")
_POLLS = re.compile(r"/v1/calls/[0-9a-f]{32}/wait$")
_VITAL = re.compile(
    r"/(healthz|readyz|v1/approvals/(answers|[0-9a-f]{32}(/answer)?)|v1/calls/[0-9a-f]{32}/report)$"
)
_PROBLEM = Problem(503, FULL, CLOSING)
_TRY_LATER = 1013


class LoadLimit:
    """Refuses requests before the door reads them, which makes a refusal cheap."""

    def __init__(self, app: App, long_requests: LongRequests) -> None:
        self._app = app
        self._long_requests = long_requests
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        path = str(scope.get("path", ""))
        if _STREAMS.search(path):
            await self._stream(scope, receive, send)
        elif scope["type"] not in ("http", "websocket") or _POLLS.search(path):
            # A poll may return at once; its route knows whether it would wait.
            await self._app(scope, receive, send)
        elif self._busy >= (MAX_VITAL if _VITAL.search(path) else MAX_REQUESTS):
            await _refuse(scope, send)
        else:
            self._busy += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._busy -= 1

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._long_requests.has_room:
            await _refuse(scope, send)
            return
        with self._long_requests.count():
            await self._app(scope, receive, send)


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _TRY_LATER})
        return
    await send(_PROBLEM.start())
    await send(_PROBLEM.end())

"""A WebSocket of the workbench page: only for a person's session, from a page of this server."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from assent.config.strictjson import read_object
from assent.errors import AssentError, ForbiddenError, InputError, StoreError
from assent.gate.access import Principal
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.workbench import Workbench
from assent.surfaces.http.api.access import RECHECK_SECONDS, Audience, authorize, create_reauthentication
from assent.surfaces.http.api.bodies import to_ascii_json
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.api.sockets import (
    CREDENTIAL_ENDED_MESSAGE,
    MAX_MESSAGE_CHARACTERS,
    SEND_TIMEOUT,
    SocketClose,
)
from assent.wire.fields import Fields

RightsCheck = Callable[[Principal], Awaitable[None]]
"""Raises `WorkbenchError` if the principal may not use the socket."""
_MAX_REASON_CHARACTERS = 120


class PageSocket:
    """An open WebSocket of a page, and the person that it belongs to."""

    def __init__(self, socket: WebSocket, service: Service, principal: Principal, check: RightsCheck) -> None:
        self.principal = principal
        self.workbench: Workbench = service.require_workbench()
        self._socket = socket
        self._service = service
        self._check = check
        self._sending = asyncio.Lock()

    async def send(self, frame: Mapping[str, object]) -> None:
        """Send a frame; a page that does not accept it in time is disconnected."""
        text = to_ascii_json(frame)
        try:
            async with self._sending, asyncio.timeout(SEND_TIMEOUT):
                await self._socket.send_text(text)
        except TimeoutError:
            raise SocketClose(SocketClose.SLOW, "too slow: connect again") from None

    async def receive(self, *kinds: str) -> Fields:
        """Receive a frame of one of these types; another frame closes the socket."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        if text is None:
            raise SocketClose(SocketClose.BINARY, "only text frames are supported")
        if len(text) > MAX_MESSAGE_CHARACTERS:
            raise SocketClose(SocketClose.LARGE, f"a message has at most {MAX_MESSAGE_CHARACTERS} characters")
        with self.close_on_malformed_frame():
            fields = Fields(read_object(text.encode("utf-8", "surrogatepass"), "the message"), "message")
            kind = fields.text("type")
        if kind not in kinds:
            raise SocketClose(SocketClose.MALFORMED, f"expected a message of type {' or '.join(kinds)}")
        return fields

    async def run(self, *activities: Awaitable[None]) -> None:
        """Run activities until the first one ends, the access ends, or the server stops."""
        endings = (*activities, self._end_without_access(), self._end_with_server())
        tasks = [asyncio.ensure_future(one) for one in endings]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @contextmanager
    def close_on_malformed_frame(self) -> Generator[None]:
        """Close the socket after a frame with wrong fields."""
        try:
            yield
        except InputError as error:
            raise SocketClose(SocketClose.MALFORMED, str(error)) from None

    async def _end_without_access(self) -> None:
        """Close the socket soon after the session ends, or the right is turned off."""
        reauthenticate = create_reauthentication(self._service, self._socket)
        while True:
            await asyncio.sleep(RECHECK_SECONDS)
            try:
                principal = await reauthenticate()
                if principal is None:
                    raise SocketClose(SocketClose.UNKNOWN, CREDENTIAL_ENDED_MESSAGE)
                await self._check(principal)
            except WorkbenchError as error:
                raise SocketClose(SocketClose.FORBIDDEN, str(error)) from None
            except StoreError:
                raise SocketClose(SocketClose.LATER, "the store is not available: try later") from None

    async def _end_with_server(self) -> None:
        await self._service.stopping.wait()
        raise SocketClose(SocketClose.RESTART, "the server is stopping: connect again")


async def serve_page_socket(
    socket: WebSocket,
    service: Service,
    check: RightsCheck,
    serve: Callable[[PageSocket], Awaitable[None]],
) -> None:
    """Accept a socket of a page of this server with a person's session; others are refused with 403."""
    try:
        # INVARIANT: the audience admits sessions only, and the door admits a session only with our origin.
        principal = authorize(socket, Audience.PAGE)
        await check(principal)
    except (ForbiddenError, ProblemError, WorkbenchError):
        await socket.close()
        return
    await socket.accept()
    with suppress(WebSocketDisconnect, RuntimeError):
        try:
            with service.require_workbench().count_socket(principal):
                await serve(PageSocket(socket, service, principal, check))
        except SocketClose as end:
            await _close(socket, end)
        except WorkbenchError as error:
            code = SocketClose.LIMIT if error.reason is Reason.LIMIT else SocketClose.LATER
            await _close(socket, SocketClose(code, str(error)))
        except AssentError:
            await _close(socket, SocketClose(SocketClose.LATER, "this is not possible now: connect again"))


async def _close(socket: WebSocket, end: SocketClose) -> None:
    # A client that accepts no data cannot receive a closing frame.
    with suppress(TimeoutError):
        async with asyncio.timeout(1):
            await socket.close(end.code, end.reason[:_MAX_REASON_CHARACTERS])

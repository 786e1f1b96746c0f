"""WebSockets that exchange JSON objects; those of the workbench page need a session of a person."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect

from assent.config.strictjson import read_object
from assent.errors import AssentError, ForbiddenError, InputError, StoreError, ThrottledError
from assent.gate.access import Principal
from assent.gate.people import ActiveCredential, Purpose
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.workbench import Workbench
from assent.surfaces.http.api.access import (
    RECHECK_SECONDS,
    Audience,
    Reauthenticate,
    authorize,
    create_reauthentication,
)
from assent.surfaces.http.api.bodies import to_ascii_json
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.service import Service
from assent.wire.fields import Fields

HANDSHAKE_TIMEOUT = 5.0
"""Seconds in which a new client must send its first messages."""
SEND_TIMEOUT = 10.0
"""Seconds in which a client must accept a message; a slower client is disconnected and can resume."""
MAX_MESSAGE_CHARACTERS = 64_000
"""Maximum length of a client's message."""
CREDENTIAL_ENDED_MESSAGE = "the credential has ended: log in again"
STOPPING_MESSAGE = "the server is stopping: connect again"
_MAX_REASON_CHARACTERS = 120


class SocketClose(Exception):
    """Raised to close a WebSocket with a code and a reason."""

    MALFORMED = 4400
    UNKNOWN = 4401
    FORBIDDEN = 4403
    NOT_FOUND = 4404
    SLOW = 4408
    REPLACED = 4409
    LIMIT = 4429
    BINARY = 1003
    LARGE = 1009
    RESTART = 1012
    LATER = 1013

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Listener(NamedTuple):
    """The principal of a WebSocket, and a function that authenticates it again."""

    principal: Principal
    reauthenticate: Reauthenticate


class JsonSocket:
    """A WebSocket whose frames are JSON objects with a `type`."""

    def __init__(self, service: Service, socket: WebSocket) -> None:
        self._service = service
        self.socket = socket
        self._sending = asyncio.Lock()
        self._token = ""

    async def receive(self) -> Fields:
        """Receive the next frame; anything but a small JSON object closes the socket."""
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        if text is None:
            raise SocketClose(SocketClose.BINARY, "only text frames are supported")
        if len(text) > MAX_MESSAGE_CHARACTERS:
            raise SocketClose(SocketClose.LARGE, f"a message has at most {MAX_MESSAGE_CHARACTERS} characters")
        with close_on_malformed_frame():
            fields = Fields(read_object(text.encode("utf-8", "surrogatepass"), "the message"), "message")
            fields.text("type")
            return fields

    async def receive_first(self, kind: str, *names: str) -> Fields:
        """Receive a frame of this type; raises `SocketClose` after the handshake timeout."""
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT):
                fields = await self.receive()
        except TimeoutError:
            raise SocketClose(SocketClose.UNKNOWN, f"expected a message of type `{kind}` in time") from None
        if fields.text("type") != kind:
            raise SocketClose(SocketClose.MALFORMED, f"expected a message of type `{kind}`")
        with close_on_malformed_frame():
            fields.check_known("type", *names)
        return fields

    async def authenticate_by_frame(self, *purposes: Purpose) -> ActiveCredential:
        """The credential of the token in the first frame, which must have one of these purposes."""
        fields = await self.receive_first("auth", "token")
        authenticator = self._service.authenticator
        with close_on_malformed_frame():
            self._token = fields.text("token")
        for purpose in purposes:
            if (known := await authenticator.authenticate(self._token, purpose)) is not None:
                return known
        with suppress(ThrottledError):
            authenticator.count_failure(self._token, address=self.socket.state.address)
        raise SocketClose(SocketClose.UNKNOWN, "unknown, expired or revoked token")

    def listener(self, known: ActiveCredential) -> Listener:
        """The principal of the first frame, which is authenticated again later."""
        token, purpose = self._token, known.credential.purpose
        return Listener(known.principal, lambda: self._service.authenticator.principal_of(token, purpose))

    async def send(self, message: Mapping[str, object]) -> None:
        """Send a message; a client that does not accept it in time is disconnected."""
        text = to_ascii_json(message)
        try:
            async with self._sending, asyncio.timeout(SEND_TIMEOUT):
                await self.socket.send_text(text)
        except TimeoutError:
            raise SocketClose(SocketClose.SLOW, "too slow: connect again") from None

    async def wait_until_stopping(self) -> None:
        """Wait until the server stops; raises `SocketClose` then."""
        await self._service.stopping.wait()
        raise SocketClose(SocketClose.RESTART, STOPPING_MESSAGE)

    async def close(self, end: SocketClose) -> None:
        """Close the socket; a client that accepts no data gets no closing frame."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self.socket.close(end.code, end.reason[:_MAX_REASON_CHARACTERS])


@contextmanager
def count_open_connection(service: Service) -> Generator[None]:
    """Count a live connection in the metrics while it is open."""
    service.metrics.live_connections += 1
    try:
        yield
    finally:
        service.metrics.live_connections -= 1


@contextmanager
def close_on_malformed_frame() -> Generator[None]:
    """Turn an `InputError` into the closing of the socket."""
    try:
        yield
    except InputError as error:
        raise SocketClose(SocketClose.MALFORMED, str(error)) from None


async def run_until_first_end(*activities: Awaitable[None]) -> None:
    """Run activities until the first of them ends; its error is raised, and the others are cancelled."""
    tasks = [asyncio.ensure_future(one) for one in activities]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def serve_live_connection(
    socket: WebSocket, service: Service, run: Callable[[JsonSocket], Awaitable[None]]
) -> None:
    """Accept a socket and run its session, which authenticates the client; a `SocketClose` closes it."""
    await socket.accept()
    frames = JsonSocket(service, socket)
    with count_open_connection(service), suppress(WebSocketDisconnect, RuntimeError):
        try:
            await run(frames)
        except SocketClose as end:
            await frames.close(end)


RightsCheck = Callable[[Principal], Awaitable[None]]
"""Raises `WorkbenchError` if the principal may not use the socket."""


class WorkbenchSocket:
    """An open WebSocket of the workbench page, and the person that it belongs to."""

    def __init__(
        self, service: Service, frames: JsonSocket, principal: Principal, check: RightsCheck
    ) -> None:
        self.principal = principal
        self.workbench: Workbench = service.require_workbench()
        self._service = service
        self._frames = frames
        self._check = check

    async def send(self, frame: Mapping[str, object]) -> None:
        """Send a frame; a page that does not accept it in time is disconnected."""
        await self._frames.send(frame)

    async def receive(self, *kinds: str) -> Fields:
        """Receive a frame of one of these types; another frame closes the socket."""
        fields = await self._frames.receive()
        if fields.text("type") not in kinds:
            raise SocketClose(SocketClose.MALFORMED, f"expected a message of type {' or '.join(kinds)}")
        return fields

    async def run(self, *activities: Awaitable[None]) -> None:
        """Run activities until the first one ends, the access ends, or the server stops."""
        await run_until_first_end(*activities, self._end_without_access(), self._frames.wait_until_stopping())

    async def _end_without_access(self) -> None:
        """Close the socket soon after the session ends, or the right is turned off."""
        reauthenticate = create_reauthentication(self._service, self._frames.socket)
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


async def serve_workbench_socket(
    socket: WebSocket,
    service: Service,
    check: RightsCheck,
    serve: Callable[[WorkbenchSocket], Awaitable[None]],
) -> None:
    """Accept a socket of the workbench page with a person's session; others are refused with 403."""
    try:
        # INVARIANT: the audience admits sessions only, and the door admits a session only with our origin.
        principal = authorize(socket, Audience.PAGE)
        await check(principal)
    except (ForbiddenError, ProblemError, WorkbenchError):
        await socket.close()
        return
    await socket.accept()
    frames = JsonSocket(service, socket)
    with suppress(WebSocketDisconnect, RuntimeError):
        try:
            with service.require_workbench().count_socket(principal):
                await serve(WorkbenchSocket(service, frames, principal, check))
        except SocketClose as end:
            await frames.close(end)
        except WorkbenchError as error:
            code = SocketClose.LIMIT if error.reason is Reason.LIMIT else SocketClose.LATER
            await frames.close(SocketClose(code, str(error)))
        except AssentError:
            await frames.close(SocketClose(SocketClose.LATER, "this is not possible now: connect again"))

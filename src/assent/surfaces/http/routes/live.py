"""`/v1/live` and `/v1/events`: a WebSocket and server-sent events with the same messages."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import Annotated, NamedTuple

from pydantic import StringConstraints
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from assent.config.strictjson import read_object
from assent.errors import AssentError, InputError, StoreError, ThrottledError
from assent.gate.access import Kind, Principal
from assent.surfaces.http.api.access import (
    AGENT_FORBIDDEN_MESSAGE,
    Member,
    Reauthenticate,
    create_reauthentication,
)
from assent.surfaces.http.api.bodies import StrictRequest, to_ascii_json
from assent.surfaces.http.api.routing import Header, Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.routes.subscription import (
    PROTOCOLS,
    ClientProtocol,
    CredentialEnded,
    Message,
    Subscription,
)
from assent.wire.fields import Fields

HANDSHAKE_TIMEOUT = 5.0
"""Seconds in which a new client must send its first messages."""
SEND_TIMEOUT = 10.0
"""Seconds in which a client must accept a message; a slower client is disconnected and can resume."""
MAX_MESSAGE_CHARACTERS = 64_000
"""Maximum length of a client's message."""
CREDENTIAL_ENDED_MESSAGE = "the credential has ended: log in again"
CLIPPED_MESSAGE = "this question was shown in part only: open it in the inbox to allow it"
NOT_SENT_MESSAGE = "this question was not sent on this connection"
_MAX_REASON_CHARACTERS = 120
Cursor = Annotated[str, StringConstraints(pattern=r"^[!-~]*$", max_length=256)]
LastEventId = Annotated[Cursor | None, Header("Last-Event-ID")]
_EVENT_RESPONSES: Mapping[int, Mapping[str, object]] = {200: {"content": {"text/event-stream": {}}}}

router = Router("/v1", "live")


class SocketClose(Exception):
    """Raised to close a WebSocket with a code and a reason."""

    MALFORMED = 4400
    UNKNOWN = 4401
    FORBIDDEN = 4403
    SLOW = 4408
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


@router.websocket("/live")
async def serve_live_socket(socket: WebSocket, service: Service) -> None:
    """Serve live messages on a WebSocket."""
    await socket.accept()
    with _count_open_connection(service), suppress(WebSocketDisconnect, RuntimeError):
        try:
            await _SocketSession(service, socket).run()
        except SocketClose as end:
            # A client that accepts no data cannot receive a closing frame.
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await socket.close(end.code, end.reason[:_MAX_REASON_CHARACTERS])


@router.get("/events", responses=_EVENT_RESPONSES, name="events")
async def stream_events(
    request: StrictRequest, principal: Member, service: Service, last_event_id: LastEventId
) -> Response:
    """Stream live messages as server-sent events; `Last-Event-ID` resumes after the last message."""
    subscription = Subscription(
        service=service,
        principal=principal,
        reauthenticate=create_reauthentication(service, request),
        after=last_event_id,
    )
    return EventStream(service, subscription)


class _SocketSession:
    """The session of one WebSocket: authenticate, subscribe, then send and receive."""

    def __init__(self, service: Service, socket: WebSocket) -> None:
        self._service = service
        self._socket = socket
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Send and receive messages; always ends by raising `SocketClose` or a disconnect."""
        listener = await self._authenticate_client()
        subscription = await self._subscribe(listener)
        both = (self._send_messages(subscription), self._receive_frames(subscription))
        tasks = [asyncio.create_task(one) for one in both]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _authenticate_client(self) -> Listener:
        """The principal that the door authenticated, or the principal of the token in the first frame."""
        found = getattr(self._socket.state, "principal", None)
        if isinstance(found, Principal):
            listener = Listener(found, create_reauthentication(self._service, self._socket))
        else:
            listener = await self._authenticate_by_frame()
        if listener.principal.kind is Kind.AGENT:
            raise SocketClose(SocketClose.FORBIDDEN, AGENT_FORBIDDEN_MESSAGE)
        return listener

    async def _authenticate_by_frame(self) -> Listener:
        fields = await self._receive_first_frame("auth", "token")
        authenticator = self._service.authenticator
        with _close_on_malformed_frame():
            token = fields.text("token")
        principal = await authenticator.principal_of(token)
        if principal is None:
            with suppress(ThrottledError):
                authenticator.count_failure(token, address=self._socket.state.address)
            raise SocketClose(SocketClose.UNKNOWN, "unknown, expired or revoked token")
        return Listener(principal, lambda: authenticator.principal_of(token))

    async def _subscribe(self, listener: Listener) -> Subscription:
        fields = await self._receive_first_frame("resume", "after", "speak")
        with _close_on_malformed_frame():
            after, speak = fields.maybe_text("after"), fields.maybe_text("speak")
        if speak is not None and speak not in PROTOCOLS:
            raise SocketClose(SocketClose.MALFORMED, f"`speak` must be one of {', '.join(PROTOCOLS)}")
        return Subscription(
            service=self._service,
            principal=listener.principal,
            reauthenticate=listener.reauthenticate,
            after=after,
            protocol=None if speak is None else PROTOCOLS[speak],
        )

    async def _receive_first_frame(self, kind: str, *names: str) -> Fields:
        """Receive a frame of this type; raises `SocketClose` after the handshake timeout."""
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT):
                fields = await self._receive_frame()
        except TimeoutError:
            raise SocketClose(SocketClose.UNKNOWN, f"expected a message of type `{kind}` in time") from None
        if fields.text("type") != kind:
            raise SocketClose(SocketClose.MALFORMED, f"expected a message of type `{kind}`")
        with _close_on_malformed_frame():
            fields.check_known("type", *names)
        return fields

    async def _receive_frame(self) -> Fields:
        """Receive the next frame; anything but a small JSON object closes the socket."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        if text is None:
            raise SocketClose(SocketClose.BINARY, "only text frames are supported")
        if len(text) > MAX_MESSAGE_CHARACTERS:
            raise SocketClose(SocketClose.LARGE, f"a message has at most {MAX_MESSAGE_CHARACTERS} characters")
        with _close_on_malformed_frame():
            fields = Fields(read_object(text.encode(), "the message"), "message")
            fields.text("type")
            return fields

    async def _send_messages(self, subscription: Subscription) -> None:
        try:
            async with aclosing(subscription.messages()) as messages:
                async for message in messages:
                    await self._send_message(message)
        except CredentialEnded:
            raise SocketClose(SocketClose.UNKNOWN, CREDENTIAL_ENDED_MESSAGE) from None
        except StoreError:
            raise SocketClose(SocketClose.LATER, "the store is not available: connect again later") from None
        raise SocketClose(SocketClose.RESTART, "the server is stopping: connect again")

    async def _receive_frames(self, subscription: Subscription) -> None:
        while True:
            fields = await self._receive_frame()
            kind = fields.text("type")
            if subscription.protocol is not None and kind == subscription.protocol.answer_type:
                await self._handle_answer(subscription, subscription.protocol, fields)
            elif kind != "pong":
                raise SocketClose(SocketClose.MALFORMED, "unknown type of message")

    async def _handle_answer(
        self, subscription: Subscription, protocol: ClientProtocol, fields: Fields
    ) -> None:
        """Record an answer to a question that was sent on this socket; other answers are refused."""
        with _close_on_malformed_frame():
            name = next((text for one in protocol.id_fields if (text := fields.maybe_text(one))), "")
            answer = protocol.read_answer(fields)
        found = subscription.shown.find(name)
        if found is None:
            await self._send_message({"type": "error", "about": name, "detail": NOT_SENT_MESSAGE})
            return
        if answer.yes and subscription.shown.is_clipped(found[0]):
            await self._send_message({"type": "error", "about": name, "detail": CLIPPED_MESSAGE})
            return
        try:
            # Checks the current rights, not those of the last message.
            await self._service.gate.answer(await subscription.current_principal(), *found, answer)
        except CredentialEnded:
            raise SocketClose(SocketClose.UNKNOWN, CREDENTIAL_ENDED_MESSAGE) from None
        except AssentError as error:
            is_internal = isinstance(error, StoreError)
            detail = "the answer could not be saved: try again" if is_internal else str(error)
            await self._send_message({"type": "error", "about": name, "detail": detail})

    async def _send_message(self, message: Message) -> None:
        text = to_ascii_json(message)
        try:
            async with self._sending, asyncio.timeout(SEND_TIMEOUT):
                await self._socket.send_text(text)
        except TimeoutError:
            raise SocketClose(SocketClose.SLOW, "too slow: connect again") from None


class EventStream(Response):
    """A response of server-sent events; a client that accepts no data is disconnected and can resume."""

    media_type = "text/event-stream"

    def __init__(self, service: Service, subscription: Subscription) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._service = service
        self._subscription = subscription
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's shape
        """Send events until the client disconnects or the server stops."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        sending = asyncio.create_task(self._send_messages(send))
        leaving = asyncio.create_task(_wait_for_disconnect(receive))
        with _count_open_connection(self._service):
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_messages(self, send: Send) -> None:
        with suppress(CredentialEnded, StoreError, TimeoutError):
            async with aclosing(_to_server_sent_events(self._subscription.messages())) as texts:
                async for text in texts:
                    async with asyncio.timeout(SEND_TIMEOUT):
                        await send({"type": "http.response.body", "body": text, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


async def _to_server_sent_events(messages: AsyncGenerator[Message]) -> AsyncGenerator[bytes]:
    yield b"retry: 500\n\n"
    async with aclosing(messages):
        async for message in messages:
            cursor = message.get("cursor")
            named = f"id: {cursor}\n" if cursor else ""
            yield f"{named}event: {message['type']}\ndata: {to_ascii_json(message)}\n\n".encode()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@contextmanager
def _count_open_connection(service: Service) -> Generator[None]:
    service.metrics.live_connections += 1
    try:
        yield
    finally:
        service.metrics.live_connections -= 1


@contextmanager
def _close_on_malformed_frame() -> Generator[None]:
    try:
        yield
    except InputError as error:
        raise SocketClose(SocketClose.MALFORMED, str(error)) from None

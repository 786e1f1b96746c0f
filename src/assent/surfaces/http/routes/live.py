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
from assent.surfaces.http.api.access import AGENT_LIMITS, Member, Reauthenticate, reauthentication
from assent.surfaces.http.api.bodies import StrictRequest, to_text
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
"""Seconds in which a client that connects must send its first messages."""
SEND_TIMEOUT = 10.0
"""Seconds in which a client must accept a message; a slower one is disconnected and can resume."""
MAX_MESSAGE = 64_000
"""Characters of one message from a client."""
ENDED = "the credential has ended: log in again"
CLIPPED = "this question was shown in part only: open it in the inbox to allow it"
NOT_SENT = "this question was not sent on this connection"
_MAX_REASON = 120
Cursor = Annotated[str, StringConstraints(pattern=r"^[!-~]*$", max_length=256)]
LastEventId = Annotated[Cursor | None, Header("Last-Event-ID")]
_EVENTS: Mapping[int, Mapping[str, object]] = {200: {"content": {"text/event-stream": {}}}}

router = Router("/v1", "live")


class Close(Exception):
    """Closes a WebSocket with a code and a reason."""

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
    """The principal of a WebSocket, and how to authenticate it again."""

    principal: Principal
    reauthenticate: Reauthenticate


@router.websocket("/live")
async def live(socket: WebSocket, service: Service) -> None:
    """The live messages on a WebSocket."""
    await socket.accept()
    with _count_connection(service), suppress(WebSocketDisconnect, RuntimeError):
        try:
            await _Session(service, socket).run()
        except Close as end:
            # A client that accepts no data does not accept the closing frame either.
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await socket.close(end.code, end.reason[:_MAX_REASON])


@router.get("/events", responses=_EVENTS)
async def events(
    request: StrictRequest, principal: Member, service: Service, last_event_id: LastEventId
) -> Response:
    """The live messages as server-sent events; `Last-Event-ID` resumes after the last message."""
    subscription = Subscription(
        service=service,
        principal=principal,
        reauthenticate=reauthentication(service, request),
        after=last_event_id,
    )
    return EventStream(service, subscription)


class _Session:
    """One WebSocket from its first frame to its last."""

    def __init__(self, service: Service, socket: WebSocket) -> None:
        self._service = service
        self._socket = socket
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Send and receive until one side ends it; always ends with `Close` or a disconnect."""
        listener = await self._authenticate()
        subscription = await self._subscribe(listener)
        both = (self._send_all(subscription), self._receive_all(subscription))
        tasks = [asyncio.create_task(one) for one in both]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _authenticate(self) -> Listener:
        """The principal that the door authenticated, or that the token in the first frame names."""
        found = getattr(self._socket.state, "principal", None)
        if isinstance(found, Principal):
            listener = Listener(found, reauthentication(self._service, self._socket))
        else:
            listener = await self._authenticate_by_frame()
        if listener.principal.kind is Kind.AGENT:
            raise Close(Close.FORBIDDEN, AGENT_LIMITS)
        return listener

    async def _authenticate_by_frame(self) -> Listener:
        fields = await self._receive_first("auth", "token")
        authenticator = self._service.authenticator
        with _close_if_malformed():
            token = fields.text("token")
        principal = await authenticator.principal_of(token)
        if principal is None:
            with suppress(ThrottledError):
                authenticator.count_failure(token, address=self._socket.state.address)
            raise Close(Close.UNKNOWN, "unknown, expired or revoked token")
        return Listener(principal, lambda: authenticator.principal_of(token))

    async def _subscribe(self, listener: Listener) -> Subscription:
        fields = await self._receive_first("resume", "after", "speak")
        with _close_if_malformed():
            after, speak = fields.maybe_text("after"), fields.maybe_text("speak")
        if speak is not None and speak not in PROTOCOLS:
            raise Close(Close.MALFORMED, f"`speak` must be one of {', '.join(PROTOCOLS)}")
        return Subscription(
            service=self._service,
            principal=listener.principal,
            reauthenticate=listener.reauthenticate,
            after=after,
            protocol=None if speak is None else PROTOCOLS[speak],
        )

    async def _receive_first(self, kind: str, *names: str) -> Fields:
        """A frame of this type, which must arrive in time."""
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT):
                fields = await self._receive()
        except TimeoutError:
            raise Close(Close.UNKNOWN, f"expected a message of type `{kind}` in time") from None
        if fields.text("type") != kind:
            raise Close(Close.MALFORMED, f"expected a message of type `{kind}`")
        with _close_if_malformed():
            fields.check_known("type", *names)
        return fields

    async def _receive(self) -> Fields:
        """The next frame; anything but a small JSON object closes the socket."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        if text is None:
            raise Close(Close.BINARY, "only text frames are supported")
        if len(text) > MAX_MESSAGE:
            raise Close(Close.LARGE, f"a message has at most {MAX_MESSAGE} characters")
        with _close_if_malformed():
            fields = Fields(read_object(text.encode(), "the message"), "message")
            fields.text("type")
            return fields

    async def _send_all(self, subscription: Subscription) -> None:
        try:
            async with aclosing(subscription.messages()) as messages:
                async for message in messages:
                    await self._send(message)
        except CredentialEnded:
            raise Close(Close.UNKNOWN, ENDED) from None
        except StoreError:
            raise Close(Close.LATER, "the store is not available: connect again later") from None
        raise Close(Close.RESTART, "the server is stopping: connect again")

    async def _receive_all(self, subscription: Subscription) -> None:
        while True:
            fields = await self._receive()
            kind = fields.text("type")
            if subscription.protocol is not None and kind == subscription.protocol.answer_type:
                await self._answer(subscription, subscription.protocol, fields)
            elif kind != "pong":
                raise Close(Close.MALFORMED, "unknown type of message")

    async def _answer(self, subscription: Subscription, protocol: ClientProtocol, fields: Fields) -> None:
        """Take an answer to a question that was shown on this socket; any other is refused."""
        with _close_if_malformed():
            name = next((text for one in protocol.id_fields if (text := fields.maybe_text(one))), "")
            answer = protocol.read_answer(fields)
        found = subscription.shown.find(name)
        if found is None:
            await self._send({"type": "error", "about": name, "detail": NOT_SENT})
            return
        if answer.yes and subscription.shown.is_clipped(found[0]):
            await self._send({"type": "error", "about": name, "detail": CLIPPED})
            return
        try:
            # The rights of now count, not those of the last message.
            await self._service.gate.answer(await subscription.current_principal(), *found, answer)
        except CredentialEnded:
            raise Close(Close.UNKNOWN, ENDED) from None
        except AssentError as error:
            is_internal = isinstance(error, StoreError)
            detail = "the answer could not be saved: try again" if is_internal else str(error)
            await self._send({"type": "error", "about": name, "detail": detail})

    async def _send(self, message: Message) -> None:
        text = to_text(message)
        try:
            async with self._sending, asyncio.timeout(SEND_TIMEOUT):
                await self._socket.send_text(text)
        except TimeoutError:
            raise Close(Close.SLOW, "too slow: connect again") from None


class EventStream(Response):
    """Server-sent events; a client that accepts no data is disconnected and can resume."""

    media_type = "text/event-stream"

    def __init__(self, service: Service, subscription: Subscription) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._service = service
        self._subscription = subscription
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's shape
        """Send until either side ends it."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        sending = asyncio.create_task(self._send_all(send))
        leaving = asyncio.create_task(_until_disconnect(receive))
        with _count_connection(self._service):
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        with suppress(CredentialEnded, StoreError, TimeoutError):
            async with aclosing(_to_events(self._subscription.messages())) as texts:
                async for text in texts:
                    async with asyncio.timeout(SEND_TIMEOUT):
                        await send({"type": "http.response.body", "body": text, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


async def _to_events(messages: AsyncGenerator[Message]) -> AsyncGenerator[bytes]:
    yield b"retry: 500\n\n"
    async with aclosing(messages):
        async for message in messages:
            cursor = message.get("cursor")
            named = f"id: {cursor}\n" if cursor else ""
            yield f"{named}event: {message['type']}\ndata: {to_text(message)}\n\n".encode()


async def _until_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@contextmanager
def _count_connection(service: Service) -> Generator[None]:
    service.metrics.live_connections += 1
    try:
        yield
    finally:
        service.metrics.live_connections -= 1


@contextmanager
def _close_if_malformed() -> Generator[None]:
    try:
        yield
    except InputError as error:
        raise Close(Close.MALFORMED, str(error)) from None

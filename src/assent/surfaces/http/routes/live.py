"""`/v1/live` and `/v1/events`: a WebSocket and server-sent events with the same messages."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Annotated

from pydantic import StringConstraints
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from assent.errors import AssentError, StoreError
from assent.gate.access import Kind, Principal
from assent.gate.people import Purpose
from assent.surfaces.http.api.access import (
    AGENT_FORBIDDEN_MESSAGE,
    Member,
    create_reauthentication,
)
from assent.surfaces.http.api.bodies import StrictRequest, to_ascii_json
from assent.surfaces.http.api.routing import Header, Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.api.sockets import (
    CREDENTIAL_ENDED_MESSAGE,
    SEND_TIMEOUT,
    STOPPING_MESSAGE,
    JsonSocket,
    Listener,
    SocketClose,
    close_on_malformed_frame,
    count_open_connection,
    run_until_first_end,
    serve_live_connection,
)
from assent.surfaces.http.routes.subscription import (
    PROTOCOLS,
    ClientProtocol,
    CredentialEnded,
    Message,
    Subscription,
)
from assent.wire.fields import Fields

CLIPPED_MESSAGE = "this question was shown in part only: open it in the inbox to allow it"
NOT_SENT_MESSAGE = "this question was not sent on this connection"
Cursor = Annotated[str, StringConstraints(pattern=r"^[!-~]*$", max_length=256)]
LastEventId = Annotated[Cursor | None, Header("Last-Event-ID")]
_EVENT_RESPONSES: Mapping[int, Mapping[str, object]] = {200: {"content": {"text/event-stream": {}}}}

router = Router("/v1", "live")


@router.websocket("/live")
async def serve_live_socket(socket: WebSocket, service: Service) -> None:
    """Serve live messages on a WebSocket."""
    await serve_live_connection(socket, service, lambda frames: _SocketSession(service, frames).run())


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

    def __init__(self, service: Service, socket: JsonSocket) -> None:
        self._service = service
        self.socket = socket

    async def run(self) -> None:
        """Send and receive messages; always ends by raising `SocketClose` or a disconnect."""
        listener = await self._authenticate_client()
        subscription = await self._subscribe(listener)
        await run_until_first_end(self._send_messages(subscription), self._receive_frames(subscription))

    async def _authenticate_client(self) -> Listener:
        """The principal that the door authenticated, or the principal of the token in the first frame."""
        socket = self.socket.socket
        found = getattr(socket.state, "principal", None)
        if isinstance(found, Principal):
            listener = Listener(found, create_reauthentication(self._service, socket))
        else:
            listener = self.socket.listener(await self.socket.authenticate_by_frame(Purpose.TOKEN))
        if listener.principal.kind is Kind.AGENT:
            raise SocketClose(SocketClose.FORBIDDEN, AGENT_FORBIDDEN_MESSAGE)
        return listener

    async def _subscribe(self, listener: Listener) -> Subscription:
        fields = await self.socket.receive_first("resume", "after", "speak")
        with close_on_malformed_frame():
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

    async def _send_messages(self, subscription: Subscription) -> None:
        try:
            async with aclosing(subscription.messages()) as messages:
                async for message in messages:
                    await self.socket.send(message)
        except CredentialEnded:
            raise SocketClose(SocketClose.UNKNOWN, CREDENTIAL_ENDED_MESSAGE) from None
        except StoreError:
            raise SocketClose(SocketClose.LATER, "the store is not available: connect again later") from None
        raise SocketClose(SocketClose.RESTART, STOPPING_MESSAGE)

    async def _receive_frames(self, subscription: Subscription) -> None:
        while True:
            fields = await self.socket.receive()
            kind = fields.text("type")
            if subscription.protocol is not None and kind == subscription.protocol.answer_type:
                await self._handle_answer(subscription, subscription.protocol, fields)
            elif kind != "pong":
                raise SocketClose(SocketClose.MALFORMED, "unknown type of message")

    async def _handle_answer(
        self, subscription: Subscription, protocol: ClientProtocol, fields: Fields
    ) -> None:
        """Record an answer to a question that was sent on this socket; other answers are refused."""
        with close_on_malformed_frame():
            name = next((text for one in protocol.id_fields if (text := fields.maybe_text(one))), "")
            answer = protocol.read_answer(fields)
        found = subscription.shown.find(name)
        if found is None:
            await self.socket.send({"type": "error", "about": name, "detail": NOT_SENT_MESSAGE})
            return
        if answer.yes and subscription.shown.is_clipped(found[0]):
            await self.socket.send({"type": "error", "about": name, "detail": CLIPPED_MESSAGE})
            return
        try:
            # Checks the current rights, not those of the last message.
            await self._service.gate.answer(await subscription.current_principal(), *found, answer)
        except CredentialEnded:
            raise SocketClose(SocketClose.UNKNOWN, CREDENTIAL_ENDED_MESSAGE) from None
        except AssentError as error:
            is_internal = isinstance(error, StoreError)
            detail = "the answer could not be saved: try again" if is_internal else str(error)
            await self.socket.send({"type": "error", "about": name, "detail": detail})


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
        with count_open_connection(self._service):
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

"""The live channels: one WebSocket and one stream of server-sent events, which tell the same."""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager, suppress
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Header
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from assent.config.strictjson import read_object
from assent.errors import AssentError, InputError, StoreError, ThrottledError
from assent.gate.access import Kind, Principal
from assent.surfaces.http.again import Again, again
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Cursor, Serving
from assent.surfaces.http.spoken import SPEECHES
from assent.surfaces.http.telling import Ended, Message, Telling
from assent.surfaces.http.who import Member
from assent.wire.fields import Fields

PATIENCE = 5.0
"""Seconds for somebody who connects to say who they are, and where they stand."""
SLOW = 10.0
"""Seconds that a listener may take to take a message in; whoever is slower comes back for the rest."""
LARGEST = 64_000
"""Characters of one message that somebody sends."""
OVER = "the log-in has ended"
CLIPPED = "only a part of this call was shown here: read all of it in the inbox, and allow it there"
_LONGEST_REASON = 120

router = APIRouter(prefix="/v1", tags=["live"])


class Close(Exception):
    """The end of one socket, and of no other: a code, and a reason for whoever looks."""

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
    """Who listens, and how to learn who they are by then."""

    principal: Principal
    again: Again


@router.websocket("/live")
async def live(socket: WebSocket) -> None:
    """Questions and what becomes of them, as it happens."""
    service: Service = socket.app.state.service
    await socket.accept()
    with _counted(service), suppress(WebSocketDisconnect, RuntimeError):
        try:
            await _Conversation(service, socket).held()
        except Close as end:
            # A socket that takes nothing in any more takes no good-bye either.
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await socket.close(end.code, end.reason[:_LONGEST_REASON])


@router.get("/events", response_class=Response, responses={200: {"content": {"text/event-stream": {}}}})
async def events(
    request: Request,
    principal: Member,
    service: Serving,
    last_event_id: Annotated[Cursor | None, Header(alias="Last-Event-ID")] = None,
) -> Response:
    """The same as server-sent events; whoever comes back says with `Last-Event-ID` what they saw last."""
    looking = again(service, request)
    return EventStream(
        service, Telling(service=service, principal=principal, again=looking, after=last_event_id)
    )


class _Conversation:
    """One socket from its first frame to its last."""

    def __init__(self, service: Service, socket: WebSocket) -> None:
        self._service = service
        self._socket = socket
        self._sending = asyncio.Lock()

    async def held(self) -> None:
        """Tell and hear until one side ends it; always ends with `Close` or a disconnect."""
        listener = await self._known()
        telling = await self._resumed(listener)
        tasks = [asyncio.create_task(one) for one in (self._tell(telling), self._hear(telling))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _known(self) -> Listener:
        """Whoever the door let in, or who says so in the first frame."""
        found = getattr(self._socket.state, "principal", None)
        if isinstance(found, Principal):
            listener = Listener(found, again(self._service, self._socket))
        else:
            listener = await self._introduced()
        if listener.principal.kind is Kind.AGENT:
            raise Close(Close.FORBIDDEN, "an agent submits its own calls, and does nothing else")
        return listener

    async def _introduced(self) -> Listener:
        fields = await self._first("auth", "token")
        keeper = self._service.keeper
        with _malformed():
            token = fields.text("token")
        principal = await keeper.principal_of(token)
        if principal is None:
            with suppress(ThrottledError):
                keeper.refused(token, address=self._socket.state.address)
            raise Close(Close.UNKNOWN, "this token is not known here")
        return Listener(principal, lambda: keeper.principal_of(token))

    async def _resumed(self, listener: Listener) -> Telling:
        fields = await self._first("resume", "after", "speak")
        with _malformed():
            after, speak = fields.maybe_text("after"), fields.maybe_text("speak")
        if speak is not None and speak not in SPEECHES:
            raise Close(Close.MALFORMED, f"`speak` must be one of {', '.join(SPEECHES)}")
        return Telling(
            service=self._service,
            principal=listener.principal,
            again=listener.again,
            after=after,
            speech=None if speak is None else SPEECHES[speak],
        )

    async def _first(self, kind: str, *names: str) -> Fields:
        """A frame that has to come now, and to be of this kind."""
        try:
            async with asyncio.timeout(PATIENCE):
                fields = await self._received()
        except TimeoutError:
            raise Close(Close.UNKNOWN, f"expected a message of type `{kind}` in time") from None
        if fields.text("type") != kind:
            raise Close(Close.MALFORMED, f"expected a message of type `{kind}`")
        with _malformed():
            fields.check_known("type", *names)
        return fields

    async def _received(self) -> Fields:
        """The next frame; whatever is not a small JSON object ends the socket."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        if text is None:
            raise Close(Close.BINARY, "only text is understood")
        if len(text) > LARGEST:
            raise Close(Close.LARGE, f"a message has at most {LARGEST} characters")
        with _malformed():
            fields = Fields(read_object(text.encode(), "the message"), "message")
            fields.text("type")
            return fields

    async def _tell(self, telling: Telling) -> None:
        try:
            async with aclosing(telling.messages()) as messages:
                async for message in messages:
                    await self._send(message)
        except Ended:
            raise Close(Close.UNKNOWN, OVER) from None
        except StoreError:
            raise Close(Close.LATER, "the store cannot be used now: come back") from None
        raise Close(Close.RESTART, "the server stops: connect again")

    async def _hear(self, telling: Telling) -> None:
        while True:
            fields = await self._received()
            kind = fields.text("type")
            if telling.speech is not None and kind == telling.speech.answers:
                await self._answer(telling, fields)
            elif kind != "pong":
                raise Close(Close.MALFORMED, "this type of message is not known")

    async def _answer(self, telling: Telling, fields: Fields) -> None:
        """Take an answer to a question that was shown on this very socket; to any other there is none."""
        assert telling.speech is not None  # noqa: S101 - whoever calls has looked
        speech = telling.speech
        with _malformed():
            name = next((text for one in speech.names if (text := fields.maybe_text(one))), "")
            answer = speech.understood(fields)
        meant = telling.shown.meant(name)
        if meant is None:
            await self._send({"type": "error", "about": name, "detail": "no such question was asked here"})
            return
        if answer.yes and telling.shown.is_clipped(meant[0]):
            await self._send({"type": "error", "about": name, "detail": CLIPPED})
            return
        try:
            # Who may answer is looked up now, not when they were last told something.
            await self._service.gate.answer(await telling.checked(), *meant, answer)
        except Ended:
            raise Close(Close.UNKNOWN, OVER) from None
        except AssentError as error:
            hidden = isinstance(error, StoreError)
            detail = "the answer could not be kept: try again" if hidden else str(error)
            await self._send({"type": "error", "about": name, "detail": detail})

    async def _send(self, message: Message) -> None:
        text = _written(message)
        try:
            async with self._sending, asyncio.timeout(SLOW):
                await self._socket.send_text(text)
        except TimeoutError:
            raise Close(Close.SLOW, "too slow: connect again") from None


class EventStream(Response):
    """Server-sent events; a listener who takes nothing in is cut off, and misses nothing by that."""

    media_type = "text/event-stream"

    def __init__(self, service: Service, telling: Telling) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._service = service
        self._telling = telling
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's shape
        """Send until either side ends it."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        sending = asyncio.create_task(self._told(send))
        leaving = asyncio.create_task(_left(receive))
        with _counted(self._service):
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _told(self, send: Send) -> None:
        with suppress(Ended, StoreError, TimeoutError):
            async with aclosing(_as_events(self._telling.messages())) as texts:
                async for text in texts:
                    async with asyncio.timeout(SLOW):
                        await send({"type": "http.response.body", "body": text, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


async def _as_events(messages: AsyncGenerator[Message]) -> AsyncGenerator[bytes]:
    yield b"retry: 500\n\n"
    async with aclosing(messages):
        async for message in messages:
            cursor = message.get("cursor")
            named = f"id: {cursor}\n" if cursor else ""
            yield f"{named}event: {message['type']}\ndata: {_written(message)}\n\n".encode()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _written(message: Message) -> str:
    return json.dumps(message, allow_nan=False, separators=(",", ":"))


@contextmanager
def _counted(service: Service) -> Generator[None]:
    service.metrics.listening += 1
    try:
        yield
    finally:
        service.metrics.listening -= 1


@contextmanager
def _malformed() -> Generator[None]:
    try:
        yield
    except InputError as error:
        raise Close(Close.MALFORMED, str(error)) from None

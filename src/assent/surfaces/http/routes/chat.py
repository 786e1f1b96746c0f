"""`/v1/conversations/{id}/chat`: a conversation with a model, streamed in the protocol of the AI SDK."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, NotRequired, TypedDict, cast

from pydantic import ConfigDict, Field, JsonValue
from starlette.responses import Response, StreamingResponse

from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.hosts.chat.chunk import Chunk, Client, for_client
from assent.hosts.chat.request import parse_request
from assent.surfaces.http.api.access import Member, Person, reauthentication, while_allowed
from assent.surfaces.http.api.fields import Body, Id, Line, NamedId, Query
from assent.surfaces.http.api.idempotency import IdempotencyKey
from assent.surfaces.http.api.reply import no_content
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import ChatPort, Service

KEEP_ALIVE = 15.0
"""Seconds without a chunk after which a stream sends a comment."""
_HEADERS = {
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}
_EVENTS = {"text/event-stream": {"schema": {"type": "string"}}}
_STREAM: Mapping[int, Mapping[str, object]] = {200: {"description": "the chunks", "content": _EVENTS}}
_STREAM_OR_NOTHING = {**_STREAM, 204: {"description": "nothing runs"}}
router = Router("/v1", "chat")
Delivered = Annotated[str, Field(pattern="^(wait|suspend)$")]


class ChatIn(Body):
    """A message, or answers to questions. Of a whole history only the last message is read."""

    model_config = ConfigDict(extra="ignore")

    message: dict[str, JsonValue] | None = None
    """The new message, for clients that send only that."""
    messages: list[dict[str, JsonValue]] = Field(default_factory=list[dict[str, JsonValue]])
    mode: Id | None = None
    """The mode of this turn, which the preset must offer; by default the conversation's."""
    permission_mode: Id | None = None
    """Another name for `mode`; two different values are refused."""
    permissionMode: Id | None = None  # noqa: N815 - as some clients spell it
    """Another name for `mode`."""
    model: Line | None = None
    about: Id | None = None
    """A proposal that was applied or declined; the server informs the model, and no message is read."""
    delivery: Delivered | None = None
    """Whether a question keeps the stream open (`wait`) or ends it (`suspend`); by default the preset's."""
    trigger: str | None = None
    """`submit-message`, or `regenerate-message` for another answer to an existing message."""
    message_id: JsonValue = Field(default=None, alias="messageId")
    """The message of this conversation that is edited or answered again."""


class StreamQuery(Query):
    """How a stream is written."""

    model_config = ConfigDict(extra="ignore")

    sdk: Client = Client.SIX
    """What the client understands: `6`, `7`, or `rich`."""


class MessagesAsked(Query):
    """Which messages are included."""

    live: bool = False
    """Whether the message that is being streamed is included."""
    replaced: bool = False
    """Whether messages that were replaced by an edit or a new attempt are included."""


class MessageShown(TypedDict):
    """A message in the form of the AI SDK."""

    id: str
    role: str
    metadata: NotRequired[dict[str, object] | None]
    parts: list[dict[str, object]]


class MessagesShown(TypedDict):
    """The messages of a conversation, oldest first."""

    items: list[MessageShown]


class ModelShown(TypedDict):
    """An available model."""

    name: str
    model: str
    rehearsal: bool


class ModelsShown(TypedDict):
    """The available models, the default first."""

    items: list[ModelShown]


@router.post("/conversations/{id}/chat", responses=_STREAM)
async def say(
    id: NamedId,
    body: ChatIn,
    query: StreamQuery,
    principal: Person,
    service: Service,
    request: StrictRequest,
    key: IdempotencyKey,
) -> Response:
    """Send a message or answers; the reply is streamed, and goes on without a client.

    The same message id or the same key again is the same run, streamed from its beginning.
    """
    chat = await _chat(service, principal, id)
    message = replace(parse_request(body.model_dump()), key=key or "")
    chunks = await chat.send(principal, id, message)
    return _stream(chunks, query, service, request, id)


@router.get("/conversations/{id}/stream", responses=_STREAM_OR_NOTHING)
async def look_on(
    id: NamedId, query: StreamQuery, principal: Member, service: Service, request: StrictRequest
) -> Response:
    """Stream the current run of a conversation from its beginning."""
    chat = await _chat(service, principal, id)
    chunks = await chat.attach(principal, id)
    return no_content() if chunks is None else _stream(chunks, query, service, request, id)


@router.get("/conversations/{id}/chat/{chat}/stream", responses=_STREAM_OR_NOTHING)
async def reconnect(
    id: NamedId,
    chat: NamedId,
    query: StreamQuery,
    principal: Member,
    service: Service,
    request: StrictRequest,
) -> Response:
    """The same stream at the path that the AI SDK uses; both ids are the conversation's."""
    if chat != id:
        raise NotFoundError("conversation", chat)
    return await look_on(id, query, principal, service, request)


@router.post("/conversations/{id}/stop")
async def stop(id: NamedId, principal: Person, service: Service) -> None:
    """Stop the current run; its open questions are withdrawn."""
    chat = await _chat(service, principal, id)
    await chat.stop(principal, id)


@router.get("/conversations/{id}/messages")
async def messages(id: NamedId, query: MessagesAsked, principal: Member, service: Service) -> MessagesShown:
    """List the messages, with the current state of their questions."""
    chat = await _chat(service, principal, id)
    found = await chat.messages(principal, id, live=query.live, replaced=query.replaced)
    return {"items": cast("list[MessageShown]", list(found))}


@router.get("/models")
async def models(principal: Member, service: Service) -> ModelsShown:  # noqa: ARG001 - requires a token
    """List the available models."""
    found = [] if service.open_chat is None else list((await service.chat()).model_options())
    return {"items": cast("list[ModelShown]", found)}


async def _chat(service: Service, principal: Principal, id: str) -> ChatPort:
    """The chat, if the principal may see the conversation."""
    await service.gate.conversations.find(principal, id)
    return await service.chat()


def _stream(
    chunks: AsyncIterator[Chunk], query: StreamQuery, service: Service, request: StrictRequest, id: str
) -> Response:
    """Chunks as server-sent events; a client that disconnects does not end the run."""
    allowed = while_allowed(chunks, _may_still_see(service, request, id))
    events = _events(allowed, query.sdk, service.stopping)
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)


def _may_still_see(service: Service, request: StrictRequest, id: str) -> Callable[[], Awaitable[bool]]:
    """A check whether the client may still see the conversation: rights end while a run goes on."""
    reauthenticate = reauthentication(service, request)

    async def may_still_see() -> bool:
        principal = await reauthenticate()
        if principal is None:
            return False
        try:
            await service.gate.conversations.find(principal, id)
        except NotFoundError:
            return False
        return True

    return may_still_see


async def _events(
    chunks: AsyncIterator[Chunk], client: Client, stopping: asyncio.Event
) -> AsyncIterator[bytes]:
    """The chunks in this client's protocol; a server that stops ends the stream, never the run."""
    ending = asyncio.ensure_future(stopping.wait())
    coming = asyncio.ensure_future(anext(chunks, None))
    try:
        while True:
            await asyncio.wait((coming, ending), timeout=KEEP_ALIVE, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                chunk = coming.result()
                if chunk is None:
                    yield b"data: [DONE]\n\n"
                    return
                converted = for_client(chunk, client)
                if converted is not None:
                    yield f"data: {json.dumps(converted, separators=(',', ':'))}\n\n".encode()
                coming = asyncio.ensure_future(anext(chunks, None))
            elif ending.done():
                return
            else:
                yield b": still here\n\n"
    finally:
        for task in (coming, ending):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(coming, ending, return_exceptions=True)

"""`/v1/conversations`: people begin, list and change them, and chat in them in the AI SDK's protocol."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, NotRequired, TypedDict, cast

from pydantic import ConfigDict, Field, JsonValue
from starlette.responses import Response, StreamingResponse

from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.gate.conversations import ConversationChanges, NewConversation
from assent.gate.ids import new_id
from assent.hosts.chat.chunk import Chunk, Client, convert_for_client
from assent.hosts.chat.request import parse_request
from assent.surfaces.http.api.access import Member, Person, reauthentication, while_allowed
from assent.surfaces.http.api.bodies import StrictRequest, decode_cursor, next_cursor, no_content
from assent.surfaces.http.api.fields import Body, Id, Line, NamedId, Paging, Query
from assent.surfaces.http.api.idempotency import IdempotencyKey, run_once
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import ChatPort, Service
from assent.wire import shapes
from assent.wire.people import conversation_to_json

router = Router("/v1/conversations", "conversations")
chats = Router("/v1", "chat")
Delivered = Annotated[str, Field(pattern="^(wait|suspend)$")]
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


class ConversationIn(Body):
    """A conversation to begin."""

    agent: Id = ""
    preset: Id = ""
    mode: Id | None = None
    title: Line = ""
    model: Line = ""
    message: dict[str, JsonValue] | None = None
    """The first message; it is stored, and its run begins with this request."""
    delivery: Delivered | None = None
    """How questions of the first run are delivered; by default as in the preset."""


class ConversationPatch(Body):
    """The fields to change; a mode takes effect with the next turn."""

    mode: Id | None = None
    title: Line | None = None
    model: Line | None = None


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


class ConversationsShown(TypedDict):
    """A page of conversations, newest first."""

    items: list[shapes.ConversationShown]
    next: str | None


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


@router.get()
async def find(query: Paging, principal: Member, service: Service) -> ConversationsShown:
    """List your conversations, newest first."""
    with decode_cursor(query.after) as after:
        found = await service.gate.conversations.list(principal, limit=query.limit, after=after)
    items = [conversation_to_json(one) for one in found.conversations]
    return {"items": items, "next": next_cursor(found.after)}


@router.post(status=201)
async def begin(
    body: ConversationIn, principal: Person, service: Service, request: StrictRequest, key: IdempotencyKey
) -> shapes.ConversationShown:
    """Begin a conversation, in the given mode or the first of its preset.

    With a `message`, its first run begins; `/stream` streams it.
    """
    if body.message is not None:
        return await _begin_with_message(body, principal, service, key)

    async def create() -> shapes.ConversationShown:
        beginning = NewConversation(agent=body.agent, preset=body.preset)
        return conversation_to_json(
            await service.gate.conversations.open(principal, beginning, _changes(body))
        )

    return await run_once(service, principal, request, key, create)


@router.get("/{id}")
async def look(id: NamedId, principal: Member, service: Service) -> shapes.ConversationShown:
    """Read a conversation."""
    return conversation_to_json(await service.gate.conversations.find(principal, id))


@router.patch("/{id}")
async def change(
    id: NamedId, body: ConversationPatch, principal: Person, service: Service
) -> shapes.ConversationShown:
    """Change the mode, title or model; a mode takes effect with the next turn, on every pod."""
    return conversation_to_json(await service.gate.conversations.change(principal, id, _changes(body)))


@chats.post("/conversations/{id}/chat", responses=_STREAM)
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


@chats.get("/conversations/{id}/stream", responses=_STREAM_OR_NOTHING)
async def look_on(
    id: NamedId, query: StreamQuery, principal: Member, service: Service, request: StrictRequest
) -> Response:
    """Stream the current run of a conversation from its beginning."""
    chat = await _chat(service, principal, id)
    chunks = await chat.attach(principal, id)
    return no_content() if chunks is None else _stream(chunks, query, service, request, id)


@chats.get("/conversations/{id}/chat/{chat}/stream", responses=_STREAM_OR_NOTHING)
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


@chats.post("/conversations/{id}/stop")
async def stop(id: NamedId, principal: Person, service: Service) -> None:
    """Stop the current run; its open questions are withdrawn."""
    chat = await _chat(service, principal, id)
    await chat.stop(principal, id)


@chats.get("/conversations/{id}/messages")
async def messages(id: NamedId, query: MessagesAsked, principal: Member, service: Service) -> MessagesShown:
    """List the messages, with the current state of their questions."""
    chat = await _chat(service, principal, id)
    found = await chat.messages(principal, id, live=query.live, replaced=query.replaced)
    return {"items": cast("list[MessageShown]", list(found))}


@chats.get("/models")
async def models(principal: Member, service: Service) -> ModelsShown:  # noqa: ARG001 - requires a token
    """List the available models."""
    found = [] if service.open_chat is None else list((await service.chat()).model_options())
    return {"items": cast("list[ModelShown]", found)}


async def _begin_with_message(
    body: ConversationIn, principal: Principal, service: Service, key: str | None
) -> shapes.ConversationShown:
    """The same key again finds the same conversation, and the run that its message began."""
    chat = await service.chat()
    message = parse_request({"message": body.message, "delivery": body.delivery})
    whole = hashlib.sha256(body.model_dump_json().encode()).hexdigest()
    message = replace(message, key=key or "", digest=f"{message.digest} {whole}")
    words = ("conversation", principal.kind.value, principal.id, message.key, whole)
    id = service.gate.keyed_id(*words) if key else new_id()
    await chat.check_key(principal, id, message)
    beginning = NewConversation(agent=body.agent, preset=body.preset, id=id)
    opened = await service.gate.conversations.open(principal, beginning, _changes(body))
    await chat.send(principal, opened.id, message)
    return conversation_to_json(opened)


def _changes(body: ConversationIn | ConversationPatch) -> ConversationChanges:
    return ConversationChanges(mode=body.mode, title=body.title, model=body.model)


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
                converted = convert_for_client(chunk, client)
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

"""`/v1/conversations`: begin, list and change conversations, and chat in the AI SDK's protocol."""

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
from assent.surfaces.http.api.access import Member, Person, create_reauthentication, yield_while_allowed
from assent.surfaces.http.api.bodies import (
    StrictRequest,
    decode_cursor,
    encode_next_cursor,
    no_content_response,
)
from assent.surfaces.http.api.fields import Id, NonEmptyId, Paging, ShortText, StrictBody, StrictQuery
from assent.surfaces.http.api.idempotency import IdempotencyKey, run_once
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import ChatPort, Service
from assent.wire import shapes
from assent.wire.people import conversation_to_json

router = Router("/v1/conversations", "conversations")
chats = Router("/v1", "chat")
DeliveryWord = Annotated[str, Field(pattern="^(wait|suspend)$")]
KEEP_ALIVE_SECONDS = 15.0
"""Seconds after which an idle stream sends a comment."""
_STREAM_HEADERS = {
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}
_EVENT_STREAM_CONTENT = {"text/event-stream": {"schema": {"type": "string"}}}
_STREAM_RESPONSES: Mapping[int, Mapping[str, object]] = {
    200: {"description": "the chunks", "content": _EVENT_STREAM_CONTENT}
}
_STREAM_OR_EMPTY_RESPONSES = {**_STREAM_RESPONSES, 204: {"description": "nothing runs"}}


class ConversationIn(StrictBody):
    """A conversation to begin."""

    agent: Id = ""
    preset: Id = ""
    mode: Id | None = None
    title: ShortText = ""
    model: ShortText = ""
    message: dict[str, JsonValue] | None = None
    """The first message; it is stored, and its run begins with this request."""
    delivery: DeliveryWord | None = None
    """How questions of the first run are delivered; by default as in the preset."""


class ConversationPatch(StrictBody):
    """The fields to change; a mode takes effect with the next turn."""

    mode: Id | None = None
    title: ShortText | None = None
    model: ShortText | None = None


class ChatIn(StrictBody):
    """A message, or answers to questions. Only the last message of a history is read."""

    model_config = ConfigDict(extra="ignore")

    message: dict[str, JsonValue] | None = None
    """The new message, for clients that do not send the history."""
    messages: list[dict[str, JsonValue]] = Field(default_factory=list[dict[str, JsonValue]])
    mode: Id | None = None
    """The mode of this turn, which the preset must offer; by default the conversation's."""
    permission_mode: Id | None = None
    """Another name for `mode`; two different values are refused."""
    permissionMode: Id | None = None  # noqa: N815 - as some clients spell it
    """Another name for `mode`."""
    model: ShortText | None = None
    about: Id | None = None
    """A proposal that was applied or declined; the server informs the model, and ignores messages."""
    delivery: DeliveryWord | None = None
    """Whether a question keeps the stream open (`wait`) or ends it (`suspend`); by default the preset's."""
    trigger: str | None = None
    """`submit-message`, or `regenerate-message` for another answer to an existing message."""
    message_id: JsonValue = Field(default=None, alias="messageId")
    """The message of this conversation that is edited or answered again."""


class StreamQuery(StrictQuery):
    """Options of a stream."""

    model_config = ConfigDict(extra="ignore")

    sdk: Client = Client.SIX
    """The client's AI SDK version: `6`, `7`, or `rich` for all fields."""


class MessagesQuery(StrictQuery):
    """Which messages are included."""

    live: bool = False
    """Whether the message that is being streamed is included."""
    replaced: bool = False
    """Whether messages that were replaced by an edit or a new attempt are included."""


class ConversationsShown(TypedDict):
    """A page of conversations, newest first."""

    items: list[shapes.ConversationJson]
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


@router.get(name="find")
async def list_conversations(query: Paging, principal: Member, service: Service) -> ConversationsShown:
    """List your conversations, newest first."""
    with decode_cursor(query.after) as after:
        found = await service.gate.conversations.list(principal, limit=query.limit, after=after)
    items = [conversation_to_json(one) for one in found.conversations]
    return {"items": items, "next": encode_next_cursor(found.after)}


@router.post(status=201, name="begin")
async def begin_conversation(
    body: ConversationIn, principal: Person, service: Service, request: StrictRequest, key: IdempotencyKey
) -> shapes.ConversationJson:
    """Begin a conversation, in the given mode or the first mode of its preset.

    With a `message`, its first run begins; `/stream` streams it.
    """
    if body.message is not None:
        return await _begin_with_message(body, principal, service, key)

    async def create_new_conversation() -> shapes.ConversationJson:
        beginning = NewConversation(agent=body.agent, preset=body.preset)
        return conversation_to_json(
            await service.gate.conversations.open(principal, beginning, _to_changes(body))
        )

    return await run_once(service, principal, request, key, create_new_conversation)


@router.get("/{id}", name="look")
async def read_conversation(id: NonEmptyId, principal: Member, service: Service) -> shapes.ConversationJson:
    """Read a conversation."""
    return conversation_to_json(await service.gate.conversations.find(principal, id))


@router.patch("/{id}", name="change")
async def change_conversation(
    id: NonEmptyId, body: ConversationPatch, principal: Person, service: Service
) -> shapes.ConversationJson:
    """Change the mode, title or model; a mode takes effect with the next turn, on every pod."""
    return conversation_to_json(await service.gate.conversations.change(principal, id, _to_changes(body)))


@chats.post("/conversations/{id}/chat", responses=_STREAM_RESPONSES, name="say")
async def send_message(
    id: NonEmptyId,
    body: ChatIn,
    query: StreamQuery,
    principal: Person,
    service: Service,
    request: StrictRequest,
    key: IdempotencyKey,
) -> Response:
    """Send a message or answers; the reply is a stream. The run continues if the client disconnects.

    A repeated message id or key returns the stream of the same run, from its beginning.
    """
    chat = await _find_chat(service, principal, id)
    message = replace(parse_request(body.model_dump()), key=key or "")
    chunks = await chat.send(principal, id, message)
    return _stream_response(chunks, query, service, request, id)


@chats.get("/conversations/{id}/stream", responses=_STREAM_OR_EMPTY_RESPONSES, name="look_on")
async def stream_run(
    id: NonEmptyId, query: StreamQuery, principal: Member, service: Service, request: StrictRequest
) -> Response:
    """Stream the current run of a conversation from its beginning."""
    chat = await _find_chat(service, principal, id)
    chunks = await chat.attach_to_run(principal, id)
    return no_content_response() if chunks is None else _stream_response(chunks, query, service, request, id)


@chats.get("/conversations/{id}/chat/{chat}/stream", responses=_STREAM_OR_EMPTY_RESPONSES, name="reconnect")
async def reconnect_stream(
    id: NonEmptyId,
    chat: NonEmptyId,
    query: StreamQuery,
    principal: Member,
    service: Service,
    request: StrictRequest,
) -> Response:
    """The same stream at the path that the AI SDK uses; both ids are the conversation's."""
    if chat != id:
        raise NotFoundError("conversation", chat)
    return await stream_run(id, query, principal, service, request)


@chats.post("/conversations/{id}/stop", name="stop")
async def stop_run(id: NonEmptyId, principal: Person, service: Service) -> None:
    """Stop the current run; its open questions are withdrawn."""
    chat = await _find_chat(service, principal, id)
    await chat.stop(principal, id)


@chats.get("/conversations/{id}/messages", name="messages")
async def list_messages(
    id: NonEmptyId, query: MessagesQuery, principal: Member, service: Service
) -> MessagesShown:
    """List the messages, with the current state of their questions."""
    chat = await _find_chat(service, principal, id)
    found = await chat.messages(principal, id, live=query.live, replaced=query.replaced)
    return {"items": cast("list[MessageShown]", list(found))}


@chats.get("/models", name="models")
async def list_models(principal: Member, service: Service) -> ModelsShown:  # noqa: ARG001 - requires a token
    """List the available models."""
    found = [] if service.open_chat is None else list((await service.chat()).list_model_options())
    return {"items": cast("list[ModelShown]", found)}


async def _begin_with_message(
    body: ConversationIn, principal: Principal, service: Service, key: str | None
) -> shapes.ConversationJson:
    """Begin a conversation and its first run; a repeated key returns the same conversation."""
    chat = await service.chat()
    message = parse_request({"message": body.message, "delivery": body.delivery})
    whole = hashlib.sha256(body.model_dump_json().encode()).hexdigest()
    message = replace(message, key=key or "", digest=f"{message.digest} {whole}")
    words = ("conversation", principal.kind.value, principal.id, message.key, whole)
    id = service.gate.keyed_id(*words) if key else new_id()
    await chat.check_idempotency_key(principal, id, message)
    beginning = NewConversation(agent=body.agent, preset=body.preset, id=id)
    opened = await service.gate.conversations.open(principal, beginning, _to_changes(body))
    await chat.send(principal, opened.id, message)
    return conversation_to_json(opened)


def _to_changes(body: ConversationIn | ConversationPatch) -> ConversationChanges:
    return ConversationChanges(mode=body.mode, title=body.title, model=body.model)


async def _find_chat(service: Service, principal: Principal, id: str) -> ChatPort:
    """The chat, if the principal may see the conversation."""
    await service.gate.conversations.find(principal, id)
    return await service.chat()


def _stream_response(
    chunks: AsyncIterator[Chunk], query: StreamQuery, service: Service, request: StrictRequest, id: str
) -> Response:
    """A response that streams chunks as server-sent events; the run continues if the client disconnects."""
    allowed = yield_while_allowed(chunks, _create_access_check(service, request, id))
    events = _to_server_sent_events(allowed, query.sdk, service.stopping)
    return StreamingResponse(events, media_type="text/event-stream", headers=_STREAM_HEADERS)


def _create_access_check(service: Service, request: StrictRequest, id: str) -> Callable[[], Awaitable[bool]]:
    """Create a function that checks whether the client may still see the conversation."""
    reauthenticate = create_reauthentication(service, request)

    async def is_conversation_still_visible() -> bool:
        principal = await reauthenticate()
        if principal is None:
            return False
        try:
            await service.gate.conversations.find(principal, id)
        except NotFoundError:
            return False
        return True

    return is_conversation_still_visible


async def _to_server_sent_events(
    chunks: AsyncIterator[Chunk], client: Client, stopping: asyncio.Event
) -> AsyncIterator[bytes]:
    """Convert chunks to server-sent events for a client; ends when the server stops."""
    ending = asyncio.ensure_future(stopping.wait())
    coming = asyncio.ensure_future(anext(chunks, None))
    try:
        while True:
            await asyncio.wait(
                (coming, ending), timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
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

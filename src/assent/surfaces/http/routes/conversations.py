"""`/v1/conversations`: opened, listed and changed by their owners."""

import hashlib
from dataclasses import replace
from typing import TypedDict

from pydantic import JsonValue

from assent.gate.access import Principal
from assent.gate.conversations import ConversationChanges, NewConversation
from assent.gate.ids import new_id
from assent.hosts.chat.request import parse_request
from assent.surfaces.http.api.access import Member, Person
from assent.surfaces.http.api.fields import Body, Id, Line, NamedId, Paging
from assent.surfaces.http.api.idempotency import IdempotencyKey, once
from assent.surfaces.http.api.reply import decode_cursor, next_cursor
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.routes.chat import Delivered
from assent.wire import shapes
from assent.wire.conversation import conversation_to_json

router = Router("/v1/conversations", "conversations")


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


class ConversationsShown(TypedDict):
    """A page of conversations, newest first."""

    items: list[shapes.ConversationShown]
    next: str | None


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

    return await once(service, principal, request, key, create)


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

"""`/v1/conversations`: opened, listed and changed by whoever owns them."""

import hashlib
from dataclasses import replace

from fastapi import APIRouter

from assent.gate.access import Principal
from assent.gate.conversations import ConversationChanges, NewConversation
from assent.gate.ids import new_id
from assent.hosts.chat.request import parse_request
from assent.surfaces.http.models.base import NamedId
from assent.surfaces.http.models.conversation import (
    ConversationIn,
    ConversationPatch,
    ConversationShown,
    ConversationsShown,
)
from assent.surfaces.http.paging import page, place_of
from assent.surfaces.http.reply import Json
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import MadeOnce, Paged, Serving, chat_of
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member, Person
from assent.wire.conversation import conversation_to_json

router = APIRouter(prefix="/v1/conversations", tags=["conversations"], route_class=StrictRoute)


@router.get("", response_model=ConversationsShown)
async def find(part: Paged, principal: Member, service: Serving) -> Json:
    """A page of one's own conversations, newest first."""
    with place_of(part.after) as after:
        found = await service.gate.conversations.list(principal, limit=part.limit, after=after)
    return page([conversation_to_json(one) for one in found.conversations], found.after)


@router.post("", response_model=ConversationShown, status_code=201)
async def begin(said: ConversationIn, principal: Person, service: Serving, once: MadeOnce) -> Json:
    """Begin a conversation, in the mode that is said or the first of its preset.

    With a `message`, its first run begins with it; `/stream` shows what comes of it.
    """
    if said.message is not None:
        return await _begin_with_message(said, principal, service, once.key)

    async def make() -> Json:
        beginning = NewConversation(agent=said.agent, preset=said.preset)
        opened = await service.gate.conversations.open(principal, beginning, _wish(said))
        return Json(conversation_to_json(opened), 201)

    return await once.made(make)


async def _begin_with_message(
    said: ConversationIn, principal: Principal, service: Service, key: str | None
) -> Json:
    """The same key again finds the same conversation, and the run that its message began."""
    talk = await chat_of(service)
    heard = parse_request({"message": said.message, "delivery": said.delivery})
    whole = hashlib.sha256(said.model_dump_json().encode()).hexdigest()
    heard = replace(heard, key=key or "", digest=f"{heard.digest} {whole}")
    words = ("conversation", principal.kind.value, principal.id, heard.key, whole)
    id = service.gate.keyed_id(*words) if key else new_id()
    await talk.check_key(principal, id, heard)
    beginning = NewConversation(agent=said.agent, preset=said.preset, id=id)
    opened = await service.gate.conversations.open(principal, beginning, _wish(said))
    await talk.send(principal, opened.id, heard)
    return Json(conversation_to_json(opened), 201)


@router.get("/{id}", response_model=ConversationShown)
async def look(id: NamedId, principal: Member, service: Serving) -> Json:
    """One conversation."""
    return Json(conversation_to_json(await service.gate.conversations.find(principal, id)))


@router.patch("/{id}", response_model=ConversationShown)
async def change(id: NamedId, said: ConversationPatch, principal: Person, service: Serving) -> Json:
    """Change its mode, title or model; a mode counts from the next turn, on every pod."""
    return Json(conversation_to_json(await service.gate.conversations.change(principal, id, _wish(said))))


def _wish(said: ConversationIn | ConversationPatch) -> ConversationChanges:
    return ConversationChanges(mode=said.mode, title=said.title, model=said.model)

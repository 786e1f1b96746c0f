"""`/v1/conversations`: opened, listed and changed by whoever owns them."""

from fastapi import APIRouter

from assent.gate.conversations import Beginning, Conversations, Wish
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
from assent.surfaces.http.serving import MadeOnce, Paged, Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member, Person
from assent.wire.conversation import conversation_to_json

router = APIRouter(prefix="/v1/conversations", tags=["conversations"], route_class=StrictRoute)


@router.get("", response_model=ConversationsShown)
async def find(part: Paged, principal: Member, service: Serving) -> Json:
    """A page of one's own conversations, newest first."""
    with place_of(part.after) as after:
        found = await service.store.conversations(principal.user, limit=part.limit, after=after)
    return page([conversation_to_json(one) for one in found.conversations], found.after)


@router.post("", response_model=ConversationShown, status_code=201)
async def begin(said: ConversationIn, principal: Person, service: Serving, once: MadeOnce) -> Json:
    """Begin a conversation, in the mode that is said or the first of its preset."""

    async def make() -> Json:
        wish = Wish(mode=said.mode, title=said.title, model=said.model)
        beginning = Beginning(agent=said.agent, preset=said.preset)
        opened = await _conversations(service).open(principal, beginning, wish)
        return Json(conversation_to_json(opened), 201)

    return await once.made(make)


@router.get("/{id}", response_model=ConversationShown)
async def look(id: NamedId, principal: Member, service: Serving) -> Json:
    """One conversation."""
    return Json(conversation_to_json(await _conversations(service).find(principal, id)))


@router.patch("/{id}", response_model=ConversationShown)
async def change(id: NamedId, said: ConversationPatch, principal: Person, service: Serving) -> Json:
    """Change its mode, title or model; a mode counts from the next turn, on every pod."""
    wish = Wish(mode=said.mode, title=said.title, model=said.model)
    return Json(conversation_to_json(await _conversations(service).change(principal, id, wish)))


def _conversations(service: Service) -> Conversations:
    return Conversations(service.store, service.grounds)

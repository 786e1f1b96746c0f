"""`/v1/conversations/{id}/chat`: a conversation with a model, streamed as the AI SDK takes it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.hosts.chat.chunk import Client
from assent.hosts.chat.request import parse_request
from assent.surfaces.http.again import again, while_seen
from assent.surfaces.http.models.base import NamedId
from assent.surfaces.http.models.chat import ChatIn, MessagesAsked, MessagesShown, ModelsShown
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import IdempotencyKey, Serving, chat_of
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.talk import ChunkStream, Talk
from assent.surfaces.http.who import Member, Person

router = APIRouter(prefix="/v1", tags=["chat"], route_class=StrictRoute)
_EVENTS = {"text/event-stream": {"schema": {"type": "string"}}}
_STREAM: dict[int | str, dict[str, object]] = {200: {"description": "its chunks", "content": _EVENTS}}
_LOOKED_ON: dict[int | str, dict[str, object]] = {**_STREAM, 204: {"description": "nothing runs there"}}
Sdk = Annotated[Client, Query(description="What the client understands: `6`, `7`, or `rich`.")]


@router.post("/conversations/{id}/chat", response_class=Response, responses=_STREAM)
async def say(
    id: NamedId,
    said: ChatIn,
    principal: Person,
    service: Serving,
    request: Request,
    key: IdempotencyKey = None,
    sdk: Sdk = Client.SIX,
) -> Response:
    """Say something, or answer questions; the answer is streamed, and goes on if nobody listens.

    The same message id, or the same key, again is the same run: it is streamed from its beginning.
    """
    talk = await _talk(service, principal, id)
    heard = replace(parse_request(said.model_dump()), key=key or "")
    chunks = await talk.send(principal, id, heard)
    return ChunkStream(while_seen(chunks, _still(service, request, id)), sdk, service.stopping)


@router.get("/conversations/{id}/stream", response_class=Response, responses=_LOOKED_ON)
async def look_on(
    id: NamedId, principal: Member, service: Serving, request: Request, sdk: Sdk = Client.SIX
) -> Response:
    """What runs in a conversation, from its beginning."""
    talk = await _talk(service, principal, id)
    chunks = await talk.attach(principal, id)
    if chunks is None:
        return nothing()
    return ChunkStream(while_seen(chunks, _still(service, request, id)), sdk, service.stopping)


@router.get("/conversations/{id}/chat/{chat}/stream", response_class=Response, responses=_LOOKED_ON)
async def reconnect(
    id: NamedId, chat: NamedId, principal: Member, service: Serving, request: Request, sdk: Sdk = Client.SIX
) -> Response:
    """The same, where a client of the AI SDK looks for it by itself; both ids are the conversation's."""
    if chat != id:
        raise NotFoundError("conversation", chat)
    return await look_on(id, principal, service, request, sdk)


@router.post("/conversations/{id}/stop", response_class=Response, status_code=204)
async def stop(id: NamedId, principal: Person, service: Serving) -> Response:
    """End what runs there; its open questions are withdrawn, and nothing of it runs later."""
    talk = await _talk(service, principal, id)
    await talk.stop(principal, id)
    return nothing()


@router.get("/conversations/{id}/messages", response_model=MessagesShown)
async def messages(
    id: NamedId, which: Annotated[MessagesAsked, Query()], principal: Member, service: Serving
) -> Json:
    """What was said, with the questions as they stand now."""
    talk = await _talk(service, principal, id)
    return Json({"items": list(await talk.messages(principal, id, live=which.live, replaced=which.replaced))})


@router.get("/models", response_model=ModelsShown)
async def models(principal: Member, service: Serving) -> Json:  # noqa: ARG001 - for those who are known
    """The models on offer."""
    return Json({"items": [] if service.chat is None else list((await service.chat()).model_options())})


def _still(service: Service, request: Request, id: str) -> Callable[[], Awaitable[bool]]:
    """Whether somebody may still look at a conversation: rights end while it goes on."""
    look = again(service, request)

    async def still() -> bool:
        principal = await look()
        if principal is None:
            return False
        try:
            await service.gate.conversations.find(principal, id)
        except NotFoundError:
            return False
        return True

    return still


async def _talk(service: Service, principal: Principal, id: str) -> Talk:
    """The chat, for whoever may see the conversation."""
    await service.gate.conversations.find(principal, id)
    return await chat_of(service)

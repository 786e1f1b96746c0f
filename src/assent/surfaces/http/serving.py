"""What a route works with: the service of its app, a page of a list, and a key that makes it once."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from pydantic import StringConstraints
from starlette.exceptions import HTTPException

from assent.gate.access import Principal
from assent.gate.agents import Agents
from assent.gate.people import Reply, RequestLog
from assent.surfaces.http.models.base import Paging
from assent.surfaces.http.reply import Json
from assent.surfaces.http.service import Service
from assent.surfaces.http.talk import Talk
from assent.surfaces.http.who import Member

Key = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,128}$")]
IdempotencyKey = Annotated[Key | None, Header(alias="Idempotency-Key")]
Cursor = Annotated[str, StringConstraints(pattern=r"^[!-~]*$", max_length=256)]


class Once:
    """Makes what a request asks for, once for each key that its sender chose."""

    def __init__(self, requests: RequestLog, sender: str, key: str | None, digest: str) -> None:
        self._requests = requests
        self._sender = sender
        self.key = key
        self._digest = digest

    async def made(self, make: Callable[[], Awaitable[Json]]) -> Json:
        """The reply of the first time, or the one of now; what failed may be tried again."""
        if self.key is None:
            return await make()
        known = await self._requests.begin_request(self._sender, self.key, self._digest)
        if known is not None:
            return _Again(known.body, known.status)
        try:
            reply = await make()
        except BaseException:
            await self._requests.save_reply(self._sender, self.key, None)
            raise
        await self._requests.save_reply(self._sender, self.key, Reply(reply.status_code, _text(reply)))
        return reply


class _Again(Json):
    """A reply that was given before."""

    def render(self, content: object) -> bytes:
        """As it was."""
        return str(content).encode()


async def service_of(request: Request) -> Service:
    """The service that this app was made for."""
    found = request.app.state.service
    assert isinstance(found, Service)  # noqa: S101 - `create_app` put it there
    return found


Serving = Annotated[Service, Depends(service_of)]
Paged = Annotated[Paging, Query()]


async def agents_of(service: Serving) -> Agents:
    """The agents that the service knows of."""
    return Agents(service.store, service.keeper.people)


async def chat_of(service: Service) -> Talk:
    """The chat of a server that has one."""
    if service.chat is None:
        raise HTTPException(503, "this server has no chat: pip install 'assent[chat]'")
    return await service.chat()


async def once(
    request: Request,
    principal: Member,
    service: Serving,
    key: IdempotencyKey = None,
) -> Once:
    """What the request says of being sent twice."""
    words = (request.method, request.url.path, await request.body())
    digest = hashlib.sha256(repr(words).encode()).hexdigest()
    return Once(service.keeper.people.requests, _sender(principal), key, digest)


def _sender(principal: Principal) -> str:
    return f"{principal.kind} {principal.id}"


def _text(reply: Json) -> str:
    return bytes(reply.body).decode()


KnownAgents = Annotated[Agents, Depends(agents_of)]
MadeOnce = Annotated[Once, Depends(once)]

"""Again: who somebody is by now, for what takes longer than the proof that let them in may hold."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from time import monotonic
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from assent.door.proxy import Proxies
from assent.door.visit import visit_of
from assent.gate.access import Principal
from assent.gate.people import Purpose
from assent.surfaces.http.service import Service

T = TypeVar("T")
LOOK = 5.0
"""Seconds after which somebody who is told something is looked at again."""
Again = Callable[[], Awaitable[Principal | None]]
"""Who it is by now: rights change, and credentials end, while somebody listens or waits."""


def again(service: Service, connection: HTTPConnection) -> Again:
    """Looks once more at what the door looked at."""
    visit = visit_of(connection.scope, Proxies())

    async def look() -> Principal | None:
        if visit.token is not None:
            return await service.keeper.principal_of(visit.token)
        return await service.keeper.principal_of(visit.session, Purpose.SESSION)

    return look


async def check_again(service: Service, connection: HTTPConnection) -> None:
    """Refuse whoever proved who they are by something that no longer holds."""
    if await again(service, connection)() is None:
        raise HTTPException(401, "unknown, expired or revoked token", {"www-authenticate": "Bearer"})


async def while_seen(told: AsyncIterator[T], still: Callable[[], Awaitable[bool]]) -> AsyncGenerator[T]:
    """What is told, for as long as whoever listens may hear it."""
    looked_at = monotonic()
    async for one in told:
        if monotonic() - looked_at >= LOOK:
            if not await still():
                return
            looked_at = monotonic()
        yield one

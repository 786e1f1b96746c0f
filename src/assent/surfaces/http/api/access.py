"""Who may use a route, checked when a request arrives and again while a long one goes on."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from enum import Enum
from time import monotonic
from typing import Annotated, TypeVar

from starlette.requests import HTTPConnection

from assent.door.request import Proxies, read_head
from assent.errors import ForbiddenError
from assent.gate.access import Kind, Principal
from assent.gate.people import Purpose
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.service import Service

T = TypeVar("T")
RECHECK = 5.0
"""Seconds between two checks of the rights of a client that receives a stream."""
AGENT_LIMITS = "an agent may submit its own calls and nothing else"
_BEARER = {"www-authenticate": "Bearer"}


class Audience(Enum):
    """Who may use a route; the value is its description in the documents."""

    ANYBODY = "anybody"
    CALLER = "agents, services and people"
    MEMBER = "people and services"
    PERSON = "people"
    ADMINISTRATOR = "administrators"


Caller = Annotated[Principal, Audience.CALLER]
Member = Annotated[Principal, Audience.MEMBER]
Person = Annotated[Principal, Audience.PERSON]
Administrator = Annotated[Principal, Audience.ADMINISTRATOR]


def authorize(connection: HTTPConnection, audience: Audience) -> Principal:
    """The principal that the door authenticated, if it belongs to the audience."""
    principal = getattr(connection.state, "principal", None)
    if not isinstance(principal, Principal):
        raise ProblemError(401, "authentication is required: send a token, or log in", headers=_BEARER)
    if audience is Audience.CALLER:
        return principal
    if principal.kind is Kind.AGENT:
        raise ForbiddenError(principal.id, AGENT_LIMITS)
    if audience is Audience.MEMBER:
        return principal
    if principal.kind is not Kind.PERSON:
        raise ForbiddenError(principal.id, "only people may do this")
    if audience is Audience.ADMINISTRATOR and not principal.administrator:
        raise ForbiddenError(principal.id, "only administrators may do this")
    return principal


Reauthenticate = Callable[[], Awaitable[Principal | None]]
"""Reads the principal again: rights change and credentials end during a long request."""


def reauthentication(service: Service, connection: HTTPConnection) -> Reauthenticate:
    """A function that checks the credential of this connection again."""
    head = read_head(connection.scope, Proxies())

    async def reauthenticate() -> Principal | None:
        if head.token is not None:
            return await service.authenticator.principal_of(head.token)
        return await service.authenticator.principal_of(head.session, Purpose.SESSION)

    return reauthenticate


async def check_still_authenticated(service: Service, connection: HTTPConnection) -> None:
    """Refuse a client whose credential has ended since the request began."""
    if await reauthentication(service, connection)() is None:
        raise ProblemError(401, "unknown, expired or revoked token", headers=_BEARER)


async def while_allowed(
    items: AsyncIterator[T], is_allowed: Callable[[], Awaitable[bool]]
) -> AsyncGenerator[T]:
    """The items, until a repeated check says that the client may no longer see them."""
    checked_at = monotonic()
    async for item in items:
        if monotonic() - checked_at >= RECHECK:
            if not await is_allowed():
                return
            checked_at = monotonic()
        yield item

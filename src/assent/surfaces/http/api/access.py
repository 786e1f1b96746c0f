"""Access checks of routes, when a request arrives and repeatedly during a long request."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from enum import Enum
from time import monotonic
from typing import Annotated, TypeVar

from starlette.requests import HTTPConnection

from assent.door.request import Proxies, read_head
from assent.errors import ForbiddenError
from assent.gate.access import Kind, Principal
from assent.gate.people import Credential, Purpose
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.service import Service

T = TypeVar("T")
RECHECK_SECONDS = 5.0
"""Seconds between two access checks of a client that receives a stream."""
AGENT_FORBIDDEN_MESSAGE = "an agent may submit its own calls and nothing else"
_BEARER_CHALLENGE = {"www-authenticate": "Bearer"}


class Audience(Enum):
    """Who may use a route; the value is the description in the API reference."""

    ANYBODY = "anybody"
    CALLER = "agents, services and people"
    MEMBER = "people and services"
    PERSON = "people"
    PAGE = "people, from a page of this server"
    ADMINISTRATOR = "administrators"


Caller = Annotated[Principal, Audience.CALLER]
Member = Annotated[Principal, Audience.MEMBER]
Person = Annotated[Principal, Audience.PERSON]
Page = Annotated[Principal, Audience.PAGE]
Administrator = Annotated[Principal, Audience.ADMINISTRATOR]


def authorize(connection: HTTPConnection, audience: Audience) -> Principal:
    """Return the authenticated principal; raises an error if it does not belong to the audience."""
    principal = getattr(connection.state, "principal", None)
    if not isinstance(principal, Principal):
        raise ProblemError(
            401, "authentication is required: send a token, or log in", headers=_BEARER_CHALLENGE
        )
    if audience is Audience.CALLER:
        return principal
    if principal.kind is Kind.AGENT:
        raise ForbiddenError(principal.id, AGENT_FORBIDDEN_MESSAGE)
    if audience is Audience.MEMBER:
        return principal
    if principal.kind is not Kind.PERSON:
        raise ForbiddenError(principal.id, "only people may do this")
    if audience is Audience.PAGE and not _has_session(connection):
        raise ForbiddenError(principal.id, "only a page of this server may do this, with a person's session")
    if audience is Audience.ADMINISTRATOR and not principal.administrator:
        raise ForbiddenError(principal.id, "only administrators may do this")
    return principal


def _has_session(connection: HTTPConnection) -> bool:
    """Whether the request is authenticated by a session cookie, and not by a token."""
    credential = getattr(connection.state, "credential", None)
    return isinstance(credential, Credential) and credential.purpose is Purpose.SESSION


Reauthenticate = Callable[[], Awaitable[Principal | None]]
"""Returns the principal with its current rights; None if its credential is no longer valid."""


def create_reauthentication(service: Service, connection: HTTPConnection) -> Reauthenticate:
    """Create a function that authenticates the connection's credential again."""
    head = read_head(connection.scope, Proxies())

    async def reauthenticate() -> Principal | None:
        if head.token is not None:
            return await service.authenticator.principal_of(head.token)
        return await service.authenticator.principal_of(head.session, Purpose.SESSION)

    return reauthenticate


async def check_still_authenticated(service: Service, connection: HTTPConnection) -> None:
    """Raise a 401 problem if the client's credential is no longer valid."""
    if await create_reauthentication(service, connection)() is None:
        raise ProblemError(401, "unknown, expired or revoked token", headers=_BEARER_CHALLENGE)


async def yield_while_allowed(
    items: AsyncIterator[T], is_allowed: Callable[[], Awaitable[bool]]
) -> AsyncGenerator[T]:
    """Yield the items; stops when a repeated check finds that the client may no longer see them."""
    checked_at = monotonic()
    async for item in items:
        if monotonic() - checked_at >= RECHECK_SECONDS:
            if not await is_allowed():
                return
            checked_at = monotonic()
        yield item

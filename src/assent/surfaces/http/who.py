"""Who may use a route: each route names exactly one of these four, and nobody else gets in."""

from typing import Annotated

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from assent.errors import ForbiddenError
from assent.gate.access import Kind, Principal

# Async although they await nothing: FastAPI would run a plain function on a thread, which costs more.
# Each calls the one before it: as dependencies of each other FastAPI would solve every one anew.


async def caller(connection: HTTPConnection) -> Principal:
    """Anybody who proved who they are, agents included; the door has looked at the proof."""
    found = getattr(connection.state, "principal", None)
    if not isinstance(found, Principal):
        raise HTTPException(401, "say who you are: send a token, or log in", {"www-authenticate": "Bearer"})
    return found


async def member(connection: HTTPConnection) -> Principal:
    """A person, or a service that works for one; never an agent."""
    principal = await caller(connection)
    if principal.kind is Kind.AGENT:
        raise ForbiddenError(principal.id, "an agent submits its own calls, and does nothing else")
    return principal


async def person(connection: HTTPConnection) -> Principal:
    """A person."""
    principal = await member(connection)
    if principal.kind is not Kind.PERSON:
        raise ForbiddenError(principal.id, "this is for people")
    return principal


async def administrator(connection: HTTPConnection) -> Principal:
    """A person who administers."""
    principal = await person(connection)
    if not principal.administrator:
        raise ForbiddenError(principal.id, "this needs an administrator")
    return principal


Caller = Annotated[Principal, Depends(caller)]
Member = Annotated[Principal, Depends(member)]
Person = Annotated[Principal, Depends(person)]
Administrator = Annotated[Principal, Depends(administrator)]

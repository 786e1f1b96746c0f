"""`/v1/people`: administrators let people in, say what they are, and shut them out."""

from fastapi import APIRouter, Response

from assent.gate.access import Principal
from assent.gate.people import Person
from assent.surfaces.http.models.base import NamedId
from assent.surfaces.http.models.person import (
    LinkMade,
    PeopleShown,
    PersonIn,
    PersonShown,
    RoleIn,
    RolesShown,
)
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import MadeOnce, Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Administrator
from assent.wire.fields import maybe_moment_to_json
from assent.wire.people import person_to_json

router = APIRouter(prefix="/v1/people", tags=["people"], route_class=StrictRoute)


@router.get("", response_model=PeopleShown)
async def find(principal: Administrator, service: Serving) -> Json:
    """Everybody who is known, those who were shut out included."""
    return Json({"items": [_shown(one) for one in await service.keeper.people.people(principal)]})


@router.post("", response_model=PersonShown, status_code=201)
async def add(said: PersonIn, principal: Administrator, service: Serving, once: MadeOnce) -> Json:
    """Let somebody in; a link lets them log in."""

    async def make() -> Json:
        new = Person(id=said.id, name=said.name, administrator=said.administrator)
        return Json(_shown(await service.keeper.people.add_person(principal, new)), 201)

    return await once.made(make)


@router.post("/{id}/disable", status_code=204)
async def disable(id: NamedId, principal: Administrator, service: Serving) -> Response:
    """Shut somebody out: every credential of theirs, and of whoever acts for them, ends."""
    await service.keeper.people.disable_person(principal, id)
    return nothing()


@router.post("/{id}/enable", status_code=204)
async def enable(id: NamedId, principal: Administrator, service: Serving) -> Response:
    """Let somebody in again; what ended stays ended, so they need a new link."""
    await service.keeper.people.enable_person(principal, id)
    return nothing()


@router.post("/{id}/link", response_model=LinkMade, status_code=201)
async def link(id: NamedId, principal: Administrator, service: Serving) -> Json:
    """Make a log-in link for somebody: for a quarter of an hour, for one use; it is shown once."""
    minted = await service.keeper.new_link(id, by=principal)
    until = maybe_moment_to_json(minted.credential.expires_at)
    return Json({"link": minted.secret, "expires_at": until}, 201)


@router.get("/{id}/roles", response_model=RolesShown)
async def roles(id: NamedId, principal: Administrator, service: Serving) -> Json:
    """What somebody is to others' conversations and agents."""
    return await _roles(service, principal, id)


@router.put("/{id}/roles", response_model=RolesShown)
async def set_role(id: NamedId, said: RoleIn, principal: Administrator, service: Serving) -> Json:
    """Say what somebody is to `agent:NAME` or `conversation:ID`; null for nothing."""
    await service.keeper.people.set_role(principal, id, said.subject, said.role)
    return await _roles(service, principal, id)


async def _roles(service: Service, principal: Principal, id: str) -> Json:
    await service.keeper.people.active_person(id)
    found = await service.keeper.people.roles(principal, id)
    return Json({"roles": {subject: role.value for subject, role in found.items()}})


def _shown(person: Person) -> dict[str, object]:
    """A person, without who they are to the provider they sign in with."""
    shown = person_to_json(person)
    del shown["identity"]
    return shown

"""`/v1/people`, `/v1/tokens` and `/v1/sessions`: people, their roles and their credentials."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, TypedDict

from pydantic import Field, StringConstraints

from assent.errors import NotFoundError
from assent.gate.access import Kind, Principal, Role, check_speak_for
from assent.gate.register import Credential, Purpose
from assent.gate.register import Person as RegisteredPerson
from assent.surfaces.http.api.access import Administrator, Person
from assent.surfaces.http.api.fields import WHOLE, Body, GeneratedId, NamedId, RoleSubject
from assent.surfaces.http.api.idempotency import IdempotencyKey, once
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.moment import maybe_moment_to_json
from assent.wire.register import credential_shown, person_shown

router = Router("/v1/people", "people")
credentials = Router("/v1", "people")
TEN_YEARS = 3650 * 24 * 3600
Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=128)]
NamedName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=128)]


class PersonIn(Body):
    """A person to add."""

    id: NamedName
    name: Name = ""
    administrator: bool = False


class RoleIn(Body):
    """A person's role for a conversation or an agent; null removes it."""

    subject: RoleSubject
    role: Annotated[Role, Field(strict=False)] | None


class TokenIn(Body):
    """A token to create; that of an agent or service works for its creator by default."""

    kind: Annotated[Kind, Field(strict=False)]
    name: NamedName
    on_behalf: Name = ""
    label: Name = ""
    seconds: Annotated[int, Field(ge=1, le=TEN_YEARS), WHOLE] | None = None
    """How long it is valid; by default until it is revoked."""


class PeopleShown(TypedDict):
    """All people."""

    items: list[shapes.PersonShown]


class RolesShown(TypedDict):
    """A person's roles for conversations and agents of others."""

    roles: dict[str, Annotated[str, Role]]


class LinkMade(TypedDict):
    """A log-in link, shown once."""

    link: str
    expires_at: str | None


class CredentialsShown(TypedDict):
    """Active tokens or sessions."""

    items: list[shapes.CredentialShown]


class TokenMade(shapes.CredentialShown):
    """A new token with its secret, which is shown once."""

    secret: str


@router.get()
async def find(_: Administrator, service: Service) -> PeopleShown:
    """List all people, including disabled ones."""
    return {"items": [person_shown(one) for one in await service.authenticator.register.people()]}


@router.post(status=201)
async def add(
    body: PersonIn, principal: Administrator, service: Service, request: StrictRequest, key: IdempotencyKey
) -> shapes.PersonShown:
    """Add a person; they log in with a link."""

    async def create() -> shapes.PersonShown:
        new = RegisteredPerson(id=body.id, name=body.name, administrator=body.administrator)
        return person_shown(await service.authenticator.register.add_person(new, by=principal.id))

    return await once(service, principal, request, key, create)


@router.post("/{id}/disable")
async def disable(id: NamedId, principal: Administrator, service: Service) -> None:
    """Disable a person; their credentials, and those of their agents and services, are revoked."""
    await service.authenticator.register.disable_person(id, by=principal.id)


@router.post("/{id}/enable")
async def enable(id: NamedId, principal: Administrator, service: Service) -> None:
    """Enable a person again; revoked credentials stay revoked, so they need a new link."""
    await service.authenticator.register.enable_person(id, by=principal.id)


@router.post("/{id}/link", status=201)
async def link(id: NamedId, principal: Administrator, service: Service) -> LinkMade:
    """Create a log-in link for a person, valid for one use within a quarter of an hour; it is shown once."""
    minted = await service.authenticator.new_link(id, by=principal.id)
    return {"link": minted.secret, "expires_at": maybe_moment_to_json(minted.credential.expires_at)}


@router.get("/{id}/roles")
async def roles(id: NamedId, _: Administrator, service: Service) -> RolesShown:
    """A person's roles for conversations and agents of others."""
    return await _roles(service, id)


@router.put("/{id}/roles")
async def set_role(id: NamedId, body: RoleIn, principal: Administrator, service: Service) -> RolesShown:
    """Set a person's role for `agent:NAME` or `conversation:ID`; null removes it."""
    await service.authenticator.set_role(id, body.subject, body.role, by=principal.id)
    return await _roles(service, id)


@credentials.get("/tokens")
async def tokens(principal: Person, service: Service) -> CredentialsShown:
    """List your tokens and those of your agents; for administrators, everybody's."""
    return _listed(await _active(service, principal, Purpose.TOKEN))


@credentials.post("/tokens", status=201)
async def make_token(body: TokenIn, principal: Person, service: Service) -> TokenMade:
    """Create a token. Its secret is only in this reply, so there is no idempotency key."""
    behalf = "" if body.kind is Kind.PERSON else body.on_behalf or principal.id
    check_speak_for(principal, behalf or body.name)
    minted = await service.authenticator.new_token(
        body.kind,
        body.name,
        by=principal.id,
        on_behalf=behalf,
        label=body.label,
        lives_for=None if body.seconds is None else timedelta(seconds=body.seconds),
    )
    return {**credential_shown(minted.credential), "secret": minted.secret}


@credentials.delete("/tokens/{id:generated}")
async def end_token(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a token; it stops working immediately."""
    await _end(service, principal, Purpose.TOKEN, id)


@credentials.get("/sessions")
async def sessions(principal: Person, service: Service) -> CredentialsShown:
    """List your sessions; for administrators, everybody's."""
    return _listed(await _active(service, principal, Purpose.SESSION))


@credentials.delete("/sessions/{id:generated}")
async def end_session(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a session."""
    await _end(service, principal, Purpose.SESSION, id)


async def _roles(service: Service, id: str) -> RolesShown:
    await service.authenticator.active_person(id)
    found = await service.authenticator.register.roles(id)
    return {"roles": {subject: role.value for subject, role in found.items()}}


async def _active(service: Service, principal: Principal, purpose: Purpose) -> Sequence[Credential]:
    whose = None if principal.administrator else principal.id
    found = await service.authenticator.register.credentials(whose)
    return [one for one in found if one.purpose is purpose]


async def _end(service: Service, principal: Principal, purpose: Purpose, id: str) -> None:
    if not any(one.id == id for one in await _active(service, principal, purpose)):
        raise NotFoundError(purpose.value, id)
    await service.authenticator.register.end_credential(id, by=principal.id)


def _listed(found: Sequence[Credential]) -> CredentialsShown:
    return {"items": [credential_shown(one) for one in found]}

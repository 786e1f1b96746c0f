"""`/v1/people`, `/v1/tokens` and `/v1/sessions`: people, their roles and their credentials."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, TypedDict

from pydantic import Field, StringConstraints

from assent.gate.access import Kind, Principal, Role
from assent.gate.people import Credential, Purpose
from assent.gate.people import Person as RegisteredPerson
from assent.surfaces.http.api.access import Administrator, Person
from assent.surfaces.http.api.fields import WHOLE, Body, GeneratedId, NamedId, RoleSubject
from assent.surfaces.http.api.idempotency import IdempotencyKey, once
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.fields import maybe_moment_to_json
from assent.wire.people import credential_shown, person_shown

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
async def find(principal: Administrator, service: Service) -> PeopleShown:
    """List all people, including disabled ones."""
    return {"items": [person_shown(one) for one in await service.authenticator.people.people(principal)]}


@router.post(status=201)
async def add(
    body: PersonIn, principal: Administrator, service: Service, request: StrictRequest, key: IdempotencyKey
) -> shapes.PersonShown:
    """Add a person; they log in with a link."""

    async def create() -> shapes.PersonShown:
        new = RegisteredPerson(id=body.id, name=body.name, administrator=body.administrator)
        return person_shown(await service.authenticator.people.add_person(principal, new))

    return await once(service, principal, request, key, create)


@router.post("/{id}/disable")
async def disable(id: NamedId, principal: Administrator, service: Service) -> None:
    """Disable a person; their credentials, and those of their agents and services, are revoked."""
    await service.authenticator.people.disable_person(principal, id)


@router.post("/{id}/enable")
async def enable(id: NamedId, principal: Administrator, service: Service) -> None:
    """Enable a person again; revoked credentials stay revoked, so they need a new link."""
    await service.authenticator.people.enable_person(principal, id)


@router.post("/{id}/link", status=201)
async def link(id: NamedId, principal: Administrator, service: Service) -> LinkMade:
    """Create a log-in link for a person, valid for one use within a quarter of an hour; it is shown once."""
    minted = await service.authenticator.new_link(id, by=principal)
    return {"link": minted.secret, "expires_at": maybe_moment_to_json(minted.credential.expires_at)}


@router.get("/{id}/roles")
async def roles(id: NamedId, principal: Administrator, service: Service) -> RolesShown:
    """A person's roles for conversations and agents of others."""
    return await _roles(service, principal, id)


@router.put("/{id}/roles")
async def set_role(id: NamedId, body: RoleIn, principal: Administrator, service: Service) -> RolesShown:
    """Set a person's role for `agent:NAME` or `conversation:ID`; null removes it."""
    await service.authenticator.people.set_role(principal, id, body.subject, body.role)
    return await _roles(service, principal, id)


@credentials.get("/tokens")
async def tokens(principal: Person, service: Service) -> CredentialsShown:
    """List your tokens and those of your agents; for administrators, everybody's."""
    return _listed(await service.authenticator.people.credentials(principal, Purpose.TOKEN))


@credentials.post("/tokens", status=201)
async def make_token(body: TokenIn, principal: Person, service: Service) -> TokenMade:
    """Create a token. Its secret is only in this reply, so there is no idempotency key."""
    behalf = "" if body.kind is Kind.PERSON else body.on_behalf or principal.id
    minted = await service.authenticator.new_token(
        body.kind,
        body.name,
        by=principal,
        on_behalf=behalf,
        label=body.label,
        lives_for=None if body.seconds is None else timedelta(seconds=body.seconds),
    )
    return {**credential_shown(minted.credential), "secret": minted.secret}


@credentials.delete("/tokens/{id:generated}")
async def end_token(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a token; it stops working immediately."""
    await service.authenticator.people.revoke_credential(principal, Purpose.TOKEN, id)


@credentials.get("/sessions")
async def sessions(principal: Person, service: Service) -> CredentialsShown:
    """List your sessions; for administrators, everybody's."""
    return _listed(await service.authenticator.people.credentials(principal, Purpose.SESSION))


@credentials.delete("/sessions/{id:generated}")
async def end_session(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a session."""
    await service.authenticator.people.revoke_credential(principal, Purpose.SESSION, id)


async def _roles(service: Service, principal: Principal, id: str) -> RolesShown:
    await service.authenticator.people.active_person(id)
    found = await service.authenticator.people.roles(principal, id)
    return {"roles": {subject: role.value for subject, role in found.items()}}


def _listed(found: Sequence[Credential]) -> CredentialsShown:
    return {"items": [credential_shown(one) for one in found]}

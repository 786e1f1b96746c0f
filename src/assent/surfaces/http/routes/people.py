"""`/v1/people`, `/v1/tokens`, `/v1/login` and others: people, roles, credentials, log-in and log-out."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, TypedDict

from pydantic import ConfigDict, Field, StringConstraints
from starlette.responses import Response

from assent.door.authentication import SESSION_LIFE, SIGN_IN_COOKIE, SIGN_IN_SECONDS, SignIn
from assent.door.credentials import SESSION_COOKIE, expired_cookie, read_cookie, set_cookie
from assent.errors import NotFoundError
from assent.gate.access import Kind, Principal, Role
from assent.gate.people import Credential, Purpose
from assent.gate.people import Person as RegisteredPerson
from assent.surfaces.http.api.access import Administrator, Member, Person
from assent.surfaces.http.api.bodies import StrictRequest, no_content
from assent.surfaces.http.api.fields import WHOLE, Body, GeneratedId, NamedId, Query, RoleSubject
from assent.surfaces.http.api.idempotency import IdempotencyKey, run_once
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.fields import maybe_moment_to_json
from assent.wire.people import credential_to_public_json, person_to_public_json

router = Router("/v1/people", "people")
login = Router("/v1", "people")
# Browsers use these routes, programs do not: the OpenAPI document leaves them out.
oidc = Router("/v1/oidc", "people", is_documented=False)
credentials = Router("/v1", "people")
TEN_YEARS = 3650 * 24 * 3600
Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=128)]
NamedName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=128)]
_NO_CONTENT = {204: {"description": "Successful Response"}}


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


class Login(Body):
    """The secret of a log-in link."""

    link: Annotated[str, StringConstraints(max_length=256)]


class CallbackQuery(Query):
    """What the provider sends back; it may add more."""

    model_config = ConfigDict(extra="ignore")

    code: Annotated[str, Field(max_length=4096)] = ""
    state: Annotated[str, Field(max_length=4096)] = ""


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


class Me(TypedDict):
    """The authenticated principal."""

    id: str
    kind: Annotated[str, Kind]
    on_behalf: str
    administrator: bool
    roles: dict[str, Annotated[str, Role]]


@router.get()
async def find(principal: Administrator, service: Service) -> PeopleShown:
    """List all people, including disabled ones."""
    return {
        "items": [person_to_public_json(one) for one in await service.authenticator.people.people(principal)]
    }


@router.post(status=201)
async def add(
    body: PersonIn, principal: Administrator, service: Service, request: StrictRequest, key: IdempotencyKey
) -> shapes.PersonShown:
    """Add a person; they log in with a link."""

    async def create() -> shapes.PersonShown:
        new = RegisteredPerson(id=body.id, name=body.name, administrator=body.administrator)
        return person_to_public_json(await service.authenticator.people.add_person(principal, new))

    return await run_once(service, principal, request, key, create)


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
    return _credentials_to_json(await service.authenticator.people.credentials(principal, Purpose.TOKEN))


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
    return {**credential_to_public_json(minted.credential), "secret": minted.secret}


@credentials.delete("/tokens/{id:generated}")
async def end_token(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a token; it stops working immediately."""
    await service.authenticator.people.revoke_credential(principal, Purpose.TOKEN, id)


@credentials.get("/sessions")
async def sessions(principal: Person, service: Service) -> CredentialsShown:
    """List your sessions; for administrators, everybody's."""
    return _credentials_to_json(await service.authenticator.people.credentials(principal, Purpose.SESSION))


@credentials.delete("/sessions/{id:generated}")
async def end_session(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a session."""
    await service.authenticator.people.revoke_credential(principal, Purpose.SESSION, id)


@login.post("/login", responses=_NO_CONTENT)
async def log_in(body: Login, service: Service, request: StrictRequest) -> Response:
    """Log in with a log-in link, which works once; the browser gets a session. Needs no token."""
    minted = await service.authenticator.log_in(body.link, address=request.state.address)
    return _with_cookie(_session_cookie(minted.secret, service, request))


@login.post("/logout", responses=_NO_CONTENT)
async def log_out(_: Person, service: Service, request: StrictRequest) -> Response:
    """End the session of this browser."""
    await service.authenticator.log_out(request.cookies.get(SESSION_COOKIE, ""))
    return _with_cookie(expired_cookie(secure=request.state.secure, path=f"{service.base_path}/"))


@login.get("/me")
async def me(principal: Member) -> Me:
    """Read the authenticated principal and its rights."""
    return _principal_to_json(principal)


@oidc.get("/start")
async def start(service: Service, request: StrictRequest) -> Response:
    """Send a browser to the provider; the state of the sign-in is kept in a cookie of that browser."""
    started = await _sign_in(service).begin()
    cookie = set_cookie(
        started.cookie,
        name=SIGN_IN_COOKIE,
        secure=request.state.secure,
        path=_oidc_path(service),
        seconds=SIGN_IN_SECONDS,
        from_links=True,
    )
    return _redirect(started.url, cookie)


@oidc.get("/callback")
async def callback(query: CallbackQuery, service: Service, request: StrictRequest) -> Response:
    """Log in the person whom the provider sent back; the only GET that changes something.

    A provider can only redirect, and the signed cookie proves that the sign-in began in this browser.
    """
    cookie = read_cookie(request.headers.getlist("cookie"), SIGN_IN_COOKIE)
    minted = await _sign_in(service).finish(query.code, query.state, cookie, address=request.state.address)
    session = _session_cookie(minted.secret, service, request)
    ended = expired_cookie(name=SIGN_IN_COOKIE, secure=request.state.secure, path=_oidc_path(service))
    return _redirect(f"{service.base_path}/", session, ended)


async def _roles(service: Service, principal: Principal, id: str) -> RolesShown:
    await service.authenticator.people.active_person(id)
    found = await service.authenticator.people.roles(principal, id)
    return {"roles": {subject: role.value for subject, role in found.items()}}


def _credentials_to_json(found: Sequence[Credential]) -> CredentialsShown:
    return {"items": [credential_to_public_json(one) for one in found]}


def _session_cookie(secret: str, service: Service, request: StrictRequest) -> str:
    seconds = int(SESSION_LIFE.total_seconds())
    return set_cookie(secret, secure=request.state.secure, path=f"{service.base_path}/", seconds=seconds)


def _with_cookie(line: str) -> Response:
    response = no_content()
    response.headers["set-cookie"] = line
    return response


def _principal_to_json(principal: Principal) -> Me:
    return {
        "id": principal.id,
        "kind": principal.kind.value,
        "on_behalf": principal.on_behalf,
        "administrator": principal.administrator,
        "roles": {subject: role.value for subject, role in principal.roles.items()},
    }


def _sign_in(service: Service) -> SignIn:
    if service.sign_in is None:
        raise NotFoundError("provider", "oidc")
    return service.sign_in


def _oidc_path(service: Service) -> str:
    return f"{service.base_path}/v1/oidc/"


def _redirect(url: str, *cookies: str) -> Response:
    response = Response(status_code=303, headers={"location": url, "cache-control": "no-store"})
    for cookie in cookies:
        response.headers.append("set-cookie", cookie)
    return response

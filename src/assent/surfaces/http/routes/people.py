"""`/v1/people`, `/v1/tokens`, `/v1/login` and others: people, roles, credentials and log-in."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, TypedDict

from pydantic import ConfigDict, Field, StringConstraints
from starlette.responses import Response

from assent.door.authentication import SESSION_LIFETIME, SIGN_IN_COOKIE, SIGN_IN_SECONDS, SignIn
from assent.door.credentials import SESSION_COOKIE, expired_cookie, read_cookie, set_cookie
from assent.errors import InputError, NotFoundError
from assent.gate.access import Kind, Principal, Role, check_administrator
from assent.gate.page_tokens import PageScope
from assent.gate.people import Credential, Purpose
from assent.gate.people import Person as RegisteredPerson
from assent.gate.unknown_tools import UnknownAnswer
from assent.surfaces.http.api.access import Administrator, Member, Person
from assent.surfaces.http.api.bodies import StrictRequest, no_content_response
from assent.surfaces.http.api.fields import (
    ACCEPT_WHOLE_FLOAT,
    GeneratedId,
    NonEmptyId,
    RoleSubject,
    StrictBody,
    StrictQuery,
)
from assent.surfaces.http.api.idempotency import IdempotencyKey, run_once
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.fields import maybe_moment_to_json
from assent.wire.people import credential_to_public_json, person_to_public_json

router = Router("/v1/people", "people")
login = Router("/v1", "people")
# Only browsers use these routes, so the OpenAPI document omits them.
oidc = Router("/v1/oidc", "people", is_documented=False)
credentials = Router("/v1", "people")
TEN_YEARS_SECONDS = 3650 * 24 * 3600
PersonName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=128)]
NonEmptyName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=128)]
_NO_CONTENT_RESPONSES = {204: {"description": "Successful Response"}}


class PersonIn(StrictBody):
    """A person to add."""

    id: NonEmptyName
    name: PersonName = ""
    administrator: bool = False


class RoleIn(StrictBody):
    """A person's role for a conversation or an agent; null removes it."""

    subject: RoleSubject
    role: Annotated[Role, Field(strict=False)] | None


class TokenIn(StrictBody):
    """A token to create; the token of an agent or service works on behalf of its creator by default."""

    kind: Annotated[Kind, Field(strict=False)]
    name: NonEmptyName
    on_behalf: PersonName = ""
    label: PersonName = ""
    seconds: Annotated[int, Field(ge=1, le=TEN_YEARS_SECONDS), ACCEPT_WHOLE_FLOAT] | None = None
    """Lifetime of the token; by default until it is revoked."""
    unknown: Annotated[UnknownAnswer, Field(strict=False)] | None = None
    """What happens to calls of tools that nobody declared to this agent; only administrators set it."""


class PageTokenIn(StrictBody):
    """A page token to create: pages of these origins may serve tools of this conversation."""

    conversation: NonEmptyId
    origins: Annotated[list[Annotated[str, StringConstraints(max_length=300)]], Field(min_length=1)]
    label: PersonName = ""
    seconds: Annotated[int, Field(ge=1, le=TEN_YEARS_SECONDS), ACCEPT_WHOLE_FLOAT] | None = None
    """Lifetime of the token; by default until it is revoked."""


class Login(StrictBody):
    """The secret of a log-in link."""

    link: Annotated[str, StringConstraints(max_length=256)]


class CallbackQuery(StrictQuery):
    """Parameters that the provider adds to the callback; unknown ones are ignored."""

    model_config = ConfigDict(extra="ignore")

    code: Annotated[str, Field(max_length=4096)] = ""
    state: Annotated[str, Field(max_length=4096)] = ""


class PeopleShown(TypedDict):
    """All people."""

    items: list[shapes.PersonJson]


class RolesShown(TypedDict):
    """A person's roles for conversations and agents of others."""

    roles: dict[str, Annotated[str, Role]]


class NewLoginLink(TypedDict):
    """A log-in link, shown once."""

    link: str
    expires_at: str | None


class CredentialsShown(TypedDict):
    """Active tokens or sessions."""

    items: list[shapes.CredentialJson]


class NewToken(shapes.CredentialJson):
    """A new token with its secret, which is shown once."""

    secret: str


class CurrentPrincipal(TypedDict):
    """The authenticated principal."""

    id: str
    kind: Annotated[str, Kind]
    on_behalf: str
    administrator: bool
    roles: dict[str, Annotated[str, Role]]


@router.get(name="find")
async def list_people(principal: Administrator, service: Service) -> PeopleShown:
    """List all people, including disabled ones."""
    return {
        "items": [person_to_public_json(one) for one in await service.authenticator.people.people(principal)]
    }


@router.post(status=201, name="add")
async def add_person(
    body: PersonIn, principal: Administrator, service: Service, request: StrictRequest, key: IdempotencyKey
) -> shapes.PersonJson:
    """Add a person, who then logs in with a link."""

    async def create_new_person() -> shapes.PersonJson:
        new = RegisteredPerson(id=body.id, name=body.name, administrator=body.administrator)
        return person_to_public_json(await service.authenticator.people.add_person(principal, new))

    return await run_once(service, principal, request, key, create_new_person)


@router.post("/{id}/disable", name="disable")
async def disable_person(id: NonEmptyId, principal: Administrator, service: Service) -> None:
    """Disable a person; their credentials, and those of their agents and services, are revoked."""
    await service.authenticator.people.disable_person(principal, id)


@router.post("/{id}/enable", name="enable")
async def enable_person(id: NonEmptyId, principal: Administrator, service: Service) -> None:
    """Enable a person again; revoked credentials stay revoked, so the person needs a new link."""
    await service.authenticator.people.enable_person(principal, id)


@router.post("/{id}/link", status=201, name="link")
async def create_login_link(id: NonEmptyId, principal: Administrator, service: Service) -> NewLoginLink:
    """Create a log-in link for a person, valid once within 15 minutes; the link is shown once."""
    minted = await service.authenticator.new_link(id, by=principal)
    return {"link": minted.secret, "expires_at": maybe_moment_to_json(minted.credential.expires_at)}


@router.get("/{id}/roles", name="roles")
async def list_roles(id: NonEmptyId, principal: Administrator, service: Service) -> RolesShown:
    """A person's roles for conversations and agents of others."""
    return await _read_roles(service, principal, id)


@router.put("/{id}/roles")
async def set_role(id: NonEmptyId, body: RoleIn, principal: Administrator, service: Service) -> RolesShown:
    """Set a person's role for `agent:NAME` or `conversation:ID`; null removes it."""
    await service.authenticator.people.set_role(principal, id, body.subject, body.role)
    return await _read_roles(service, principal, id)


@credentials.get("/tokens", name="tokens")
async def list_tokens(principal: Person, service: Service) -> CredentialsShown:
    """List your tokens and those of your agents; administrators see all tokens."""
    return _credentials_to_json(await service.authenticator.people.credentials(principal, Purpose.TOKEN))


@credentials.post("/tokens", status=201, name="make_token")
async def create_token(body: TokenIn, principal: Person, service: Service) -> NewToken:
    """Create a token. The secret is only in this reply, so the route accepts no idempotency key."""
    behalf = "" if body.kind is Kind.PERSON else body.on_behalf or principal.id
    if body.unknown is not None:
        if body.kind is not Kind.AGENT:
            raise InputError("`unknown` is for tokens of agents: only agents call tools")
        check_administrator(principal)
    minted = await service.authenticator.new_token(
        body.kind,
        body.name,
        by=principal,
        on_behalf=behalf,
        label=body.label,
        lives_for=None if body.seconds is None else timedelta(seconds=body.seconds),
    )
    if body.unknown is not None:
        await service.gate.unknown_tools.set_answer(principal, body.name, body.unknown)
    return {**credential_to_public_json(minted.credential), "secret": minted.secret}


@credentials.post("/page-tokens", status=201, name="make_page_token")
async def create_page_token(body: PageTokenIn, principal: Person, service: Service) -> NewToken:
    """Create a page token for a conversation of yours. The secret is only in this reply."""
    minted = await service.authenticator.new_page_token(
        PageScope(body.conversation, tuple(body.origins)),
        by=principal,
        label=body.label,
        lives_for=None if body.seconds is None else timedelta(seconds=body.seconds),
    )
    return {**credential_to_public_json(minted.credential), "secret": minted.secret}


@credentials.get("/page-tokens", name="page_tokens")
async def list_page_tokens(principal: Person, service: Service) -> CredentialsShown:
    """List the page tokens of your conversations; administrators see all of them."""
    return _credentials_to_json(await service.authenticator.people.credentials(principal, Purpose.PAGE))


@credentials.delete("/page-tokens/{id:generated}", name="end_page_token")
async def revoke_page_token(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a page token; pages that use it are disconnected within seconds."""
    await service.authenticator.people.revoke_credential(principal, Purpose.PAGE, id)


@credentials.delete("/tokens/{id:generated}", name="end_token")
async def revoke_token(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a token; it stops working immediately."""
    await service.authenticator.people.revoke_credential(principal, Purpose.TOKEN, id)


@credentials.get("/sessions", name="sessions")
async def list_sessions(principal: Person, service: Service) -> CredentialsShown:
    """List your sessions; administrators see all sessions."""
    return _credentials_to_json(await service.authenticator.people.credentials(principal, Purpose.SESSION))


@credentials.delete("/sessions/{id:generated}", name="end_session")
async def revoke_session(id: GeneratedId, principal: Person, service: Service) -> None:
    """Revoke a session."""
    await service.authenticator.people.revoke_credential(principal, Purpose.SESSION, id)


@login.post("/login", responses=_NO_CONTENT_RESPONSES)
async def log_in(body: Login, service: Service, request: StrictRequest) -> Response:
    """Log in with a log-in link, which works once; sets the session cookie. Needs no token."""
    minted = await service.authenticator.log_in(body.link, address=request.state.address)
    return _response_with_cookie(_session_cookie(minted.secret, service, request))


@login.post("/logout", responses=_NO_CONTENT_RESPONSES)
async def log_out(_: Person, service: Service, request: StrictRequest) -> Response:
    """End the session of this browser."""
    await service.authenticator.log_out(request.cookies.get(SESSION_COOKIE, ""))
    return _response_with_cookie(expired_cookie(secure=request.state.secure, path=f"{service.base_path}/"))


@login.get("/me", name="me")
async def read_current_principal(principal: Member) -> CurrentPrincipal:
    """Read the authenticated principal and its rights."""
    return _principal_to_json(principal)


@oidc.get("/start", name="start")
async def start_oidc(service: Service, request: StrictRequest) -> Response:
    """Redirect a browser to the provider; the state of the sign-in is kept in a cookie."""
    started = await _require_sign_in(service).begin()
    cookie = set_cookie(
        started.cookie,
        name=SIGN_IN_COOKIE,
        secure=request.state.secure,
        path=_oidc_cookie_path(service),
        seconds=SIGN_IN_SECONDS,
        from_links=True,
    )
    return _redirect_response(started.url, cookie)


@oidc.get("/callback", name="callback")
async def finish_oidc(query: CallbackQuery, service: Service, request: StrictRequest) -> Response:
    """Complete the sign-in after the provider's redirect; the only GET route that changes something.

    A provider can only redirect; the signed cookie proves that the sign-in began in this browser.
    """
    cookie = read_cookie(request.headers.getlist("cookie"), SIGN_IN_COOKIE)
    minted = await _require_sign_in(service).finish(
        query.code, query.state, cookie, address=request.state.address
    )
    session = _session_cookie(minted.secret, service, request)
    ended = expired_cookie(name=SIGN_IN_COOKIE, secure=request.state.secure, path=_oidc_cookie_path(service))
    return _redirect_response(f"{service.base_path}/", session, ended)


async def _read_roles(service: Service, principal: Principal, id: str) -> RolesShown:
    await service.authenticator.people.active_person(id)
    found = await service.authenticator.people.roles(principal, id)
    return {"roles": {subject: role.value for subject, role in found.items()}}


def _credentials_to_json(found: Sequence[Credential]) -> CredentialsShown:
    return {"items": [credential_to_public_json(one) for one in found]}


def _session_cookie(secret: str, service: Service, request: StrictRequest) -> str:
    seconds = int(SESSION_LIFETIME.total_seconds())
    return set_cookie(secret, secure=request.state.secure, path=f"{service.base_path}/", seconds=seconds)


def _response_with_cookie(line: str) -> Response:
    response = no_content_response()
    response.headers["set-cookie"] = line
    return response


def _principal_to_json(principal: Principal) -> CurrentPrincipal:
    return {
        "id": principal.id,
        "kind": principal.kind.value,
        "on_behalf": principal.on_behalf,
        "administrator": principal.administrator,
        "roles": {subject: role.value for subject, role in principal.roles.items()},
    }


def _require_sign_in(service: Service) -> SignIn:
    if service.sign_in is None:
        raise NotFoundError("provider", "oidc")
    return service.sign_in


def _oidc_cookie_path(service: Service) -> str:
    return f"{service.base_path}/v1/oidc/"


def _redirect_response(url: str, *cookies: str) -> Response:
    response = Response(status_code=303, headers={"location": url, "cache-control": "no-store"})
    for cookie in cookies:
        response.headers.append("set-cookie", cookie)
    return response

"""`/v1/login`, `/v1/logout`, `/v1/me` and `/v1/oidc`: people log in by a link or a provider, and log out."""

from typing import Annotated, TypedDict

from pydantic import ConfigDict, Field, StringConstraints
from starlette.responses import Response

from assent.door.authentication import SESSION_LIFE, SIGN_IN_COOKIE, SIGN_IN_SECONDS, SignIn
from assent.door.credentials import SESSION_COOKIE, expired_cookie, read_cookie, set_cookie
from assent.errors import NotFoundError
from assent.gate.access import Kind, Principal, Role
from assent.surfaces.http.api.access import Member, Person
from assent.surfaces.http.api.fields import Body, Query
from assent.surfaces.http.api.reply import no_content
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service

router = Router("/v1", "people")
# Browsers use these routes, programs do not: the OpenAPI document leaves them out.
oidc = Router("/v1/oidc", "people", is_documented=False)
_NO_CONTENT = {204: {"description": "Successful Response"}}


class Login(Body):
    """The secret of a log-in link."""

    link: Annotated[str, StringConstraints(max_length=256)]


class CallbackQuery(Query):
    """What the provider sends back; it may add more."""

    model_config = ConfigDict(extra="ignore")

    code: Annotated[str, Field(max_length=4096)] = ""
    state: Annotated[str, Field(max_length=4096)] = ""


class Me(TypedDict):
    """The authenticated principal."""

    id: str
    kind: Annotated[str, Kind]
    on_behalf: str
    administrator: bool
    roles: dict[str, Annotated[str, Role]]


@router.post("/login", responses=_NO_CONTENT)
async def log_in(body: Login, service: Service, request: StrictRequest) -> Response:
    """Log in with a log-in link, which works once; the browser gets a session. Needs no token."""
    minted = await service.authenticator.log_in(body.link, address=request.state.address)
    return _with_cookie(_session_cookie(minted.secret, service, request))


@router.post("/logout", responses=_NO_CONTENT)
async def log_out(_: Person, service: Service, request: StrictRequest) -> Response:
    """End the session of this browser."""
    await service.authenticator.log_out(request.cookies.get(SESSION_COOKIE, ""))
    return _with_cookie(expired_cookie(secure=request.state.secure, path=f"{service.base_path}/"))


@router.get("/me")
async def me(principal: Member) -> Me:
    """Read the authenticated principal and its rights."""
    return _shown(principal)


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


def _session_cookie(secret: str, service: Service, request: StrictRequest) -> str:
    seconds = int(SESSION_LIFE.total_seconds())
    return set_cookie(secret, secure=request.state.secure, path=f"{service.base_path}/", seconds=seconds)


def _with_cookie(line: str) -> Response:
    response = no_content()
    response.headers["set-cookie"] = line
    return response


def _shown(principal: Principal) -> Me:
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

"""`/v1/oidc`: a browser is sent to the provider, and comes back with somebody signed in."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from assent.door.cookie import cookie_in, ended_cookie, set_cookie
from assent.door.identity import SESSION_LIFE
from assent.door.signin import COOKIE, LIFE, SignIn
from assent.errors import NotFoundError
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute

# Browsers go here, programs do not: it is no part of the API that the OpenAPI document describes.
router = APIRouter(prefix="/v1/oidc", tags=["people"], route_class=StrictRoute, include_in_schema=False)
Said = Annotated[str, Query(max_length=4096)]


@router.get("/start")
async def start(service: Serving, request: Request) -> Response:
    """Send somebody to the provider; all that is kept of it is a cookie of theirs."""
    started = await _sign_in(service).begin()
    cookie = set_cookie(
        started.cookie,
        name=COOKIE,
        secure=request.state.secure,
        path=_path(service),
        seconds=LIFE,
        from_links=True,
    )
    return _sent_to(started.url, cookie)


@router.get("/callback")
async def callback(service: Serving, request: Request, code: Said = "", state: Said = "") -> Response:
    """Let in whoever comes back to the browser that began; the one change that a GET makes.

    A provider can only send somebody back by a link, and the sealed cookie says that it was begun here.
    """
    kept = cookie_in(request.headers.getlist("cookie"), COOKIE)
    minted = await _sign_in(service).finish(code, state, kept, address=request.state.address)
    home, secure = f"{service.base_path}/", request.state.secure
    seconds = int(SESSION_LIFE.total_seconds())
    session = set_cookie(minted.secret, secure=secure, path=home, seconds=seconds)
    return _sent_to(home, session, ended_cookie(name=COOKIE, secure=secure, path=_path(service)))


def _sign_in(service: Service) -> SignIn:
    if service.sign_in is None:
        raise NotFoundError("provider", "oidc")
    return service.sign_in


def _path(service: Service) -> str:
    return f"{service.base_path}/v1/oidc/"


def _sent_to(place: str, *cookies: str) -> Response:
    reply = Response(status_code=303, headers={"location": place, "cache-control": "no-store"})
    for cookie in cookies:
        reply.headers.append("set-cookie", cookie)
    return reply

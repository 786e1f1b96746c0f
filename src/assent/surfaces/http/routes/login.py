"""`/v1/login`, `/v1/logout` and `/v1/me`: a person comes in by a link, and leaves."""

from fastapi import APIRouter, Request, Response

from assent.door.cookie import SESSION, ended_cookie, set_cookie
from assent.door.identity import SESSION_LIFE
from assent.gate.access import Principal
from assent.surfaces.http.models.person import Login, Me
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member, Person

router = APIRouter(prefix="/v1", tags=["people"], route_class=StrictRoute)


@router.post("/login", status_code=204)
async def log_in(said: Login, service: Serving, request: Request) -> Response:
    """Come in by a log-in link: it works once, and gives the browser a session. Needs no token."""
    minted = await service.keeper.log_in(said.link, address=request.state.address)
    seconds = int(SESSION_LIFE.total_seconds())
    return _with_cookie(
        set_cookie(minted.secret, secure=request.state.secure, path=_path(service), seconds=seconds)
    )


@router.post("/logout", status_code=204)
async def log_out(_: Person, service: Serving, request: Request) -> Response:
    """End the session of this browser."""
    await service.keeper.log_out(request.cookies.get(SESSION, ""))
    return _with_cookie(ended_cookie(secure=request.state.secure, path=_path(service)))


@router.get("/me", response_model=Me)
async def me(principal: Member) -> Json:
    """Whoever asks, and what they may do."""
    return Json(_shown(principal))


def _with_cookie(line: str) -> Response:
    reply = nothing()
    reply.headers["set-cookie"] = line
    return reply


def _path(service: Service) -> str:
    return f"{service.base_path}/"


def _shown(principal: Principal) -> dict[str, object]:
    return {
        "id": principal.id,
        "kind": principal.kind.value,
        "on_behalf": principal.on_behalf,
        "administrator": principal.administrator,
        "roles": {subject: role.value for subject, role in principal.roles.items()},
    }

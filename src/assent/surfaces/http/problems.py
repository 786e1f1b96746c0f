"""Problems: every error as RFC 9457 JSON, saying what is wrong and nothing about our insides."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import cast

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assent.errors import (
    AssentError,
    ConfigError,
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    LoginError,
    NotFoundError,
    StateError,
    StoreError,
    ThrottledError,
    UnavailableError,
)
from assent.surfaces.http.reply import Json

_log = logging.getLogger("assent.http")
TYPE = "urn:assent:problem:"
_MOST_ERRORS = 20
_LONGEST = 500

STATUS: Mapping[type[AssentError], int] = {
    NotFoundError: 404,
    ForbiddenError: 403,
    ConflictError: 409,
    LimitError: 429,
    LoginError: 401,
    StoreError: 503,
    UnavailableError: 503,
    ConfigError: 500,
    AssentError: 422,
}
"""What each error is over HTTP; one that is not here is its nearest ancestor."""
AGAIN = {"retry-after": "1"}
"""Sent with every 503: seconds after which trying again may work."""
UNUSABLE = "the server cannot do this now, and nothing was run: try again later"
HIDDEN = "something went wrong on the server: look at what is there before you try again"
"""Said instead of an error's own words, which may tell of files, addresses or other people."""


class ProblemJson(Json):
    """A problem on its way out."""

    media_type = "application/problem+json"


def problem(
    status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
) -> ProblemJson:
    """A problem; its type is a word that programs can rely on."""
    phrase = HTTPStatus(status).phrase
    content = {
        "type": TYPE + phrase.lower().replace(" ", "-").replace("'", ""),
        "title": phrase,
        "status": status,
        "detail": detail[:_LONGEST],
        **more,
    }
    return ProblemJson(content, status_code=status, headers=headers)


def install(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Let every error of an app end as a problem."""

    async def of_http(request: Request, error: Exception) -> Json:
        found = cast("HTTPException", error)
        # What could not be read as JSON comes wrapped; the cause says where and why.
        detail = str(found.__cause__) if isinstance(found.__cause__, InputError) else str(found.detail)
        if found.status_code == 405:
            return problem(405, detail, headers={"allow": ", ".join(_methods(request.scope, routers))})
        return problem(found.status_code, detail, headers=found.headers)

    app.add_exception_handler(AssentError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_shape)
    app.add_exception_handler(HTTPException, of_http)


class Guarded:
    """The outermost edge: whatever nobody caught is a problem, and its words stay here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - the edge: it becomes a refusal, and is reported
            # Its message may hold what somebody passed as an argument: the log gets its name only.
            _log.error("a request failed (%s)", type(error).__name__)
            # Where part of a response is out, breaking off is all that can still be said.
            if not started and scope["type"] == "http":
                await problem(500, HIDDEN)(scope, receive, send)


async def _of_ours(_: Request, error: Exception) -> Json:
    kind = next(kind for kind in type(error).__mro__ if kind in STATUS)
    status = STATUS[cast("type[AssentError]", kind)]
    if isinstance(error, UnavailableError):
        return problem(status, str(error), headers=AGAIN)
    if status >= 500:
        _log.error("a request failed: %s", error)
        return problem(status, UNUSABLE, headers=AGAIN if status == 503 else None)
    if isinstance(error, StateError):
        return problem(status, str(error), state=error.state, by=error.by)
    if isinstance(error, ThrottledError):
        return problem(status, str(error), headers={"retry-after": str(error.seconds)})
    return problem(status, str(error))


async def _of_shape(_: Request, error: Exception) -> Json:
    """What was sent is not what the route takes; which field, and why, without repeating its value."""
    found = cast("Sequence[Mapping[str, object]]", cast("RequestValidationError", error).errors())
    errors = [{"field": _path(one["loc"]), "reason": str(one["msg"])} for one in found[:_MOST_ERRORS]]
    first = errors[0]
    return problem(400, f"field `{first['field']}`: {first['reason']}", errors=errors)


def _methods(scope: Scope, routers: Sequence[APIRouter]) -> list[str]:
    """All that can be done at an address; each route knows of its own method alone."""
    routes = [one for router in routers for one in router.routes if isinstance(one, APIRoute)]
    found = [one for one in routes if one.matches(scope)[0] is not Match.NONE]
    named = [one for one in found if one.path == scope["path"]]
    return sorted({method for one in named or found for method in one.methods or ()})


def _path(place: object) -> str:
    return ".".join(str(step)[:64] for step in cast("Sequence[object]", place))

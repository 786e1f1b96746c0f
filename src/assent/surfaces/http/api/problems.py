"""Problems: every error as RFC 9457 JSON, without internal details."""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assent.door.problem import Problem
from assent.errors import (
    AssentError,
    ConfigError,
    ConflictError,
    ForbiddenError,
    LimitError,
    LoginError,
    NotFoundError,
    StateError,
    StoreError,
    ThrottledError,
    UnavailableError,
)

_log = logging.getLogger("assent.http")
_MAX_ERRORS = 20
_MAX_NAME = 64

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
"""The HTTP status of each error class; a class that is not listed has the status of its nearest base."""
RETRY = {"retry-after": "1"}
"""Sent with every 503: the seconds after which to retry."""
UNAVAILABLE = "the server cannot do this now, and nothing was run: try again later"
INTERNAL = "an internal error occurred: check the current state before you try again"
"""Replaces the error's own message, which may name files, addresses or people."""
_PLAIN = {
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "extra_forbidden": "unknown field",
    "missing": "is required",
}
"""Our words for the most frequent messages of pydantic."""


class ProblemError(Exception):
    """Ends a request with a problem."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(status, detail, headers or {}, more)


class FieldError(NamedTuple):
    """What is wrong with one field."""

    path: Sequence[str | int]
    """Begins with where the field is: `body`, `query`, `path` or `header`."""
    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """The error in a problem; the value that was sent is not repeated."""
        field = ".".join(str(step)[:_MAX_NAME] for step in self.path)
        return {"field": field, "reason": _PLAIN.get(self.code, self.message)}


class FieldErrors(Exception):
    """The request does not have the shape that the route requires."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(errors)
        self.errors = errors


def problem_of(error: Exception) -> Problem | None:
    """The problem that an error becomes; None for an error that nobody expected."""
    match error:
        case ProblemError():
            return error.problem
        case FieldErrors():
            errors = [one.to_json() for one in error.errors[:_MAX_ERRORS]]
            first = errors[0]
            return Problem(400, f"field `{first['field']}`: {first['reason']}", {}, {"errors": errors})
        case AssentError():
            return _problem_of_assent(error)
        case _:
            return None


def to_response(problem: Problem) -> Response:
    """The response of a problem."""
    headers = {"cache-control": "no-store", **problem.headers}
    return Response(problem.body, problem.status, headers, media_type="application/problem+json")


class UnexpectedErrors:
    """The outermost layer: an error that nobody caught becomes a problem, and its message is not shown."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        started = False

        async def observed_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, observed_send)
        except Exception as error:  # noqa: BLE001 - the edge: it becomes a refusal, and is reported
            # The message may contain an argument of a call: only the class is logged.
            _log.error("a request failed (%s)", type(error).__name__)
            # A response that has begun can only be cut off.
            if not started and scope["type"] == "http":
                await to_response(Problem(500, INTERNAL))(scope, receive, send)


def _problem_of_assent(error: AssentError) -> Problem:
    kind = next(kind for kind in type(error).__mro__ if kind in STATUS)
    status = STATUS[cast("type[AssentError]", kind)]
    if isinstance(error, UnavailableError):
        return Problem(status, str(error), RETRY)
    if status >= 500:
        _log.error("a request failed: %s", error)
        return Problem(status, UNAVAILABLE, RETRY if status == 503 else {})
    if isinstance(error, StateError):
        return Problem(status, str(error), {}, {"state": error.state, "by": error.by})
    if isinstance(error, ThrottledError):
        return Problem(status, str(error), {"retry-after": str(error.seconds)})
    return Problem(status, str(error))

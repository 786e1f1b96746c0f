"""Converts every error to a problem (RFC 9457 JSON) without internal details."""

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
from assent.hosts.workbench.refusal import Reason, WorkbenchError

_log = logging.getLogger("assent.http")
_MAX_ERRORS = 20
_MAX_NAME_CHARACTERS = 64

STATUS_BY_ERROR: Mapping[type[AssentError], int] = {
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
"""The HTTP status of each error class; other classes have the status of their nearest base class."""
STATUS_BY_REASON: Mapping[Reason, int] = {
    Reason.ABSENT: 404,
    Reason.LARGE: 413,
    Reason.LIMIT: 429,
    **dict.fromkeys((Reason.FULL, Reason.FAILED), 503),
    **dict.fromkeys(
        (Reason.EXISTS, Reason.CHANGED, Reason.KIND, Reason.BUSY, Reason.BINARY, Reason.UNFIT), 409
    ),
    **dict.fromkeys(
        (Reason.OFF, Reason.OUTSIDE, Reason.LINK, Reason.PROTECTED, Reason.TICKET, Reason.DENIED), 403
    ),
}
"""The HTTP status of each reason for which the workbench refuses a request."""
RETRY_HEADERS = {"retry-after": "1"}
"""Headers of every 503 response: retry after one second."""
UNAVAILABLE_MESSAGE = "the server cannot do this now, and nothing was run: try again later"
INTERNAL_ERROR_MESSAGE = "an internal error occurred: check the current state before you try again"
"""Sent instead of the error's message, which may contain files, addresses or people."""
_PLAIN_MESSAGES = {
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "extra_forbidden": "unknown field",
    "missing": "is required",
}
"""Plain messages for the most frequent error types of pydantic."""


class ProblemError(Exception):
    """Raised by a handler to end the request with a problem."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(status, detail, headers or {}, more)


class FieldError(NamedTuple):
    """An error in one field of a request."""

    path: Sequence[str | int]
    """The path of the field; starts with `body`, `query`, `path` or `header`."""
    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """The JSON of the error, without the value that the client sent."""
        field = ".".join(str(step)[:_MAX_NAME_CHARACTERS] for step in self.path)
        return {"field": field, "reason": _PLAIN_MESSAGES.get(self.code, self.message)}


class FieldErrors(Exception):
    """The request has invalid fields."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(errors)
        self.errors = errors


def error_to_problem(error: Exception) -> Problem | None:
    """Convert an error to a problem; None for an unexpected error."""
    match error:
        case ProblemError():
            return error.problem
        case FieldErrors():
            errors = [one.to_json() for one in error.errors[:_MAX_ERRORS]]
            first = errors[0]
            return Problem(400, f"field `{first['field']}`: {first['reason']}", {}, {"errors": errors})
        case WorkbenchError():
            more = {"reason": error.reason.value, **error.facts}
            return Problem(STATUS_BY_REASON[error.reason], str(error), {}, more)
        case AssentError():
            return _assent_error_to_problem(error)
        case _:
            return None


def problem_to_response(problem: Problem) -> Response:
    """The HTTP response for a problem."""
    headers = {"cache-control": "no-store", **problem.headers}
    return Response(problem.body, problem.status, headers, media_type="application/problem+json")


class UnexpectedErrorHandler:
    """The outermost middleware: an uncaught error becomes a 500 problem without the error's message."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; logs and hides an uncaught error."""
        started = False

        async def send_and_note_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note_start)
        except Exception as error:  # noqa: BLE001 - the edge: it becomes a refusal, and is reported
            # Only the class is logged, because the message may contain an argument of a call.
            _log.error("a request failed (%s)", type(error).__name__)
            # A response that has started can only be aborted.
            if not started and scope["type"] == "http":
                await problem_to_response(Problem(500, INTERNAL_ERROR_MESSAGE))(scope, receive, send)


def _assent_error_to_problem(error: AssentError) -> Problem:
    kind = next(kind for kind in type(error).__mro__ if kind in STATUS_BY_ERROR)
    status = STATUS_BY_ERROR[cast("type[AssentError]", kind)]
    if isinstance(error, UnavailableError):
        return Problem(status, str(error), RETRY_HEADERS)
    if status >= 500:
        _log.error("a request failed: %s", error)
        return Problem(status, UNAVAILABLE_MESSAGE, RETRY_HEADERS if status == 503 else {})
    if isinstance(error, StateError):
        return Problem(status, str(error), {}, {"state": error.state, "by": error.by})
    if isinstance(error, ThrottledError):
        return Problem(status, str(error), {"retry-after": str(error.seconds)})
    return Problem(status, str(error))

"""Replies: JSON in ASCII, no content, and the cursors of paged lists."""

import base64
import json
from collections.abc import Generator
from contextlib import contextmanager

from starlette.responses import Response

from assent.errors import InputError
from assent.surfaces.http.api.problems import ProblemError

_NO_STORE = {"cache-control": "no-store"}


class Json(Response):
    """A JSON response."""

    media_type = "application/json"

    def __init__(self, content: object, status_code: int = 200) -> None:
        super().__init__(content, status_code, _NO_STORE)

    def render(self, content: object) -> bytes:
        """The content as JSON."""
        return to_text(content).encode()


def to_text(content: object) -> str:
    """The content as JSON in ASCII: a lone surrogate in a file name is escaped and cannot fail."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def no_content() -> Response:
    """A 204 response."""
    return Response(status_code=204, headers=_NO_STORE)


def next_cursor(after: str) -> str | None:
    """The cursor of a store's next page, for `next`; None at the end of the list."""
    return base64.urlsafe_b64encode(after.encode()).decode().rstrip("=") or None


@contextmanager
def decode_cursor(cursor: str) -> Generator[str]:
    """Where the store's page begins; a cursor that no page gave is refused, here or by the store."""
    try:
        yield base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (InputError, ValueError):
        raise ProblemError(400, "`after` must be the `next` of an earlier page") from None

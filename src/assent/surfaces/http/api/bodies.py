"""Bodies of requests and replies: JSON that is read strictly and written in ASCII, and cursors of lists."""

import asyncio
import base64
import json
from collections.abc import Generator
from contextlib import contextmanager

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from assent.config.strictjson import JsonLimiter, read_json
from assent.errors import InputError
from assent.surfaces.http.api.problems import ProblemError

LARGE_BODY = 100_000
"""Bytes above which a body is parsed on a thread."""
MAX_VALUES = 100_000
"""JSON values in one body; parsing more would delay other requests."""
_JSON = "application/json"
_WHAT = "the body"
_NO_STORE = {"cache-control": "no-store"}


class StrictRequest(Request):
    """A request with a strict JSON body."""

    async def body(self) -> bytes:
        """The whole body; reading stops at too many or too deeply nested values."""
        if not hasattr(self, "_body"):
            measure = JsonLimiter(MAX_VALUES, _WHAT)
            chunks: list[bytes] = []
            async for chunk in self.stream():
                measure.count_piece(chunk)
                chunks.append(chunk)
            self._body = b"".join(chunks)
        return self._body

    async def json(self) -> object:
        """The value of the body."""
        body = await self.body()
        return await asyncio.to_thread(_parse, body) if len(body) > LARGE_BODY else _parse(body)

    async def json_body(self) -> object:
        """The value of the body, or None; a body that is not JSON stays bytes, which no model accepts."""
        try:
            body = await self.body()
            if not body or self.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
                return body or None
            return await self.json()
        except (InputError, ClientDisconnect) as error:
            raise ProblemError(400, str(error)) from error


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


def _parse(body: bytes) -> object:
    return read_json(body, _WHAT)

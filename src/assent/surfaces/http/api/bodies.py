"""JSON bodies: strict parsing of requests, ASCII JSON for responses, and cursors of lists."""

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

LARGE_BODY_BYTES = 100_000
"""A body with more bytes is parsed in a thread."""
MAX_VALUES = 100_000
"""Maximum number of JSON values in one body; parsing more would delay other requests."""
_JSON_MEDIA_TYPE = "application/json"
_BODY_LABEL = "the body"
_NO_STORE_HEADERS = {"cache-control": "no-store"}


class StrictRequest(Request):
    """A request whose JSON body is parsed strictly."""

    async def body(self) -> bytes:
        """Read the body; raises an error for too many or too deeply nested JSON values."""
        if not hasattr(self, "_body"):
            measure = JsonLimiter(MAX_VALUES, _BODY_LABEL)
            chunks: list[bytes] = []
            async for chunk in self.stream():
                measure.count_piece(chunk)
                chunks.append(chunk)
            self._body = b"".join(chunks)
        return self._body

    async def json(self) -> object:
        """Parse the body as JSON."""
        body = await self.body()
        return (
            await asyncio.to_thread(_parse_body, body) if len(body) > LARGE_BODY_BYTES else _parse_body(body)
        )

    async def json_body(self) -> object:
        """The JSON of the body; None without a body; for other content types bytes, which are invalid."""
        try:
            body = await self.body()
            if (
                not body
                or self.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON_MEDIA_TYPE
            ):
                return body or None
            return await self.json()
        except (InputError, ClientDisconnect) as error:
            raise ProblemError(400, str(error)) from error


class JsonResponse(Response):
    """A JSON response that must not be cached."""

    media_type = "application/json"

    def __init__(self, content: object, status_code: int = 200) -> None:
        super().__init__(content, status_code, _NO_STORE_HEADERS)

    def render(self, content: object) -> bytes:
        """The content as JSON."""
        return to_ascii_json(content).encode()


def to_ascii_json(content: object) -> str:
    """Format content as ASCII JSON; lone surrogates, as in some file names, are escaped."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def no_content_response() -> Response:
    """A response with status 204 and no body."""
    return Response(status_code=204, headers=_NO_STORE_HEADERS)


def encode_next_cursor(after: str) -> str | None:
    """Encode the cursor of the next page; None at the end of the list."""
    return base64.urlsafe_b64encode(after.encode()).decode().rstrip("=") or None


@contextmanager
def decode_cursor(cursor: str) -> Generator[str]:
    """Decode a cursor; an invalid cursor, also one that the store rejects, becomes a 400 problem."""
    try:
        yield base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (InputError, ValueError):
        raise ProblemError(400, "`after` must be the `next` of an earlier page") from None


def _parse_body(body: bytes) -> object:
    return read_json(body, _BODY_LABEL)

"""A request whose JSON body is read strictly: no duplicate keys, no NaN, no excessive nesting."""

import asyncio

from starlette.requests import ClientDisconnect, Request

from assent.config.strictjson import JsonLimiter, read_json
from assent.errors import InputError
from assent.surfaces.http.api.problems import ProblemError

LARGE_BODY = 100_000
"""Bytes above which a body is parsed on a thread."""
MAX_VALUES = 100_000
"""JSON values in one body; parsing more would delay other requests."""
_JSON = "application/json"
_WHAT = "the body"


class StrictRequest(Request):
    """A request with a strict JSON body."""

    async def body(self) -> bytes:
        """The whole body; reading stops at too many or too deeply nested values."""
        if not hasattr(self, "_body"):
            measure = JsonLimiter(MAX_VALUES, _WHAT)
            chunks: list[bytes] = []
            async for chunk in self.stream():
                measure.check(chunk)
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


def _parse(body: bytes) -> object:
    return read_json(body, _WHAT)

"""Strict requests: what two readers could understand differently never reaches a route."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.convertors import Convertor, register_url_convertor

from assent.config.strictjson import JsonLimiter, read_json

LARGE = 100_000
"""Bytes of a body that is read aside."""
MOST_VALUES = 100_000
"""Values in one body: a few long texts are what is large, and many small values would hold everybody up."""


class MarkConvertor(Convertor[str]):
    """An id of ours in a path: whatever is not spelled like one leads nowhere."""

    regex = "[0-9a-f]{32}"

    def convert(self, value: str) -> str:
        """The id."""
        return value

    def to_string(self, value: str) -> str:
        """The path's own spelling."""
        return value


register_url_convertor("mark", MarkConvertor())


class StrictRequest(Request):
    """A request whose body is read strictly."""

    async def body(self) -> bytes:
        """The whole body; one that holds too many values, or too deep ones, is not read to its end."""
        if not hasattr(self, "_body"):
            measure = JsonLimiter(MOST_VALUES, _WHAT)
            pieces: list[bytes] = []
            async for piece in self.stream():
                measure.check(piece)
                pieces.append(piece)
            self._body = b"".join(pieces)
        return self._body

    async def json(self) -> object:
        """The value of the body; duplicate keys, NaN, lone surrogates and excess are errors."""
        body = await self.body()
        # Others are served meanwhile: a large body may take a while to read.
        return await asyncio.to_thread(_read, body) if len(body) > LARGE else _read(body)


_WHAT = "the body"


def _read(body: bytes) -> object:
    return read_json(body, _WHAT)


class StrictRoute(APIRoute):
    """A route that takes strict bodies."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, on a strict request."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly

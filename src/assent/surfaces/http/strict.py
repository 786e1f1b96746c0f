"""Strict requests: what two readers could understand differently never reaches a route."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.convertors import Convertor, register_url_convertor

from assent.config.strictjson import read_json


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

    async def json(self) -> object:
        """The value of the body; duplicate keys, NaN, lone surrogates and excess are errors."""
        return read_json(await self.body(), "the body")


class StrictRoute(APIRoute):
    """A route that takes strict bodies."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, on a strict request."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly

"""Plain routes: those that take a body, an id and who came, and nothing else, are called straight away."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple, get_args, get_type_hints

from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from assent.errors import InputError
from assent.surfaces.http.models.base import Mark, Received
from assent.surfaces.http.strict import StrictRequest, StrictRoute

_ID = re.compile(r"/[0-9a-f]{32}(?=/|$)")
_ANY_ID = "/{id:mark}"
_JSON = "application/json"
_MISSING = {"type": "missing", "loc": ("body",), "msg": "Field required", "input": None}
_TRACED = "fastapi.telemetry"

Given = Callable[[Request], Awaitable[object]]
"""Finds in a request what a parameter is given."""


class Plain(NamedTuple):
    """A route whose parameters are of few kinds: FastAPI would find out at each request which they are."""

    endpoint: Callable[..., Awaitable[Response]]
    given: Mapping[str, Given]
    body: tuple[str, type[BaseModel]] | None
    takes_id: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, in the order in which FastAPI looks at it: who comes, then what they say."""
        request = StrictRequest(scope, receive)
        said = None if self.body is None else await _read(request)
        values = {name: await found(request) for name, found in self.given.items()}
        if self.takes_id:
            values["id"] = scope["path_params"]["id"]
        if self.body is not None:
            name, model = self.body
            values[name] = _valid(model, said)
        response = await self.endpoint(**values)
        await response(scope, receive, send)


class ShortWay:
    """Finds a plain route by its address alone; whatever else comes takes the long way."""

    def __init__(self, routes: Iterable[object], long_way: ASGIApp) -> None:
        ours = [one for one in routes if isinstance(one, StrictRoute)]
        self._plain = {
            (method, route.path): plain
            for route in ours
            if (plain := plain_of(route)) is not None
            for method in route.methods or ()
        }
        self._long_way = long_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        found = None
        # Whoever is traced goes where the route is named in the trace.
        if scope["type"] == "http" and _TRACED not in scope:
            found = self.found(scope)
        await (found or self._long_way)(scope, receive, send)

    def found(self, scope: Scope) -> Plain | None:
        """The plain route that is meant, with the id of its address in the scope."""
        path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
        id_ = _ID.search(path)
        if id_ is None:
            # An address that is spelled like a route's own, braces and all, names no id.
            return None if _ANY_ID in path else self._plain.get((scope["method"], path))
        scope["path_params"] = {"id": id_[0][1:]}
        return self._plain.get((scope["method"], path[: id_.start()] + _ANY_ID + path[id_.end() :]))


def plain_of(route: APIRoute) -> Plain | None:
    """The same route without a solver; None where it takes what only FastAPI knows how to find."""
    hints = get_type_hints(route.endpoint, include_extras=True)
    if route.dependencies or not _is_kind(hints.pop("return"), Response):
        return None
    given = {name: found for name, kind in hints.items() if (found := _given(kind)) is not None}
    bodies = [(name, kind) for name, kind in hints.items() if _is_kind(kind, Received)]
    takes_id = hints.get("id") == Mark and _ANY_ID in route.path
    if len(bodies) > 1 or len(given) + len(bodies) + takes_id < len(hints):
        return None
    return Plain(route.endpoint, given, bodies[0] if bodies else None, takes_id)


def _given(kind: object) -> Given | None:
    """What takes the request and nothing else: itself, or a dependency that asks for nothing more."""
    if kind is Request:
        return _itself
    found = next((one.dependency for one in get_args(kind) if isinstance(one, Depends)), None)
    if found is None:
        return None
    taken = [kind for name, kind in get_type_hints(found).items() if name != "return"]
    return found if taken in ([Request], [HTTPConnection]) else None


def _is_kind(kind: object, wanted: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, wanted)


async def _itself(request: Request) -> Request:
    return request


async def _read(request: StrictRequest) -> object:
    """What the body says, None where there is none; what nobody calls JSON is not read as such."""
    try:
        body = await request.body()
        if not body or request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            return body or None
        return await request.json()
    except (InputError, ClientDisconnect) as error:
        raise HTTPException(400, str(error)) from error


def _valid(model: type[BaseModel], said: object) -> BaseModel:
    if said is None:
        raise RequestValidationError([_MISSING])
    try:
        return model.model_validate(said, from_attributes=True)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in found]) from None

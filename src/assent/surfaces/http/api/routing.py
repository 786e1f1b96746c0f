"""Routes: declared by a handler's signature, found by path and method, and answered in one place.

A handler declares with its annotations what it needs: the `Service`, the `StrictRequest`, a principal of an
`Audience`, ids of the path, a `Query`, headers and a `Body`. Its return annotation is the JSON of the reply.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from assent.surfaces.http.api.access import Audience, authorize
from assent.surfaces.http.api.bodies import Json, StrictRequest, no_content
from assent.surfaces.http.api.fields import Body, Query
from assent.surfaces.http.api.problems import (
    FieldError,
    FieldErrors,
    ProblemError,
    problem_of,
    to_response,
)
from assent.surfaces.http.api.service import Service

GENERATED = "{id:generated}"
"""The segment of a path that matches a generated id only; any other text there is not found."""
_ID_LENGTH = 32
_HEX = frozenset("0123456789abcdef")
Handler = Callable[..., Awaitable[object]]
SocketHandler = Callable[[WebSocket, Service], Awaitable[None]]
H = TypeVar("H", bound=Handler)


class Header(NamedTuple):
    """Marks a parameter of a handler that comes from a header."""

    name: str


class Call(NamedTuple):
    """One request on its way to a handler."""

    request: StrictRequest
    service: Service
    ids: Mapping[str, str]
    body: object
    """The JSON of the body; None without one."""
    errors: list[FieldError]
    """Every wrong field of the request, so that the client sees all of them at once."""


class Source(Protocol):
    """Where an argument of a handler comes from."""

    def read(self, call: Call) -> object:
        """The argument; a wrong field is added to the call's errors."""
        ...


class FromRequest(NamedTuple):
    """The request itself."""

    def read(self, call: Call) -> object:
        """The request."""
        return call.request


class FromService(NamedTuple):
    """The service that the app was made for."""

    def read(self, call: Call) -> object:
        """The service."""
        return call.service


class FromAudience(NamedTuple):
    """The principal, if it belongs to the audience."""

    audience: Audience

    def read(self, call: Call) -> object:
        """The principal."""
        return authorize(call.request, self.audience)


class FromPath(NamedTuple):
    """An id of the path."""

    name: str
    type: TypeAdapter[Any]

    def read(self, call: Call) -> object:
        """The id."""
        return _validate(call, self.type.validate_python, call.ids[self.name], "path", self.name)


class FromHeader(NamedTuple):
    """A header that may be missing."""

    name: str
    type: TypeAdapter[Any]

    def read(self, call: Call) -> object:
        """The header's value, or None."""
        value = call.request.headers.get(self.name)
        return (
            None if value is None else _validate(call, self.type.validate_python, value, "header", self.name)
        )


class FromQuery(NamedTuple):
    """All query parameters."""

    model: type[BaseModel]
    lists: frozenset[str]
    """The parameters that may be repeated."""

    def read(self, call: Call) -> object:
        """The parameters; a repeated one is refused unless it is a list: readers pick different values."""
        given = call.request.query_params
        values: dict[str, str | list[str]] = {}
        for name in given:
            every = given.getlist(name)
            if len(every) > 1 and name in self.model.model_fields and name not in self.lists:
                call.errors.append(FieldError(("query", name), "repeated", "must be given once"))
            values[name] = every if name in self.lists else every[-1]
        return _validate(call, self.model.model_validate, values, "query")


class FromBody(NamedTuple):
    """The JSON body."""

    model: type[BaseModel]

    def read(self, call: Call) -> object:
        """The body."""
        if call.body is None:
            call.errors.append(FieldError(("body",), "missing", ""))
            return None
        return _validate(call, self.model.model_validate, call.body, "body")


_ORDER = (FromRequest, FromService, FromAudience, FromPath, FromQuery, FromHeader, FromBody)
"""The order of reading: a client that may not use the route does not learn what is wrong with its request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A method of a path, and the handler behind it."""

    method: str
    path: str
    tag: str
    """The section of the documents that the route belongs to."""
    name: str
    """The name of the operation within its tag."""
    handler: Handler
    status: int
    """The status of a reply with content."""
    responses: Mapping[int, Mapping[str, Any]]
    """The description of replies that are not JSON, for the OpenAPI document."""
    is_documented: bool
    sources: Mapping[str, Source]
    takes_body: bool

    @property
    def audience(self) -> Audience:
        """Who may use the route."""
        found = (one.audience for one in self.sources.values() if isinstance(one, FromAudience))
        return next(found, Audience.ANYBODY)

    async def respond(self, request: StrictRequest, service: Service, ids: Mapping[str, str]) -> Response:
        """Call the handler, and turn what it returns into a response."""
        body = await request.json_body() if self.takes_body else None
        call = Call(request, service, ids, body, [])
        arguments = {name: source.read(call) for name, source in self.sources.items()}
        if call.errors:
            raise FieldErrors(call.errors)
        result = await self.handler(**arguments)
        if isinstance(result, Response):
            return result
        return no_content() if result is None else Json(result, self.status)


@dataclass(frozen=True, slots=True)
class Router:
    """Collects the routes of a module."""

    prefix: str
    tag: str
    is_documented: bool = True
    routes: list[Route] = field(default_factory=list[Route])
    sockets: dict[str, SocketHandler] = field(default_factory=dict[str, SocketHandler])

    def get(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for GET."""
        return self._add("GET", path, **more)

    def post(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for POST."""
        return self._add("POST", path, **more)

    def put(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for PUT."""
        return self._add("PUT", path, **more)

    def patch(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for PATCH."""
        return self._add("PATCH", path, **more)

    def delete(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for DELETE."""
        return self._add("DELETE", path, **more)

    def websocket(self, path: str) -> Callable[[SocketHandler], SocketHandler]:
        """Declare a handler for a WebSocket."""

        def add(handler: SocketHandler) -> SocketHandler:
            self.sockets[self.prefix + path] = handler
            return handler

        return add

    def _add(
        self,
        method: str,
        path: str,
        *,
        name: str = "",
        status: int = 200,
        responses: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> Callable[[H], H]:
        def add(handler: H) -> H:
            sources = _sources(handler)
            self.routes.append(
                Route(
                    method=method,
                    path=self.prefix + path,
                    tag=self.tag,
                    name=name or handler.__name__,
                    handler=handler,
                    status=status,
                    responses=responses or {},
                    is_documented=self.is_documented,
                    sources=sources,
                    takes_body=any(isinstance(one, FromBody) for one in sources.values()),
                )
            )
            return handler

        return add


class Dispatcher:
    """Finds the route of a request and answers it; every expected error becomes a problem."""

    def __init__(self, routers: Sequence[Router], service: Service) -> None:
        self._service = service
        self._sockets = {path: handler for router in routers for path, handler in router.sockets.items()}
        self._root = _Node()
        for route in (one for router in routers for one in router.routes):
            self._root.add(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or WebSocket."""
        path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
        if scope["type"] == "websocket":
            await self._serve_socket(path, WebSocket(scope, receive, send))
            return
        request = StrictRequest(scope, receive)
        try:
            route, ids = self._find(scope["method"], path)
            response = await route.respond(request, self._service, ids)
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                raise
            response = to_response(problem)
        await response(scope, receive, send)

    def _find(self, method: str, path: str) -> tuple[Route, Mapping[str, str]]:
        matches = list(self._root.matches(path.split("/")[1:], ()))
        for methods, values in matches:
            if method in methods:
                return methods[method], dict(values)
        if matches:
            # The first match is the most exact one: its methods are the ones that this path allows.
            allowed = ", ".join(sorted(matches[0][0]))
            raise ProblemError(405, f"this path allows {allowed}", headers={"allow": allowed})
        raise ProblemError(404, "this path does not exist")

    async def _serve_socket(self, path: str, socket: WebSocket) -> None:
        handler = self._sockets.get(path)
        if handler is None:
            await socket.close()
            return
        await handler(socket, self._service)


Match = tuple[Mapping[str, Route], tuple[tuple[str, str], ...]]
"""The routes of a path by method, and the ids in the path."""


@dataclass(slots=True)
class _Node:
    """One segment of the tree of paths."""

    literals: dict[str, "_Node"] = field(default_factory=dict[str, "_Node"])
    generated: "_Node | None" = None
    """Below a generated id."""
    named: "_Node | None" = None
    """Below an id that a client chose."""
    name: str = ""
    """The name of that id."""
    methods: dict[str, Route] = field(default_factory=dict[str, Route])

    def add(self, route: Route) -> None:
        """Put a route in its place."""
        node = self
        for segment in route.path.split("/")[1:]:
            node = node._below(segment)
        node.methods[route.method] = route

    def matches(self, segments: Sequence[str], ids: tuple[tuple[str, str], ...]) -> Iterator[Match]:
        """The places that a path leads to, the most exact one first."""
        if not segments:
            if self.methods:
                yield self.methods, ids
            return
        segment, rest = segments[0], segments[1:]
        literal = self.literals.get(segment)
        if literal is not None:
            yield from literal.matches(rest, ids)
        if self.generated is not None and len(segment) == _ID_LENGTH and _HEX.issuperset(segment):
            yield from self.generated.matches(rest, (*ids, ("id", segment)))
        if self.named is not None and segment:
            yield from self.named.matches(rest, (*ids, (self.name, segment)))

    def _below(self, segment: str) -> "_Node":
        if segment == GENERATED:
            self.generated = self.generated or _Node()
            return self.generated
        if segment.startswith("{"):
            self.named, self.name = self.named or _Node(), segment.strip("{}")
            return self.named
        return self.literals.setdefault(segment, _Node())


def _sources(handler: Handler) -> dict[str, Source]:
    """Where each argument of a handler comes from, in the order of reading."""
    hints = get_type_hints(handler, include_extras=True)
    found = {name: _source(name, hints[name]) for name in inspect.signature(handler).parameters}
    return dict(sorted(found.items(), key=lambda one: _ORDER.index(type(one[1]))))


def _source(name: str, kind: Any) -> Source:
    if kind is StrictRequest:
        return FromRequest()
    if kind is Service:
        return FromService()
    if isinstance(kind, type) and issubclass(kind, Query):
        lists = (name for name, one in kind.model_fields.items() if get_origin(one.annotation) is list)
        return FromQuery(kind, frozenset(lists))
    if isinstance(kind, type) and issubclass(kind, Body):
        return FromBody(kind)
    for mark in get_args(kind)[1:]:
        if isinstance(mark, Audience):
            return FromAudience(mark)
        if isinstance(mark, Header):
            return FromHeader(mark.name, _adapter(kind))
    return FromPath(name, _adapter(kind))


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _validate(call: Call, validate: Callable[[Any], object], value: object, *where: str) -> object:
    try:
        return validate(value)
    except ValidationError as error:
        call.errors.extend(_errors(error, where))
        return None


def _errors(error: ValidationError, where: tuple[str, ...]) -> Iterable[FieldError]:
    for one in error.errors(include_url=False, include_input=False):
        yield FieldError((*where, *one["loc"]), one["type"], one["msg"])

"""Routing: handlers declare their inputs by annotations; the dispatcher finds and calls them.

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
from assent.surfaces.http.api.bodies import JsonResponse, StrictRequest, no_content_response
from assent.surfaces.http.api.fields import StrictBody, StrictQuery
from assent.surfaces.http.api.problems import (
    FieldError,
    FieldErrors,
    ProblemError,
    error_to_problem,
    problem_to_response,
)
from assent.surfaces.http.api.service import Service

GENERATED_ID_SEGMENT = "{id:generated}"
"""Path segment that matches only an id that the server generated; other texts get a 404."""
_ID_LENGTH = 32
_HEX = frozenset("0123456789abcdef")
Handler = Callable[..., Awaitable[object]]
SocketHandler = Callable[[WebSocket, Service], Awaitable[None]]
H = TypeVar("H", bound=Handler)


class Header(NamedTuple):
    """Annotation of a handler's parameter that is read from a header."""

    name: str


class RoutedRequest(NamedTuple):
    """A request whose route is found, with the inputs for its handler."""

    request: StrictRequest
    service: Service
    ids: Mapping[str, str]
    body: object
    """The JSON of the body; None without a body."""
    errors: list[FieldError]
    """All invalid fields, so that the client sees all errors at once."""


class ArgumentSource(Protocol):
    """The part of a request that an argument of a handler is read from."""

    def read_argument(self, routed: RoutedRequest) -> object:
        """Read the argument; an invalid field is added to the request's errors."""
        ...


class FromRequest(NamedTuple):
    """Passes the request itself."""

    def read_argument(self, routed: RoutedRequest) -> object:
        """Return the request."""
        return routed.request


class FromService(NamedTuple):
    """Passes the service of the app."""

    def read_argument(self, routed: RoutedRequest) -> object:
        """Return the service."""
        return routed.service


class FromAudience(NamedTuple):
    """Passes the principal, which must belong to the audience."""

    audience: Audience

    def read_argument(self, routed: RoutedRequest) -> object:
        """Return the principal, or raise an error if it does not belong to the audience."""
        return authorize(routed.request, self.audience)


class FromPath(NamedTuple):
    """Passes an id from the path."""

    name: str
    type: TypeAdapter[Any]

    def read_argument(self, routed: RoutedRequest) -> object:
        """Validate and return the id."""
        return _validate_value(routed, self.type.validate_python, routed.ids[self.name], "path", self.name)


class FromHeader(NamedTuple):
    """Passes an optional header."""

    name: str
    type: TypeAdapter[Any]

    def read_argument(self, routed: RoutedRequest) -> object:
        """Validate and return the header; None if it is missing."""
        value = routed.request.headers.get(self.name)
        return (
            None
            if value is None
            else _validate_value(routed, self.type.validate_python, value, "header", self.name)
        )


class FromQuery(NamedTuple):
    """Passes all query parameters as one model."""

    model: type[BaseModel]
    lists: frozenset[str]
    """Names of parameters that may be repeated."""

    def read_argument(self, routed: RoutedRequest) -> object:
        """Validate and return the parameters; only list parameters may be repeated."""
        given = routed.request.query_params
        values: dict[str, str | list[str]] = {}
        for name in given:
            every = given.getlist(name)
            if len(every) > 1 and name in self.model.model_fields and name not in self.lists:
                routed.errors.append(FieldError(("query", name), "repeated", "must be given once"))
            values[name] = every if name in self.lists else every[-1]
        return _validate_value(routed, self.model.model_validate, values, "query")


class FromBody(NamedTuple):
    """Passes the JSON body as a model."""

    model: type[BaseModel]

    def read_argument(self, routed: RoutedRequest) -> object:
        """Validate and return the body."""
        if routed.body is None:
            routed.errors.append(FieldError(("body",), "missing", ""))
            return None
        return _validate_value(routed, self.model.model_validate, routed.body, "body")


_READING_ORDER = (FromRequest, FromService, FromAudience, FromPath, FromQuery, FromHeader, FromBody)
"""Access is checked first, so that an unauthorized client gets no validation errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An HTTP method and path, and the handler that serves it."""

    method: str
    path: str
    tag: str
    """The section of the API reference that contains the route."""
    name: str
    """The name of the operation within its tag."""
    handler: Handler
    status: int
    """Status of a successful reply with content."""
    responses: Mapping[int, Mapping[str, Any]]
    """Descriptions of replies that are not JSON, for the OpenAPI document."""
    is_documented: bool
    sources: Mapping[str, ArgumentSource]
    takes_body: bool

    @property
    def audience(self) -> Audience:
        """Who may use the route."""
        found = (one.audience for one in self.sources.values() if isinstance(one, FromAudience))
        return next(found, Audience.ANYBODY)

    async def respond_to_request(
        self, request: StrictRequest, service: Service, ids: Mapping[str, str]
    ) -> Response:
        """Read the arguments, call the handler, and convert its result to a response."""
        body = await request.json_body() if self.takes_body else None
        routed = RoutedRequest(request, service, ids, body, [])
        arguments = {name: source.read_argument(routed) for name, source in self.sources.items()}
        if routed.errors:
            raise FieldErrors(routed.errors)
        result = await self.handler(**arguments)
        if isinstance(result, Response):
            return result
        return no_content_response() if result is None else JsonResponse(result, self.status)


@dataclass(frozen=True, slots=True)
class Router:
    """Collects the routes of one module."""

    prefix: str
    tag: str
    is_documented: bool = True
    routes: list[Route] = field(default_factory=list[Route])
    sockets: dict[str, SocketHandler] = field(default_factory=dict[str, SocketHandler])

    def get(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for GET."""
        return self._declare_route("GET", path, **more)

    def post(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for POST."""
        return self._declare_route("POST", path, **more)

    def put(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for PUT."""
        return self._declare_route("PUT", path, **more)

    def patch(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for PATCH."""
        return self._declare_route("PATCH", path, **more)

    def delete(self, path: str = "", **more: Any) -> Callable[[H], H]:
        """Declare a handler for DELETE."""
        return self._declare_route("DELETE", path, **more)

    def websocket(self, path: str) -> Callable[[SocketHandler], SocketHandler]:
        """Declare a handler for a WebSocket."""

        def register_socket_handler(handler: SocketHandler) -> SocketHandler:
            self.sockets[self.prefix + path] = handler
            return handler

        return register_socket_handler

    def _declare_route(
        self,
        method: str,
        path: str,
        *,
        name: str = "",
        status: int = 200,
        responses: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> Callable[[H], H]:
        def register_handler(handler: H) -> H:
            sources = _argument_sources(handler)
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

        return register_handler


class Dispatcher:
    """Finds the route of each request and calls its handler; expected errors become problems."""

    def __init__(self, routers: Sequence[Router], service: Service) -> None:
        self._service = service
        self._sockets = {path: handler for router in routers for path, handler in router.sockets.items()}
        self._root = _PathNode()
        for route in (one for router in routers for one in router.routes):
            self._root.add_route(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or WebSocket."""
        path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
        if scope["type"] == "websocket":
            await self._serve_socket(path, WebSocket(scope, receive, send))
            return
        request = StrictRequest(scope, receive)
        try:
            route, ids = self._find_route(scope["method"], path)
            response = await route.respond_to_request(request, self._service, ids)
        except Exception as error:
            problem = error_to_problem(error)
            if problem is None:
                raise
            response = problem_to_response(problem)
        await response(scope, receive, send)

    def _find_route(self, method: str, path: str) -> tuple[Route, Mapping[str, str]]:
        matches = list(self._root.find_matches(path.split("/")[1:], ()))
        for methods, values in matches:
            if method in methods:
                return methods[method], dict(values)
        if matches:
            # The first match is the most specific path, so its methods are reported.
            allowed = ", ".join(sorted(matches[0][0]))
            raise ProblemError(405, f"this path allows {allowed}", headers={"allow": allowed})
        raise ProblemError(404, "this path does not exist")

    async def _serve_socket(self, path: str, socket: WebSocket) -> None:
        handler = self._sockets.get(path)
        if handler is None:
            await socket.close()
            return
        await handler(socket, self._service)


PathMatch = tuple[Mapping[str, Route], tuple[tuple[str, str], ...]]
"""The routes of a matching path by method, and the ids in the path."""


@dataclass(slots=True)
class _PathNode:
    """A node of the tree of all paths; each level is one path segment."""

    literals: dict[str, "_PathNode"] = field(default_factory=dict[str, "_PathNode"])
    generated: "_PathNode | None" = None
    """Child node for a generated id."""
    named: "_PathNode | None" = None
    """Child node for an id that a client chooses."""
    name: str = ""
    """Parameter name of the id that a client chooses."""
    methods: dict[str, Route] = field(default_factory=dict[str, Route])

    def add_route(self, route: Route) -> None:
        """Insert a route into the tree."""
        node = self
        for segment in route.path.split("/")[1:]:
            node = node._find_or_add_child(segment)
        node.methods[route.method] = route

    def find_matches(self, segments: Sequence[str], ids: tuple[tuple[str, str], ...]) -> Iterator[PathMatch]:
        """All matches of a path, the most specific first."""
        if not segments:
            if self.methods:
                yield self.methods, ids
            return
        segment, rest = segments[0], segments[1:]
        literal = self.literals.get(segment)
        if literal is not None:
            yield from literal.find_matches(rest, ids)
        if self.generated is not None and len(segment) == _ID_LENGTH and _HEX.issuperset(segment):
            yield from self.generated.find_matches(rest, (*ids, ("id", segment)))
        if self.named is not None and segment:
            yield from self.named.find_matches(rest, (*ids, (self.name, segment)))

    def _find_or_add_child(self, segment: str) -> "_PathNode":
        if segment == GENERATED_ID_SEGMENT:
            self.generated = self.generated or _PathNode()
            return self.generated
        if segment.startswith("{"):
            self.named, self.name = self.named or _PathNode(), segment.strip("{}")
            return self.named
        return self.literals.setdefault(segment, _PathNode())


def _argument_sources(handler: Handler) -> dict[str, ArgumentSource]:
    """The source of each argument of a handler, in reading order."""
    hints = get_type_hints(handler, include_extras=True)
    found = {name: _argument_source(name, hints[name]) for name in inspect.signature(handler).parameters}
    return dict(sorted(found.items(), key=lambda one: _READING_ORDER.index(type(one[1]))))


def _argument_source(name: str, kind: Any) -> ArgumentSource:
    if kind is StrictRequest:
        return FromRequest()
    if kind is Service:
        return FromService()
    if isinstance(kind, type) and issubclass(kind, StrictQuery):
        lists = (name for name, one in kind.model_fields.items() if get_origin(one.annotation) is list)
        return FromQuery(kind, frozenset(lists))
    if isinstance(kind, type) and issubclass(kind, StrictBody):
        return FromBody(kind)
    for mark in get_args(kind)[1:]:
        if isinstance(mark, Audience):
            return FromAudience(mark)
        if isinstance(mark, Header):
            return FromHeader(mark.name, _type_adapter(kind))
    return FromPath(name, _type_adapter(kind))


def _type_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _validate_value(
    routed: RoutedRequest, validate: Callable[[Any], object], value: object, *where: str
) -> object:
    try:
        return validate(value)
    except ValidationError as error:
        routed.errors.extend(_to_field_errors(error, where))
        return None


def _to_field_errors(error: ValidationError, where: tuple[str, ...]) -> Iterable[FieldError]:
    for one in error.errors(include_url=False, include_input=False):
        yield FieldError((*where, *one["loc"]), one["type"], one["msg"])

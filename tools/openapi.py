"""Generates docs/reference/openapi.json from the routes, and docs/reference/api.md from openapi.json.

`write` writes both files; a test fails if they are out of date.
"""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import BaseModel
from starlette.responses import Response

from assent.surfaces.http.api.access import Audience
from assent.surfaces.http.api.routing import FromBody, FromHeader, FromPath, FromQuery, Route
from assent.surfaces.http.app import ROUTERS
from assent.version import __version__
from tools.api_page import api_page_text

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reference/openapi.json"
PAGE = ROOT / "docs/reference/api.md"
API_TITLE = "Assent"
API_DESCRIPTION = (
    "The gate between AI agents and what they can do: calls are decided, people are asked and remembered."
)
PROBLEM_STATUSES = {
    "400": "the request cannot be read",
    "401": "authentication is required, or the token is unknown, expired or revoked",
    "403": "a right is missing, or the request comes from another site",
    "404": "it does not exist, or you may not see it",
    "409": "somebody was first, or it has changed",
    "413": "the request is too large",
    "415": "the request is not JSON",
    "422": "the request was read, and cannot be done",
    "429": "too many requests: try again later",
    "500": "an internal error of the server",
    "503": "the store is not available, or the server is about to stop: try again after `Retry-After`",
}
"""HTTP statuses of problems that every operation may return, with descriptions."""
RESPONSE_LINKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "calls_submit": (
        "/approval",
        ("calls_look", "calls_wait", "calls_report", "calls_withdraw", "approvals_look"),
    ),
    "approvals_find": ("/items/0/id", ("approvals_look", "approvals_answer", "approvals_put_off")),
    "conversations_begin": ("/id", ("conversations_look", "conversations_change")),
    "rules_write": ("/id", ("rules_revoke",)),
    "people_add": ("/id", ("people_link", "people_set_role", "people_roles", "people_disable")),
    "people_make_token": ("/id", ("people_end_token",)),
    "people_sessions": ("/items/0/id", ("people_end_session",)),
}
"""The field of a reply with an id, and the operations that need this id."""
_SCHEMA_PREFIX = "#/components/schemas/"
_PLAIN_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
JsonObject = dict[str, Any]


class FieldError(TypedDict):
    """A mistake in one field of a request."""

    field: str
    reason: str


class Problem(TypedDict):
    """The RFC 9457 problem of a failed request."""

    type: str
    title: str
    status: int
    detail: str
    errors: NotRequired[list[FieldError] | None]
    """The invalid fields, if the request is not valid."""
    state: NotRequired[str | None]
    """The current state of the approval, if it does not allow the request."""
    by: NotRequired[str | None]
    """The person who answered first, if the approval is already answered."""
    reason: NotRequired[str | None]
    """Why files or terminals of the workbench are refused."""
    digest: NotRequired[str | None]
    """The current digest of a file that has changed."""


class SchemaCollection:
    """Builds JSON Schemas of Python types; each named type is described once."""

    def __init__(self) -> None:
        self.named: JsonObject = {}

    def schema_of(self, kind: Any) -> JsonObject:
        """Build the schema of a type in a response."""
        if kind in _PLAIN_TYPES:
            return {"type": _PLAIN_TYPES[kind]}
        if kind is object:
            return self._reference_to("JsonValue", dict)
        if is_typeddict(kind):
            return self._reference_to(kind.__name__, lambda: self._typed_dict_schema(kind))
        if isinstance(kind, type) and issubclass(kind, Enum):
            return self._reference_to(kind.__name__, lambda: _enum_schema(kind))
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.schema_of(arguments[1])
        if origin is Literal:
            return _literal_schema(arguments)
        if origin is list:
            return {"items": self.schema_of(arguments[0]), "type": "array"}
        if origin is dict:
            names = {} if arguments[0] is str else {"propertyNames": self.schema_of(arguments[0])}
            return {"additionalProperties": self.schema_of(arguments[1]), **names, "type": "object"}
        if origin in (Union, UnionType):
            return {"anyOf": [self.schema_of(one) for one in arguments]}
        raise TypeError(kind)

    def reply_schema(self, kind: Any) -> JsonObject:
        """Build the schema of a whole response; the field `outcome` tells its variants apart."""
        shapes = [one for one in get_args(kind) if one is not NoneType]
        if get_origin(kind) not in (Union, UnionType):
            return self.schema_of(kind)
        mapping = {get_args(get_type_hints(one)["outcome"])[0]: self.schema_of(one) for one in shapes}
        links = {word: schema["$ref"] for word, schema in mapping.items()}
        discriminator = {"propertyName": "outcome", "mapping": links}
        return {"oneOf": list(mapping.values()), "discriminator": discriminator}

    def model_schema(self, model: type[BaseModel]) -> JsonObject:
        """Build the schema of the body or the query of a request."""
        schema = model.model_json_schema(ref_template=_SCHEMA_PREFIX + "{model}")
        defined = schema.pop("$defs", {})
        for one in (schema, *defined.values()):
            _drop_null_defaults(one)
        self.named.update(defined)
        return schema

    def _reference_to(self, name: str, make: Any) -> JsonObject:
        if name not in self.named:
            self.named[name] = {}  # Added first, because a type may refer to itself.
            self.named[name] = make()
        return {"$ref": _SCHEMA_PREFIX + name}

    def _typed_dict_schema(self, kind: Any) -> JsonObject:
        hints = get_type_hints(kind, include_extras=True)
        texts = dict(_field_docstrings(kind))
        properties: JsonObject = {}
        required: list[str] = []
        for name, hint in hints.items():
            is_optional = get_origin(hint) is NotRequired
            schema = self.schema_of(get_args(hint)[0] if is_optional else hint)
            if not _is_reference(schema):
                schema["title"] = _to_title(name)
            if name in texts:
                schema["description"] = texts[name]
            properties[name] = schema
            if not is_optional:
                required.append(name)
        return {
            "properties": properties,
            "type": "object",
            "required": required,
            "title": kind.__name__,
            "description": inspect.getdoc(kind),
        }


def openapi_document() -> JsonObject:
    """Build the OpenAPI document of all documented routes."""
    schemas = SchemaCollection()
    paths: JsonObject = {}
    for route in (one for router in ROUTERS for one in router.routes if one.is_documented):
        path = route.path.replace(":generated", "")
        paths.setdefault(path, {})[route.method.lower()] = _operation_object(route, schemas)
    schemas.schema_of(Problem)
    return {
        "openapi": "3.1.0",
        "info": {"title": API_TITLE, "description": API_DESCRIPTION, "version": __version__},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.named.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "assent_session"},
            },
            "responses": {
                f"Problem{status}": _problem_response(text) for status, text in PROBLEM_STATUSES.items()
            },
        },
    }


def operation_id(route: Route) -> str:
    """The operation id of a route, for generated clients."""
    return f"{route.tag}_{route.name}"


def document_text(found: Mapping[str, Any]) -> str:
    """The document as JSON text, with one value per line for readable diffs."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _operation_object(route: Route, schemas: SchemaCollection) -> JsonObject:
    name = operation_id(route)
    found: JsonObject = {
        "tags": [route.tag],
        "summary": _to_title(route.name),
        "description": inspect.getdoc(route.handler),
        "operationId": name,
    }
    parameters = list(_parameter_objects(route, schemas))
    if parameters:
        found["parameters"] = parameters
    for source in route.sources.values():
        if isinstance(source, FromBody):
            schemas.named[source.model.__name__] = schemas.model_schema(source.model)
            content = {"application/json": {"schema": {"$ref": _SCHEMA_PREFIX + source.model.__name__}}}
            found["requestBody"] = {"required": True, "content": content}
    found["responses"] = _response_objects(route, schemas)
    where, targets = RESPONSE_LINKS.get(name, ("", ()))
    if targets:
        success = found["responses"][str(route.status)]
        success["links"] = {
            one: {"operationId": one, "parameters": {"id": f"$response.body#{where}"}} for one in targets
        }
    for status in PROBLEM_STATUSES:
        found["responses"][status] = {"$ref": f"#/components/responses/Problem{status}"}
    found["x-assent-for"] = route.audience.value
    if route.audience is not Audience.ANYBODY:
        found["security"] = [{"token": []}, {"session": []}]
    return found


def _parameter_objects(route: Route, schemas: SchemaCollection) -> Iterator[JsonObject]:
    for source in route.sources.values():
        match source:
            case FromPath(name, type_):
                schema = type_.json_schema() | {"title": _to_title(name)}
                yield {"name": name, "in": "path", "required": True, "schema": schema}
            case FromHeader(name, type_):
                schema = _without_null(type_.json_schema()) | {"title": name.title()}
                yield {"name": name, "in": "header", "required": False, "schema": schema}
            case FromQuery(model, _):
                found = schemas.model_schema(model)
                required = found.get("required", ())
                for name, schema in found["properties"].items():
                    text = {"description": schema["description"]} if "description" in schema else {}
                    yield {
                        "name": name,
                        "in": "query",
                        "required": name in required,
                        "schema": schema,
                        **text,
                    }
            case _:
                pass


def _without_null(schema: JsonObject) -> JsonObject:
    """The schema of an optional header: the header is a text or absent, never null."""
    texts = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return dict(texts[0]) if len(texts) == 1 else schema


def _response_objects(route: Route, schemas: SchemaCollection) -> JsonObject:
    default = {"description": "Successful Response"}
    described = {str(status): {**default, **one} for status, one in route.responses.items()}
    kind = get_type_hints(route.handler, include_extras=True)["return"]
    if kind is NoneType:
        return {"204": default}
    if isinstance(kind, type) and issubclass(kind, Response):
        return described
    content = {"application/json": {"schema": schemas.reply_schema(kind)}}
    return {str(route.status): {**default, "content": content}}


def _drop_null_defaults(schema: JsonObject) -> None:
    """Remove defaults of null, which only mean that the field is optional."""
    for field in schema.get("properties", {}).values():
        if field.get("default", "") is None:
            del field["default"]


def _problem_response(text: str) -> JsonObject:
    content = {"application/problem+json": {"schema": {"$ref": f"{_SCHEMA_PREFIX}Problem"}}}
    return {"description": text, "content": content}


def _field_docstrings(kind: type) -> Iterator[tuple[str, str]]:
    """Yield each field of a class and its bases with the docstring below it."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    # A TypedDict has no bases at run time, so they are read from its source.
    for base in body.bases:
        found = _resolve_dotted_name(ast.unparse(base), kind.__module__)
        if is_typeddict(found):
            yield from _field_docstrings(found)
    for field, text in zip(body.body, body.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                yield name, inspect.cleandoc(said).replace("\n", " ")
            case _:
                pass


def _resolve_dotted_name(name: str, module: str) -> Any:
    """Find the object with a dotted name in a module."""
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _enum_schema(kind: type[Enum]) -> JsonObject:
    values = [one.value for one in kind]
    return {
        "type": "string",
        "enum": values,
        "title": kind.__name__,
        "description": inspect.getdoc(kind),
    }


def _literal_schema(words: tuple[object, ...]) -> JsonObject:
    return (
        {"type": "string", "const": words[0]} if len(words) == 1 else {"type": "string", "enum": list(words)}
    )


def _is_reference(schema: JsonObject) -> bool:
    """Whether a schema is a reference to another schema (or null), which has its own title."""
    return "$ref" in schema or any("$ref" in one for one in schema.get("anyOf", ()))


def _to_title(name: str) -> str:
    return name.replace("_", " ").title()


def main(arguments: list[str]) -> int:
    """Write both documents."""
    if arguments != ["write"]:
        print("usage: tools/openapi.py write", file=sys.stderr)
        return 2
    found = openapi_document()
    DOCUMENT.write_text(document_text(found), "utf-8")
    PAGE.write_text(api_page_text(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

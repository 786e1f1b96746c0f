"""Generates the reference page docs/reference/api.md from the OpenAPI document."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

PAGE_HEAD = """\
# The HTTP API

This page is generated from [openapi.json](openapi.json), and that from the routes, by `tools/openapi.py`.

Every request needs authentication: a token in `Authorization: Bearer …`, or the cookie of a session.
A change must be sent as `application/json`; a request from a browser must come from a page of this server.
Every error is a problem (RFC 9457) of type `application/problem+json`.
`400` means that the request cannot be read.
`422` means that the request was read and cannot be done.
`404` means that something does not exist, or that you may not see it.
Lists have pages: send the `next` of a page as `after` to get the following page; it is null at the end.
A `POST` that creates something accepts an `Idempotency-Key`.
The same key with the same body gets the first reply for a day; with another body it gets a `409`.
A request that creates a secret accepts no key, because its reply is not stored.
The same call with the same id is one call; the same answer twice is one answer.
"""

JsonObject = Mapping[str, Any]


def api_page_text(found: JsonObject) -> str:
    """The text of the reference page for an OpenAPI document."""
    return "\n".join([PAGE_HEAD, *_tag_sections(found)]).rstrip() + "\n"


def _tag_sections(found: JsonObject) -> Iterator[str]:
    tags: dict[str, list[tuple[str, str, JsonObject]]] = {}
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            tags.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    for tag, operations in tags.items():
        yield f"## {tag.capitalize()}\n"
        for method, path, operation in operations:
            yield from _operation_lines(found, method, path, operation)


def _operation_lines(found: JsonObject, method: str, path: str, operation: JsonObject) -> Iterator[str]:
    yield f"### `{method} {path}`\n"
    yield f"{operation['description']}\nCallers: {operation['x-assent-for']}.\n"
    asked = [one for one in operation.get("parameters", ()) if one["in"] != "path"]
    if asked:
        yield _markdown_table(
            (f"`{one['name']}`", one["in"], _type_text(one["schema"]), one.get("description", ""))
            for one in asked
        )
    body = operation.get("requestBody")
    if body:
        name = _schema_name(body["content"]["application/json"]["schema"])
        yield from _body_lines(found, name, set())
    yield f"Gives {_reply_text(operation)}.\n"


def _body_lines(found: JsonObject, name: str, told: set[str]) -> Iterator[str]:
    """Describe the fields of a request body, and of the types that it refers to."""
    told.add(name)
    schema = found["components"]["schemas"][name]
    required = schema.get("required", ())
    takes = "Takes " if len(told) == 1 else ""
    yield f"{takes}`{name}`: {schema.get('description', '')}\n"
    yield _markdown_table(
        (f"`{field}`", "required" if field in required else "", _type_text(one), one.get("description", ""))
        for field, one in schema.get("properties", {}).items()
    )
    for inner in _referenced_names(schema):
        if inner not in told and "properties" in found["components"]["schemas"][inner]:
            yield from _body_lines(found, inner, told)


def _referenced_names(schema: object) -> Iterator[str]:
    """The names of the schemas that a schema refers to."""
    if isinstance(schema, dict):
        node = cast("dict[str, object]", schema)
        for key, value in node.items():
            if key == "$ref":
                yield str(value).rpartition("/")[2]
            else:
                yield from _referenced_names(value)
    elif isinstance(schema, list):
        for value in cast("list[object]", schema):
            yield from _referenced_names(value)


def _markdown_table(rows: Iterator[tuple[str, str, str, str]]) -> str:
    lines = ["| name | | kind | |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(_cell_text(one) for one in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell_text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _type_text(schema: JsonObject) -> str:
    if "$ref" in schema:
        return f"`{_schema_name(schema)}`"
    if "anyOf" in schema:
        return " or ".join(_type_text(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type_text(schema['items'])}"
    return str(schema.get("type", "anything"))


def _reply_text(operation: JsonObject) -> str:
    status = next(one for one in operation["responses"] if one.startswith("2"))
    content = operation["responses"][status].get("content", {})
    schema = content.get("application/json", {}).get("schema")
    if schema:
        return f"`{status}` with {_reply_type_text(schema)}"
    kinds = " or ".join(f"`{kind}`" for kind in content)
    return f"`{status}`, as {kinds}" if kinds else f"`{status}`"


def _reply_type_text(schema: JsonObject) -> str:
    if "oneOf" in schema:
        return " or ".join(_type_text(one) for one in schema["oneOf"])
    return _type_text(schema)


def _schema_name(schema: JsonObject) -> str:
    return str(schema["$ref"]).rpartition("/")[2]

"""Parameters as JSON Schema: written in a line, and checked before a tool is entered."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from assent.engine.model import as_list, as_object
from assent.gate.ports import Issue

Schema = dict[str, object]

_MOST_ISSUES = 10


def text(description: str, **more: object) -> Schema:
    """A parameter that is a text."""
    return {"type": "string", "description": description, **more}


def number(description: str, *, least: int, most: int) -> Schema:
    """A parameter that is a whole number between two others."""
    return {"type": "integer", "description": description, "minimum": least, "maximum": most}


def flag(description: str) -> Schema:
    """A parameter that is true or false."""
    return {"type": "boolean", "description": description}


def items(description: str, of: Schema, **more: object) -> Schema:
    """A parameter that is a list."""
    return {"type": "array", "description": description, "items": of, **more}


def anything(description: str) -> Schema:
    """A parameter that may be any JSON value."""
    return {"description": description}


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def issues(schema: Mapping[str, object], value: object) -> tuple[Issue, ...]:
    """What is wrong with a value, the first few of it; a keyword we do not know asks for nothing."""
    found = _issues(schema, value, "")
    return tuple(issue for issue, _ in zip(found, range(_MOST_ISSUES), strict=False))


def _issues(schema: Mapping[str, object], value: object, path: str) -> Iterator[Issue]:
    kind = schema.get("type")
    if isinstance(kind, str) and kind in _KINDS and not _KINDS[kind](value):
        yield Issue(path or "arguments", f"must be {_SAID[kind]}")
        return
    allowed = as_list(schema.get("enum"))
    if allowed is not None and value not in allowed:
        yield Issue(path, f"must be one of {', '.join(map(json.dumps, allowed))}")
    yield from _measured(schema, value, path)
    if (members := as_object(value)) is not None:
        yield from _members(schema, members, path)
    if (each := as_list(value)) is not None and (inner := as_object(schema.get("items"))) is not None:
        for position, one in enumerate(each):
            yield from _issues(inner, one, f"{path}[{position}]")


def _members(schema: Mapping[str, object], value: Mapping[str, object], path: str) -> Iterator[Issue]:
    properties = as_object(schema.get("properties")) or {}
    for name in as_list(schema.get("required")) or ():
        if name not in value:
            yield Issue(_joined(path, str(name)), "is missing")
    for name, member in value.items():
        inner = as_object(properties.get(name))
        if inner is not None:
            yield from _issues(inner, member, _joined(path, name))
        elif schema.get("additionalProperties") is False:
            yield Issue(_joined(path, name), "is not a parameter")


def _measured(schema: Mapping[str, object], value: object, path: str) -> Iterator[Issue]:
    sizes: tuple[tuple[str, str, Callable[[object], float | None]], ...] = (
        ("minimum", "maximum", _size_of_number),
        ("minLength", "maxLength", lambda one: len(one) if isinstance(one, str) else None),
        ("minItems", "maxItems", _size_of_list),
    )
    for least, most, size_of in sizes:
        size = size_of(value)
        if size is None:
            continue
        low, high = schema.get(least), schema.get(most)
        if isinstance(low, (int, float)) and size < low:
            yield Issue(path, f"must be at least {low}")
        if isinstance(high, (int, float)) and size > high:
            yield Issue(path, f"must be at most {high}")


def _size_of_number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _size_of_list(value: object) -> float | None:
    found = as_list(value)
    return None if found is None else len(found)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return _is_number(value) and float(cast("float", value)).is_integer()


_KINDS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_whole,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: as_list(value) is not None,
    "object": lambda value: as_object(value) is not None,
    "null": lambda value: value is None,
}
_SAID = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}

"""Invalid JSON for tests: each field with a wrong type, and each field left out."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar, cast

from assent.errors import InputError

Value = TypeVar("Value")
Json = dict[str, object]


def to_and_from_json(data: object) -> Json:
    """The data after writing and reading it as JSON."""
    return cast("Json", json.loads(json.dumps(data)))


def with_wrong_types(data: Json, within: str) -> Iterator[tuple[str, Json]]:
    """Copies of an object, each with a wrong value in one field, with the path of that field."""
    for name, value in data.items():
        path = f"{within}.{name}"
        yield from ((path, {**data, name: wrong}) for wrong in _wrong_values(value))


def without_each_field(data: Json, within: str) -> Iterator[tuple[str, Json]]:
    """Copies of an object, each without one of its fields."""
    for name in data:
        yield f"{within}.{name}", {key: value for key, value in data.items() if key != name}


def unchecked_fields(data: Json, noun: str, read: Callable[[object], object]) -> list[str]:
    """The fields that accept a wrong type, or whose error does not name them."""
    return [path for path, wrong in with_wrong_types(data, noun) if path not in error_text(read, wrong)]


def required_fields(data: Json, noun: str, read: Callable[[object], object]) -> set[str]:
    """The fields that a reader requires."""
    return {
        path.rpartition(".")[2]
        for path, less in without_each_field(data, noun)
        if path in error_text(read, less)
    }


def error_text(read: Callable[[object], object], data: object) -> str:
    """The error message of a reader; empty if it accepts the data."""
    try:
        read(data)
    except InputError as error:
        return str(error)
    return ""


def _wrong_values(value: object) -> tuple[object, ...]:
    match value:
        case bool():
            return "true", 1, None
        case str():
            return 7, ["x"], None, {}
        case int() | float():
            return "7", True, None, [7]
        case Mapping():
            return [], "x", 7
        case list():
            return "x", {}, 7, None
        case _:
            # For a field that may be null, a list is a wrong type.
            return ([],)

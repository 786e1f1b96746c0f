"""JSON made wrong on purpose: each field once of another type, each field once left out."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar, cast

from assent.errors import InputError

Value = TypeVar("Value")
Json = dict[str, object]


def through_json(data: object) -> Json:
    """What a reader on the other side gets."""
    return cast("Json", json.loads(json.dumps(data)))


def spoiled(data: Json, within: str) -> Iterator[tuple[str, Json]]:
    """Every field of an object replaced by values that are not of its kind, with the field's path."""
    for name, value in data.items():
        path = f"{within}.{name}"
        yield from ((path, {**data, name: wrong}) for wrong in _wrong(value))


def lacking(data: Json, within: str) -> Iterator[tuple[str, Json]]:
    """Every field left out once."""
    for name in data:
        yield f"{within}.{name}", {key: value for key, value in data.items() if key != name}


def unnoticed(data: Json, noun: str, read: Callable[[object], object]) -> list[str]:
    """The fields that can be of a wrong type without an error that names them."""
    return [path for path, wrong in spoiled(data, noun) if path not in refusal(read, wrong)]


def demanded(data: Json, noun: str, read: Callable[[object], object]) -> set[str]:
    """The fields that must be there."""
    return {path.rpartition(".")[2] for path, less in lacking(data, noun) if path in refusal(read, less)}


def refusal(read: Callable[[object], object], data: object) -> str:
    """What a reader says to data it cannot use; empty when it can."""
    try:
        read(data)
    except InputError as error:
        return str(error)
    return ""


def _wrong(value: object) -> tuple[object, ...]:
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
            # Null is nothing: a list is what no field that may be empty takes.
            return ([],)

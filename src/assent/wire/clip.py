"""Clipping: a JSON value in a bounded size, of the same kind."""

import json
from collections.abc import Sequence
from typing import NamedTuple, cast


class _Cut(NamedTuple):
    """How much of a value stays."""

    text: int
    """Bytes of one text."""
    items: int
    """Members of one list or object."""
    depth: int


_CUTS = (_Cut(800, 20, 6), _Cut(200, 10, 4), _Cut(60, 4, 3))
"""From gentle to harsh: the first after which a value is small enough is taken."""
_LONGEST_NAME = 80
encoded = json.JSONEncoder(separators=(",", ":")).encode


def shortened(text: str, most: int) -> str:
    """A text that takes at most so many bytes as JSON, or its head and tail and how much lies between."""
    size = len(encoded(text))
    if size <= most:
        return text
    half = most * len(text) // size // 2
    return f"{text[:half]} … {len(text) - 2 * half} more characters … {text[-half:]}"


def clipped(value: object, most: int) -> object:
    """The value where it takes at most so many bytes; else its beginning and its end, or nothing."""
    if len(encoded(value)) <= most:
        return value
    for cut in _CUTS:
        smaller = _cut(value, cut)
        if len(encoded(smaller)) <= most:
            return smaller
    return _nothing(value)


def _cut(value: object, cut: _Cut) -> object:
    deeper = cut._replace(depth=cut.depth - 1)
    most = cut.items if cut.depth else 0
    match value:
        case str():
            return shortened(value, cut.text)
        case dict():
            members = list(cast("dict[str, object]", value).items())[:most]
            return {shortened(name, _LONGEST_NAME): _cut(item, deeper) for name, item in members}
        case list():
            return [_cut(item, deeper) for item in ends(cast("list[object]", value), most)]
        case _:
            return value


def ends(items: Sequence[object], most: int) -> list[object]:
    """The first and the last of them."""
    half = most // 2
    return list(items) if len(items) <= most else [*items[:half], *items[len(items) - half :]]


def _nothing(value: object) -> object:
    match value:
        case str():
            return ""
        case list():
            return []
        case dict():
            return {}
        case _:
            return value

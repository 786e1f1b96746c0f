"""A strict JSON parser, which refuses documents that other parsers might read differently."""

import json
import math
import re
from collections import Counter
from typing import Never, cast

from assent.errors import InputError

MAX_JSON_BYTES = 10_000_000
"""Maximum size of a document or a line, in bytes."""
MAX_DEPTH = 64


def read_json(data: bytes, what: str = "the input") -> object:
    """Parse a JSON document; raises for duplicate keys, NaN, lone surrogates and oversized documents."""
    if len(data) > MAX_JSON_BYTES:
        raise InputError(f"{what} is larger than {MAX_JSON_BYTES} bytes")
    try:
        text = data.decode("utf-8")
        value: object = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise InputError(f"{what} is not UTF-8 text") from None
    except RecursionError:
        raise InputError(f"{what} is nested deeper than {MAX_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{what} is not JSON: {_lower_first_letter(error.msg)} at {_position_text(error)}"
        ) from None
    except ValueError as error:
        raise InputError(f"{what} cannot be read: {error}") from None
    if text.count("[") + text.count("{") > MAX_DEPTH or "\\u" in text:
        _check_nesting(value, what)
    return value


def read_object(data: bytes, what: str = "the input") -> dict[str, object]:
    """Parse a JSON document; raises an error if it is not an object."""
    value = read_json(data, what)
    if not isinstance(value, dict):
        raise InputError(f"{what} must be a JSON object")
    return cast("dict[str, object]", value)


class JsonLimiter:
    """Limits the number of values and the depth of a JSON document while its bytes arrive, before parsing.

    A string counts as one value; an empty list or object counts as two.
    """

    def __init__(self, most: int, what: str = "the input") -> None:
        self._most = most
        self._what = what
        self._values = 1
        self._depth = 0
        self._is_in_text = False
        self._is_escaped = False

    def count_piece(self, piece: bytes) -> None:
        """Count the values in the next bytes; raises `InputError` if the document exceeds a limit."""
        if self._is_escaped and piece:
            piece, self._is_escaped = piece[1:], False
        plain = _ESCAPE_SEQUENCES.sub(b"", piece)
        if plain.endswith(b"\\"):
            plain, self._is_escaped = plain[:-1], True
        texts = plain.split(b'"')
        outside = b"".join(texts[1::2] if self._is_in_text else texts[::2])
        self._is_in_text ^= len(texts) % 2 == 0
        self._values += sum(map(outside.count, (b",", b"[", b"{")))
        if self._values > self._most:
            raise InputError(f"{self._what} contains more than {self._most} values")
        self._count_depth(outside.translate(None, _NON_BRACKETS))

    def _count_depth(self, brackets: bytes) -> None:
        for bracket in brackets:
            self._depth += 1 if bracket in b"[{" else -1
            if self._depth > MAX_DEPTH:
                raise InputError(f"{self._what} is nested deeper than {MAX_DEPTH} levels")


_ESCAPE_SEQUENCES = re.compile(rb"\\.", re.DOTALL)
_NON_BRACKETS = bytes(code for code in range(256) if code not in b"[]{}")


def _lower_first_letter(message: str) -> str:
    return message[:1].lower() + message[1:]


def _position_text(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}, column {error.colno}"


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        repeated = next(name for name, number in times.items() if number > 1)
        raise ValueError(f"duplicate key `{repeated}`")
    return found


def _parse_number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text} is too large")
    return number


def _refuse_constant(text: str) -> Never:
    raise ValueError(f"{text} is not a JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_float=_parse_number, parse_constant=_refuse_constant
)


def _check_nesting(value: object, what: str) -> None:
    """Check the nesting depth and all strings of a parsed document; raises `InputError`."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level for inner in _direct_children(item)]
        if any(map(_has_lone_surrogate, level)):
            raise InputError(f"{what} contains half of a surrogate pair")
        level = list(filter(_is_container, level))
        if not level:
            return
    raise InputError(f"{what} is nested deeper than {MAX_DEPTH} levels")


def _direct_children(item: object) -> list[object]:
    match item:
        case dict():
            members = cast("dict[str, object]", item)
            return [*members.keys(), *members.values()]
        case list():
            return cast("list[object]", item)
        case _:
            return [item]


def _is_container(item: object) -> bool:
    return isinstance(item, dict | list)


def _has_lone_surrogate(item: object) -> bool:
    return isinstance(item, str) and any("\ud800" <= character <= "\udfff" for character in item)

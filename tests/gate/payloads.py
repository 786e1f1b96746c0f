"""Sixty payloads that have broken programs: each is rejected, or stored unchanged."""

import json
from array import array
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType

Payload = tuple[str, object]


def nested_value(levels: int, *, lists: bool = True) -> object:
    """A value nested this many levels deep."""
    value: object = 1
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


class _StrSubclass(str):
    """A subclass of `str`."""

    __slots__ = ()


_LONE_SURROGATES = ["\ud800", "\udfff", "a\ud83db", "\udc00\ud800", "\udcff"]
_NOT_JSON: list[object] = [
    b"bytes", {1, 2}, object(), 1 + 2j, bytearray(b"x"), range(3), lambda: None, ..., iter([1]), memoryview(b"x"),
    MappingProxyType({"a": 1}), array("i", [1]), Decimal(1), datetime(2026, 3, 1, tzinfo=UTC),
]  # fmt: skip

REFUSED: list[Payload] = [
    *((f"half of a surrogate pair {number}", text) for number, text in enumerate(_LONE_SURROGATES)),
    ("half of a pair in a key", {"\ud800": 1}),
    ("half of a pair deep down", [[{"a": ["x", "\udead"]}]]),
    *((f"no JSON {number}", value) for number, value in enumerate(_NOT_JSON)),
    ("no number", float("nan")),
    ("infinity", float("inf")),
    ("minus infinity", float("-inf")),
    ("no number deep down", {"a": [{"b": float("nan")}]}),
    ("a number of 5,000 digits", 10**5000),
    ("a negative number of 5,000 digits", -(10**5000)),
    ("a number as a key", {1: "x"}),
    ("null as a key", {None: "x"}),
    ("a truth as a key", {True: "x"}),
    ("a pair as a key", {("a", "b"): "x"}),
    ("65 levels of lists", nested_value(65)),
    ("65 levels of objects", nested_value(65, lists=False)),
    ("1,000 levels", nested_value(1000)),
    ("10,000 levels", nested_value(10_000)),
    ("a text over the cap", "x" * 10_000_001),
    ("many texts over the cap", ["x" * 1_000_000] * 11),
    ("text that grows over the cap when it is spelled", "\x00" * 2_000_000),
]

KEPT: list[Payload] = [
    ("nothing", None),
    ("empty text", ""),
    ("nul", "\x00"),
    ("nul in a key", {"\x00": "\x00"}),
    ("control characters", "".join(map(chr, range(32)))),
    ("delete and C1", "\x7f\x80\x9f"),
    ("escape sequences", "\x1b[2J\x1b]0;title\x07"),
    ("direction overrides", "\u202e\u2066\u2069"),
    ("zero width", "\u200b\ufeff\u2060"),
    ("line separators", "\u2028\u2029\r\n"),
    ("beyond the basic plane", "🙂𝔸\U0010ffff"),
    ("not composed", "e\u0301"),
    ("no characters", "\ufffe\uffff"),
    ("quotes and slashes", "'\"\\/`$(x)"),
    ("markup", "<script>alert(1)</script>]]>"),
    ("statements", "'; DROP TABLE approvals; --"),
    ("templates", "{0} {x} %s %(x)s ${x} {{x}}"),
    ("JSON in a text", '{"a": NaN, "a": 1}'),
    ("minus zero", -0.0),
    ("the smallest number", 5e-324),
    ("the largest number", 1.7976931348623157e308),
    ("beyond what JavaScript counts", 2**53 + 1),
    ("a number of 4,000 digits", 10**4000),
    ("one and one", [1, 1.0, True, "1"]),
    ("64 levels", nested_value(63)),
    ("a wide list", [0] * 100_000),
    ("many keys", {str(number): number for number in range(10_000)}),
    ("keys of prototypes", {"__proto__": {"x": 1}, "constructor": 1, "__class__": 1}),
    ("keys that differ in case or form", {"a": 1, "A": 2, "e\u0301": 3, "\xe9": 4}),
    ("a megabyte", "ñ" * 500_000),
    ("a text that is more", _StrSubclass("x")),
    ("a pair", ("a", ["b"])),
]

TEXTS: list[tuple[str, bytes]] = [
    ("doubled keys", b'{"a": 1, "a": 2}'),
    ("doubled keys in disguise", b'{"a": 1, "\\u0061": 2}'),
    ("no number", b'{"a": NaN}'),
    ("infinity", b'{"a": -Infinity}'),
    ("a number beyond all", b'{"a": 1e999}'),
    ("5,000 digits", b'{"a": ' + b"9" * 5000 + b"}"),
    ("half of a pair", b'{"a": "\\ud800"}'),
    ("broken UTF-8", b'{"a": "\xff\xfe"}'),
    ("UTF-8 of half a pair", b'{"a": "\xed\xa0\x80"}'),
    ("overlong UTF-8", b'{"a": "\xc0\xaf"}'),
    ("cut off", b'{"a": "x'),
    ("something behind it", b"{} {}"),
    ("10,000 levels", b'{"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"),
    ("65 levels", json.dumps({"a": nested_value(65)}).encode()),
    ("raw control characters", b'{"a": "\x00"}'),
]
"""JSON texts that are rejected when they are parsed."""

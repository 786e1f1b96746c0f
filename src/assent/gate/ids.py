"""Ids, names and digests: how calls, tools and requests are identified."""

import hashlib
import hmac
import json
import math
import ntpath
import posixpath
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from assent.engine.base.tool import Call, Tool
from assent.errors import InputError
from assent.gate.file_preview import FilePreview

MAX_ARGUMENT_CHARACTERS = 10_000_000
"""The maximum length of the arguments of one call, as JSON."""


MAX_NESTING_DEPTH = 64


_MAX_INTEGER_BITS = 14_000
"""Python refuses to parse much longer integers."""


_MAX_ID_LENGTH = 256


_MAX_PATH_LENGTH = 4096


_NAME_PATTERN = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


_to_canonical = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
).encode


def new_id() -> str:
    """A random id of 128 bits."""
    return secrets.token_hex(16)


def keyed_id(secret: bytes, *words: str) -> str:
    """An id computed from words and a secret: the same words give the same id, which cannot be guessed."""
    # Each word has its length as a prefix, so that different lists never give the same text.
    text = "".join(f"{len(word)}:{word}" for word in words)
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:32]


def time_ordered_id() -> str:
    """A UUID of version 7, which sorts by creation time."""
    stamp = time.time_ns() // 1_000_000
    high, low = divmod(secrets.randbits(74), 1 << 62)
    number = stamp << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def canonical_json(value: object) -> str:
    """The canonical JSON of a value; raises `InputError` for ambiguous values."""
    _check_value(value, 0)
    text = _to_canonical(value)
    if len(text) > MAX_ARGUMENT_CHARACTERS:
        raise InputError(f"the arguments are larger than {MAX_ARGUMENT_CHARACTERS} characters")
    return text


def is_canonical_json(value: object, text: str) -> bool:
    """Whether this is the canonical JSON of a value that may have changed since."""
    try:
        return _to_canonical(value) == text
    except (TypeError, ValueError, RecursionError):
        return False


def digest_of_call(call: Call, cwd: str, tool: Tool) -> str:
    """The digest of a call, its directory and the definition of its tool."""
    bound = {
        "tool": call.tool,
        "args": dict(call.args),
        "agent": call.agent,
        "conversation": call.conversation,
        "cwd": cwd,
        "definition": definition_digest(tool),
    }
    return hashlib.sha256(canonical_json(bound).encode()).hexdigest()


def answer_digest(call_digest: str, file: FilePreview | None) -> str:
    """The digest that an answer must contain: of the call, and of the file shown with it."""
    if file is None or not call_digest:
        return call_digest
    # Not checked like arguments, because a file name may contain bytes that are not valid text.
    return hashlib.sha256(_to_canonical([call_digest, *file.fingerprint]).encode()).hexdigest()


def definition_digest(tool: Tool) -> str:
    """The digest of a tool's definition."""
    return hashlib.sha256(definition_text(tool).encode()).hexdigest()


def definition_text(tool: Tool) -> str:
    """The canonical JSON of a tool's definition."""
    says = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "origin": tool.origin,
        "effect": tool.effect.value,
        "dialect": tool.dialect.value,
        "template": tool.template,
        "paths": tool.paths.value,
    }
    return canonical_json(says)


def validate_call(call: Call) -> Call:
    """Check a call, and return it with a copy of its arguments that the caller cannot change."""
    check_name("tool", call.tool)
    for field, text in (("call id", call.id), ("conversation", call.conversation), ("agent", call.agent)):
        check_id(field, text)
    check_directory(call.cwd)
    args: dict[str, object] = json.loads(canonical_json(dict(call.args)))
    return replace(call, args=args)


def check_name(field: str, text: str) -> None:
    """Raise `InputError` for a name with characters other than ASCII letters, digits and `_.:-`."""
    if not _NAME_PATTERN.fullmatch(text):
        raise InputError(f"{field} name `{_to_printable(text)}` must be 1 to 128 of A-Z a-z 0-9 _ . : -")


def check_id(field: str, text: str) -> None:
    """Raise `InputError` for an id that is too long or not printable."""
    if len(text) > _MAX_ID_LENGTH or not text.isprintable():
        raise InputError(
            f"{field} `{_to_printable(text)}` must be at most {_MAX_ID_LENGTH} printable characters"
        )


def check_directory(cwd: str) -> None:
    """Raise `InputError` for a directory that is not an absolute path."""
    is_absolute = posixpath.isabs(cwd) or ntpath.isabs(cwd)
    if cwd and (len(cwd) > _MAX_PATH_LENGTH or "\0" in cwd or not is_absolute):
        raise InputError(f"the directory `{_to_printable(cwd)}` must be an absolute path")


def _to_printable(text: str) -> str:
    return ascii(text[:64])[1:-1]


def _check_value(value: object, depth: int) -> None:
    if depth > MAX_NESTING_DEPTH:
        raise InputError(f"the arguments are nested deeper than {MAX_NESTING_DEPTH} levels")
    match value:
        case str():
            _check_text(value)
        case dict():
            table = cast("dict[object, object]", value)
            for name in table:
                if not isinstance(name, str):
                    raise InputError("the arguments contain a key that is not a string")
                _check_text(name)
            _check_values(table.values(), depth + 1)
        case list() | tuple():
            _check_values(cast("list[object]", value), depth + 1)
        case _:
            _check_scalar(value)


def _check_values(values: Iterable[object], depth: int) -> None:
    for value in values:
        # Most values are ASCII strings; a function call for each of them took most of the time of a digest.
        if not (type(value) is str and value.isascii() and depth <= MAX_NESTING_DEPTH):
            _check_value(value, depth)


def _check_scalar(value: object) -> None:
    match value:
        case bool() | None:
            pass
        case int():
            if value.bit_length() > _MAX_INTEGER_BITS:
                raise InputError("the arguments contain a number with thousands of digits")
        case float():
            if not math.isfinite(value):
                raise InputError("the arguments contain NaN or infinity, which JSON does not allow")
        case _:
            raise InputError(f"the arguments contain a value that is not JSON ({type(value).__name__})")


def _check_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the arguments contain half of a surrogate pair") from None

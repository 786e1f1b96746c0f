"""What a yes is bound to: one spelling of a call's JSON, and its digest."""

import hashlib
import json
import math
import ntpath
import posixpath
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from assent.engine.model import Call, Tool
from assent.errors import InputError
from assent.gate.filepreview import FilePreview

LARGEST = 10_000_000
"""Characters of one call's arguments."""
DEEPEST = 64
_MOST_BITS = 14_000
"""Of one integer; Python itself does not read back many more."""
_spelled = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_LONGEST_ID = 256
_LONGEST_PATH = 4096


def canonical(value: object) -> str:
    """The one spelling of a JSON value; what two readers could understand differently is refused."""
    _inspect(value, 0)
    text = _spelled(value)
    if len(text) > LARGEST:
        raise InputError(f"the arguments are larger than {LARGEST} characters")
    return text


def digest_of(call: Call, cwd: str, tool: Tool) -> str:
    """The digest of this very call, here, of the tool as it is defined."""
    bound = {
        "tool": call.tool,
        "args": dict(call.args),
        "agent": call.agent,
        "conversation": call.conversation,
        "cwd": cwd,
        "definition": definition_digest(tool),
    }
    return hashlib.sha256(canonical(bound).encode()).hexdigest()


def answer_digest(call_digest: str, file: FilePreview | None) -> str:
    """The digest that an answer must show: of the call and of the file that was shown with it, if one was."""
    if file is None or not call_digest:
        return call_digest
    # Spelled without a check: the name of a file may hold bytes that are no characters.
    return hashlib.sha256(_spelled([call_digest, *file.marks]).encode()).hexdigest()


def definition_digest(tool: Tool) -> str:
    """The digest of what a tool says of itself; one changed byte is another tool."""
    return hashlib.sha256(definition_text(tool).encode()).hexdigest()


def definition_text(tool: Tool) -> str:
    """What a tool says of itself, in its one spelling."""
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
    return canonical(says)


def check_call(call: Call) -> None:
    """Refuse at the edge what no store should have to hold."""
    owned(call)


def owned(call: Call) -> Call:
    """The same call with arguments that nobody else holds: what is decided is what runs."""
    check_name("tool", call.tool)
    for field, text in (("call id", call.id), ("conversation", call.conversation), ("agent", call.agent)):
        check_id(field, text)
    check_directory(call.cwd)
    args: dict[str, object] = json.loads(canonical(dict(call.args)))
    return replace(call, args=args)


def check_name(field: str, text: str) -> None:
    """Names of tools are plain, so that no two look alike."""
    if not _NAME.fullmatch(text):
        raise InputError(f"{field} name `{_shown(text)}` must be 1 to 128 of A-Z a-z 0-9 _ . : -")


def check_id(field: str, text: str) -> None:
    """Ids are short and hold nothing that a store or a screen could trip over."""
    if len(text) > _LONGEST_ID or not text.isprintable():
        raise InputError(f"{field} `{_shown(text)}` must be at most {_LONGEST_ID} printable characters")


def check_directory(cwd: str) -> None:
    """A directory that a caller names is absolute: from where else would it count?"""
    is_absolute = posixpath.isabs(cwd) or ntpath.isabs(cwd)
    if cwd and (len(cwd) > _LONGEST_PATH or "\0" in cwd or not is_absolute):
        raise InputError(f"the directory `{_shown(cwd)}` must be an absolute path")


def _shown(text: str) -> str:
    return ascii(text[:64])[1:-1]


def _inspect(value: object, depth: int) -> None:
    if depth > DEEPEST:
        raise InputError(f"the arguments are nested deeper than {DEEPEST} levels")
    match value:
        case str():
            _check_text(value)
        case dict():
            table = cast("dict[object, object]", value)
            for name in table:
                if not isinstance(name, str):
                    raise InputError("the arguments hold a key that is not a text")
                _check_text(name)
            _inspect_all(table.values(), depth + 1)
        case list() | tuple():
            _inspect_all(cast("list[object]", value), depth + 1)
        case _:
            _check_single(value)


def _inspect_all(values: Iterable[object], depth: int) -> None:
    for value in values:
        # Most are plain texts, and a call for each of them took most of the time of a digest.
        if not (type(value) is str and value.isascii() and depth <= DEEPEST):
            _inspect(value, depth)


def _check_single(value: object) -> None:
    match value:
        case bool() | None:
            pass
        case int():
            if value.bit_length() > _MOST_BITS:
                raise InputError("the arguments hold a number of thousands of digits")
        case float():
            if not math.isfinite(value):
                raise InputError("the arguments hold a number that JSON does not know (NaN or infinity)")
        case _:
            raise InputError(f"the arguments hold a value that is not JSON ({type(value).__name__})")


def _check_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the arguments hold half of a surrogate pair") from None

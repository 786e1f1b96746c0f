"""Specifier templates: the arguments that make the specifier of a call."""

import re
from collections.abc import Mapping

from assent.engine.globs import HOLE
from assent.engine.model import Dialect, Tool
from assent.engine.regex import regex

PLACEHOLDER = regex(r"\{([A-Za-z_]\w*)(:host)?(?:=([^{}]*))?\}")
"""`{name}`, `{name=default}`, or `{name:host}` for the host of a web address."""

_HOST = regex(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@\\]*@)?([A-Za-z0-9._-]+)(?::\d*)?(?:[/?#].*)?", re.DOTALL)
_DEFAULT_ARGUMENTS = {
    Dialect.SHELL: ("command",),
    Dialect.POWERSHELL: ("command",),
    Dialect.PATH: ("path", "file_path"),
    Dialect.TEXT: (),
}


def specifier_values(tool: Tool, args: Mapping[str, object]) -> tuple[object, ...]:
    """The arguments that make the specifier; a missing one is None."""
    if tool.template is not None:
        return tuple(_value(found, args) for found in PLACEHOLDER.finditer(tool.template))
    return (_default_argument(tool, args),)


def render(tool: Tool, args: Mapping[str, object]) -> str | None:
    """The specifier as text; None when an argument is missing or is not text."""
    if tool.template is None:
        given = _default_argument(tool, args)
        return given if isinstance(given, str) else None
    if any(not isinstance(value, (str, int, float)) for value in specifier_values(tool, args)):
        return None
    return PLACEHOLDER.sub(lambda found: str(_value(found, args)), tool.template)


def render_loosely(tool: Tool, args: Mapping[str, object]) -> str:
    """The specifier as text, with missing arguments left empty; for deny and ask rules only."""
    return PLACEHOLDER.sub(lambda found: str(args.get(found[1], "")), tool.template or "")


def _default_argument(tool: Tool, args: Mapping[str, object]) -> object:
    """The argument that tools of this dialect have by default."""
    for name in _DEFAULT_ARGUMENTS[tool.dialect]:
        if name in args:
            return args[name]
    return None


def _value(found: re.Match[str], args: Mapping[str, object]) -> object:
    value = args.get(found[1])
    if value is None:
        return found[3]
    return value if found[2] is None else _host(value)


def _host(value: object) -> str:
    """The host of an address in lower case; a hole when programs could disagree about it."""
    address = _HOST.fullmatch(value) if isinstance(value, str) else None
    return HOLE if address is None else address[1].lower().rstrip(".")

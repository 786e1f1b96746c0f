"""Specifier templates: which arguments of a call its specifier is made of."""

import re
from collections.abc import Mapping

from assent.engine.globs import HOLE
from assent.engine.model import Dialect, Tool
from assent.engine.regex import regex

PLACEHOLDER = regex(r"\{([A-Za-z_]\w*)(:host)?(?:=([^{}]*))?\}")
"""`{name}`, `{name=what it means when it is missing}`, or `{name:host}`, the host of a web address."""

_HOST = regex(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@\\]*@)?([A-Za-z0-9._-]+)(?::\d*)?(?:[/?#].*)?", re.DOTALL)
_USUAL = {
    Dialect.SHELL: ("command",),
    Dialect.POWERSHELL: ("command",),
    Dialect.PATH: ("path", "file_path"),
    Dialect.TEXT: (),
}


def values(tool: Tool, args: Mapping[str, object]) -> tuple[object, ...]:
    """The arguments that the specifier is made of; a missing one is None."""
    if tool.template is not None:
        return tuple(_value(found, args) for found in PLACEHOLDER.finditer(tool.template))
    return (_usual(tool, args),)


def render(tool: Tool, args: Mapping[str, object]) -> str | None:
    """The specifier as text, or None when an argument is missing or is not text."""
    if tool.template is None:
        given = _usual(tool, args)
        return given if isinstance(given, str) else None
    if any(not isinstance(value, (str, int, float)) for value in values(tool, args)):
        return None
    return PLACEHOLDER.sub(lambda found: str(_value(found, args)), tool.template)


def render_loosely(tool: Tool, args: Mapping[str, object]) -> str:
    """The specifier as text with nothing in place of what is missing, for deny and ask alone."""
    return PLACEHOLDER.sub(lambda found: str(args.get(found[1], "")), tool.template or "")


def _usual(tool: Tool, args: Mapping[str, object]) -> object:
    """The argument that tools of this dialect usually have."""
    for name in _USUAL[tool.dialect]:
        if name in args:
            return args[name]
    return None


def _value(found: re.Match[str], args: Mapping[str, object]) -> object:
    value = args.get(found[1])
    if value is None:
        return found[3]
    return value if found[2] is None else _host(value)


def _host(value: object) -> str:
    """The host of an address as names are compared; what no two readers need agree on is a hole."""
    address = _HOST.fullmatch(value) if isinstance(value, str) else None
    return HOLE if address is None else address[1].lower().rstrip(".")

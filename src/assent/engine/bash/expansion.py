"""What a `${…}` says of its variable: that it stands for the value, or what stands there without one."""

import re

from assent.engine.regex import regex

_DEFAULT = regex(r"\$\{\w+:?[-=]([\w./~-]+)\}")
_REQUIRED = regex(r"\$\{\w+:\?.*\}", re.DOTALL)
_PARAMETER = regex(r"\$\{?([0-9])\}?")
_COUNT = regex(r"\$[#?!]|\$\{[#?!]\}|\$\{#\w+(?:\[[@*]\])?\}")
_SAME_VALUE = regex(r"\$(\w+)|\$\{(\w+)(?::?\?[^}]*|%/)?\}")


def parameter(text: str) -> str:
    """The positional parameter that an expansion is, or nothing."""
    found = _PARAMETER.fullmatch(text)
    return found[1] if found else ""


def counts(text: str) -> bool:
    """Whether an expansion is a number: of arguments or characters, of a process, or how a command went."""
    return _COUNT.fullmatch(text) is not None


def same_value(text: str) -> str:
    """The variable whose value an expansion is, or nothing when it is more than that."""
    found = _SAME_VALUE.fullmatch(text)
    return (found[1] or found[2]) if found else ""


def default(text: str) -> str:
    """What an expansion is when its variable is not set; one that must be set is something."""
    if found := _DEFAULT.fullmatch(text):
        return found[1]
    return "set" if _REQUIRED.fullmatch(text) else ""

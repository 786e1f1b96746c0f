"""What a `${…}` says of its variable: that it stands for the value, or what stands there without one."""

import re

_DEFAULT = re.compile(r"\$\{\w+:?[-=]([\w./~-]+)\}").fullmatch
_REQUIRED = re.compile(r"\$\{\w+:\?.*\}", re.DOTALL).fullmatch
_PARAMETER = re.compile(r"\$\{?([0-9])\}?").fullmatch
_COUNT = re.compile(r"\$[#?!]|\$\{[#?!]\}|\$\{#\w+(?:\[[@*]\])?\}").fullmatch
_SAME_VALUE = re.compile(r"\$(\w+)|\$\{(\w+)(?::?\?[^}]*|%/)?\}").fullmatch


def parameter(text: str) -> str:
    """The positional parameter that an expansion is, or nothing."""
    found = _PARAMETER(text)
    return found[1] if found else ""


def counts(text: str) -> bool:
    """Whether an expansion is a number: of arguments or characters, of a process, or how a command went."""
    return _COUNT(text) is not None


def same_value(text: str) -> str:
    """The variable whose value an expansion is, or nothing when it is more than that."""
    found = _SAME_VALUE(text)
    return (found[1] or found[2]) if found else ""


def default(text: str) -> str:
    """What an expansion is when its variable is not set; one that must be set is something."""
    if found := _DEFAULT(text):
        return found[1]
    return "set" if _REQUIRED(text) else ""

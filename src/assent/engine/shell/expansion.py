"""What a `${…}` says of its variable: that it stands for the value, or what stands there without one."""

import re

_DEFAULT = re.compile(r"\$\{\w+:?[-=]([\w./~-]+)\}").fullmatch
_REQUIRED = re.compile(r"\$\{\w+:\?.*\}", re.DOTALL).fullmatch
_SAME_VALUE = re.compile(r"\$(\w+)|\$\{(\w+)(?::?\?[^}]*|%/)?\}").fullmatch


def same_value(text: str) -> str:
    """The variable whose value an expansion is, or nothing when it is more than that."""
    found = _SAME_VALUE(text)
    return (found[1] or found[2]) if found else ""


def default(text: str) -> str:
    """What an expansion is when its variable is not set; one that must be set is something."""
    if found := _DEFAULT(text):
        return found[1]
    return "set" if _REQUIRED(text) else ""

"""Arithmetic and subscripts, where the shell evaluates text a second time."""

import re

from assent.engine.shell.scope import Scope

_NAMES = re.compile(r"[A-Za-z_]\w*")
_QUOTES = re.compile(r"['\"\\]")
_SUBSTRING = re.compile(r"\$\{!?\w+(?:\[[^]]*\])?:(?![-=+?])")


def problem(text: str) -> str | None:
    """Why an arithmetic text cannot be read, or None."""
    if _QUOTES.search(text):
        return "holds quotes inside arithmetic, which the shell would evaluate"
    return None


def computed(text: str, scope: Scope) -> bool:
    """Whether the text uses a variable of this line whose content would be evaluated, too."""
    return any(scope.computed(name, text) for name in _NAMES.findall(text))


def problem_in_expansion(text: str) -> str | None:
    """Why a `${…}` cannot be read, or None."""
    if "@P" in text:
        return "expands text as a prompt, which may run commands"
    if ("[" in text or _SUBSTRING.match(text)) and _QUOTES.search(text):
        return "holds quotes inside a subscript, which the shell would evaluate"
    return None

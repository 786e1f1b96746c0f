"""Arithmetic and subscripts, where the shell evaluates text a second time."""

import re

from assent.engine.bash import numbers
from assent.engine.bash.builtins import filled_by_the_shell
from assent.engine.bash.scope import Scope
from assent.engine.regex import regex

_NAMES = regex(r"[A-Za-z_]\w*")
_ASSIGNED = regex(
    r"([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)?(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_QUOTES = regex(r"['\"\\]")
_SUBSTITUTION = regex(r"\$\(|`|\$\{|\$[0-9@*]")
"""What a value may come from that is no variable: a command, or an argument of this shell."""
_BRACED = regex(r"\$\{([A-Za-z_]\w*)\}")
_INDIRECT = regex(r"\$\{!\w+[^*@\w]")
_SUBSCRIPT = regex(r"\w\[([^]]*)\]?")
_SUBSTRING = regex(r"\$\{!?\w+(?:\[[^]]*\])?:(?![-=+?])(.*)\}", re.DOTALL)
_DEFAULT_ASSIGNED = regex(r"\$\{(\w+)(?:\[[^]]*\])?:?=")


def problem(text: str) -> str | None:
    """Why an arithmetic text cannot be read, or None."""
    if _QUOTES.search(text):
        return "holds quotes inside arithmetic, which the shell would evaluate"
    return None


def computed(text: str, scope: Scope) -> bool:
    """Whether the text uses a value that is not known to be a number, and would be evaluated, too."""
    text = _BRACED.sub(r"$\1", numbers.counted(text))
    if _SUBSTITUTION.search(text.removeprefix("$((").removeprefix("${")):
        return True
    return any(filled_by_the_shell(name) or scope.computed(name, text) for name in _NAMES.findall(text))


def assigned(text: str) -> list[str]:
    """The variables that an arithmetic text sets."""
    return [before or after for before, after in _ASSIGNED.findall(text)]


def assigned_by_expansion(text: str) -> list[str]:
    """The variable that `${name:=…}` sets."""
    return _DEFAULT_ASSIGNED.findall(text)


def problem_in_expansion(text: str) -> str | None:
    """Why a `${…}` cannot be read, or None."""
    if "@P" in text:
        return "expands text as a prompt, which may run commands"
    if ("[" in text or _SUBSTRING.match(text)) and _QUOTES.search(text):
        return "holds quotes inside a subscript, which the shell would evaluate"
    return None


def computed_in_expansion(text: str, scope: Scope) -> bool:
    """Whether a `${…}` evaluates something that is not known to be a number, or names a variable by one."""
    if _INDIRECT.match(text):
        return True
    subscripts = [inner for inner in _SUBSCRIPT.findall(text) if inner not in ("@", "*")]
    substring = _SUBSTRING.fullmatch(text)
    evaluated = [*subscripts, *([substring[1]] if substring else [])]
    return any(not _is_number(inner) and computed(inner, scope) for inner in evaluated)


def _is_number(text: str) -> bool:
    return text.replace(":", "").replace("-", "").replace(" ", "").isdecimal()

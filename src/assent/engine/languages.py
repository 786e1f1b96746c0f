"""The shells whose lines can be decided, each loaded when the first line of its kind comes."""

from functools import cache

from assent.engine.late import late
from assent.engine.model import Dialect
from assent.engine.program import Language

_HOMES = {
    Dialect.SHELL: ("shell.language", "BASH"),
    Dialect.POWERSHELL: ("powershell.language", "POWERSHELL"),
}


@cache
def language_of(dialect: Dialect) -> Language:
    """How lines of this dialect are read."""
    module, name = _HOMES[dialect]
    found = late(module, name)
    if not isinstance(found, Language):
        raise TypeError(f"{module}.{name} is not a language")
    return found

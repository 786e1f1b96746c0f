"""The shells whose lines can be decided, each loaded when the first line of its kind comes."""

from functools import cache

from assent.engine.late import late
from assent.engine.lines.program_part import Language
from assent.engine.model import Dialect

_HOMES = {
    Dialect.SHELL: ("bash.language", "BASH"),
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

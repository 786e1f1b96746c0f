"""The shells whose lines can be decided, each loaded when the first line of its kind comes."""

import importlib
from functools import cache

from assent.engine.line import Language
from assent.engine.model import Dialect

_MODULES = {
    Dialect.SHELL: ("assent.engine.shell.language", "BASH"),
    Dialect.POWERSHELL: ("assent.engine.powershell.language", "POWERSHELL"),
}


@cache
def language_of(dialect: Dialect) -> Language:
    """How lines of this dialect are read.

    Most callers meet one dialect only, and loading the other would be a sixth of `assent check`'s start.
    """
    module, name = _MODULES[dialect]
    found = getattr(importlib.import_module(module), name)
    if not isinstance(found, Language):
        raise TypeError(f"{module}.{name} is not a language")
    return found

"""Regular expressions that are compiled, and modules that are loaded, on first use."""

import re
from functools import cache
from importlib import import_module
from typing import AnyStr, cast


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern that costs nothing until it is used.

    The engine has about two hundred, and a line needs a few of them. Compiling all of them would be a
    quarter of the start of `assent check`.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(source, flags))


class _LazyPattern:
    """Compiles the pattern on the first access to an attribute, and keeps the attribute."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        attribute: object = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, attribute)
        return attribute


@cache
def load_attribute(module: str, name: str) -> object:
    """The attribute of this name of a module of the engine; the module is loaded on first use.

    Most lines need one shell, no syntax tree and few programs; loading the rest would take a third of the
    start of `assent check`.
    """
    return getattr(import_module(f"assent.engine.{module}"), name)

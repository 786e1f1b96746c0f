"""Regular expressions that are compiled, and modules that are loaded, on first use."""

import re
from functools import cache
from importlib import import_module
from typing import AnyStr, cast


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A regular expression that is compiled on first use.

    The engine has about two hundred patterns, and a line needs a few. Compiling all of them would take a
    quarter of the start time of `assent check`.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(source, flags))


class _LazyPattern:
    """Compiles the pattern on the first access to an attribute, and caches the attribute."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Compile the pattern and return its attribute."""
        attribute: object = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, attribute)
        return attribute


@cache
def load_attribute(module: str, name: str) -> object:
    """Import a module of the engine on first use, and return its attribute.

    Most lines need one shell, no syntax tree and few programs; loading all modules would take a third
    of the start time of `assent check`.
    """
    return getattr(import_module(f"assent.engine.{module}"), name)

"""Regular expressions that are compiled on first use."""

import re
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

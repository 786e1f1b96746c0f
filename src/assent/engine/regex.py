"""Regular expressions of our own, compiled when the first text is held against them."""

import re
from typing import AnyStr, cast


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern that costs nothing until it is used.

    The engine knows some two hundred, and a line meets a few of them: compiling all of them would be a
    quarter of `assent check`'s start.
    """
    return cast("re.Pattern[AnyStr]", _Late(source, flags))


class _Late:
    """Whatever is asked of it, the compiled pattern answers, and from then on it answers by itself."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        answer: object = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, answer)
        return answer

"""A place in a PowerShell text, and how the blanks and comments there are passed over."""

import re
from collections.abc import Generator
from contextlib import contextmanager

from assent.engine.regex import regex

DEEPEST = 48
MOST_TOKENS = 4096
"""How often a text is asked for its next token; one that asks more is not worth the time."""

SINGLE_QUOTES = "'\u2018\u2019\u201a\u201b"
DOUBLE_QUOTES = '"\u201c\u201d\u201e'
LOOKALIKE_DASHES = "\u2013\u2014\u2015"
"""To PowerShell each of these is a quote or a dash like the plain one."""

ENDS_WORD = frozenset(" \t\n&(),;{}|")
"""Characters that never belong to a bare word unless they are escaped or quoted."""

_BEFORE_TOKEN = frozenset(" \t`#<")
_REQUIRES = regex("requires", re.IGNORECASE)
_COMMENT_END = regex(r"#>")


class Unreadable(Exception):
    """Why a text cannot be read as a whole; never leaves the reader."""


class Cursor:
    """A text and a place in it."""

    def __init__(self, text: str, depth: int = 0, base: int = 0, lookalikes: list[str] | None = None) -> None:
        self.text = text
        self.at = 0
        self.left = MOST_TOKENS
        self.depth = depth
        self.base = base
        """Where this text begins in the one it was taken from."""
        self.lookalikes: list[str] = [] if lookalikes is None else lookalikes
        """Quotes that only look like one, but count as one."""

    def peek(self, ahead: int = 0) -> str:
        """One character, or nothing at the end."""
        at = self.at + ahead
        return self.text[at] if at < len(self.text) else ""

    def starts(self, text: str) -> bool:
        """Whether a text stands here."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Step over a text if it stands here."""
        if not self.starts(text):
            return False
        self.at += len(text)
        return True

    def expect(self, text: str) -> None:
        """Step over a text that must stand here."""
        if not self.take(text):
            raise Unreadable("does not parse as a PowerShell command")

    def quote(self) -> str:
        """Step over a quote, and remember it if it only looks like one."""
        character = self.peek()
        self.at += 1
        if character not in ("'", '"'):
            self.lookalikes.append(character)
        return character

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Step over what a pattern finds here."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def span(self, start: int) -> tuple[int, int]:
        """From a place to here, as counted in the whole text."""
        return self.base + start, self.base + self.at

    def ends_word(self, ahead: int = 0) -> bool:
        """Whether the character there cannot continue a bare word."""
        character = self.peek(ahead)
        return not character or character in ENDS_WORD

    def blanks(self) -> None:
        """Pass over blanks, continued lines and comments: what may stand before any token."""
        self.left -= 1
        if self.left < 0:
            raise Unreadable("holds more words than can be read")
        while True:
            character = self.peek()
            if character not in _BEFORE_TOKEN:
                return
            if character in (" ", "\t"):
                self.at += 1
            elif character == "`" and self.peek(1) and self.peek(1) in " \t\n":
                self.at += 2
            elif character == "#":
                self._comment()
            elif self.starts("<#"):
                self.block_comment()
            else:
                return

    def newlines(self) -> None:
        """Pass over line ends, too."""
        self.blanks()
        while self.peek() == "\n":
            self.at += 1
            self.blanks()

    def separators(self) -> None:
        """Pass over everything that may stand between two statements."""
        self.newlines()
        while self.take(";"):
            self.newlines()

    @contextmanager
    def deeper(self) -> Generator[None]:
        """Read something that stands inside something else, but not without end."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable("nested too deeply")
        yield
        self.depth -= 1

    def _comment(self) -> None:
        end = self.text.find("\n", self.at)
        if _REQUIRES.match(self.text, self.at + 1):
            raise Unreadable("holds `#requires`, which can load modules")
        self.at = len(self.text) if end < 0 else end

    def block_comment(self) -> None:
        """Step over `<# … #>`, which begins here."""
        found = _COMMENT_END.search(self.text, self.at + 2)
        if found is None:
            raise Unreadable("holds a comment that never ends")
        self.at = found.end()

"""Scan a PowerShell text: blanks, comments, quotes, escapes and variables."""

import re
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager

from assent.engine.powershell.syntax import Expand, Expression, Statement, Sub, Text, Unknown, Variable
from assent.engine.regex import regex

DEEPEST = 48
MOST_TOKENS = 4096
"""How many tokens a text may have."""

SINGLE_QUOTES = "'\u2018\u2019\u201a\u201b"
DOUBLE_QUOTES = '"\u201c\u201d\u201e'
LOOKALIKE_DASHES = "\u2013\u2014\u2015"
"""PowerShell treats each of these like the plain quote or dash."""

ENDS_WORD = frozenset(" \t\n&(),;{}|")
"""Characters that end a bare word unless they are escaped or quoted."""

_BEFORE_TOKEN = frozenset(" \t`#<")
_REQUIRES = regex("requires", re.IGNORECASE)
_COMMENT_END = regex(r"#>")


class Unreadable(Exception):
    """Why a text cannot be fully read; the reader catches it."""


class Cursor:
    """A text and a position in it."""

    def __init__(self, text: str, depth: int = 0, base: int = 0, lookalikes: list[str] | None = None) -> None:
        self.text = text
        self.at = 0
        self.left = MOST_TOKENS
        self.depth = depth
        self.base = base
        """Where this text begins in the text that contains it."""
        self.lookalikes: list[str] = [] if lookalikes is None else lookalikes
        """Typographic quotes that PowerShell treats as quotes."""

    def peek(self, ahead: int = 0) -> str:
        """One character, or nothing at the end."""
        at = self.at + ahead
        return self.text[at] if at < len(self.text) else ""

    def starts(self, text: str) -> bool:
        """Whether the rest begins with this text."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Step over a text if the rest begins with it."""
        if not self.starts(text):
            return False
        self.at += len(text)
        return True

    def expect(self, text: str) -> None:
        """Step over a text that the rest must begin with."""
        if not self.take(text):
            raise Unreadable("does not parse as a PowerShell command")

    def quote(self) -> str:
        """Step over a quote, and record it if it is typographic."""
        character = self.peek()
        self.at += 1
        if character not in ("'", '"'):
            self.lookalikes.append(character)
        return character

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Step over the match of a pattern at this position."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def span(self, start: int) -> tuple[int, int]:
        """The span from a position to here, in the whole text."""
        return self.base + start, self.base + self.at

    def ends_word(self, ahead: int = 0) -> bool:
        """Whether the character there cannot continue a bare word."""
        character = self.peek(ahead)
        return not character or character in ENDS_WORD

    def blanks(self) -> None:
        """Step over blanks, continued lines and comments, which may precede any token."""
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
        """Step over blanks, comments and line ends."""
        self.blanks()
        while self.peek() == "\n":
            self.at += 1
            self.blanks()

    def separators(self) -> None:
        """Step over everything that may be between two statements."""
        self.newlines()
        while self.take(";"):
            self.newlines()

    @contextmanager
    def deeper(self) -> Generator[None]:
        """Read a nested construct, up to a maximal depth."""
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
        """Step over the comment `<# … #>` that begins here."""
        found = _COMMENT_END.search(self.text, self.at + 2)
        if found is None:
            raise Unreadable("holds a comment that never ends")
        self.at = found.end()


_BRACED = regex(r"\{([^{}`\n" + DOUBLE_QUOTES + r"]+)\}")
_NAME = regex(r"[$?^]|[\w:][\w?]*(?::(?!:)[\w?]*)*")
_UNQUOTED = regex(rf"[^{SINGLE_QUOTES}]+")
_PLAIN = regex(rf"[^`$\n{DOUBLE_QUOTES}]+")
_CODE_POINT = regex(r"\{[0-9a-fA-F]{1,6}\}")
_TO_END_OF_LINE = regex(r"[ \t]*(?=\n)")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class StringScanner(Cursor, ABC):
    """Reads strings, escapes and variables; subclasses read the statements inside them."""

    @abstractmethod
    def nested(self, text: str, at: int) -> tuple[Statement, ...]:
        """The statements of a text inside a string."""
        ...

    def string(self) -> Expression | None:
        """The string that begins here; None when none does."""
        character = self.peek()
        if character and character in SINGLE_QUOTES:
            return Text(self.single(), quoted=True)
        if character and character in DOUBLE_QUOTES:
            return join_parts(self.double(), quoted=True)
        if character == "@" and self.peek(1) and self.peek(1) in SINGLE_QUOTES + DOUBLE_QUOTES:
            return self._here()
        return None

    def single(self) -> str:
        """The text between single quotes; two quotes in a row are one."""
        self.quote()
        found = ""
        while self.peek():
            if (run := self.match(_UNQUOTED)) is not None:
                found += run
                continue
            self.quote()
            if not (self.peek() and self.peek() in SINGLE_QUOTES):
                return found
            found += self.quote()
        raise Unreadable("holds a string that never ends")

    def double(self) -> list[Expression]:
        """The parts between double quotes, literal and expanded."""
        self.quote()
        parts: list[Expression] = []
        while character := self.peek():
            if character in DOUBLE_QUOTES:
                self.quote()
                if not (self.peek() and self.peek() in DOUBLE_QUOTES):
                    return parts
                parts.append(Text(self.quote()))
            else:
                parts.append(self.expandable(here=False))
        raise Unreadable("holds a string that never ends")

    def expandable(self, *, here: bool) -> Expression:
        """A run of plain characters, or one expansion, in a text with expansions."""
        if (run := self.match(_PLAIN)) is not None:
            return Text(run)
        character = self.peek()
        if character == "`":
            return self.escape()
        if character == "$" and (found := self.dollar(here=here)) is not None:
            return found
        self.at += 1
        return Text(character)

    def escape(self) -> Expression:
        """The meaning of the character after a backtick."""
        character = self.peek(1)
        self.at += 2
        if not character or character == "0":
            raise Unreadable("holds an escape that means nothing, or a null character")
        if character == "u":
            # Only newer versions support code points, so the text may also be literal.
            self.match(_CODE_POINT)
        return Unknown() if character in "eu" else Text(_LETTERS.get(character, character))

    def dollar(self, *, here: bool) -> Expression | None:
        """A variable or sub-expression inside a string or word; None for a lone dollar."""
        if self.peek(1) == "(":
            return self._inner(here=here)
        return self.variable()

    def variable(self, sigil: str = "$") -> Variable | None:
        """The variable that begins here; None when no variable begins here."""
        start = self.at
        self.expect(sigil)
        if sigil == "$" and self.peek() == "{":
            braced = self.match(_BRACED)
            if braced is None:
                raise Unreadable("holds a variable with an odd name")
            return Variable(braced[1:-1])
        name = self.match(_NAME)
        if name is None:
            self.at = start
            return None
        if name[0] == ":" or name[-1] == ":":
            raise Unreadable("holds a variable with an odd name")
        return Variable(name, splat=sigil == "@")

    def _inner(self, *, here: bool) -> Sub:
        """`$( )` inside a string: PowerShell finds its end by counting parentheses, quoted or not."""
        start = self.at
        self.at += 2
        open_, inner = 1, ""
        while character := self.peek():
            self.at += 1
            open_ += {"(": 1, ")": -1}.get(character, 0)
            if not open_:
                with self.deeper():
                    return Sub(self.nested(inner, start + 2))
            if not here and character in "`" + DOUBLE_QUOTES and self.peek() and self.peek() in DOUBLE_QUOTES:
                character = self.quote()
            inner += character
        raise Unreadable("holds a string that never ends")

    def _here(self) -> Expression:
        """`@'` or `@"` up to a line that begins with the same quote and an `@`."""
        self.at += 1
        quotes = SINGLE_QUOTES if self.quote() in SINGLE_QUOTES else DOUBLE_QUOTES
        if self.match(_TO_END_OF_LINE) is None:
            raise Unreadable("holds a string that never ends")
        parts: list[Expression] = []
        while character := self.peek():
            if character == "\n" and self.peek(1) and self.peek(1) in quotes and self.peek(2) == "@":
                self.at += 1
                self.quote()
                self.at += 1
                return join_parts(parts[1:], quoted=True)
            if quotes == SINGLE_QUOTES or character == "\n":
                parts.append(Text(character))
                self.at += 1
            else:
                parts.append(self.expandable(here=True))
        raise Unreadable("holds a string that never ends")


def join_parts(parts: list[Expression], *, quoted: bool) -> Text | Expand:
    """Join parts into one text, or into one expandable string."""
    found: list[Expression] = []
    for part in parts:
        if isinstance(part, Text) and found and isinstance(found[-1], Text):
            found[-1] = Text(found[-1].value + part.value)
        else:
            found.append(part)
    if not found:
        return Text("", quoted)
    if len(found) == 1 and isinstance(found[0], Text):
        return Text(found[0].value, quoted)
    return Expand(tuple(found), quoted)

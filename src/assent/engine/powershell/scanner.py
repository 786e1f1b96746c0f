"""Scan a PowerShell text: blanks, comments, quotes, escapes and variables."""

import re
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Unreadable
from assent.engine.powershell.syntax import Expand, Expression, Statement, Sub, Text, Unknown, Variable

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

    def starts_with(self, text: str) -> bool:
        """Whether the rest begins with this text."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Step over a text if the rest begins with it."""
        if not self.starts_with(text):
            return False
        self.at += len(text)
        return True

    def expect(self, text: str) -> None:
        """Step over a text that the rest must begin with."""
        if not self.take(text):
            raise Unreadable("does not parse as a PowerShell command")

    def take_quote(self) -> str:
        """Step over a quote, and record it if it is typographic."""
        character = self.peek()
        self.at += 1
        if character not in ("'", '"'):
            self.lookalikes.append(character)
        return character

    def take_match(self, pattern: re.Pattern[str]) -> str | None:
        """Step over the match of a pattern at this position."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def span_from(self, start: int) -> tuple[int, int]:
        """The span from a position to here, in the whole text."""
        return self.base + start, self.base + self.at

    def ends_word(self, ahead: int = 0) -> bool:
        """Whether the character there cannot continue a bare word."""
        character = self.peek(ahead)
        return not character or character in ENDS_WORD

    def skip_blanks(self) -> None:
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
                self._skip_comment()
            elif self.starts_with("<#"):
                self.skip_block_comment()
            else:
                return

    def skip_newlines(self) -> None:
        """Step over blanks, comments and line ends."""
        self.skip_blanks()
        while self.peek() == "\n":
            self.at += 1
            self.skip_blanks()

    def skip_separators(self) -> None:
        """Step over everything that may be between two statements."""
        self.skip_newlines()
        while self.take(";"):
            self.skip_newlines()

    @contextmanager
    def nest(self) -> Generator[None]:
        """Read a nested construct, up to a maximal depth."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable("nested too deeply")
        yield
        self.depth -= 1

    def _skip_comment(self) -> None:
        end = self.text.find("\n", self.at)
        if _REQUIRES.match(self.text, self.at + 1):
            raise Unreadable("holds `#requires`, which can load modules")
        self.at = len(self.text) if end < 0 else end

    def skip_block_comment(self) -> None:
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
    def parse_nested(self, text: str, at: int) -> tuple[Statement, ...]:
        """The statements of a text inside a string."""
        ...

    def parse_string(self) -> Expression | None:
        """The string that begins here; None when none does."""
        character = self.peek()
        if character and character in SINGLE_QUOTES:
            return Text(self.parse_single_quoted(), quoted=True)
        if character and character in DOUBLE_QUOTES:
            return join_parts(self.parse_double_quoted(), quoted=True)
        if character == "@" and self.peek(1) and self.peek(1) in SINGLE_QUOTES + DOUBLE_QUOTES:
            return self._parse_here_string()
        return None

    def parse_single_quoted(self) -> str:
        """The text between single quotes; two quotes in a row are one."""
        self.take_quote()
        found = ""
        while self.peek():
            if (run := self.take_match(_UNQUOTED)) is not None:
                found += run
                continue
            self.take_quote()
            if not (self.peek() and self.peek() in SINGLE_QUOTES):
                return found
            found += self.take_quote()
        raise Unreadable("holds a string that never ends")

    def parse_double_quoted(self) -> list[Expression]:
        """The parts between double quotes, literal and expanded."""
        self.take_quote()
        parts: list[Expression] = []
        while character := self.peek():
            if character in DOUBLE_QUOTES:
                self.take_quote()
                if not (self.peek() and self.peek() in DOUBLE_QUOTES):
                    return parts
                parts.append(Text(self.take_quote()))
            else:
                parts.append(self.parse_expandable(in_here_string=False))
        raise Unreadable("holds a string that never ends")

    def parse_expandable(self, *, in_here_string: bool) -> Expression:
        """A run of plain characters, or one expansion, in a text with expansions."""
        if (run := self.take_match(_PLAIN)) is not None:
            return Text(run)
        character = self.peek()
        if character == "`":
            return self.parse_escape()
        if character == "$" and (found := self.parse_dollar(in_here_string=in_here_string)) is not None:
            return found
        self.at += 1
        return Text(character)

    def parse_escape(self) -> Expression:
        """The meaning of the character after a backtick."""
        character = self.peek(1)
        self.at += 2
        if not character or character == "0":
            raise Unreadable("holds an escape that means nothing, or a null character")
        if character == "u":
            # Only newer versions support code points, so the text may also be literal.
            self.take_match(_CODE_POINT)
        return Unknown() if character in "eu" else Text(_LETTERS.get(character, character))

    def parse_dollar(self, *, in_here_string: bool) -> Expression | None:
        """A variable or sub-expression inside a string or word; None for a lone dollar."""
        if self.peek(1) == "(":
            return self._parse_subexpression(in_here_string=in_here_string)
        return self.parse_variable()

    def parse_variable(self, sigil: str = "$") -> Variable | None:
        """The variable that begins here; None when no variable begins here."""
        start = self.at
        self.expect(sigil)
        if sigil == "$" and self.peek() == "{":
            braced = self.take_match(_BRACED)
            if braced is None:
                raise Unreadable("holds a variable with an odd name")
            return Variable(braced[1:-1])
        name = self.take_match(_NAME)
        if name is None:
            self.at = start
            return None
        if name[0] == ":" or name[-1] == ":":
            raise Unreadable("holds a variable with an odd name")
        return Variable(name, splat=sigil == "@")

    def _parse_subexpression(self, *, in_here_string: bool) -> Sub:
        """`$( )` inside a string: PowerShell finds its end by counting parentheses, quoted or not."""
        start = self.at
        self.at += 2
        open_, inner = 1, ""
        while character := self.peek():
            self.at += 1
            open_ += {"(": 1, ")": -1}.get(character, 0)
            if not open_:
                with self.nest():
                    return Sub(self.parse_nested(inner, start + 2))
            if (
                not in_here_string
                and character in "`" + DOUBLE_QUOTES
                and self.peek()
                and self.peek() in DOUBLE_QUOTES
            ):
                character = self.take_quote()
            inner += character
        raise Unreadable("holds a string that never ends")

    def _parse_here_string(self) -> Expression:
        """`@'` or `@"` up to a line that begins with the same quote and an `@`."""
        self.at += 1
        quotes = SINGLE_QUOTES if self.take_quote() in SINGLE_QUOTES else DOUBLE_QUOTES
        if self.take_match(_TO_END_OF_LINE) is None:
            raise Unreadable("holds a string that never ends")
        parts: list[Expression] = []
        while character := self.peek():
            if character == "\n" and self.peek(1) and self.peek(1) in quotes and self.peek(2) == "@":
                self.at += 1
                self.take_quote()
                self.at += 1
                return join_parts(parts[1:], quoted=True)
            if quotes == SINGLE_QUOTES or character == "\n":
                parts.append(Text(character))
                self.at += 1
            else:
                parts.append(self.parse_expandable(in_here_string=True))
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

"""Scan a PowerShell text: blanks, comments, quotes, escapes and variables."""

import re
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Unreadable
from assent.engine.powershell.syntax import (
    ExpandableString,
    Expression,
    Statement,
    Subexpression,
    TextConstant,
    UnknownText,
    Variable,
)

MAX_DEPTH = 48
"""The maximal depth of nested constructs."""
MAX_TOKENS = 4096
"""The maximal number of tokens of a text."""

SINGLE_QUOTES = "'\u2018\u2019\u201a\u201b"
"""Characters that PowerShell treats as a single quote."""
DOUBLE_QUOTES = '"\u201c\u201d\u201e'
"""Characters that PowerShell treats as a double quote."""
LOOKALIKE_DASHES = "\u2013\u2014\u2015"
"""Characters that PowerShell treats as a dash."""

WORD_ENDS = frozenset(" \t\n&(),;{}|")
"""Characters that end a bare word unless they are escaped or quoted."""

_SKIPPED_STARTS = frozenset(" \t`#<")
"""Characters with which blanks, continued lines or comments begin."""
_REQUIRES = regex("requires", re.IGNORECASE)
_COMMENT_END = regex(r"#>")


class Cursor:
    """A text and the current index in it."""

    def __init__(self, text: str, depth: int = 0, base: int = 0, lookalikes: list[str] | None = None) -> None:
        self.text = text
        self.at = 0
        self.left = MAX_TOKENS
        self.depth = depth
        self.base = base
        """Where this text begins in the text that contains it."""
        self.lookalikes: list[str] = [] if lookalikes is None else lookalikes
        """Typographic quotes that PowerShell treats as quotes."""

    def peek(self, ahead: int = 0) -> str:
        """The character at the current index plus `ahead`; empty at the end of the text."""
        at = self.at + ahead
        return self.text[at] if at < len(self.text) else ""

    def starts_with(self, text: str) -> bool:
        """Whether this text is at the current index."""
        return self.text.startswith(text, self.at)

    def take_text(self, text: str) -> bool:
        """Skip this text if it is next; return whether it was."""
        if not self.starts_with(text):
            return False
        self.at += len(text)
        return True

    def expect_text(self, text: str) -> None:
        """Skip this text; raises `Unreadable` if it is not next."""
        if not self.take_text(text):
            raise Unreadable("does not parse as a PowerShell command")

    def take_quote(self) -> str:
        """Skip a quote, and record it if it is typographic."""
        character = self.peek()
        self.at += 1
        if character not in ("'", '"'):
            self.lookalikes.append(character)
        return character

    def take_match(self, pattern: re.Pattern[str]) -> str | None:
        """Skip the match of a pattern at the current index, and return it."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def span_from(self, start: int) -> tuple[int, int]:
        """The span from `start` to the current index, in the whole text."""
        return self.base + start, self.base + self.at

    def ends_word(self, ahead: int = 0) -> bool:
        """Whether the character at the current index plus `ahead` ends a bare word."""
        character = self.peek(ahead)
        return not character or character in WORD_ENDS

    def skip_blanks(self) -> None:
        """Skip blanks, continued lines and comments, which may be before any token."""
        self.left -= 1
        if self.left < 0:
            raise Unreadable("holds more words than can be read")
        while True:
            character = self.peek()
            if character not in _SKIPPED_STARTS:
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
        """Skip blanks, comments and newlines."""
        self.skip_blanks()
        while self.peek() == "\n":
            self.at += 1
            self.skip_blanks()

    def skip_separators(self) -> None:
        """Skip everything that may be between two statements."""
        self.skip_newlines()
        while self.take_text(";"):
            self.skip_newlines()

    @contextmanager
    def enter_nested_construct(self) -> Generator[None]:
        """Enter a nested construct; raises `Unreadable` beyond the maximum depth."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        yield
        self.depth -= 1

    def _skip_comment(self) -> None:
        """Skip a comment up to the end of its line."""
        end = self.text.find("\n", self.at)
        if _REQUIRES.match(self.text, self.at + 1):
            raise Unreadable("holds `#requires`, which can load modules")
        self.at = len(self.text) if end < 0 else end

    def skip_block_comment(self) -> None:
        """Skip a comment `<# … #>`."""
        found = _COMMENT_END.search(self.text, self.at + 2)
        if found is None:
            raise Unreadable("holds a comment that never ends")
        self.at = found.end()


_BRACED_NAME = regex(r"\{([^{}`\n" + DOUBLE_QUOTES + r"]+)\}")
_VARIABLE_NAME = regex(r"[$?^]|[\w:][\w?]*(?::(?!:)[\w?]*)*")
_UNQUOTED = regex(rf"[^{SINGLE_QUOTES}]+")
_PLAIN_CHARACTERS = regex(rf"[^`$\n{DOUBLE_QUOTES}]+")
_CODE_POINT = regex(r"\{[0-9a-fA-F]{1,6}\}")
_TO_END_OF_LINE = regex(r"[ \t]*(?=\n)")
_ESCAPE_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class StringScanner(Cursor, ABC):
    """Parses strings, escapes and variables; subclasses parse the statements inside them."""

    @abstractmethod
    def parse_nested(self, text: str, at: int) -> tuple[Statement, ...]:
        """Parse the statements in a text inside a string."""
        ...

    def parse_string(self) -> Expression | None:
        """Parse the string that begins here; None if there is none."""
        character = self.peek()
        if character and character in SINGLE_QUOTES:
            return TextConstant(self.parse_single_quoted(), quoted=True)
        if character and character in DOUBLE_QUOTES:
            return join_parts(self.parse_double_quoted(), quoted=True)
        if character == "@" and self.peek(1) and self.peek(1) in SINGLE_QUOTES + DOUBLE_QUOTES:
            return self._parse_here_string()
        return None

    def parse_single_quoted(self) -> str:
        """Parse the text between single quotes; two quotes in a row mean one quote."""
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
        """Parse the parts between double quotes, literal and expanded."""
        self.take_quote()
        parts: list[Expression] = []
        while character := self.peek():
            if character in DOUBLE_QUOTES:
                self.take_quote()
                if not (self.peek() and self.peek() in DOUBLE_QUOTES):
                    return parts
                parts.append(TextConstant(self.take_quote()))
            else:
                parts.append(self.parse_expandable(in_here_string=False))
        raise Unreadable("holds a string that never ends")

    def parse_expandable(self, *, in_here_string: bool) -> Expression:
        """Parse several plain characters, or one expansion."""
        if (run := self.take_match(_PLAIN_CHARACTERS)) is not None:
            return TextConstant(run)
        character = self.peek()
        if character == "`":
            return self.parse_escape()
        if (
            character == "$"
            and (found := self.parse_dollar_expansion(in_here_string=in_here_string)) is not None
        ):
            return found
        self.at += 1
        return TextConstant(character)

    def parse_escape(self) -> Expression:
        """Parse the character after a backtick."""
        character = self.peek(1)
        self.at += 2
        if not character or character == "0":
            raise Unreadable("holds an escape that means nothing, or a null character")
        if character == "u":
            # Only newer versions support code points, so the meaning of the text is unknown.
            self.take_match(_CODE_POINT)
        return UnknownText() if character in "eu" else TextConstant(_ESCAPE_LETTERS.get(character, character))

    def parse_dollar_expansion(self, *, in_here_string: bool) -> Expression | None:
        """Parse a variable or subexpression inside a string or word; None for a lone dollar sign."""
        if self.peek(1) == "(":
            return self._parse_subexpression(in_here_string=in_here_string)
        return self.parse_variable()

    def parse_variable(self, sigil: str = "$") -> Variable | None:
        """Parse the variable that begins here; None if there is none."""
        start = self.at
        self.expect_text(sigil)
        if sigil == "$" and self.peek() == "{":
            braced = self.take_match(_BRACED_NAME)
            if braced is None:
                raise Unreadable("holds a variable with an odd name")
            return Variable(braced[1:-1])
        name = self.take_match(_VARIABLE_NAME)
        if name is None:
            self.at = start
            return None
        if name[0] == ":" or name[-1] == ":":
            raise Unreadable("holds a variable with an odd name")
        return Variable(name, splat=sigil == "@")

    def _parse_subexpression(self, *, in_here_string: bool) -> Subexpression:
        """Parse `$( )` inside a string; PowerShell finds its end by counting parentheses, quoted or not."""
        start = self.at
        self.at += 2
        open_, inner = 1, ""
        while character := self.peek():
            self.at += 1
            open_ += {"(": 1, ")": -1}.get(character, 0)
            if not open_:
                with self.enter_nested_construct():
                    return Subexpression(self.parse_nested(inner, start + 2))
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
        """Parse `@'` or `@"` up to a line that begins with the same quote and an `@`."""
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
                parts.append(TextConstant(character))
                self.at += 1
            else:
                parts.append(self.parse_expandable(in_here_string=True))
        raise Unreadable("holds a string that never ends")


def join_parts(parts: list[Expression], *, quoted: bool) -> TextConstant | ExpandableString:
    """Join parts to one constant, or to one expandable string."""
    found: list[Expression] = []
    for part in parts:
        if isinstance(part, TextConstant) and found and isinstance(found[-1], TextConstant):
            found[-1] = TextConstant(found[-1].value + part.value)
        else:
            found.append(part)
    if not found:
        return TextConstant("", quoted)
    if len(found) == 1 and isinstance(found[0], TextConstant):
        return TextConstant(found[0].value, quoted)
    return ExpandableString(tuple(found), quoted)

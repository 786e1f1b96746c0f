"""Strings, escapes and variables: what stands between quotes, and what begins with a dollar."""

from abc import ABC, abstractmethod

from assent.engine.powershell.cursor import DOUBLE_QUOTES, SINGLE_QUOTES, Cursor, Unreadable
from assent.engine.powershell.syntax import Expand, Expression, Statement, Sub, Text, Unknown, Variable
from assent.engine.regex import regex

_BRACED = regex(r"\{([^{}`\n" + DOUBLE_QUOTES + r"]+)\}")
_NAME = regex(r"[$?^]|[\w:][\w?]*(?::(?!:)[\w?]*)*")
_UNQUOTED = regex(rf"[^{SINGLE_QUOTES}]+")
_PLAIN = regex(rf"[^`$\n{DOUBLE_QUOTES}]+")
_CODE_POINT = regex(r"\{[0-9a-fA-F]{1,6}\}")
_TO_END_OF_LINE = regex(r"[ \t]*(?=\n)")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class Strings(Cursor, ABC):
    """Reads what is quoted; what runs inside it is read by the classes above."""

    @abstractmethod
    def nested(self, text: str, at: int) -> tuple[Statement, ...]:
        """The statements of a text that stood inside a string."""
        ...

    def string(self) -> Expression | None:
        """A string of any kind that begins here, or None."""
        character = self.peek()
        if character and character in SINGLE_QUOTES:
            return Text(self.single(), quoted=True)
        if character and character in DOUBLE_QUOTES:
            return joined(self.double(), quoted=True)
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
        """A run of plain characters in a text that expands, or all of what is expanded here."""
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
        """What a backtick makes of the next character."""
        character = self.peek(1)
        self.at += 2
        if not character or character == "0":
            raise Unreadable("holds an escape that means nothing, or a null character")
        if character == "u":
            # Only newer versions know code points, so what follows may also stand for itself.
            self.match(_CODE_POINT)
        return Unknown() if character in "eu" else Text(_LETTERS.get(character, character))

    def dollar(self, *, here: bool) -> Expression | None:
        """A variable or sub-expression inside a string or word; None for a lone dollar."""
        if self.peek(1) == "(":
            return self._inner(here=here)
        return self.variable()

    def variable(self, sigil: str = "$") -> Variable | None:
        """A variable that begins here; None when its first character cannot be one's."""
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
                return joined(parts[1:], quoted=True)
            if quotes == SINGLE_QUOTES or character == "\n":
                parts.append(Text(character))
                self.at += 1
            else:
                parts.append(self.expandable(here=True))
        raise Unreadable("holds a string that never ends")


def joined(parts: list[Expression], *, quoted: bool) -> Text | Expand:
    """Parts as one text, or as one that still has something to expand."""
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

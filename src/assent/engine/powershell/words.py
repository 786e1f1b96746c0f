"""Words of a command: bare words with quotes and variables in them, and other arguments."""

from assent.engine.characters import hidden
from assent.engine.powershell.cursor import DOUBLE_QUOTES, LOOKALIKE_DASHES, SINGLE_QUOTES, Unreadable
from assent.engine.powershell.expressions import Expressions
from assent.engine.powershell.strings import joined
from assent.engine.powershell.syntax import Expand, Expression, Items, Text, Variable
from assent.engine.regex import regex

QUOTES = SINGLE_QUOTES + DOUBLE_QUOTES
_PLAIN = regex(rf"[^\s&(),;{{}}|`$<>{QUOTES}{LOOKALIKE_DASHES}]+")


class Words(Expressions):
    """Reads the words after a command's name."""

    def arguments(self) -> Expression:
        """An argument and those that follow it behind commas."""
        elements = [self.argument()]
        spaced = False
        while True:
            before = self.at
            self.blanks()
            comma = self.at
            if not self.take(","):
                self.at = before
                return Items(tuple(elements), spaced) if len(elements) > 1 else elements[0]
            self.newlines()
            spaced = spaced or comma != before or self.at != comma + 1
            elements.append(self.argument())

    def argument(self) -> Expression:
        """One argument, without what follows a comma."""
        start = self.at
        variable = self._variable()
        if variable is not None:
            if self.ends_word():
                return variable
            if not variable.splat and (self.peek() in ".[=" or self.starts("::")):
                return self.members(variable)
            # What touches it makes it a word with a variable in it.
            self.at = start
            return self.bare_word()
        if self.peek() == "." and self.peek(1) in ("$", "'", '"'):
            self.at += 1
            return Text(".")
        if self._begins_value():
            return self.needed(self.primary())
        if self.peek() in ("]", "@"):
            raise Unreadable("does not parse as a PowerShell command")
        return self.bare_word()

    def bare_word(self) -> Text | Expand:
        """A word as typed, with quotes, escapes and variables inside it."""
        parts: list[Expression] = []
        quoted = False
        while not self.ends_word():
            if (run := self.match(_PLAIN)) is not None:
                parts.append(Text(run))
                continue
            character = self.peek()
            if character in "<>" + LOOKALIKE_DASHES:
                raise Unreadable("holds a word that could be read in two ways")
            quoted = quoted or character != "$"
            parts.extend(self._piece(character))
        if not parts:
            raise Unreadable("does not parse as a PowerShell command")
        return joined(parts, quoted=quoted)

    def _variable(self) -> Variable | None:
        if self.peek() == "@" and (self.peek(1).isalnum() or self.peek(1) == "_"):
            return self.variable("@")
        if self.peek() == "$" and self.peek(1) != "(":
            return self.variable()
        return None

    def _begins_value(self) -> bool:
        first, second = self.peek(), self.peek(1)
        if first == "@":
            return second != "" and second in "({" + QUOTES
        return first == "" or first in "({" + QUOTES or (first == "$" and second == "(")

    def _piece(self, character: str) -> list[Expression]:
        if character in SINGLE_QUOTES:
            return [Text(self.single())]
        if character in DOUBLE_QUOTES:
            return self.double()
        found = self.expandable(here=False) if character == "$" else self.escape()
        if isinstance(found, Text) and (found.value == "\n" or hidden(found.value)):
            raise Unreadable("holds a control character in a word")
        return [found]

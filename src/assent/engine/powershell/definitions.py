"""Definitions: the parameters of functions and script blocks, with their attributes and defaults."""

import re

from assent.engine.powershell.commands import Commands
from assent.engine.powershell.cursor import Unreadable
from assent.engine.powershell.syntax import Assign, Expression, Statement, Unknown, valued
from assent.engine.regex import regex

_PARAM = regex(r"param(?=[\s(])", re.IGNORECASE)
_ATTRIBUTE = regex(r"\[[ \t]*[A-Za-z_][\w.]*[ \t]*\(")
_NAMED = regex(r"[A-Za-z_]\w*[ \t]*=(?!=)")
_BARE = regex(r"[A-Za-z_]\w*(?=[ \t\n]*[,)])")


class Definitions(Commands):
    """Reads what a block says of its parameters; only what that could run matters."""

    def param_block(self) -> tuple[Statement, ...]:
        """`param( )` with the attributes before it, if it stands here."""
        before = self.at
        attributes: list[Statement] = []
        while _ATTRIBUTE.match(self.text, self.at):
            attributes.extend(self._attribute())
            self.newlines()
        if self.match(_PARAM) is None:
            self.at = before
            return ()
        self.newlines()
        self.expect("(")
        return (*attributes, *self.parameters())

    def parameters(self) -> tuple[Statement, ...]:
        """Parameters up to the closing parenthesis, as assignments of whatever they are given."""
        found: list[Statement] = []
        self.newlines()
        while not self.take(")"):
            found.extend(self._parameter_definition())
            self.newlines()
            self.comma_or(")")
        return tuple(found)

    def _parameter_definition(self) -> list[Statement]:
        found: list[Statement] = []
        while self.peek() == "[":
            if _ATTRIBUTE.match(self.text, self.at):
                found.extend(self._attribute())
            elif self.type_name() is None:
                raise Unreadable("holds an attribute or a type we do not read")
            self.newlines()
        start = self.at
        variable = self.needed(self.variable())
        default: Expression = Unknown()
        self.newlines()
        if self.take("="):
            self.newlines()
            default = self.needed(self.expression(commas=False))
        found.append(Assign(target=variable, value=valued(default), plain=False, span=self.span(start)))
        return found

    def _attribute(self) -> list[Statement]:
        """`[Name(arguments)]`."""
        self.match(_ATTRIBUTE)
        found: list[Statement] = []
        self.newlines()
        while not self.take(")"):
            if self.match(_NAMED) is not None or self.match(_BARE) is None:
                self.newlines()
                found.append(valued(self.needed(self.expression(commas=False))))
                self.newlines()
            self.comma_or(")")
        self.blanks()
        self.expect("]")
        return found

"""Values: what may stand alone in an expression, with the members and indexes that touch it."""

import re
from abc import abstractmethod

from assent.engine.powershell.cursor import Unreadable
from assent.engine.powershell.strings import Strings
from assent.engine.powershell.syntax import (
    Expression,
    Index,
    Member,
    Script,
    Statement,
    Sub,
    Table,
    Text,
    Type,
)
from assent.engine.regex import regex

_NUMBER = regex(
    r"(?:0x[0-9a-f]+|0b[01]+|(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:e[+-]?\d+)?)(?:u[lsy]?|[lsynd])?(?:[kmgtp]b)?"
    r"(?=[\s&(),;{}|!#%*+./<=>\]?:-]|$)",
    re.IGNORECASE,
)
_TYPE = regex(r"\[[ \t]*([A-Za-z_][\w.+ \t]*(?:\[[\w.+, \t\[\]]*\])?)[ \t]*\]")
_NAME = regex(r"[A-Za-z_]\w*")
_KEY = regex(r"[A-Za-z_]\w*(?=[ \t]*=)")
_BLANK = regex(r"[ \t]")


class Values(Strings):
    """Reads a single value; what stands inside it is read by the classes above."""

    @abstractmethod
    def expression(self, *, commas: bool = True) -> Expression | None:
        """An expression that begins here, or None when none does."""
        ...

    @abstractmethod
    def statements(self, closing: str) -> tuple[Statement, ...]:
        """Statements up to a closing character, which is stepped over."""
        ...

    @abstractmethod
    def statement(self) -> Statement:
        """One statement."""
        ...

    @abstractmethod
    def pipeline(self) -> Statement:
        """A pipeline or an assignment."""
        ...

    @abstractmethod
    def script(self) -> tuple[Statement, ...]:
        """What stands in a script block, up to its closing brace."""
        ...

    def primary(self) -> Expression | None:
        """A value with its members and indexes; None when no value begins here."""
        value = self.single_value()
        return None if value is None else self.members(value)

    def single_value(self) -> Expression | None:
        """A value without its members."""
        if self.peek() == "$":
            return self._dollar()
        if (string := self.string()) is not None:
            return string
        if self.peek() in ("(", "{") or self.starts("@(") or self.starts("@{"):
            with self.deeper():
                return self._enclosed()
        number = self.match(_NUMBER)
        return None if number is None else Text(number)

    def members(self, value: Expression) -> Expression:
        """`.name`, `::name`, `[index]` and calls, as long as they touch."""
        while True:
            self._comment_before_member()
            if self.starts("?.") or self.starts("?["):
                self.at += 1
            if self.peek() == "." and self.peek(1) not in (".", "", " ", "\t", "\n"):
                self.at += 1
                value = self._member(value, static=False)
            elif self.take("::"):
                value = self._member(value, static=True)
            elif self.peek() == "[":
                value = Index(value, self._index())
            else:
                return value

    def type_name(self) -> Type | None:
        """`[name]`; None when something else stands in the brackets, such as an attribute."""
        start = self.at
        found = self.match(_TYPE)
        if found is None or found.count("[") != found.count("]"):
            self.at = start
            return None
        return Type(_BLANK.sub("", found[1:-1]).lower())

    def parenthesized(self) -> Statement:
        """What stands between parentheses, behind the first of them."""
        self.newlines()
        found = self.pipeline()
        self.newlines()
        self.expect(")")
        return found

    def needed(self, found: Expression | None) -> Expression:
        """A value that must be there."""
        if found is None:
            raise Unreadable("does not parse as a PowerShell command")
        return found

    def _comment_before_member(self) -> None:
        """A comment may stand between a value and its member, though a blank may not."""
        before = self.at
        while self.starts("<#"):
            self.block_comment()
        if self.at != before and self.peek() not in (".", ":", "[", "?"):
            self.at = before

    def _dollar(self) -> Expression | None:
        if not self.take("$("):
            return self.variable()
        with self.deeper():
            return Sub(self.statements(")"))

    def _enclosed(self) -> Expression:
        start = self.at
        if self.take("@{"):
            return self._table(start)
        if self.take("@("):
            return Sub(self.statements(")"))
        if self.take("("):
            return Sub((self.parenthesized(),))
        self.expect("{")
        return Script(self.script(), self.text[start : self.at])

    def _table(self, start: int) -> Table:
        entries: list[tuple[Expression, Statement]] = []
        self.separators()
        while not self.take("}"):
            name = self.match(_KEY)
            key = Text(name) if name is not None else self.needed(self.primary())
            self.blanks()
            self.expect("=")
            self.newlines()
            entries.append((key, self.statement()))
            self.separators()
        return Table(tuple(entries), self.text[start : self.at])

    def _index(self) -> Expression:
        self.expect("[")
        self.newlines()
        with self.deeper():
            found = self.needed(self.expression())
        self.newlines()
        self.expect("]")
        return found

    def _member(self, target: Expression, *, static: bool) -> Member:
        name = self.match(_NAME)
        found = Text(name) if name is not None else self.needed(self.single_value())
        return Member(target=target, name=found, static=static, arguments=self._arguments())

    def _arguments(self) -> tuple[Expression, ...] | None:
        """What a member is called with; None when it is only read."""
        if self.peek() == "{":
            return (self.needed(self.single_value()),)
        if not self.take("("):
            return None
        arguments: list[Expression] = []
        self.newlines()
        while not self.take(")"):
            with self.deeper():
                arguments.append(self.needed(self.expression(commas=False)))
            self.newlines()
            self.comma_or(")")
        return tuple(arguments)

    def comma_or(self, closing: str) -> None:
        """Between two items of a list stands a comma; behind the last one its end."""
        if not self.take(",") and self.peek() != closing:
            raise Unreadable("does not parse as a PowerShell command")
        self.newlines()

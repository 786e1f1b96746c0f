"""Parse expressions: values with their members and indexes, operators, casts and lists."""

import re
from abc import abstractmethod

from assent.engine.powershell.scanner import LOOKALIKE_DASHES, StringScanner, Unreadable
from assent.engine.powershell.syntax import (
    Cast,
    Expression,
    Index,
    Items,
    Member,
    Operation,
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


class ValueParser(StringScanner):
    """Parses a single value; subclasses parse what is inside it."""

    @abstractmethod
    def expression(self, *, commas: bool = True) -> Expression | None:
        """The expression that begins here; None when none does."""
        ...

    @abstractmethod
    def statements(self, closing: str) -> tuple[Statement, ...]:
        """The statements up to a closing character, which is consumed."""
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
        """The statements of a script block, up to its closing brace."""
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
        """Parse `.name`, `::name`, `[index]` and calls that directly follow a value."""
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
        """The type `[name]`; None when the brackets hold something else, such as an attribute."""
        start = self.at
        found = self.match(_TYPE)
        if found is None or found.count("[") != found.count("]"):
            self.at = start
            return None
        return Type(_BLANK.sub("", found[1:-1]).lower())

    def parenthesized(self) -> Statement:
        """The statement up to the closing parenthesis; the opening one is already consumed."""
        self.newlines()
        found = self.pipeline()
        self.newlines()
        self.expect(")")
        return found

    def needed(self, found: Expression | None) -> Expression:
        """A required value; raises when it is missing."""
        if found is None:
            raise Unreadable("does not parse as a PowerShell command")
        return found

    def _comment_before_member(self) -> None:
        """Step over a comment between a value and its member, where a blank is not allowed."""
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
        """The arguments of a method call; None when the member is only read."""
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
        """Step over the comma after an item; after the last item the closing character must follow."""
        if not self.take(",") and self.peek() != closing:
            raise Unreadable("does not parse as a PowerShell command")
        self.newlines()


_COMPARISONS = (
    "eq ne ge gt lt le like notlike match notmatch replace contains notcontains in notin split".split()
)
_WORD_OPERATORS = frozenset(
    [prefix + name for name in _COMPARISONS for prefix in ("", "i", "c")]
    + "join is isnot as and or xor band bor bxor shl shr f".split()
)
_UNARY_WORDS = frozenset("not bnot split isplit csplit join".split())
_WORD = regex(r"-([A-Za-z]+)(?![A-Za-z])")
_SIGN = regex(r"\?\?(?!=)|\.\.|\+(?![+=])|-(?![-=A-Za-z_])|[*/%](?!=)")
_UNARY_SIGN = regex(r"\+\+|--|[!+,]|-(?![A-Za-z_])")


class ExpressionParser(ValueParser):
    """Parses expressions."""

    def expression(self, *, commas: bool = True) -> Expression | None:
        """Parse values with operators between them."""
        first = self._items(commas=commas)
        if first is None:
            return None
        operators: list[str] = []
        operands = [first]
        while (operator := self._operator()) is not None:
            self.newlines()
            operators.append(operator)
            operands.append(self.needed(self._chosen() if operator == "?" else self._items(commas=commas)))
        return Operation(tuple(operators), tuple(operands)) if operators else first

    def _chosen(self) -> Expression:
        """Both branches of a conditional, after its question mark."""
        with self.deeper():
            first = self.needed(self.expression(commas=False))
            self.newlines()
            self.expect(":")
            self.newlines()
            return Operation((":",), (first, self.needed(self.expression(commas=False))))

    def _items(self, *, commas: bool) -> Expression | None:
        first = self._unary()
        if first is None or not commas:
            return first
        elements = [first]
        self.blanks()
        while self.take(","):
            self.newlines()
            elements.append(self.needed(self._unary()))
            self.blanks()
        return Items(tuple(elements)) if len(elements) > 1 else first

    def _unary(self) -> Expression | None:
        found = self._prefixed() or self._cast() or self.primary()
        if found is None:
            return None
        self.blanks()
        if self.take("++") or self.take("--"):
            return Operation(("++",), (found,))
        return found

    def _prefixed(self) -> Expression | None:
        """An operator and its operand."""
        operator = self._unary_operator()
        if operator is None:
            return None
        self.newlines()
        with self.deeper():
            operand = self.needed(self._unary())
        return Items((operand,)) if operator == "," else Operation((operator,), (operand,))

    def _unary_operator(self) -> str | None:
        start = self.at
        if self.peek() and self.peek() in LOOKALIKE_DASHES:
            raise Unreadable("holds a dash that only looks like one")
        if (word := self.match(_WORD)) is not None:
            if word[1:].lower() in _UNARY_WORDS:
                return word.lower()
            self.at = start
            return None
        sign = self.match(_UNARY_SIGN)
        return "++" if sign == "--" else sign

    def _cast(self) -> Expression | None:
        """`[type]`, `[type]value`, `[type]::member`."""
        if self.peek() != "[":
            return None
        found = self.type_name()
        if found is None:
            raise Unreadable("holds an attribute or a type we do not read")
        if self.starts("::") or self.peek() == ".":
            return self.members(found)
        self.blanks()
        if self.peek() in ("", "\n", ","):
            return found
        with self.deeper():
            operand = self._unary()
        return found if operand is None else Cast(found, operand)

    def _operator(self) -> str | None:
        """The binary operator that follows, after blanks; `?` is the conditional."""
        self.blanks()
        if (word := self.match(_WORD)) is not None:
            if word[1:].lower() in _WORD_OPERATORS:
                return word.lower()
            raise Unreadable("does not parse as a PowerShell command")
        if self.peek() and self.peek() in LOOKALIKE_DASHES:
            raise Unreadable("holds a dash that only looks like one")
        if (sign := self.match(_SIGN)) is not None:
            return sign
        if self.peek() == "?" and not self.starts("??") and self.take("?"):
            return "?"
        return None

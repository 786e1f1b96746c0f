"""Expressions: operators, casts and lists of values."""

from assent.engine.powershell.cursor import LOOKALIKE_DASHES, Unreadable
from assent.engine.powershell.syntax import Cast, Expression, Items, Operation
from assent.engine.powershell.values import Values
from assent.engine.regex import regex

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


class Expressions(Values):
    """Reads what stands where a value is expected."""

    def expression(self, *, commas: bool = True) -> Expression | None:
        """Read values with operators between them."""
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
        """Both sides of a conditional, behind its question mark."""
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
        """A binary operator that stands here, behind blanks; `?` is the conditional."""
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

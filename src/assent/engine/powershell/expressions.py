"""Parse expressions of PowerShell: values with members and indexes, operators, casts and lists."""

import re
from abc import abstractmethod

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Unreadable
from assent.engine.powershell.scanner import LOOKALIKE_DASHES, StringScanner
from assent.engine.powershell.syntax import (
    Cast,
    Expression,
    HashTable,
    IndexAccess,
    ItemList,
    MemberAccess,
    Operation,
    ScriptBlock,
    Statement,
    Subexpression,
    TextConstant,
    TypeName,
)

_NUMBER = regex(
    r"(?:0x[0-9a-f]+|0b[01]+|(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:e[+-]?\d+)?)(?:u[lsy]?|[lsynd])?(?:[kmgtp]b)?"
    r"(?=[\s&(),;{}|!#%*+./<=>\]?:-]|$)",
    re.IGNORECASE,
)
_TYPE_NAME = regex(r"\[[ \t]*([A-Za-z_][\w.+ \t]*(?:\[[\w.+, \t\[\]]*\])?)[ \t]*\]")
_NAME = regex(r"[A-Za-z_]\w*")
_TABLE_KEY = regex(r"[A-Za-z_]\w*(?=[ \t]*=)")
_BLANK = regex(r"[ \t]")


class ValueParser(StringScanner):
    """Parses a single value; subclasses parse the expressions and statements inside it."""

    @abstractmethod
    def parse_expression(self, *, commas: bool = True) -> Expression | None:
        """Parse the expression that begins here; None if there is none."""
        ...

    @abstractmethod
    def parse_statements(self, closing: str) -> tuple[Statement, ...]:
        """Parse the statements up to a closing character, which is consumed."""
        ...

    @abstractmethod
    def parse_statement(self) -> Statement:
        """Parse one statement."""
        ...

    @abstractmethod
    def parse_pipeline(self) -> Statement:
        """Parse a pipeline or an assignment."""
        ...

    @abstractmethod
    def parse_script(self) -> tuple[Statement, ...]:
        """Parse the statements of a script block, up to its closing brace."""
        ...

    def parse_primary(self) -> Expression | None:
        """Parse a value with its members and indexes; None if no value begins here."""
        value = self.parse_single_value()
        return None if value is None else self.parse_members(value)

    def parse_single_value(self) -> Expression | None:
        """Parse a value without its members."""
        if self.peek() == "$":
            return self._parse_dollar_value()
        if (string := self.parse_string()) is not None:
            return string
        if self.peek() in ("(", "{") or self.starts_with("@(") or self.starts_with("@{"):
            with self.enter_nested_construct():
                return self._parse_bracketed_value()
        number = self.take_match(_NUMBER)
        return None if number is None else TextConstant(number)

    def parse_members(self, value: Expression) -> Expression:
        """Parse `.name`, `::name`, `[index]` and method calls directly after a value."""
        while True:
            self._skip_comment_before_member()
            if self.starts_with("?.") or self.starts_with("?["):
                self.at += 1
            if self.peek() == "." and self.peek(1) not in (".", "", " ", "\t", "\n"):
                self.at += 1
                value = self._parse_member(value, static=False)
            elif self.take_text("::"):
                value = self._parse_member(value, static=True)
            elif self.peek() == "[":
                value = IndexAccess(value, self._parse_index())
            else:
                return value

    def parse_type(self) -> TypeName | None:
        """Parse the type `[name]`; None if the brackets contain something else, such as an attribute."""
        start = self.at
        found = self.take_match(_TYPE_NAME)
        if found is None or found.count("[") != found.count("]"):
            self.at = start
            return None
        return TypeName(_BLANK.sub("", found[1:-1]).lower())

    def parse_parenthesized(self) -> Statement:
        """Parse the statement up to the closing parenthesis; the opening parenthesis is already consumed."""
        self.skip_newlines()
        found = self.parse_pipeline()
        self.skip_newlines()
        self.expect_text(")")
        return found

    def require_value(self, found: Expression | None) -> Expression:
        """Return the value; raises `Unreadable` if it is missing."""
        if found is None:
            raise Unreadable("does not parse as a PowerShell command")
        return found

    def _skip_comment_before_member(self) -> None:
        """Skip a comment between a value and its member, where blanks are not allowed."""
        before = self.at
        while self.starts_with("<#"):
            self.skip_block_comment()
        if self.at != before and self.peek() not in (".", ":", "[", "?"):
            self.at = before

    def _parse_dollar_value(self) -> Expression | None:
        """Parse a variable or a subexpression after `$`."""
        if not self.take_text("$("):
            return self.parse_variable()
        with self.enter_nested_construct():
            return Subexpression(self.parse_statements(")"))

    def _parse_bracketed_value(self) -> Expression:
        """Parse a value in parentheses, braces or `@( )`."""
        start = self.at
        if self.take_text("@{"):
            return self._parse_table(start)
        if self.take_text("@("):
            return Subexpression(self.parse_statements(")"))
        if self.take_text("("):
            return Subexpression((self.parse_parenthesized(),))
        self.expect_text("{")
        return ScriptBlock(self.parse_script(), self.text[start : self.at])

    def _parse_table(self, start: int) -> HashTable:
        """Parse the keys and values of `@{ }`."""
        entries: list[tuple[Expression, Statement]] = []
        self.skip_separators()
        while not self.take_text("}"):
            name = self.take_match(_TABLE_KEY)
            key = TextConstant(name) if name is not None else self.require_value(self.parse_primary())
            self.skip_blanks()
            self.expect_text("=")
            self.skip_newlines()
            entries.append((key, self.parse_statement()))
            self.skip_separators()
        return HashTable(tuple(entries), self.text[start : self.at])

    def _parse_index(self) -> Expression:
        """Parse the index in brackets."""
        self.expect_text("[")
        self.skip_newlines()
        with self.enter_nested_construct():
            found = self.require_value(self.parse_expression())
        self.skip_newlines()
        self.expect_text("]")
        return found

    def _parse_member(self, target: Expression, *, static: bool) -> MemberAccess:
        """Parse the name and the arguments of a member."""
        name = self.take_match(_NAME)
        found = TextConstant(name) if name is not None else self.require_value(self.parse_single_value())
        return MemberAccess(target=target, name=found, static=static, arguments=self._parse_arguments())

    def _parse_arguments(self) -> tuple[Expression, ...] | None:
        """Parse the arguments of a method call; None if the member is not called."""
        if self.peek() == "{":
            return (self.require_value(self.parse_single_value()),)
        if not self.take_text("("):
            return None
        arguments: list[Expression] = []
        self.skip_newlines()
        while not self.take_text(")"):
            with self.enter_nested_construct():
                arguments.append(self.require_value(self.parse_expression(commas=False)))
            self.skip_newlines()
            self.skip_comma_or(")")
        return tuple(arguments)

    def skip_comma_or(self, closing: str) -> None:
        """Skip the comma after an item; after the last item, the closing character must follow."""
        if not self.take_text(",") and self.peek() != closing:
            raise Unreadable("does not parse as a PowerShell command")
        self.skip_newlines()


_COMPARISON_OPERATORS = (
    "eq ne ge gt lt le like notlike match notmatch replace contains notcontains in notin split".split()
)
_WORD_OPERATORS = frozenset(
    [prefix + name for name in _COMPARISON_OPERATORS for prefix in ("", "i", "c")]
    + "join is isnot as and or xor band bor bxor shl shr f".split()
)
_UNARY_WORD_OPERATORS = frozenset("not bnot split isplit csplit join".split())
_WORD_OPERATOR = regex(r"-([A-Za-z]+)(?![A-Za-z])")
_SIGN_OPERATOR = regex(r"\?\?(?!=)|\.\.|\+(?![+=])|-(?![-=A-Za-z_])|[*/%](?!=)")
_UNARY_SIGN_OPERATOR = regex(r"\+\+|--|[!+,]|-(?![A-Za-z_])")


class ExpressionParser(ValueParser):
    """Parses expressions with operators."""

    def parse_expression(self, *, commas: bool = True) -> Expression | None:
        """Parse values with operators between them."""
        first = self._parse_items(commas=commas)
        if first is None:
            return None
        operators: list[str] = []
        operands = [first]
        while (operator := self._parse_operator()) is not None:
            self.skip_newlines()
            operators.append(operator)
            operands.append(
                self.require_value(
                    self._parse_branches() if operator == "?" else self._parse_items(commas=commas)
                )
            )
        return Operation(tuple(operators), tuple(operands)) if operators else first

    def _parse_branches(self) -> Expression:
        """Parse both branches of a conditional, after its question mark."""
        with self.enter_nested_construct():
            first = self.require_value(self.parse_expression(commas=False))
            self.skip_newlines()
            self.expect_text(":")
            self.skip_newlines()
            return Operation((":",), (first, self.require_value(self.parse_expression(commas=False))))

    def _parse_items(self, *, commas: bool) -> Expression | None:
        """Parse a list of values with commas between them."""
        first = self._parse_unary()
        if first is None or not commas:
            return first
        elements = [first]
        self.skip_blanks()
        while self.take_text(","):
            self.skip_newlines()
            elements.append(self.require_value(self._parse_unary()))
            self.skip_blanks()
        return ItemList(tuple(elements)) if len(elements) > 1 else first

    def _parse_unary(self) -> Expression | None:
        """Parse a value with the unary operators and casts around it."""
        found = self._parse_prefix_operation() or self._parse_cast() or self.parse_primary()
        if found is None:
            return None
        self.skip_blanks()
        if self.take_text("++") or self.take_text("--"):
            return Operation(("++",), (found,))
        return found

    def _parse_prefix_operation(self) -> Expression | None:
        """Parse a unary operator and its operand."""
        operator = self._parse_unary_operator()
        if operator is None:
            return None
        self.skip_newlines()
        with self.enter_nested_construct():
            operand = self.require_value(self._parse_unary())
        return ItemList((operand,)) if operator == "," else Operation((operator,), (operand,))

    def _parse_unary_operator(self) -> str | None:
        """Parse a unary operator; None if there is none."""
        start = self.at
        if self.peek() and self.peek() in LOOKALIKE_DASHES:
            raise Unreadable("holds a dash that only looks like one")
        if (word := self.take_match(_WORD_OPERATOR)) is not None:
            if word[1:].lower() in _UNARY_WORD_OPERATORS:
                return word.lower()
            self.at = start
            return None
        sign = self.take_match(_UNARY_SIGN_OPERATOR)
        return "++" if sign == "--" else sign

    def _parse_cast(self) -> Expression | None:
        """Parse `[type]`, `[type]value` or `[type]::member`."""
        if self.peek() != "[":
            return None
        found = self.parse_type()
        if found is None:
            raise Unreadable("holds an attribute or a type we do not read")
        if self.starts_with("::") or self.peek() == ".":
            return self.parse_members(found)
        self.skip_blanks()
        if self.peek() in ("", "\n", ","):
            return found
        with self.enter_nested_construct():
            operand = self._parse_unary()
        return found if operand is None else Cast(found, operand)

    def _parse_operator(self) -> str | None:
        """Parse the next binary operator, after blanks; `?` is the conditional."""
        self.skip_blanks()
        if (word := self.take_match(_WORD_OPERATOR)) is not None:
            if word[1:].lower() in _WORD_OPERATORS:
                return word.lower()
            raise Unreadable("does not parse as a PowerShell command")
        if self.peek() and self.peek() in LOOKALIKE_DASHES:
            raise Unreadable("holds a dash that only looks like one")
        if (sign := self.take_match(_SIGN_OPERATOR)) is not None:
            return sign
        if self.peek() == "?" and not self.starts_with("??") and self.take_text("?"):
            return "?"
        return None

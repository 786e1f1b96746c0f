"""Parse statements: branches, loops, functions and their blocks."""

import re

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Unreadable
from assent.engine.powershell.commands import DefinitionParser
from assent.engine.powershell.scanner import ENDS_WORD
from assent.engine.powershell.syntax import (
    Call,
    Function,
    Group,
    Loop,
    Pipeline,
    Statement,
    Text,
    Unknown,
    as_statement,
)

_KEYWORD = regex(rf"[A-Za-z]+(?=[{re.escape(''.join(sorted(ENDS_WORD)))}]|$)")
_BLOCKS = regex(r"(?:begin|process|end|clean|dynamicparam)(?=[\s{])", re.IGNORECASE)
_LABEL = regex(r":[A-Za-z_]\w*(?=[ \t\n])")
_FLAG = regex(r"-[A-Za-z]+")
_IN = regex(r"in(?![\w-])", re.IGNORECASE)
_KEYWORDS = frozenset(
    "if while do for foreach switch try trap function filter break continue return throw exit".split()
)
_UNSUPPORTED_KEYWORDS = frozenset(
    """begin catch class clean configuration data define dynamicparam else elseif end enum finally from in
    inlinescript param parallel process sequence until using var workflow""".split()
)


class StatementParser(DefinitionParser):
    """Parses a whole text."""

    def parse_program(self) -> tuple[Statement, ...]:
        """All statements of the text."""
        found = self._parse_script_body("")
        if self.at != len(self.text):
            raise Unreadable("does not parse as a PowerShell command")
        return found

    def parse_nested(self, text: str, at: int) -> tuple[Statement, ...]:
        """Parse a text inside a string."""
        return StatementParser(text, self.depth, self.base + at, self.lookalikes).parse_program()

    def parse_statements(self, closing: str) -> tuple[Statement, ...]:
        """Parse statements up to a closing character, which is consumed."""
        found: list[Statement] = []
        self.skip_separators()
        while self.peek() != closing:
            found.append(self.parse_statement())
            self._check_end_of_statement(found[-1], closing)
        self.take(closing)
        return tuple(found)

    def parse_statement(self) -> Statement:
        """Parse one statement."""
        if self.take_match(_LABEL) is not None:
            self.skip_newlines()
        start = self.at
        word = (self.take_match(_KEYWORD) or "").lower()
        if word in _UNSUPPORTED_KEYWORDS:
            raise Unreadable(f"holds `{word}`, which we do not read")
        if word in _KEYWORDS:
            with self.nest():
                return self._parse_construct(word)
        self.at = start
        return self.parse_pipeline()

    def parse_script(self) -> tuple[Statement, ...]:
        """Parse a script block up to its closing brace."""
        return self._parse_script_body("}")

    def _parse_script_body(self, closing: str) -> tuple[Statement, ...]:
        """Parameters, then named blocks or plain statements."""
        self.skip_separators()
        parameters = self.parse_param_block()
        self.skip_separators()
        blocks: list[Statement] = []
        while self.take_match(_BLOCKS) is not None:
            blocks.append(self._parse_block())
            self.skip_separators()
        if not blocks:
            return (*parameters, *self.parse_statements(closing))
        self.expect(closing)
        return (*parameters, *blocks)

    def _check_end_of_statement(self, statement: Statement, closing: str) -> None:
        """Check the separator; only a statement that ends in a block needs none."""
        closed = isinstance(statement, Group | Loop | Function)
        self.skip_blanks()
        if self.take("&") or closed or self.peek() in ("\n", ";", closing):
            self.skip_separators()
            return
        raise Unreadable("does not parse as a PowerShell command")

    def _parse_block(self) -> Group:
        self.skip_newlines()
        self.expect("{")
        with self.nest():
            return Group(self.parse_statements("}"))

    def _parse_condition(self) -> Statement:
        self.skip_newlines()
        self.expect("(")
        return self.parse_parenthesized()

    def _take_keyword(self, keyword: str) -> bool:
        """Step over a keyword if it follows, also on a later line."""
        before = self.at
        self.skip_newlines()
        if (self.take_match(_KEYWORD) or "").lower() == keyword:
            return True
        self.at = before
        return False

    # What follows each keyword

    def _parse_construct(self, keyword: str) -> Statement:
        match keyword:
            case "if":
                return self._parse_if()
            case "while":
                return self._parse_while()
            case "do":
                return self._parse_do()
            case "for":
                return self._parse_for()
            case "foreach":
                return self._parse_foreach()
            case "switch":
                return self._parse_switch()
            case "try":
                return self._parse_try()
            case "trap":
                return self._parse_trap()
            case "function" | "filter":
                return self._parse_function()
            case "break" | "continue":
                return self._parse_break()
            case _:
                return self._parse_exit()

    def _parse_if(self) -> Statement:
        parts: list[Statement] = [self._parse_condition(), self._parse_block()]
        while self._take_keyword("elseif"):
            parts.extend((self._parse_condition(), self._parse_block()))
        if self._take_keyword("else"):
            parts.append(self._parse_block())
        return Group(tuple(parts))

    def _parse_while(self) -> Statement:
        return Group((self._parse_condition(), self._parse_block()), repeats=True)

    def _parse_do(self) -> Statement:
        body = self._parse_block()
        if not (self._take_keyword("while") or self._take_keyword("until")):
            raise Unreadable("does not parse as a PowerShell command")
        return Group((body, self._parse_condition()), repeats=True)

    def _parse_for(self) -> Statement:
        self.skip_newlines()
        self.expect("(")
        parts: list[Statement] = []
        self.skip_newlines()
        while not self.take(")"):
            if not self.take(";"):
                parts.append(self.parse_pipeline())
            self.skip_newlines()
        return Group((*parts, self._parse_block()), repeats=True)

    def _parse_foreach(self) -> Statement:
        self.skip_newlines()
        self.expect("(")
        self.skip_newlines()
        variable = self.parse_variable()
        self.skip_newlines()
        if variable is None or self.take_match(_IN) is None:
            raise Unreadable("does not parse as a PowerShell command")
        return Loop(variable.name, self.parse_parenthesized(), (self._parse_block(),))

    def _parse_switch(self) -> Statement:
        parts: list[Statement] = []
        self.skip_newlines()
        while (flag := self.take_match(_FLAG)) is not None:
            self.skip_newlines()
            if "-file".startswith(flag.lower()):
                start = self.at
                read = (self.parse_argument(),)
                reads = Call(
                    program=Text("Get-Content"), elements=read, redirections=(), span=self.span_from(start)
                )
                parts.append(Pipeline((reads,)))
                self.skip_newlines()
        if self.peek() == "(":
            parts.append(self._parse_condition())
        self.skip_newlines()
        self.expect("{")
        self.skip_separators()
        while not self.take("}"):
            parts.extend((as_statement(self.parse_argument()), _with_unknown_item(self._parse_block())))
            self.skip_separators()
        return Group(tuple(parts), repeats=True)

    def _parse_try(self) -> Statement:
        parts: list[Statement] = [self._parse_block()]
        while self._take_keyword("catch"):
            self.skip_newlines()
            while self.parse_type() is not None:
                self.skip_newlines()
                if self.take(","):
                    self.skip_newlines()
            parts.append(_with_unknown_item(self._parse_block()))
        if self._take_keyword("finally"):
            parts.append(self._parse_block())
        return Group(tuple(parts))

    def _parse_trap(self) -> Statement:
        self.skip_newlines()
        self.parse_type()
        return _with_unknown_item(self._parse_block())

    def _parse_function(self) -> Statement:
        self.skip_newlines()
        name = self.parse_bare_word()
        self.skip_newlines()
        parameters = self.parse_parameters() if self.take("(") else ()
        self.skip_newlines()
        self.expect("{")
        return Function(name, (*parameters, *self.parse_script()))

    def _parse_exit(self) -> Statement:
        self.skip_blanks()
        nothing = self.peek() in ("", "\n", ";", "}", ")")
        return Group(()) if nothing else Group((self.parse_pipeline(),))

    def _parse_break(self) -> Statement:
        self.skip_blanks()
        return Group(()) if self.ends_word() else Group((as_statement(self.parse_argument()),))


def _with_unknown_item(block: Group) -> Loop:
    """A block in which `$_` is not known."""
    return Loop("_", as_statement(Unknown()), block.parts)

"""Parse statements of PowerShell: branches, loops, functions and their blocks."""

import re

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Unreadable
from assent.engine.powershell.commands import DefinitionParser
from assent.engine.powershell.scanner import WORD_ENDS
from assent.engine.powershell.syntax import (
    CommandNode,
    ConditionalBlock,
    ForeachLoop,
    FunctionDefinition,
    Pipeline,
    Statement,
    TextConstant,
    UnknownText,
    to_statement,
)

_KEYWORD = regex(rf"[A-Za-z]+(?=[{re.escape(''.join(sorted(WORD_ENDS)))}]|$)")
_BLOCK_KEYWORD = regex(r"(?:begin|process|end|clean|dynamicparam)(?=[\s{])", re.IGNORECASE)
"""The name of a named block of a function."""
_LABEL = regex(r":[A-Za-z_]\w*(?=[ \t\n])")
_FLAG = regex(r"-[A-Za-z]+")
_IN_KEYWORD = regex(r"in(?![\w-])", re.IGNORECASE)
_ALWAYS_TRUE = r"(?:\$true|[1-9]\d*|!\s*\$false|-not\s+\$false)"
_ENDLESS_LOOP = regex(
    rf"^while\s*\(\s*{_ALWAYS_TRUE}\s*\)|^for\s*\([^;()]*;\s*{_ALWAYS_TRUE}?\s*;[^()]*\)"
    rf"|^do\b.*\}}\s*(?:while\s*\(\s*{_ALWAYS_TRUE}|until\s*\(\s*(?:\$false|0))\s*\)$",
    re.IGNORECASE | re.DOTALL,
)
_WAITS = regex(
    r"\b(?:sleep|start-sleep|wait-\w+|wait|read-host|break|return|exit|throw)\b|-wait\b", re.IGNORECASE
)
"""Words with which a loop waits or ends."""
_KEYWORDS = frozenset(
    "if while do for foreach switch try trap function filter break continue return throw exit".split()
)
"""Keywords that begin a supported statement."""
_UNSUPPORTED_KEYWORDS = frozenset(
    """begin catch class clean configuration data define dynamicparam else elseif end enum finally from in
    inlinescript param parallel process sequence until using var workflow""".split()
)


class StatementParser(DefinitionParser):
    """Parses a script of PowerShell into statements."""

    def parse_program(self) -> tuple[Statement, ...]:
        """Parse all statements of the text."""
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
        self.take_text(closing)
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
            with self.enter_nested_construct():
                return self._parse_construct(word)
        self.at = start
        return self.parse_pipeline()

    def parse_script(self) -> tuple[Statement, ...]:
        """Parse a script block up to its closing brace."""
        return self._parse_script_body("}")

    def _parse_script_body(self, closing: str) -> tuple[Statement, ...]:
        """Parse the parameters, then named blocks or plain statements."""
        self.skip_separators()
        parameters = self.parse_param_block()
        self.skip_separators()
        blocks: list[Statement] = []
        while self.take_match(_BLOCK_KEYWORD) is not None:
            blocks.append(self._parse_block())
            self.skip_separators()
        if not blocks:
            return (*parameters, *self.parse_statements(closing))
        self.expect_text(closing)
        return (*parameters, *blocks)

    def _check_end_of_statement(self, statement: Statement, closing: str) -> None:
        """Check that a separator follows; only a statement that ends in a block needs none."""
        closed = isinstance(statement, ConditionalBlock | ForeachLoop | FunctionDefinition)
        self.skip_blanks()
        if self.take_text("&") or closed or self.peek() in ("\n", ";", closing):
            self.skip_separators()
            return
        raise Unreadable("does not parse as a PowerShell command")

    def _parse_block(self) -> ConditionalBlock:
        """Parse statements in braces, which may or may not run."""
        self.skip_newlines()
        self.expect_text("{")
        with self.enter_nested_construct():
            return ConditionalBlock(self.parse_statements("}"))

    def _parse_condition(self) -> Statement:
        """Parse a condition in parentheses."""
        self.skip_newlines()
        self.expect_text("(")
        return self.parse_parenthesized()

    def _take_keyword(self, keyword: str) -> bool:
        """Skip a keyword if it is next, also on a later line; return whether it was."""
        before = self.at
        self.skip_newlines()
        if (self.take_match(_KEYWORD) or "").lower() == keyword:
            return True
        self.at = before
        return False

    # One method for each keyword

    def _parse_construct(self, keyword: str) -> Statement:
        """Parse the statement that begins with this keyword."""
        match keyword:
            case "if":
                return self._parse_if()
            case "while" | "do" | "for":
                return self._parse_repetition(keyword)
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
        """Parse `if` with its `elseif` and `else` branches."""
        parts: list[Statement] = [self._parse_condition(), self._parse_block()]
        while self._take_keyword("elseif"):
            parts.extend((self._parse_condition(), self._parse_block()))
        if self._take_keyword("else"):
            parts.append(self._parse_block())
        return ConditionalBlock(tuple(parts))

    def _parse_repetition(self, keyword: str) -> ConditionalBlock:
        """Parse a `while`, `do` or `for` loop."""
        start = self.at
        parts = {"while": self._parse_while, "do": self._parse_do, "for": self._parse_for}[keyword]()
        text = keyword + self.text[start : self.at]
        endless = _ENDLESS_LOOP.search(text) is not None and _WAITS.search(text) is None
        return ConditionalBlock(parts, repeats=True, endless=endless)

    def _parse_while(self) -> tuple[Statement, ...]:
        """Parse the condition and the body of a `while` loop."""
        return self._parse_condition(), self._parse_block()

    def _parse_do(self) -> tuple[Statement, ...]:
        """Parse the body and the condition of a `do` loop."""
        body = self._parse_block()
        if not (self._take_keyword("while") or self._take_keyword("until")):
            raise Unreadable("does not parse as a PowerShell command")
        return body, self._parse_condition()

    def _parse_for(self) -> tuple[Statement, ...]:
        """Parse the head and the body of a `for` loop."""
        self.skip_newlines()
        self.expect_text("(")
        parts: list[Statement] = []
        self.skip_newlines()
        while not self.take_text(")"):
            if not self.take_text(";"):
                parts.append(self.parse_pipeline())
            self.skip_newlines()
        return (*parts, self._parse_block())

    def _parse_foreach(self) -> Statement:
        """Parse a `foreach` loop."""
        self.skip_newlines()
        self.expect_text("(")
        self.skip_newlines()
        variable = self.parse_variable()
        self.skip_newlines()
        if variable is None or self.take_match(_IN_KEYWORD) is None:
            raise Unreadable("does not parse as a PowerShell command")
        return ForeachLoop(variable.name, self.parse_parenthesized(), (self._parse_block(),))

    def _parse_switch(self) -> Statement:
        """Parse a `switch` statement."""
        parts: list[Statement] = []
        self.skip_newlines()
        while (flag := self.take_match(_FLAG)) is not None:
            self.skip_newlines()
            if "-file".startswith(flag.lower()):
                start = self.at
                read = (self.parse_argument(),)
                reads = CommandNode(
                    program=TextConstant("Get-Content"),
                    elements=read,
                    redirections=(),
                    span=self.span_from(start),
                )
                parts.append(Pipeline((reads,)))
                self.skip_newlines()
        if self.peek() == "(":
            parts.append(self._parse_condition())
        self.skip_newlines()
        self.expect_text("{")
        self.skip_separators()
        while not self.take_text("}"):
            parts.extend(
                (to_statement(self.parse_argument()), _to_loop_with_unknown_item(self._parse_block()))
            )
            self.skip_separators()
        return ConditionalBlock(tuple(parts), repeats=True)

    def _parse_try(self) -> Statement:
        """Parse `try` with its `catch` and `finally` blocks."""
        parts: list[Statement] = [self._parse_block()]
        while self._take_keyword("catch"):
            self.skip_newlines()
            while self.parse_type() is not None:
                self.skip_newlines()
                if self.take_text(","):
                    self.skip_newlines()
            parts.append(_to_loop_with_unknown_item(self._parse_block()))
        if self._take_keyword("finally"):
            parts.append(self._parse_block())
        return ConditionalBlock(tuple(parts))

    def _parse_trap(self) -> Statement:
        """Parse a `trap` statement."""
        self.skip_newlines()
        self.parse_type()
        return _to_loop_with_unknown_item(self._parse_block())

    def _parse_function(self) -> Statement:
        """Parse the definition of a function or filter."""
        self.skip_newlines()
        name = self.parse_bare_word()
        self.skip_newlines()
        parameters = self.parse_parameters() if self.take_text("(") else ()
        self.skip_newlines()
        self.expect_text("{")
        return FunctionDefinition(name, (*parameters, *self.parse_script()))

    def _parse_exit(self) -> Statement:
        """Parse `return`, `throw` or `exit` with its value."""
        self.skip_blanks()
        nothing = self.peek() in ("", "\n", ";", "}", ")")
        return ConditionalBlock(()) if nothing else ConditionalBlock((self.parse_pipeline(),))

    def _parse_break(self) -> Statement:
        """Parse `break` or `continue` with its label."""
        self.skip_blanks()
        return (
            ConditionalBlock(())
            if self.ends_word()
            else ConditionalBlock((to_statement(self.parse_argument()),))
        )


def _to_loop_with_unknown_item(block: ConditionalBlock) -> ForeachLoop:
    """The block as a loop in which `$_` is unknown."""
    return ForeachLoop("_", to_statement(UnknownText()), block.parts)

"""Parse statements: branches, loops, functions and their blocks."""

import re

from assent.engine.powershell.commands import DefinitionParser
from assent.engine.powershell.scanner import ENDS_WORD, Unreadable
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
from assent.engine.regex import regex

_KEYWORD = regex(rf"[A-Za-z]+(?=[{re.escape(''.join(sorted(ENDS_WORD)))}]|$)")
_BLOCKS = regex(r"(?:begin|process|end|clean|dynamicparam)(?=[\s{])", re.IGNORECASE)
_LABEL = regex(r":[A-Za-z_]\w*(?=[ \t\n])")
_FLAG = regex(r"-[A-Za-z]+")
_IN = regex(r"in(?![\w-])", re.IGNORECASE)
_KEYWORDS = frozenset(
    "if while do for foreach switch try trap function filter break continue return throw exit".split()
)
_UNREAD = frozenset(
    """begin catch class clean configuration data define dynamicparam else elseif end enum finally from in
    inlinescript param parallel process sequence until using var workflow""".split()
)


class StatementParser(DefinitionParser):
    """Parses a whole text."""

    def program(self) -> tuple[Statement, ...]:
        """All statements of the text."""
        found = self._script_body("")
        if self.at != len(self.text):
            raise Unreadable("does not parse as a PowerShell command")
        return found

    def nested(self, text: str, at: int) -> tuple[Statement, ...]:
        """Parse a text inside a string."""
        return StatementParser(text, self.depth, self.base + at, self.lookalikes).program()

    def statements(self, closing: str) -> tuple[Statement, ...]:
        """Parse statements up to a closing character, which is consumed."""
        found: list[Statement] = []
        self.separators()
        while self.peek() != closing:
            found.append(self.statement())
            self._end_of_statement(found[-1], closing)
        self.take(closing)
        return tuple(found)

    def statement(self) -> Statement:
        """Parse one statement."""
        if self.match(_LABEL) is not None:
            self.newlines()
        start = self.at
        word = (self.match(_KEYWORD) or "").lower()
        if word in _UNREAD:
            raise Unreadable(f"holds `{word}`, which we do not read")
        if word in _KEYWORDS:
            with self.deeper():
                return self._construct(word)
        self.at = start
        return self.pipeline()

    def script(self) -> tuple[Statement, ...]:
        """Parse a script block up to its closing brace."""
        return self._script_body("}")

    def _script_body(self, closing: str) -> tuple[Statement, ...]:
        """Parameters, then named blocks or plain statements."""
        self.separators()
        parameters = self.param_block()
        self.separators()
        blocks: list[Statement] = []
        while self.match(_BLOCKS) is not None:
            blocks.append(self._block())
            self.separators()
        if not blocks:
            return (*parameters, *self.statements(closing))
        self.expect(closing)
        return (*parameters, *blocks)

    def _end_of_statement(self, statement: Statement, closing: str) -> None:
        """Check the separator; only a statement that ends in a block needs none."""
        closed = isinstance(statement, Group | Loop | Function)
        self.blanks()
        if self.take("&") or closed or self.peek() in ("\n", ";", closing):
            self.separators()
            return
        raise Unreadable("does not parse as a PowerShell command")

    def _block(self) -> Group:
        self.newlines()
        self.expect("{")
        with self.deeper():
            return Group(self.statements("}"))

    def _condition(self) -> Statement:
        self.newlines()
        self.expect("(")
        return self.parenthesized()

    def _follows(self, keyword: str) -> bool:
        """Step over a keyword if it follows, also on a later line."""
        before = self.at
        self.newlines()
        if (self.match(_KEYWORD) or "").lower() == keyword:
            return True
        self.at = before
        return False

    # What follows each keyword

    def _construct(self, keyword: str) -> Statement:
        match keyword:
            case "if":
                return self._if()
            case "while":
                return self._while()
            case "do":
                return self._do()
            case "for":
                return self._for()
            case "foreach":
                return self._foreach()
            case "switch":
                return self._switch()
            case "try":
                return self._try()
            case "trap":
                return self._trap()
            case "function" | "filter":
                return self._function()
            case "break" | "continue":
                return self._break()
            case _:
                return self._leave()

    def _if(self) -> Statement:
        parts: list[Statement] = [self._condition(), self._block()]
        while self._follows("elseif"):
            parts.extend((self._condition(), self._block()))
        if self._follows("else"):
            parts.append(self._block())
        return Group(tuple(parts))

    def _while(self) -> Statement:
        return Group((self._condition(), self._block()), repeats=True)

    def _do(self) -> Statement:
        body = self._block()
        if not (self._follows("while") or self._follows("until")):
            raise Unreadable("does not parse as a PowerShell command")
        return Group((body, self._condition()), repeats=True)

    def _for(self) -> Statement:
        self.newlines()
        self.expect("(")
        parts: list[Statement] = []
        self.newlines()
        while not self.take(")"):
            if not self.take(";"):
                parts.append(self.pipeline())
            self.newlines()
        return Group((*parts, self._block()), repeats=True)

    def _foreach(self) -> Statement:
        self.newlines()
        self.expect("(")
        self.newlines()
        variable = self.variable()
        self.newlines()
        if variable is None or self.match(_IN) is None:
            raise Unreadable("does not parse as a PowerShell command")
        return Loop(variable.name, self.parenthesized(), (self._block(),))

    def _switch(self) -> Statement:
        parts: list[Statement] = []
        self.newlines()
        while (flag := self.match(_FLAG)) is not None:
            self.newlines()
            if "-file".startswith(flag.lower()):
                start = self.at
                read = (self.argument(),)
                reads = Call(
                    program=Text("Get-Content"), elements=read, redirections=(), span=self.span(start)
                )
                parts.append(Pipeline((reads,)))
                self.newlines()
        if self.peek() == "(":
            parts.append(self._condition())
        self.newlines()
        self.expect("{")
        self.separators()
        while not self.take("}"):
            parts.extend((as_statement(self.argument()), _with_own_item(self._block())))
            self.separators()
        return Group(tuple(parts), repeats=True)

    def _try(self) -> Statement:
        parts: list[Statement] = [self._block()]
        while self._follows("catch"):
            self.newlines()
            while self.type_name() is not None:
                self.newlines()
                if self.take(","):
                    self.newlines()
            parts.append(_with_own_item(self._block()))
        if self._follows("finally"):
            parts.append(self._block())
        return Group(tuple(parts))

    def _trap(self) -> Statement:
        self.newlines()
        self.type_name()
        return _with_own_item(self._block())

    def _function(self) -> Statement:
        self.newlines()
        name = self.bare_word()
        self.newlines()
        parameters = self.parameters() if self.take("(") else ()
        self.newlines()
        self.expect("{")
        return Function(name, (*parameters, *self.script()))

    def _leave(self) -> Statement:
        self.blanks()
        nothing = self.peek() in ("", "\n", ";", "}", ")")
        return Group(()) if nothing else Group((self.pipeline(),))

    def _break(self) -> Statement:
        self.blanks()
        return Group(()) if self.ends_word() else Group((as_statement(self.argument()),))


def _with_own_item(block: Group) -> Loop:
    """A block in which `$_` is not known."""
    return Loop("_", as_statement(Unknown()), block.parts)

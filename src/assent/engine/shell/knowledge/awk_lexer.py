"""The tokens of an awk program, as every awk would see them.

A slash begins a regular expression or divides, by what stands before it; awks disagree in some
places, and there the program has no tokens.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from assent.engine.shell.knowledge.expression import end_of_expression


class Kind(StrEnum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    """A string or a regular expression."""
    SIGN = "sign"
    NEWLINE = "newline"


class Token(NamedTuple):
    """One token with its text, if that is not just text to awk, too."""

    kind: Kind
    text: str = ""
    depth: int = 0
    """How many parentheses are open around it."""


_SKIPPED = re.compile(r"(?:[ \t\r]|\\\n|#[^\n]*)*+")
_STRING = re.compile(r'"(?:[^"\\\n\0]|\\[^\0])*"', re.DOTALL)
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIGN = re.compile(r"\|\||&&|\+\+|--|>>|[-+*%^!<>=]=|!~|\*\*=?|[-+*%^!<>=~?:,;$|@{}()\[\]]")

_CONTROL = frozenset({"if", "while", "for", "switch"})
_BEFORE_EXPRESSION = frozenset({"print", "printf", "return", "exit", "case", "else", "do"})
_NEVER_BEFORE_SLASH = _CONTROL | frozenset(
    "in next nextfile delete break continue function func default length getline BEGIN END ++ -- $".split()
)


def tokens(program: str) -> list[Token] | None:
    """All tokens of a program, or None when two awks could see different ones."""
    lexer = _Lexer(program)
    while lexer.at < len(program):
        if not lexer.step():
            return None
    return lexer.found


class _Lexer:
    def __init__(self, program: str) -> None:
        self.program = program
        self.at = _end(_SKIPPED, program, 0)
        self.found: list[Token] = []
        self.parentheses: list[bool] = []
        """For each open one, whether it belongs to an `if`, a loop or a `switch`."""
        self.after_condition = False
        """The last token closed the parenthesis of a condition; newlines after it do not count."""

    def step(self) -> bool:
        """Read one token; False when there is none that is certain."""
        if self.program[self.at] == "/":
            return self._slash()
        for kind, pattern in _PATTERNS:
            found = pattern.match(self.program, self.at)
            if found is not None:
                self._add(kind, found[0])
                return True
        return False

    def _add(self, kind: Kind, text: str) -> None:
        conditional = self.after_condition and kind is Kind.NEWLINE
        if text == "(":
            self.parentheses.append(self._last().text in _CONTROL)
        elif text == ")":
            conditional = bool(self.parentheses) and self.parentheses.pop()
        self.found.append(Token(kind, "" if kind is Kind.TEXT else text, len(self.parentheses)))
        self.after_condition = conditional
        self.at = _end(_SKIPPED, self.program, self.at + len(text))

    def _slash(self) -> bool:
        divides = self._divides()
        if divides is None:
            return False
        if divides:
            self._add(Kind.SIGN, "/=" if self.program.startswith("/=", self.at) else "/")
            return True
        end = end_of_expression(self.program, self.at + 1, "/")
        if end is None:
            return False
        self._add(Kind.TEXT, self.program[self.at : end + 1])
        return True

    def _divides(self) -> bool | None:
        """Whether a slash here is a division; None when awks disagree."""
        last = self._last()
        if self.after_condition or last.kind is Kind.TEXT or last.text in _NEVER_BEFORE_SLASH:
            return None
        if last.kind is Kind.NAME:
            return last.text not in _BEFORE_EXPRESSION
        return last.kind is Kind.NUMBER or last.text in (")", "]")

    def _last(self) -> Token:
        return self.found[-1] if self.found else Token(Kind.NEWLINE)


_PATTERNS = (
    (Kind.TEXT, _STRING),
    (Kind.NUMBER, _NUMBER),
    (Kind.NAME, _NAME),
    (Kind.SIGN, _SIGN),
    (Kind.NEWLINE, re.compile("\n")),
)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return start if found is None else found.end()

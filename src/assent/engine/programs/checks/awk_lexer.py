"""The tokens of an awk program, in every way in which some awk could read it.

A slash begins a regular expression or divides, by what stands before it, and awks disagree on when.
So wherever one could do either there are two readings, and what holds must hold for each of them.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from assent.engine.programs.checks.expression import end_of_expression, end_of_part
from assent.engine.programs.word import HOLE
from assent.engine.regex import regex

MOST_READINGS = 64


class Kind(StrEnum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    """A string or a regular expression."""
    SIGN = "sign"
    NEWLINE = "newline"


class Token(NamedTuple):
    """One token with what it says, if that is not just text to awk, too."""

    kind: Kind
    text: str = ""
    depth: int = 0
    """How many parentheses are open around it."""
    value: str = ""
    """What a string or a regular expression looks like."""


_SKIPPED = regex(r"(?:[ \t\r]|\\\n|#[^\n]*)*+")
_PATTERNS = (
    (Kind.TEXT, regex(rf'"(?:[^"\\\n{HOLE}]|\\[^\n{HOLE}])*+"')),
    (Kind.NUMBER, regex(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")),
    (Kind.NAME, regex(r"[A-Za-z_]\w*", re.ASCII)),
    (Kind.SIGN, regex(r"\|\||&&|\+\+|--|>>|[-+*%^!<>=]=|!~|\*\*=?|[-+*%^!<>=~?:,;$|@{}()\[\]]")),
    (Kind.NEWLINE, regex("\n")),
)
_UNFINISHED_STRING = regex(rf'"(?:[^"\\\n{HOLE}]|\\[^\n{HOLE}])*+(?=\n|\Z)')

_CONTROL = frozenset({"if", "while", "for", "switch"})
_BEFORE_EXPRESSION = frozenset({"print", "printf", "return", "exit", "case", "else", "do"})
_AFTER_OPERAND = frozenset({")", "]", "++", "--", "$"})


def readings(program: str) -> list[list[Token]] | None:
    """The tokens of each possible reading, or None when there is none or we might miss one."""
    todo = [_Reading(program)]
    try:
        # The list grows while we go through it, and never beyond its limit.
        return [reading.found for reading in todo if reading.finish(todo)] or None
    except _Uncertain:
        return None


class _Uncertain(Exception):
    """Something we cannot read, but an awk might."""


class _Reading:
    def __init__(self, program: str) -> None:
        self.program = program
        self.at = _end(_SKIPPED, program, 0)
        self.found: list[Token] = []
        self.parentheses: list[bool] = []
        """For each open one, whether it belongs to an `if`, a loop or a `switch`."""
        self.after_condition = False
        """The last token closed the parenthesis of a condition; newlines after it do not count."""

    def finish(self, todo: list["_Reading"]) -> bool:
        """Read to the end, and leave other readings to be done; False when no awk would run this one."""
        while self.at < len(self.program):
            if self.program[self.at] != "/":
                alive = self._token()
            elif self._expects_operand():
                alive = self._expression()
            else:
                other = self._copy()
                if other._expression():
                    todo.append(other)
                if len(todo) > MOST_READINGS:
                    raise _Uncertain
                alive = self._add(Kind.SIGN, "/=" if self.program.startswith("/=", self.at) else "/")
            if not alive:
                return False
        return True

    def _token(self) -> bool:
        for kind, pattern in _PATTERNS:
            found = pattern.match(self.program, self.at)
            if found is not None:
                return self._add(kind, found[0])
        if _UNFINISHED_STRING.match(self.program, self.at):
            return False
        raise _Uncertain

    def _expression(self) -> bool:
        """Read a regular expression; False when it does not end on this line."""
        if end_of_part(self.program, self.at + 1, "/") is None:
            return False
        end = end_of_expression(self.program, self.at + 1, "/")
        if end is None:
            raise _Uncertain
        return self._add(Kind.TEXT, self.program[self.at : end + 1])

    def _add(self, kind: Kind, text: str) -> bool:
        conditional = self.after_condition and kind is Kind.NEWLINE
        if text == "(":
            self.parentheses.append(self._last().text in _CONTROL)
        elif text == ")":
            conditional = bool(self.parentheses) and self.parentheses.pop()
        said, value = ("", text) if kind is Kind.TEXT else (text, "")
        self.found.append(Token(kind, said, len(self.parentheses), value))
        self.after_condition = conditional
        self.at = _end(_SKIPPED, self.program, self.at + len(text))
        return True

    def _expects_operand(self) -> bool:
        """Whether a slash here can only begin an expression: nothing before it could be divided."""
        last = self._last()
        if self.after_condition or last.kind in (Kind.NUMBER, Kind.TEXT) or last.text in _AFTER_OPERAND:
            return False
        return last.kind is not Kind.NAME or last.text in _BEFORE_EXPRESSION

    def _last(self) -> Token:
        return self.found[-1] if self.found else Token(Kind.NEWLINE)

    def _copy(self) -> "_Reading":
        copy = _Reading(self.program)
        copy.at, copy.after_condition = self.at, self.after_condition
        copy.found, copy.parentheses = list(self.found), list(self.parentheses)
        return copy


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return start if found is None else found.end()

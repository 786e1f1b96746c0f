"""Scripts of `awk` and `sed`: which of them only compute, print and change lines in memory."""

import re
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import Check
from assent.engine.programs.flags import Scan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

_AWK_FLAGS = parse_flags("-F= -v=")
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=", re.ASCII)
# Names through which a program starts others, reads more files, loads code or sees the environment.
_REACHES_OUT = frozenset("system getline extension ENVIRON PROCINFO SYMTAB FUNCTAB ARGV ARGC".split())
_SIGNS_OUT = frozenset({"|", "@"})
_WRITES = frozenset({">", ">>", ">="})
_OUTPUTS = frozenset({'"/dev/stdout"', '"/dev/stderr"', '"/dev/null"'})
_ENDS_STATEMENT = frozenset({";", "}"})
_ENDS_OPERAND = frozenset({")", "]", "++", "--"})
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
    """One token of an awk program."""

    kind: Kind
    text: str = ""
    depth: int = 0
    """How many parentheses are open around it."""
    value: str = ""
    """What a string or a regular expression looks like."""


_SKIPPED = regex(r"(?:[ \t\r]|\\\n|#[^\n]*)*+")
_PATTERNS = (
    (Kind.TEXT, regex(rf'"(?:[^"\\\n{UNKNOWN_MARK}]|\\[^\n{UNKNOWN_MARK}])*+"')),
    (Kind.NUMBER, regex(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")),
    (Kind.NAME, regex(r"[A-Za-z_]\w*", re.ASCII)),
    (Kind.SIGN, regex(r"\|\||&&|\+\+|--|>>|[-+*%^!<>=]=|!~|\*\*=?|[-+*%^!<>=~?:,;$|@{}()\[\]]")),
    (Kind.NEWLINE, regex("\n")),
)
_UNFINISHED_STRING = regex(rf'"(?:[^"\\\n{UNKNOWN_MARK}]|\\[^\n{UNKNOWN_MARK}])*+(?=\n|\Z)')
_CONTROL = frozenset({"if", "while", "for", "switch"})
_BEFORE_EXPRESSION = frozenset({"print", "printf", "return", "exit", "case", "else", "do"})
_AFTER_OPERAND = frozenset({")", "]", "++", "--", "$"})


def awk(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `awk` reads, or None when its program might do more than print."""
    if [word.text for word in words] == ["--version"]:
        return ()
    scan = Scan(_AWK_FLAGS, words)
    at = scan.first_operand()
    if at is None and scan.at < len(words) and words[scan.at].text == "--":
        at = scan.at + 1
    if at is None or at >= len(words) or any(word.splits or word.glob for word in words[: at + 1]):
        return None
    if UNKNOWN_MARK in words[at].text or not _awk_only_prints(words[at].text):
        return None
    return tuple(word for word in words[at + 1 :] if not _ASSIGNMENT.match(word.text))


def sed(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `sed` reads, or None when a script might write, run or read more."""
    scan = Scan(_SED_FLAGS, words)
    operands = scan.operands()
    if operands is None:
        return None
    scripts = [*scan.given.get("-e", []), *scan.given.get("--expression", [])]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    return tuple(operands) if all(_sed_only_prints(script) for script in scripts) else None


def _awk_only_prints(program: str) -> bool:
    """Whether each reading of the program does."""
    found = readings(program)
    return found is not None and not any(
        _redirects(tokens) or any(map(_reaches_out, tokens)) for tokens in found
    )


def _reaches_out(token: Token) -> bool:
    return token.text in (_REACHES_OUT if token.kind is Kind.NAME else _SIGNS_OUT)


def _redirects(tokens: list[Token]) -> bool:
    """Whether a `print` has a `>` outside parentheses, where it names a file."""
    printing: int | None = None
    last = Token(Kind.NEWLINE)
    for at, token in enumerate(tokens):
        if token.text in ("print", "printf"):
            printing = token.depth
        elif printing is not None and token.text in _WRITES and token.depth <= printing:
            if not _is_standard_output(tokens[at + 1 : at + 3]):
                return True
        elif token.text in _ENDS_STATEMENT or (token.kind is Kind.NEWLINE and _ends_operand(last)):
            printing = None
        last = token
    return False


def _is_standard_output(tokens: list[Token]) -> bool:
    """Whether what follows a `>` is the name of an output that is shown, and nothing is added to it."""
    target, *behind = tokens or [Token(Kind.NEWLINE)]
    alone = not behind or behind[0].text in _ENDS_STATEMENT or behind[0].kind is Kind.NEWLINE
    return target.value in _OUTPUTS and alone


def _ends_operand(token: Token) -> bool:
    """Whether a statement may end after this token; after other tokens it continues on the next line."""
    return token.kind in (Kind.NAME, Kind.NUMBER, Kind.TEXT) or token.text in _ENDS_OPERAND


def readings(program: str) -> list[list[Token]] | None:
    """The tokens of each possible reading, or None when there is none or we might miss one."""
    todo = [_Reading(program)]
    try:
        # The list grows while we go through it, and never beyond its limit.
        return [reading.found for reading in todo if reading.read_all(todo)] or None
    except _Uncertain:
        return None


class _Uncertain(Exception):
    """Something we cannot read, but an awk might."""


class _Reading:
    """One way to read an awk program.

    A slash divides or begins a regular expression, and versions of awk disagree on which. Wherever both are
    possible there are two readings, and a check must hold for each of them.
    """

    def __init__(self, program: str) -> None:
        self.program = program
        self.at = _end_of_match(_SKIPPED, program, 0)
        self.found: list[Token] = []
        self.parentheses: list[bool] = []
        """For each open one, whether it belongs to an `if`, a loop or a `switch`."""
        self.after_condition = False
        """The last token closed the parenthesis of a condition; newlines after it do not count."""

    def read_all(self, todo: list["_Reading"]) -> bool:
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
        self.at = _end_of_match(_SKIPPED, self.program, self.at + len(text))
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


def _end_of_match(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return start if found is None else found.end()


_SED_FLAGS = parse_flags(
    "-n -E -r -s -u -z -e=^ --quiet --silent --regexp-extended --separate --unbuffered --null-data"
    " --posix --debug --sandbox --expression=^ --help --version"
)
_BETWEEN = regex(r"(?:[\s;]|#[^\n]*)*+")
_BLANKS = regex(r"[ \t]*")
_LINE = regex(r"\d+(?:~\d+)?|\$")
_ADDRESS_FLAGS = regex(r"[IM]*")
_COUNT = regex(r"[+~]\d+")
_NEGATION = regex(r"[ \t]*(?:!\s*)*")
_ENDED = regex(r"[ \t]*(?=[;\n}#]|\Z)")
# Each command that has no program, no file and no surprises in it, with its arguments.
# In some versions a label includes `#` and `}`, so neither may follow a label.
_COMMANDS = regex(
    r"[=pPdDgGhHxnNzF]|[lqQ][ \t]*\d*|(?::[ \t]*[\w.-]+|[btT][ \t]*[\w.-]*)(?=[ \t]*(?:[;\n]|\Z))"
)
_BRACES = regex(r"[{}]")
# Text to the end of the line; with a backslash it would go on in ways that differ.
_TEXT = regex(r"[aic][ \t]+[^\s\\][^\\\n]*(?=\n|\Z)")
_DELIMITERS = frozenset("/|,:#@!%~_+=;")
_SUBSTITUTE_FLAGS = regex(r"[gpiImM\d]*")


def _sed_only_prints(script: Word) -> bool:
    text = script.text
    if UNKNOWN_MARK in text or script.glob:
        return False
    at: int | None = _skip(_BETWEEN, text, 0)
    while at is not None and at < len(text):
        at = _after_command(text, at)
    return at is not None


def _after_command(text: str, start: int) -> int | None:
    """Where the next command begins, or None when this one is not known to be harmless."""
    at = _after_addresses(text, start)
    if at is None:
        return None
    if (brace := _BRACES.match(text, at)) is not None:
        return _skip(_BETWEEN, text, brace.end())
    known = _TEXT.match(text, at) or _COMMANDS.match(text, at)
    end = known.end() if known is not None else _after_parts(text, at)
    if end is None or (ended := _ENDED.match(text, end)) is None:
        return None
    return _skip(_BETWEEN, text, ended.end())


def _after_addresses(text: str, start: int) -> int | None:
    """Skip `2`, `$`, `/re/I`, `2,/re/`, `1,+3`, `0~4` and `!`."""
    at = _after_address(text, start)
    if at is None:
        return None
    comma = _skip(_BLANKS, text, at)
    if at > start and text[comma : comma + 1] == ",":
        second = _skip(_BLANKS, text, comma + 1)
        counted = _COUNT.match(text, second)
        at = counted.end() if counted is not None else _after_address(text, second)
        if at is None or at == second:
            return None
    return _skip(_NEGATION, text, at)


def _after_address(text: str, start: int) -> int | None:
    """Where one address ends; the same place when there is none; None when it is not certain."""
    if (line := _LINE.match(text, start)) is not None:
        return line.end()
    opening = text[start : start + 1]
    if opening not in ("/", "\\"):
        return start
    custom = opening == "\\"
    delimiter = text[start + 1 : start + 2] if custom else "/"
    if delimiter not in _DELIMITERS:
        return None
    end = end_of_expression(text, start + 1 + custom, delimiter)
    return None if end is None else _skip(_ADDRESS_FLAGS, text, end + 1)


def _after_parts(text: str, start: int) -> int | None:
    """Skip `s/re/text/flags` or `y/abc/xyz/`."""
    name, delimiter = text[start : start + 1], text[start + 1 : start + 2]
    if name not in ("s", "y") or delimiter not in _DELIMITERS:
        return None
    middle = end_of_expression(text, start + 2, delimiter)
    end = None if middle is None else end_of_part(text, middle + 1, delimiter)
    if end is None:
        return None
    return end + 1 if name == "y" else _skip(_SUBSTITUTE_FLAGS, text, end + 1)


def _skip(what: re.Pattern[str], text: str, start: int) -> int:
    found = what.match(text, start)
    return start if found is None else found.end()


# Programs end an expression at the first bare delimiter, or only at one outside brackets. A `[:` that opens
# no class, and an escaped bracket inside brackets, are ambiguous too.
_CLOSED = regex(
    r"(?:[^\\\[]|\\."
    r"|\[\^?+\]?+(?:\[:[a-z]+:\]|(?!\[[:.=])[^\]\\]|\\[^\]\[])*+\])*+"
)


def end_of_expression(text: str, start: int, delimiter: str) -> int | None:
    """The index of the delimiter that ends the expression; None when it is not certain."""
    end = end_of_part(text, start, delimiter)
    return end if end is not None and _CLOSED.fullmatch(text, start, end) else None


def end_of_part(text: str, start: int, delimiter: str) -> int | None:
    """The index of the next bare delimiter; None when a newline or a hole is before it."""
    at = start
    while at < len(text) and text[at] != delimiter:
        at += 2 if text[at] == "\\" else 1
        if text[at - 1 : at] in ("\n", UNKNOWN_MARK):
            return None
    return at if at < len(text) else None


CHECKS: dict[str, Check] = {
    "awk": awk,
    "sed": sed,
}

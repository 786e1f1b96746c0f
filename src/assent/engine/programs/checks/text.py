"""Checks of `awk` and `sed` scripts: they only compute, print, and change lines in memory."""

import re
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import WordCheck
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

_AWK_FLAGS = parse_flags("-F= -v=")
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=", re.ASCII)

_OUTSIDE_NAMES = frozenset("system getline extension ENVIRON PROCINFO SYMTAB FUNCTAB ARGV ARGC".split())
"""Names with which a script starts programs, reads more files, loads code or reads the environment."""
_OUTSIDE_SIGNS = frozenset({"|", "@"})
_WRITE_SIGNS = frozenset({">", ">>", ">="})
_STANDARD_OUTPUTS = frozenset({'"/dev/stdout"', '"/dev/stderr"', '"/dev/null"'})
_STATEMENT_ENDS = frozenset({";", "}"})
_OPERAND_ENDS = frozenset({")", "]", "++", "--"})
MAX_INTERPRETATIONS = 64
"""The maximal number of interpretations of an awk program."""


class TokenKind(StrEnum):
    """The kind of a token."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    """A string or a regular expression."""
    SIGN = "sign"
    NEWLINE = "newline"


class Token(NamedTuple):
    """One token of an awk program."""

    kind: TokenKind
    text: str = ""
    depth: int = 0
    """The number of open parentheses around the token."""
    value: str = ""
    """The source text of a string or a regular expression."""


_SKIPPED_TEXT = regex(r"(?:[ \t\r]|\\\n|#[^\n]*)*+")
_TOKEN_PATTERNS = (
    (TokenKind.TEXT, regex(rf'"(?:[^"\\\n{UNKNOWN_MARK}]|\\[^\n{UNKNOWN_MARK}])*+"')),
    (TokenKind.NUMBER, regex(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")),
    (TokenKind.NAME, regex(r"[A-Za-z_]\w*", re.ASCII)),
    (TokenKind.SIGN, regex(r"\|\||&&|\+\+|--|>>|[-+*%^!<>=]=|!~|\*\*=?|[-+*%^!<>=~?:,;$|@{}()\[\]]")),
    (TokenKind.NEWLINE, regex("\n")),
)
_UNFINISHED_STRING = regex(rf'"(?:[^"\\\n{UNKNOWN_MARK}]|\\[^\n{UNKNOWN_MARK}])*+(?=\n|\Z)')
_CONTROL_KEYWORDS = frozenset({"if", "while", "for", "switch"})
_BEFORE_EXPRESSION = frozenset({"print", "printf", "return", "exit", "case", "else", "do"})
_AFTER_OPERAND = frozenset({")", "]", "++", "--", "$"})


def check_awk(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `awk` reads; None if its program may do more than print."""
    if [word.text for word in words] == ["--version"]:
        return ()
    scan = FlagScan(_AWK_FLAGS, words)
    at = scan.first_operand()
    if at is None and scan.at < len(words) and words[scan.at].text == "--":
        at = scan.at + 1
    if at is None or at >= len(words) or any(word.splits or word.glob for word in words[: at + 1]):
        return None
    if UNKNOWN_MARK in words[at].text or not _awk_only_prints(words[at].text):
        return None
    return tuple(word for word in words[at + 1 :] if not _ASSIGNMENT.match(word.text))


def check_sed(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `sed` reads; None if a script may write, run or read more."""
    scan = FlagScan(_SED_FLAGS, words)
    operands = scan.operands()
    if operands is None:
        return None
    scripts = [*scan.given.get("-e", []), *scan.given.get("--expression", [])]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    return tuple(operands) if all(_sed_only_prints(script) for script in scripts) else None


def _awk_only_prints(program: str) -> bool:
    """Whether an awk program only prints, in every interpretation."""
    found = find_interpretations(program)
    return found is not None and not any(
        _writes_file(tokens) or any(map(_accesses_system, tokens)) for tokens in found
    )


def _accesses_system(token: Token) -> bool:
    """Whether a token starts a program, reads a file or reads the environment."""
    return token.text in (_OUTSIDE_NAMES if token.kind is TokenKind.NAME else _OUTSIDE_SIGNS)


def _writes_file(tokens: list[Token]) -> bool:
    """Whether a `print` has a `>` outside parentheses, after which a file follows."""
    printing: int | None = None
    last = Token(TokenKind.NEWLINE)
    for at, token in enumerate(tokens):
        if token.text in ("print", "printf"):
            printing = token.depth
        elif printing is not None and token.text in _WRITE_SIGNS and token.depth <= printing:
            if not _is_standard_output(tokens[at + 1 : at + 3]):
                return True
        elif token.text in _STATEMENT_ENDS or (token.kind is TokenKind.NEWLINE and _ends_operand(last)):
            printing = None
        last = token
    return False


def _is_standard_output(tokens: list[Token]) -> bool:
    """Whether the target of a `>` is the standard output, the standard error or `/dev/null`."""
    target, *behind = tokens or [Token(TokenKind.NEWLINE)]
    alone = not behind or behind[0].text in _STATEMENT_ENDS or behind[0].kind is TokenKind.NEWLINE
    return target.value in _STANDARD_OUTPUTS and alone


def _ends_operand(token: Token) -> bool:
    """Whether a statement may end after this token; after other tokens, it continues on the next line."""
    return token.kind in (TokenKind.NAME, TokenKind.NUMBER, TokenKind.TEXT) or token.text in _OPERAND_ENDS


def find_interpretations(program: str) -> list[list[Token]] | None:
    """The tokens of each possible interpretation; None if there is none, or if one may be missing."""
    todo = [_AwkInterpretation(program)]
    try:
        # `read_tokens` appends to this list during the loop, up to a limit.
        return [reading.found for reading in todo if reading.read_tokens(todo)] or None
    except _UncertainError:
        return None


class _UncertainError(Exception):
    """Raised for a text that some version of awk may read, but this parser cannot."""


class _AwkInterpretation:
    """One interpretation of an awk program.

    A slash divides or begins a regular expression, and versions of awk differ. If both are possible,
    there are two interpretations, and a check must hold for each.
    """

    def __init__(self, program: str) -> None:
        self.program = program
        self.at = _skip_match(_SKIPPED_TEXT, program, 0)
        self.found: list[Token] = []
        self.parentheses: list[bool] = []
        """For each open one, whether it belongs to an `if`, a loop or a `switch`."""
        self.after_condition = False
        """The last token closed the parenthesis of a condition; newlines after it do not count."""

    def read_tokens(self, todo: list["_AwkInterpretation"]) -> bool:
        """Read all tokens, and append other interpretations to `todo`.

        Returns False if no awk would accept this interpretation.
        """
        while self.at < len(self.program):
            if self.program[self.at] != "/":
                alive = self._read_token()
            elif self._expects_operand():
                alive = self._read_regular_expression()
            else:
                other = self._copy_interpretation()
                if other._read_regular_expression():
                    todo.append(other)
                if len(todo) > MAX_INTERPRETATIONS:
                    raise _UncertainError
                alive = self._add_token(
                    TokenKind.SIGN, "/=" if self.program.startswith("/=", self.at) else "/"
                )
            if not alive:
                return False
        return True

    def _read_token(self) -> bool:
        """Read one token; return False for an unfinished string."""
        for kind, pattern in _TOKEN_PATTERNS:
            found = pattern.match(self.program, self.at)
            if found is not None:
                return self._add_token(kind, found[0])
        if _UNFINISHED_STRING.match(self.program, self.at):
            return False
        raise _UncertainError

    def _read_regular_expression(self) -> bool:
        """Read a regular expression; return False if it does not end on this line."""
        if delimiter_index(self.program, self.at + 1, "/") is None:
            return False
        end = expression_end(self.program, self.at + 1, "/")
        if end is None:
            raise _UncertainError
        return self._add_token(TokenKind.TEXT, self.program[self.at : end + 1])

    def _add_token(self, kind: TokenKind, text: str) -> bool:
        """Append a token, track parentheses, and skip the blanks after it."""
        conditional = self.after_condition and kind is TokenKind.NEWLINE
        if text == "(":
            self.parentheses.append(self._last_token().text in _CONTROL_KEYWORDS)
        elif text == ")":
            conditional = bool(self.parentheses) and self.parentheses.pop()
        said, value = ("", text) if kind is TokenKind.TEXT else (text, "")
        self.found.append(Token(kind, said, len(self.parentheses), value))
        self.after_condition = conditional
        self.at = _skip_match(_SKIPPED_TEXT, self.program, self.at + len(text))
        return True

    def _expects_operand(self) -> bool:
        """Whether a slash can only begin a regular expression, because no value is before it."""
        last = self._last_token()
        if (
            self.after_condition
            or last.kind in (TokenKind.NUMBER, TokenKind.TEXT)
            or last.text in _AFTER_OPERAND
        ):
            return False
        return last.kind is not TokenKind.NAME or last.text in _BEFORE_EXPRESSION

    def _last_token(self) -> Token:
        """The last token; a newline at the beginning of the program."""
        return self.found[-1] if self.found else Token(TokenKind.NEWLINE)

    def _copy_interpretation(self) -> "_AwkInterpretation":
        """A copy for another interpretation."""
        copy = _AwkInterpretation(self.program)
        copy.at, copy.after_condition = self.at, self.after_condition
        copy.found, copy.parentheses = list(self.found), list(self.parentheses)
        return copy


_SED_FLAGS = parse_flags(
    "-n -E -r -s -u -z -e=^ --quiet --silent --regexp-extended --separate --unbuffered --null-data"
    " --posix --debug --sandbox --expression=^ --help --version"
)
_BETWEEN_COMMANDS = regex(r"(?:[\s;]|#[^\n]*)*+")
_BLANKS = regex(r"[ \t]*")
_LINE_ADDRESS = regex(r"\d+(?:~\d+)?|\$")
_ADDRESS_FLAGS = regex(r"[IM]*")
_LINE_COUNT = regex(r"[+~]\d+")
_NEGATION = regex(r"[ \t]*(?:!\s*)*")
_COMMAND_END = regex(r"[ \t]*(?=[;\n}#]|\Z)")
# Commands that run no program and use no file, with their arguments.
# In some versions a label includes `#` and `}`, so neither may follow a label.
_HARMLESS_COMMAND = regex(
    r"[=pPdDgGhHxnNzF]|[lqQ][ \t]*\d*|(?::[ \t]*[\w.-]+|[btT][ \t]*[\w.-]*)(?=[ \t]*(?:[;\n]|\Z))"
)
_BRACES = regex(r"[{}]")
# Text up to the end of the line; versions of sed differ in how a backslash continues it.
_TEXT_COMMAND = regex(r"[aic][ \t]+[^\s\\][^\\\n]*(?=\n|\Z)|[aic][ \t]*\\\n?[^\\\n]+\Z")
_DELIMITERS = frozenset("/|,:#@!%~_+=;")
_SUBSTITUTE_FLAGS = regex(r"[gpiImM\d]*")


def _sed_only_prints(script: Word) -> bool:
    """Whether a sed script only prints and changes lines in memory."""
    text = script.text
    if UNKNOWN_MARK in text or script.glob:
        return False
    at: int | None = _skip_match(_BETWEEN_COMMANDS, text, 0)
    while at is not None and at < len(text):
        at = _skip_command(text, at)
    return at is not None


def _skip_command(text: str, start: int) -> int | None:
    """The index of the next command; None if this command is not known to be harmless."""
    at = _skip_addresses(text, start)
    if at is None:
        return None
    if (brace := _BRACES.match(text, at)) is not None:
        return _skip_match(_BETWEEN_COMMANDS, text, brace.end())
    known = _TEXT_COMMAND.match(text, at) or _HARMLESS_COMMAND.match(text, at)
    end = known.end() if known is not None else _skip_substitution(text, at)
    if end is None or (ended := _COMMAND_END.match(text, end)) is None:
        return None
    return _skip_match(_BETWEEN_COMMANDS, text, ended.end())


def _skip_addresses(text: str, start: int) -> int | None:
    """The index after the addresses of a command: `2`, `$`, `/re/I`, `2,/re/`, `1,+3`, `0~4` and `!`."""
    at = _skip_address(text, start)
    if at is None:
        return None
    comma = _skip_match(_BLANKS, text, at)
    if at > start and text[comma : comma + 1] == ",":
        second = _skip_match(_BLANKS, text, comma + 1)
        counted = _LINE_COUNT.match(text, second)
        at = counted.end() if counted is not None else _skip_address(text, second)
        if at is None or at == second:
            return None
    return _skip_match(_NEGATION, text, at)


def _skip_address(text: str, start: int) -> int | None:
    """The index after one address; `start` if there is none, None if its end is uncertain."""
    if (line := _LINE_ADDRESS.match(text, start)) is not None:
        return line.end()
    opening = text[start : start + 1]
    if opening not in ("/", "\\"):
        return start
    custom = opening == "\\"
    delimiter = text[start + 1 : start + 2] if custom else "/"
    if delimiter not in _DELIMITERS:
        return None
    end = expression_end(text, start + 1 + custom, delimiter)
    return None if end is None else _skip_match(_ADDRESS_FLAGS, text, end + 1)


def _skip_substitution(text: str, start: int) -> int | None:
    """The index after `s/re/text/flags` or `y/abc/xyz/`; None for other commands."""
    name, delimiter = text[start : start + 1], text[start + 1 : start + 2]
    if name not in ("s", "y") or delimiter not in _DELIMITERS:
        return None
    middle = expression_end(text, start + 2, delimiter)
    end = None if middle is None else delimiter_index(text, middle + 1, delimiter)
    if end is None:
        return None
    return end + 1 if name == "y" else _skip_match(_SUBSTITUTE_FLAGS, text, end + 1)


def _skip_match(pattern: re.Pattern[str], text: str, start: int) -> int:
    """The index after the match of a pattern, or `start` if it does not match."""
    found = pattern.match(text, start)
    return start if found is None else found.end()


# Some programs end an expression at the first unescaped delimiter, others only outside brackets. A `[:` without
# a class, and an escaped bracket inside brackets, are ambiguous too.
_CLOSED_EXPRESSION = regex(
    r"(?:[^\\\[]|\\."
    r"|\[\^?+\]?+(?:\[:[a-z]+:\]|(?!\[[:.=])[^\]\\]|\\[^\]\[])*+\])*+"
)


def expression_end(text: str, start: int, delimiter: str) -> int | None:
    """The index of the delimiter that ends a regular expression; None if it is uncertain."""
    end = delimiter_index(text, start, delimiter)
    return end if end is not None and _CLOSED_EXPRESSION.fullmatch(text, start, end) else None


def delimiter_index(text: str, start: int, delimiter: str) -> int | None:
    """The index of the next unescaped delimiter; None if a newline or unknown text is before it."""
    at = start
    while at < len(text) and text[at] != delimiter:
        at += 2 if text[at] == "\\" else 1
        if text[at - 1 : at] in ("\n", UNKNOWN_MARK):
            return None
    return at if at < len(text) else None


CHECKS: dict[str, WordCheck] = {
    "awk": check_awk,
    "sed": check_sed,
}

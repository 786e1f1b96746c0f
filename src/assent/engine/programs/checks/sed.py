"""What `sed` does: a script of commands that only print, change lines in memory, or jump."""

import re

from assent.engine.programs.checks.expression import end_of_expression, end_of_part
from assent.engine.programs.checks.registry import Check
from assent.engine.programs.checks.scan import Scan
from assent.engine.programs.flags import parse_flags
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_FLAGS = parse_flags(
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
# For some a label goes on over `#` and `}`, so none of them may follow one.
_COMMANDS = regex(
    r"[=pPdDgGhHxnNzF]|[lqQ][ \t]*\d*|(?::[ \t]*[\w.-]+|[btT][ \t]*[\w.-]*)(?=[ \t]*(?:[;\n]|\Z))"
)
_BRACES = regex(r"[{}]")
# Text to the end of the line; with a backslash it would go on in ways that differ.
_TEXT = regex(r"[aic][ \t]+[^\s\\][^\\\n]*(?=\n|\Z)")
_DELIMITERS = frozenset("/|,:#@!%~_+=;")
_SUBSTITUTE_FLAGS = regex(r"[gpiImM\d]*")


def sed(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `sed` reads, or None when a script might write, run or read more."""
    scan = Scan(_FLAGS, words)
    operands = scan.operands()
    if operands is None:
        return None
    scripts = [*scan.given.get("-e", []), *scan.given.get("--expression", [])]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    return tuple(operands) if all(_only_prints(script) for script in scripts) else None


def _only_prints(script: Word) -> bool:
    text = script.text
    if HOLE in text or script.glob:
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


CHECKS: dict[str, Check] = {"sed": sed}

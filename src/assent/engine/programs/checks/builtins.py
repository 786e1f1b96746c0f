"""Checks of shell builtins: which of them only print, count or set harmless variables."""

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from assent.engine.base.lazy import regex
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.variables import is_harmless_lone_assignment, is_secret_variable
from assent.engine.programs.word import UNKNOWN_MARK, Word

Words = tuple[Word, ...]

_NUMBER = regex(rf"-?\d+|{UNKNOWN_MARK}")
_JOB_ID = regex(rf"\d+|%\S*|{UNKNOWN_MARK}|-[nf]")
_VARIABLE_NAME = regex(r"[A-Za-z_]\w*", re.ASCII)
_SECRET_NAME = regex(
    r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|COOKIE|SESSION|DSN|_UR[LI]", re.IGNORECASE
)
_SET_OPTIONS = regex(r"[-+][euxvfhETC]*o?")
_SET_OPTION_NAMES = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace".split()
)
_VARIABLE_REFERENCE = regex(r"\$\{?(\w+)")
_HELP_FLAGS = frozenset({"-V", "--version", "-h", "--help"})
_COUNT_CONVERSION = regex(r"%[-+ #0'*.\dhlLjzt]*n")
"""The conversion `%n` in a format, which sets a variable."""


def accept_any_text(_: Words) -> Words | None:
    """Accept all words, because each of them is only text."""
    return ()


def check_pattern(words: Words, *, pattern: re.Pattern[str]) -> Words | None:
    """Check that all words match the pattern."""
    return () if all(pattern.fullmatch(word.text) for word in words) else None


def check_kill(words: Words) -> Words | None:
    """Check that `kill` only tests a process (`-0`) or prints signal names (`-l`)."""
    first, *rest = words or (Word(""),)
    harmless = first.text in ("-0", "-l") and all(
        _NUMBER.fullmatch(word.text) and not word.splits for word in rest
    )
    return () if harmless else None


def check_printf(words: Words) -> Words | None:
    """Check that `printf` only prints; `-v` before the format, or `%n` in it, would set a variable."""
    ended = bool(words) and words[0].text == "--"
    after = words[1:] if ended else words
    if not after or any(runs_command_as_number(word.text) for word in after):
        return None
    format_, *rest = after
    if format_.splits or format_.glob or (not ended and format_.text.startswith("-")):
        return None
    # An unknown format may set the variables after it; without words after it, it only prints.
    sets = UNKNOWN_MARK in format_.text or _COUNT_CONVERSION.search(format_.text.replace("%%", ""))
    return None if sets and rest else ()


def check_variables(words: Words, *, flags: str) -> Words | None:
    """Check that a builtin sets only variables that no program reads."""
    scan = FlagScan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None:
        return None
    names = (*operands, *scan.given.get("-a", []))
    return () if all(is_harmless_lone_assignment(word.text, Word(UNKNOWN_MARK)) for word in names) else None


def check_set(words: Words) -> Words | None:
    """Check that `set` changes only options for failures and tracing."""
    texts = [word.text for word in words]
    named = [text for before, text in pairwise(texts) if before[:1] in ("-", "+") and before.endswith("o")]
    letters = [text for text in texts if text not in named]
    known = all(_SET_OPTIONS.fullmatch(text) for text in letters) and _SET_OPTION_NAMES.issuperset(named)
    return () if words and known else None


def check_syntax_only(words: Words) -> Words | None:
    """Check that a shell only checks the syntax of a script (`-n`) or prints its version."""
    if [word.text for word in words] == ["--version"]:
        return ()
    scan = FlagScan(parse_flags("-n"), words)
    operands = scan.operands()
    known = operands and not scan.trailing and "-n" in scan.given
    return tuple(operands[:1]) if operands and known else None


def check_printenv(words: Words) -> Words | None:
    """Check that `printenv` prints only named variables whose names do not suggest secrets."""
    names = [word.text for word in words]
    return (
        ()
        if names and all(_VARIABLE_NAME.fullmatch(name) and not _SECRET_NAME.search(name) for name in names)
        else None
    )


def check_envsubst(words: Words) -> Words | None:
    """Check that `envsubst` has a list of variables without secrets.

    Without a list, it would insert any variable.
    """
    operands = [word.text for word in words if not word.text.startswith("-")]
    if not operands:
        return () if any(word.text in _HELP_FLAGS for word in words) else None
    names = [name for text in operands for name in _VARIABLE_REFERENCE.findall(text)]
    return (
        None if any(UNKNOWN_MARK in text for text in operands) or any(map(is_secret_variable, names)) else ()
    )


_NUMBER_TESTS = frozenset("-eq -ne -lt -le -gt -ge".split())
_EVALUATING_TESTS = frozenset({"-v", "-R"})
_INTEGER = regex(r"[-+]?\d+", re.ASCII)
_COMPARED_NUMBER = regex(rf"[-+]?\d+|{UNKNOWN_MARK}|[A-Za-z_]\w*", re.ASCII)
_BRACKETS = regex(r"\[[^]]*\]?")
_EVALUATING_CHARACTERS = frozenset("*?-vR")


def check_condition(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Check that a condition evaluates no text in which the shell would run a command."""
    texts = [word.text for word in words]
    if any(text in _EVALUATING_TESTS or runs_command_as_number(text) for text in texts):
        return None
    # `[[` evaluates any compared text as arithmetic; `[` accepts only numbers.
    keyword = texts[-1:] == ["]]"]
    if not keyword and (any(map(_may_become_test, words)) or _may_evaluate_next_word(texts)):
        return None
    known = _INTEGER if keyword else _COMPARED_NUMBER
    for at, text in enumerate(texts):
        near = words[max(at - 1, 0) : at + 2 : 2] if text in _NUMBER_TESTS else ()
        if not all((word.plain and word.text == UNKNOWN_MARK) or known.fullmatch(word.text) for word in near):
            return None
    return ()


def runs_command_as_number(text: str) -> bool:
    """Whether a shell that evaluates this text as a number would run a command, as in `a[$(id)]`."""
    return "[" in text and ("$(" in text or "`" in text or "${" in text)


def _may_become_test(word: Word) -> bool:
    """Whether the shell may expand a word to `-v` and a text to evaluate."""
    if word.splits:
        return True
    return word.glob and set(_BRACKETS.sub("", word.text)) <= _EVALUATING_CHARACTERS


def _may_evaluate_next_word(texts: list[str]) -> bool:
    """Whether a word that may be `-v` is before a word that may be evaluated."""
    return any(
        UNKNOWN_MARK in first and (UNKNOWN_MARK in second or "[" in second)
        for first, second in pairwise(texts)
    )


CHECKS: dict[str, Callable[[Words], Words | None]] = {
    "text": accept_any_text,
    "numbers": partial(check_pattern, pattern=_NUMBER),
    "jobs": partial(check_pattern, pattern=_JOB_ID),
    "kill": check_kill,
    "printf": check_printf,
    "set": check_set,
    "syntax": check_syntax_only,
    "read": partial(check_variables, flags="-r -s -t= -n= -N= -d= -p= -u= -a="),
    "mapfile": partial(check_variables, flags="-t -n= -d= -s= -O= -u="),
    "printenv": check_printenv,
    "envsubst": check_envsubst,
    "condition": check_condition,
}

"""Checks of shell builtins: which of them only print, count or set harmless variables."""

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from assent.engine.base.lazy import regex
from assent.engine.programs.flags import Scan, parse_flags
from assent.engine.programs.variables import is_harmless_alone, is_secret_variable
from assent.engine.programs.word import UNKNOWN_MARK, Word

Files = tuple[Word, ...]

_NUMBER = regex(rf"-?\d+|{UNKNOWN_MARK}")
_JOB = regex(rf"\d+|%\S*|{UNKNOWN_MARK}|-[nf]")
_ENVIRONMENT = regex(r"[A-Za-z_]\w*", re.ASCII)
_SECRET = regex(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|COOKIE|SESSION|DSN|_UR[LI]", re.IGNORECASE)
_SET = regex(r"[-+][euxvfhETC]*o?")
_SET_NAMES = frozenset("pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace".split())
_REFERENCE = regex(r"\$\{?(\w+)")
_TELLS_OF_ITSELF = frozenset({"-V", "--version", "-h", "--help"})
_SETS_COUNT = regex(r"%[-+ #0'*.\dhlLjzt]*n")


def text(_: Files) -> Files | None:
    """Every word is only text, even one that looks like a flag."""
    return ()


def matching(words: Files, *, pattern: re.Pattern[str]) -> Files | None:
    """Words of one shape, and no others."""
    return () if all(pattern.fullmatch(word.text) for word in words) else None


def kill(words: Files) -> Files | None:
    """`kill -0` only asks whether a process is there, `kill -l` prints the names of signals."""
    first, *rest = words or (Word(""),)
    harmless = first.text in ("-0", "-l") and all(
        _NUMBER.fullmatch(word.text) and not word.splits for word in rest
    )
    return () if harmless else None


def printf(words: Files) -> Files | None:
    """Anything after the format is text; `-v` before it, or `%n` in it, sets a variable."""
    ended = bool(words) and words[0].text == "--"
    after = words[1:] if ended else words
    if not after or any(evaluates(word.text) for word in after):
        return None
    format_, *rest = after
    if format_.splits or format_.glob or (not ended and format_.text.startswith("-")):
        return None
    # An unknown format may set the variables after it; without any it only prints.
    sets = UNKNOWN_MARK in format_.text or _SETS_COUNT.search(format_.text.replace("%%", ""))
    return None if sets and rest else ()


def variables(words: Files, *, flags: str) -> Files | None:
    """Only names that mean nothing to the shell itself may be set."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None:
        return None
    names = (*operands, *scan.given.get("-a", []))
    return () if all(is_harmless_alone(word.text, Word(UNKNOWN_MARK)) for word in names) else None


def set_(words: Files) -> Files | None:
    """Options for failures and tracing; never a list of all that `set` can change."""
    texts = [word.text for word in words]
    named = [text for before, text in pairwise(texts) if before[:1] in ("-", "+") and before.endswith("o")]
    letters = [text for text in texts if text not in named]
    known = all(_SET.fullmatch(text) for text in letters) and _SET_NAMES.issuperset(named)
    return () if words and known else None


def syntax(words: Files) -> Files | None:
    """`-n` only checks the syntax of a script; `--version` prints the version."""
    if [word.text for word in words] == ["--version"]:
        return ()
    scan = Scan(parse_flags("-n"), words)
    operands = scan.operands()
    known = operands and not scan.trailing and "-n" in scan.given
    return tuple(operands[:1]) if operands and known else None


def printenv(words: Files) -> Files | None:
    """Named variables that are no secrets, by their names."""
    names = [word.text for word in words]
    return (
        ()
        if names and all(_ENVIRONMENT.fullmatch(name) and not _SECRET.search(name) for name in names)
        else None
    )


def envsubst(words: Files) -> Files | None:
    """A list of variables that are no secrets; without one it puts in any that its input names."""
    operands = [word.text for word in words if not word.text.startswith("-")]
    if not operands:
        return () if any(word.text in _TELLS_OF_ITSELF for word in words) else None
    names = [name for text in operands for name in _REFERENCE.findall(text)]
    return (
        None if any(UNKNOWN_MARK in text for text in operands) or any(map(is_secret_variable, names)) else ()
    )


_ARITHMETIC = frozenset("-eq -ne -lt -le -gt -ge".split())
_EVALUATING = frozenset({"-v", "-R"})
_INTEGER = regex(r"[-+]?\d+", re.ASCII)
_COMPARED_NUMBER = regex(rf"[-+]?\d+|{UNKNOWN_MARK}|[A-Za-z_]\w*", re.ASCII)
_BRACKETS = regex(r"\[[^]]*\]?")
_COULD_EVALUATE = frozenset("*?-vR")


def condition(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Reads no file; None when the shell might evaluate a text and run a command in it."""
    texts = [word.text for word in words]
    if any(text in _EVALUATING or evaluates(text) for text in texts):
        return None
    # `[[` evaluates what it compares as arithmetic, whatever that is; `[` wants a number.
    keyword = texts[-1:] == ["]]"]
    if not keyword and (any(map(_may_be_several, words)) or _may_evaluate(texts)):
        return None
    known = _INTEGER if keyword else _COMPARED_NUMBER
    for at, text in enumerate(texts):
        near = words[max(at - 1, 0) : at + 2 : 2] if text in _ARITHMETIC else ()
        if not all((word.plain and word.text == UNKNOWN_MARK) or known.fullmatch(word.text) for word in near):
            return None
    return ()


def evaluates(text: str) -> bool:
    """Whether a shell that takes this for a number would run a command: `a[$(id)]`."""
    return "[" in text and ("$(" in text or "`" in text or "${" in text)


def _may_be_several(word: Word) -> bool:
    """Whether it could become `-v` and a text to evaluate: words of unknown number, or names of files."""
    if word.splits:
        return True
    return word.glob and set(_BRACKETS.sub("", word.text)) <= _COULD_EVALUATE


def _may_evaluate(texts: list[str]) -> bool:
    """Whether a word that could be `-v` is before one that could be evaluated."""
    return any(
        UNKNOWN_MARK in first and (UNKNOWN_MARK in second or "[" in second)
        for first, second in pairwise(texts)
    )


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "text": text,
    "numbers": partial(matching, pattern=_NUMBER),
    "jobs": partial(matching, pattern=_JOB),
    "kill": kill,
    "printf": printf,
    "set": set_,
    "syntax": syntax,
    "read": partial(variables, flags="-r -s -t= -n= -N= -d= -p= -u= -a="),
    "mapfile": partial(variables, flags="-t -n= -d= -s= -O= -u="),
    "printenv": printenv,
    "envsubst": envsubst,
    "condition": condition,
}

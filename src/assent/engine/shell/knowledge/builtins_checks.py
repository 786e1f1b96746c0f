"""What words of the shell do that a flag list cannot say: print, count, ask and set variables."""

import re
from collections.abc import Callable
from functools import partial

from assent.engine.shell.assignments import harmless_alone
from assent.engine.shell.command import HOLE, Word
from assent.engine.shell.knowledge.condition import condition, evaluates
from assent.engine.shell.knowledge.entry import parse_flags
from assent.engine.shell.knowledge.scan import Scan

Files = tuple[Word, ...]

_NUMBER = re.compile(rf"-?\d+|{HOLE}").fullmatch
_JOB = re.compile(rf"\d+|%\S*|{HOLE}|-[nf]").fullmatch
# Variables the shell itself looks at are in capitals, but for those of zsh.
_VARIABLE = re.compile(
    r"(?!(?:(?:|f|cd|man|mail|module_)path|argv|commands|functions|aliases|options|prompt|status)$)"
    r"[a-z_][a-z0-9_]*|REPLY"
).fullmatch
_ENVIRONMENT = re.compile(r"[A-Za-z_]\w*", re.ASCII).fullmatch
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|COOKIE|SESSION|DSN|_UR[LI]", re.IGNORECASE)
_SETS_COUNT = re.compile(r"%[-+ #0'*.\dhlLjzt]*n")


def text(_: Files) -> Files | None:
    """Every word is only text, even one that looks like a flag."""
    return ()


def matching(words: Files, *, pattern: Callable[[str], re.Match[str] | None]) -> Files | None:
    """Words of one shape, and no others."""
    return () if all(pattern(word.text) for word in words) else None


def kill(words: Files) -> Files | None:
    """`kill -0` only asks whether a process is there, `kill -l` prints the names of signals."""
    first, *rest = words or (Word(""),)
    harmless = first.text in ("-0", "-l") and all(_NUMBER(word.text) and not word.splits for word in rest)
    return () if harmless else None


def printf(words: Files) -> Files | None:
    """Anything after the format is text; `-v` before it, or `%n` in it, sets a variable."""
    ended = bool(words) and words[0].text == "--"
    after = words[1:] if ended else words
    if not after or any(evaluates(word.text) for word in after):
        return None
    format_ = after[0]
    if format_.splits or format_.glob or (not ended and format_.text[:1] in ("-", HOLE)):
        return None
    return None if _SETS_COUNT.search(format_.text.replace("%%", "")) else ()


def variables(words: Files, *, flags: str) -> Files | None:
    """Only names that mean nothing to the shell itself may be set."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None:
        return None
    names = (*operands, *scan.given.get("-a", []))
    return () if all(_VARIABLE(word.text) and harmless_alone(word.text, Word(HOLE)) for word in names) else None


def printenv(words: Files) -> Files | None:
    """Named variables that are no secrets, by their names."""
    names = [word.text for word in words]
    return () if names and all(_ENVIRONMENT(name) and not _SECRET.search(name) for name in names) else None


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "text": text,
    "numbers": partial(matching, pattern=_NUMBER),
    "jobs": partial(matching, pattern=_JOB),
    "kill": kill,
    "printf": printf,
    "read": partial(variables, flags="-r -s -t= -n= -N= -d= -p= -u= -a="),
    "mapfile": partial(variables, flags="-t -n= -d= -s= -O= -u="),
    "printenv": printenv,
    "condition": condition,
}

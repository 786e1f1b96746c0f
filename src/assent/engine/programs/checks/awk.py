"""What `awk` does: a program that only computes and prints to standard output."""

import re

from assent.engine.programs.checks.awk_lexer import Kind, Token, readings
from assent.engine.programs.checks.registry import Check
from assent.engine.programs.checks.scan import Scan
from assent.engine.programs.flags import parse_flags
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_FLAGS = parse_flags("-F= -v=")
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=", re.ASCII)

# Names through which a program starts others, reads more files, loads code or sees the environment.
_REACHES_OUT = frozenset("system getline extension ENVIRON PROCINFO SYMTAB FUNCTAB ARGV ARGC".split())
_SIGNS_OUT = frozenset({"|", "@"})
_WRITES = frozenset({">", ">>", ">="})
_OUTPUTS = frozenset({'"/dev/stdout"', '"/dev/stderr"', '"/dev/null"'})
_ENDS_STATEMENT = frozenset({";", "}"})
_ENDS_OPERAND = frozenset({")", "]", "++", "--"})


def awk(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `awk` reads, or None when its program might do more than print."""
    if [word.text for word in words] == ["--version"]:
        return ()
    scan = Scan(_FLAGS, words)
    at = scan.first_operand()
    if at is None and scan.at < len(words) and words[scan.at].text == "--":
        at = scan.at + 1
    if at is None or at >= len(words) or any(word.splits or word.glob for word in words[: at + 1]):
        return None
    if HOLE in words[at].text or not _only_prints(words[at].text):
        return None
    return tuple(word for word in words[at + 1 :] if not _ASSIGNMENT.match(word.text))


def _only_prints(program: str) -> bool:
    """Whether each reading of the program does."""
    found = readings(program)
    return found is not None and not any(
        _redirects(tokens) or any(map(_reaches_out, tokens)) for tokens in found
    )


def _reaches_out(token: Token) -> bool:
    return token.text in (_REACHES_OUT if token.kind is Kind.NAME else _SIGNS_OUT)


def _redirects(tokens: list[Token]) -> bool:
    """Whether a `>` stands in a `print` outside of its parentheses, where it names a file."""
    printing: int | None = None
    last = Token(Kind.NEWLINE)
    for at, token in enumerate(tokens):
        if token.text in ("print", "printf"):
            printing = token.depth
        elif printing is not None and token.text in _WRITES and token.depth <= printing:
            if not _shown(tokens[at + 1 : at + 3]):
                return True
        elif token.text in _ENDS_STATEMENT or (token.kind is Kind.NEWLINE and _ends_operand(last)):
            printing = None
        last = token
    return False


def _shown(tokens: list[Token]) -> bool:
    """Whether what follows a `>` is the name of an output that is shown, and nothing is added to it."""
    target, *behind = tokens or [Token(Kind.NEWLINE)]
    alone = not behind or behind[0].text in _ENDS_STATEMENT or behind[0].kind is Kind.NEWLINE
    return target.value in _OUTPUTS and alone


def _ends_operand(token: Token) -> bool:
    """Whether a statement may end after this token; after others it goes on in the next line."""
    return token.kind in (Kind.NAME, Kind.NUMBER, Kind.TEXT) or token.text in _ENDS_OPERAND


CHECKS: dict[str, Check] = {"awk": awk}

"""Rules as PowerShell compares them: neither the way slashes lean nor the capitals of its names count."""

import re
from collections.abc import Iterable, Sequence

from assent.engine.lines.quoting import pattern_words
from assent.engine.regex import regex

_SLASH = regex(r"(?<!')\\|\\(?!'')")
"""A backslash that divides a path, and not one of `'\\''`, as which rules write a quote between quotes."""

_CMDLET = regex(r"[A-Za-z*]+-[A-Za-z*]+")
_ROOT = regex(
    r"(?:[A-Za-z]|hk\w+|registry|env|cert|wsman|alias|function|variable|(?:[\w.]+/)?filesystem):",
    re.IGNORECASE,
)


def hit_pattern(specifier: str) -> str:
    """The pattern of a deny or ask rule, to which no capitals count: Windows ignores even those of paths."""
    return " ".join(_words(specifier)).lower()


def hit_texts(texts: Iterable[str]) -> Iterable[str]:
    """Texts that such patterns are compared with."""
    return dict.fromkeys(text.replace("\\", "/").lower() for text in texts)


def cover_pattern(specifier: str) -> tuple[str, ...]:
    """The words of an allow rule; of their capitals, only those in names of commands are free."""
    return _named(_words(specifier))


def cover_words(words: Sequence[str]) -> tuple[str, ...]:
    """Words that such patterns are compared with."""
    return _named(tuple(word.replace("\\", "/") for word in words))


def _words(specifier: str) -> tuple[str, ...]:
    """To PowerShell a backslash divides a path and escapes nothing."""
    return pattern_words(_SLASH.sub("/", specifier))


def _named(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words with the names of a command and its parameters in lower case; a drive is marked as a root."""
    found = tuple(f"/{word}" if _ROOT.match(word) else word for word in words)
    if not found or _CMDLET.fullmatch(found[0]) is None:
        return found
    return (found[0].lower(), *(word.lower() if word[:1] == "-" else word for word in found[1:]))

"""Patterns of rules about PowerShell, which ignores the direction of slashes and the case of names."""

import re
from collections.abc import Iterable, Sequence

from assent.engine.lines.quoting import pattern_words
from assent.engine.regex import regex

_SLASH = regex(r"(?<!')\\|\\(?!'')")
"""A backslash in a path, and not one of `'\\''`, which rules write for a quote between quotes."""

_CMDLET = regex(r"[A-Za-z*]+-[A-Za-z*]+")
_ROOT = regex(
    r"(?:[A-Za-z]|hk\w+|registry|env|cert|wsman|alias|function|variable|(?:[\w.]+/)?filesystem):",
    re.IGNORECASE,
)


def strict_pattern(specifier: str) -> str:
    """The pattern of a deny or ask rule, in lower case: Windows ignores even the case of paths."""
    return " ".join(_words(specifier)).lower()


def strict_texts(texts: Iterable[str]) -> Iterable[str]:
    """The texts that a strict pattern is compared with."""
    return dict.fromkeys(text.replace("\\", "/").lower() for text in texts)


def allow_pattern(specifier: str) -> tuple[str, ...]:
    """The words of an allow rule; only the case of command and parameter names is ignored."""
    return _with_folded_names(_words(specifier))


def allow_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words that an allow pattern is compared with."""
    return _with_folded_names(tuple(word.replace("\\", "/") for word in words))


def _words(specifier: str) -> tuple[str, ...]:
    """In PowerShell a backslash separates directories and escapes nothing."""
    return pattern_words(_SLASH.sub("/", specifier))


def _with_folded_names(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words with command and parameter names in lower case, and drives marked as roots."""
    found = tuple(f"/{word}" if _ROOT.match(word) else word for word in words)
    if not found or _CMDLET.fullmatch(found[0]) is None:
        return found
    return (found[0].lower(), *(word.lower() if word[:1] == "-" else word for word in found[1:]))

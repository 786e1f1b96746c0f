"""Digests of the input of a command, and a preview of it without secrets."""

import hashlib
import hmac
import re

from assent.engine.base.lazy import regex

LONGEST_PREVIEW = 60
_LONGEST_READ = 2000
_OMITTED = "…"
_LITERAL = regex(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_ASSIGNED_VALUE = regex(r"([=:]\s*)[^\s,;)]+")
_SECRET = regex(
    r"(?i)\b(pass\w*|pwd|secret\w*|token\w*|key|apikey|auth\w*|bearer|basic|credential\w*|identified by)\b.*"
)
_ADDRESS = regex(r"//[^/\s]*@")
_LONG_TOKEN = regex(r"[\w+/=.-]{20,}")
_ATTACHED_VALUE = regex(r"(?<!\S)-[a-zA-Z]\S+")
_QUOTE = regex("['\"`]")
_NOT_SHOWN = regex(r"[^ -~…]|['\"\\*]", re.ASCII)


def text_digest(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def keyed_digest(digest: str, key: bytes) -> str:
    """A keyed digest, from which a short text cannot be guessed without the key."""
    return hmac.new(key, f"fed input:{digest}".encode(), hashlib.sha256).hexdigest()


def preview(text: str) -> str:
    """The beginning of a text on one line, without texts that may be secrets."""
    line = " ".join(" ".join(map(_without_literals, text[:_LONGEST_READ].splitlines())).split())
    line = _ADDRESS.sub(f"//{_OMITTED}@", line)
    line = _SECRET.sub(lambda found: f"{found[1]} {_OMITTED}", line)
    line = _ASSIGNED_VALUE.sub(lambda found: f"{found[1]}{_OMITTED}", line)
    line = _ATTACHED_VALUE.sub(lambda found: f"{found[0][:2]}{_OMITTED}", line)
    line = _LONG_TOKEN.sub(_OMITTED, line)
    line = _NOT_SHOWN.sub("", line)
    return line if len(line) <= LONGEST_PREVIEW else line[: LONGEST_PREVIEW - 1].rstrip() + _OMITTED


def _without_literals(line: str) -> str:
    """A line without quoted texts; everything after an unclosed quote is omitted."""
    if any(line.count(quote) % 2 for quote in "'\"`"):
        return _QUOTE.split(line, maxsplit=1)[0] + _OMITTED
    return _LITERAL.sub(_OMITTED, line)

"""Digests of the standard input of a command, and a short preview without secrets."""

import hashlib
import hmac
import re

from assent.engine.base.lazy import regex

MAX_PREVIEW_LENGTH = 60
"""The maximal number of characters of a preview."""
_MAX_PREVIEWED_TEXT = 2000
"""How many characters of an input are searched for a preview."""
_OMITTED = "…"
"""The mark that replaces an omitted text."""
_QUOTED_TEXT = regex(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_ASSIGNED_VALUE = regex(r"([=:]\s*)[^\s,;)]+")
_SECRET_AFTER_NAME = regex(
    r"(?i)\b(pass\w*|pwd|secret\w*|token\w*|key|apikey|auth\w*|bearer|basic|credential\w*|identified by)\b.*"
)
"""A word such as `password`, and the rest of the line, which may be a secret."""
_USER_IN_ADDRESS = regex(r"//[^/\s]*@")
"""The user name and password in an address such as `https://user:password@host`."""
_LONG_TOKEN = regex(r"[\w+/=.-]{20,}")
"""A long run of characters, which may be a key or a token."""
_ATTACHED_VALUE = regex(r"(?<!\S)-[a-zA-Z]\S+")
"""A short option with a value attached to it, such as `-pSECRET`."""
_QUOTE = regex("['\"`]")
_HIDDEN_CHARACTERS = regex(r"[^ -~…]|['\"\\*]", re.ASCII)
"""Characters that a preview omits: control characters, quotes, backslashes and stars."""


def text_digest(text: str) -> str:
    """The SHA-256 digest of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def keyed_digest(digest: str, key: bytes) -> str:
    """An HMAC of a digest, so that nobody can guess a short text without the key."""
    return hmac.new(key, f"fed input:{digest}".encode(), hashlib.sha256).hexdigest()


def preview_text(text: str) -> str:
    """The beginning of a text on one line; everything that may be a secret is omitted."""
    line = " ".join(" ".join(map(_omit_quoted_text, text[:_MAX_PREVIEWED_TEXT].splitlines())).split())
    line = _USER_IN_ADDRESS.sub(f"//{_OMITTED}@", line)
    line = _SECRET_AFTER_NAME.sub(lambda found: f"{found[1]} {_OMITTED}", line)
    line = _ASSIGNED_VALUE.sub(lambda found: f"{found[1]}{_OMITTED}", line)
    line = _ATTACHED_VALUE.sub(lambda found: f"{found[0][:2]}{_OMITTED}", line)
    line = _LONG_TOKEN.sub(_OMITTED, line)
    line = _HIDDEN_CHARACTERS.sub("", line)
    return line if len(line) <= MAX_PREVIEW_LENGTH else line[: MAX_PREVIEW_LENGTH - 1].rstrip() + _OMITTED


def _omit_quoted_text(line: str) -> str:
    """Replace quoted texts by an omission mark, and omit everything after an unclosed quote."""
    if any(line.count(quote) % 2 for quote in "'\"`"):
        return _QUOTE.split(line, maxsplit=1)[0] + _OMITTED
    return _QUOTED_TEXT.sub(_OMITTED, line)

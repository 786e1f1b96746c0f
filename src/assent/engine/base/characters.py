"""Characters that make a text misleading; a call with such a character never runs without asking."""

import re
import unicodedata

from assent.engine.base.lazy import regex

_HIDDEN_CHARACTER = regex(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters except tab and newline
    "\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\ud800-\udfff\ue000-\uf8ff"  # surrogates, and private use, which the parsers use internally
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
    "]"
)

_DECEPTIVE_CHARACTER = regex(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f"
    "]"
)


def describe_hidden_character(text: str) -> str | None:
    """A description of the first hidden character in a specifier; None if there is none."""
    return _describe_character(_HIDDEN_CHARACTER.search(text))


def describe_deceptive_character(text: str) -> str | None:
    """A description of the first character that makes a free text misleading; None if there is none."""
    return _describe_character(_DECEPTIVE_CHARACTER.search(text))


def to_visible(text: str) -> str:
    """An untrusted text on one line, with every hidden or control character escaped."""
    if describe_hidden_character(text) is None and "\n" not in text and "\t" not in text:
        return text
    return "".join(_escape_character(character) for character in text)


def _escape_character(character: str) -> str:
    """The escape sequence of a character."""
    if character in "\n\t":
        return "\\n" if character == "\n" else "\\t"
    if describe_hidden_character(character) is None:
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"


def _describe_character(found: re.Match[str] | None) -> str | None:
    """The code point and the name of the character that was found."""
    if found is None:
        return None
    character = found[0]
    name = unicodedata.name(character, "control character").lower()
    return f"an invisible or control character (U+{ord(character):04X}, {name})"

"""Decode the quotes, escapes, braces and tildes of a word."""

import re
from functools import lru_cache

from assent.engine.base.characters import describe_hidden_character
from assent.engine.base.lazy import regex
from assent.engine.programs.word import UNKNOWN_MARK, Word

MAX_BRACE_WORDS = 64
"""The maximal number of words that brace lists expand to."""

# Some characters are special only without quotes. With quotes, they are encoded as private code points
# until the word is complete; a text that contains such code points itself is unreadable.
_SPECIAL_CHARACTERS = "*?[]{},~."
"""Characters that are special unless they are quoted."""
_ENCODE_SPECIAL = str.maketrans(
    {character: chr(0xE000 + index) for index, character in enumerate(_SPECIAL_CHARACTERS)}
)
"""Translation of special characters to private code points."""
_DECODE_SPECIAL = str.maketrans(
    {chr(0xE000 + index): character for index, character in enumerate(_SPECIAL_CHARACTERS)}
)
"""Translation of private code points back to special characters."""

_ENCODE_EXCEPT_GLOBS = {ord(mark): _ENCODE_SPECIAL[ord(mark)] for mark in "{},~."}

_PLAIN_WORD = regex(r"[A-Za-z0-9_./:=@%+,^-]+")
_PLAIN_OR_GLOB = regex(rb"(?=.)[\w./:=@%+,^-]*+([*?]?)[\w./:=@%+,^*?-]*")
"""A text without quotes and expansions; its group is not empty if the text is a glob."""
_MAX_CACHED_LENGTH = 64
_ESCAPE = regex(r"\\(.)", re.DOTALL)
_STRING_ESCAPE = regex(r'\\([$`"\\\n])')
"""An escape inside double quotes."""
_ANSI_ESCAPE = regex(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})"
    r"|U([0-9a-fA-F]{1,8})|c(.))",
    re.DOTALL,
)
"""An escape inside `$'…'`."""
_ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
                 "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}  # fmt: skip
_BRACE_SEQUENCE = regex(r"(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?|([A-Za-z])\.\.([A-Za-z])")
"""A sequence in braces, such as `1..5` or `a..e`."""


def parse_plain_word(text: bytes) -> tuple[Word, ...]:
    """The word of a plain text; empty if the text is not plain."""
    return (_parse_cached if len(text) <= _MAX_CACHED_LENGTH else _parse_plain_word_uncached)(text)


def _parse_plain_word_uncached(text: bytes) -> tuple[Word, ...]:
    """Parse a plain text without the cache."""
    found = _PLAIN_OR_GLOB.fullmatch(text)
    return () if found is None else (Word(text.decode(), glob=found[1] != b""),)


_parse_cached = lru_cache(maxsize=4096)(_parse_plain_word_uncached)
"""The same function with a cache, because most lines consist of the same few words."""


def encode_quoted_text(text: str) -> str:
    """Encode the special characters of a quoted piece."""
    return text.translate(_ENCODE_SPECIAL)


def encode_variable_value(text: str) -> str:
    """Encode the value of an unquoted variable: globs stay special, braces and tildes do not."""
    return text.translate(_ENCODE_EXCEPT_GLOBS)


def unescape_word(raw: str) -> str:
    """Decode an unquoted piece; the character after a backslash is encoded as quoted."""
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else encode_quoted_text(found[1]), raw)


def unescape_string(raw: str) -> str:
    """Decode a piece inside double quotes, where a backslash escapes only a few characters."""
    text = _STRING_ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)
    return encode_quoted_text(text)


def unescape_ansi(raw: str) -> str:
    r"""Decode a `$'…'` piece; control characters and `\x{…` make its text unknown."""
    text = _ANSI_ESCAPE.sub(_ansi_character, raw)
    return UNKNOWN_MARK if describe_hidden_character(text) or "\\x{" in raw else encode_quoted_text(text)


def decode_words(encoded: str, *, is_quoted: bool, splits: bool) -> tuple[Word, ...]:
    """The words of an encoded word after its brace lists are expanded."""
    if not is_quoted and _PLAIN_WORD.fullmatch(encoded):
        return (Word(encoded),)
    if "{" in encoded and "}" in encoded:
        texts = _expand_braces(encoded)
        if texts is None:
            return (Word(UNKNOWN_MARK, splits=True),)
        return tuple(
            _decode_word(text, is_quoted=is_quoted, splits=splits) for text in texts if text or is_quoted
        )
    return (_decode_word(encoded, is_quoted=is_quoted, splits=splits),)


def _decode_word(encoded: str, *, is_quoted: bool, splits: bool) -> Word:
    """Create the word of an encoded text, with its glob and tilde marks."""
    glob = "*" in encoded or "?" in encoded or "[" in encoded
    tilde = encoded[:1] == "~"
    if tilde and encoded[1:2] not in ("", "/"):
        # `~user`, `~+`, `~-`: an unknown directory, either a home or an earlier directory of the line.
        name, slash, below = encoded[1:].translate(_DECODE_SPECIAL).partition("/")
        like = ("." if name in ("+", "-") else "~") + slash + below
        return Word(UNKNOWN_MARK + name + slash + below, glob, quoted=is_quoted, splits=splits, if_unset=like)
    return Word(encoded.translate(_DECODE_SPECIAL), glob, tilde, is_quoted, splits=splits)


def _ansi_character(found: re.Match[str]) -> str:
    """The character of an escape in `$'…'`; a control character if it depends on the locale or version."""
    letter, octal, *hexadecimal, control = found.groups()
    if letter is not None:
        return _ANSI_LETTERS[letter]
    if control is not None:
        return chr(ord(control.upper()) & 0x1F) if control.isascii() else "\a"
    digits = octal if octal is not None else next(value for value in hexadecimal if value is not None)
    code = int(digits, 8 if octal is not None else 16)
    # A byte above 127 depends on the locale, and a code point above Unicode on the version.
    return chr(code) if code < 0x80 or (0x9F < code < 0xD800 and found[3] is None and octal is None) else "\a"


def _expand_braces(encoded: str) -> list[str] | None:
    """Expand the brace lists of a word, the outermost first; None if there are too many words."""
    done: list[str] = []
    todo = [encoded]
    while todo:
        text = todo.pop()
        found = _find_brace_list(text)
        if found is None:
            done.append(text)
        else:
            head, items, tail = found
            todo.extend(head + item + tail for item in reversed(items))
        if len(done) + len(todo) > MAX_BRACE_WORDS:
            return None
    return done


def _find_brace_list(text: str) -> tuple[str, list[str], str] | None:
    """The text before the first brace list, its items, and the text after it; None without a list."""
    start = -1
    while (start := text.find("{", start + 1)) >= 0:
        inner = _parse_brace_items(text, start)
        if inner is None:
            continue
        items, end = inner
        return text[:start], items, text[end:]
    return None


def _parse_brace_items(text: str, start: int) -> tuple[list[str], int] | None:
    """The items of a brace list and the index after it; None if the braces are no list."""
    depth = 0
    items = [""]
    for position in range(start, len(text)):
        character = text[position]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return _expand_sequence(items, position + 1)
        elif character == "," and depth == 1:
            items.append("")
            continue
        if depth > 1 or (depth == 1 and position > start):
            items[-1] += character
    return None


def _expand_sequence(items: list[str], end: int) -> tuple[list[str], int] | None:
    """The items of a sequence such as `{1..5}`; None for other braces without a comma."""
    if len(items) > 1:
        return items, end
    sequence = _BRACE_SEQUENCE.fullmatch(items[0])
    if sequence is None:
        return None
    if sequence[4] is not None:
        first, last, step = ord(sequence[4]), ord(sequence[5]), 1
    else:
        first, last, step = int(sequence[1]), int(sequence[2]), abs(int(sequence[3] or 1)) or 1
    count = abs(last - first) // step + 1
    if count > MAX_BRACE_WORDS or any(part and part.lstrip("-").startswith("0") and len(part) > 1
                                  for part in sequence.groups()[:2]):  # fmt: skip
        return [UNKNOWN_MARK], end
    numbers = range(first, last + (1 if last >= first else -1), step if last >= first else -step)
    return [chr(number) if sequence[4] is not None else str(number) for number in numbers], end

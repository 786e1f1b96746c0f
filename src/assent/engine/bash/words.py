"""Quotes, escapes, braces and tildes of a word: from its spelling to its text."""

import re
from functools import lru_cache

from assent.engine.base.characters import hidden_character
from assent.engine.base.lazy import regex
from assent.engine.programs.word import HOLE, Word

MOST_BRACES = 64

# Some characters are special only if they are not quoted. Quoted ones are encoded as private code points
# until the word is complete; the reader refuses these code points in its input.
_SPECIAL = "*?[]{},~."
_ENCODED = str.maketrans({character: chr(0xE000 + index) for index, character in enumerate(_SPECIAL)})
_DECODED = str.maketrans({chr(0xE000 + index): character for index, character in enumerate(_SPECIAL)})

_ENCODED_BUT_GLOBS = {ord(mark): _ENCODED[ord(mark)] for mark in "{},~."}

_PLAIN_WORD = regex(r"[A-Za-z0-9_./:=@%+,^-]+")
_PLAIN_OR_GLOB = regex(rb"(?=.)[\w./:=@%+,^-]*+([*?]?)[\w./:=@%+,^*?-]*")
"""A text without quotes and expansions; its group is not empty if the text is a glob."""
_LONGEST_CACHED = 64
_ESCAPE = regex(r"\\(.)", re.DOTALL)
_STRING_ESCAPE = regex(r'\\([$`"\\\n])')
_ANSI_ESCAPE = regex(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})"
    r"|U([0-9a-fA-F]{1,8})|c(.))",
    re.DOTALL,
)
_ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
                 "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}  # fmt: skip
_SEQUENCE = regex(r"(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?|([A-Za-z])\.\.([A-Za-z])")


def plain_word(text: bytes) -> tuple[Word, ...]:
    """The word of a plain text; empty if the text is not plain."""
    return (_cached_plain_word if len(text) <= _LONGEST_CACHED else _read_plain_word)(text)


def _read_plain_word(text: bytes) -> tuple[Word, ...]:
    found = _PLAIN_OR_GLOB.fullmatch(text)
    return () if found is None else (Word(text.decode(), glob=found[1] != b""),)


_cached_plain_word = lru_cache(maxsize=4096)(_read_plain_word)
"""Most lines consist of the same few words."""


def encode_quoted(text: str) -> str:
    """A quoted piece, with its special characters encoded."""
    return text.translate(_ENCODED)


def encode_value(text: str) -> str:
    """The value of an unquoted variable: globs stay special, braces and tildes are encoded."""
    return text.translate(_ENCODED_BUT_GLOBS)


def unescape_word(raw: str) -> str:
    """An unquoted piece; the character after a backslash is encoded."""
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else encode_quoted(found[1]), raw)


def unescape_string(raw: str) -> str:
    """A piece inside double quotes, where a backslash escapes few characters."""
    text = _STRING_ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)
    return encode_quoted(text)


def unescape_ansi(raw: str) -> str:
    r"""The text of a `$'…'` piece; a hole if it contains control characters or `\x{…`."""
    text = _ANSI_ESCAPE.sub(_ansi_character, raw)
    return HOLE if hidden_character(text) or "\\x{" in raw else encode_quoted(text)


def decode_words(encoded: str, *, is_quoted: bool, splits: bool) -> tuple[Word, ...]:
    """The words of an encoded word after its brace lists are expanded."""
    if not is_quoted and _PLAIN_WORD.fullmatch(encoded):
        return (Word(encoded),)
    if "{" in encoded and "}" in encoded:
        texts = _expand_braces(encoded)
        if texts is None:
            return (Word(HOLE, splits=True),)
        return tuple(
            _decode_word(text, is_quoted=is_quoted, splits=splits) for text in texts if text or is_quoted
        )
    return (_decode_word(encoded, is_quoted=is_quoted, splits=splits),)


def _decode_word(encoded: str, *, is_quoted: bool, splits: bool) -> Word:
    glob = "*" in encoded or "?" in encoded or "[" in encoded
    tilde = encoded[:1] == "~"
    if tilde and encoded[1:2] not in ("", "/"):
        # `~user`, `~+`, `~-`: an unknown directory, either a home or an earlier directory of the line.
        name, slash, below = encoded[1:].translate(_DECODED).partition("/")
        like = ("." if name in ("+", "-") else "~") + slash + below
        return Word(HOLE + name + slash + below, glob, quoted=is_quoted, splits=splits, if_unset=like)
    return Word(encoded.translate(_DECODED), glob, tilde, is_quoted, splits=splits)


def _ansi_character(found: re.Match[str]) -> str:
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
    """Expand the brace lists of a word, outermost first; None when there are too many."""
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
        if len(done) + len(todo) > MOST_BRACES:
            return None
    return done


def _find_brace_list(text: str) -> tuple[str, list[str], str] | None:
    start = -1
    while (start := text.find("{", start + 1)) >= 0:
        if text[start - 1 : start] == "$":
            continue
        inner = _parse_brace_items(text, start)
        if inner is None:
            continue
        items, end = inner
        return text[:start], items, text[end:]
    return None


def _parse_brace_items(text: str, start: int) -> tuple[list[str], int] | None:
    """The items of a brace list and the position after it; None if it is no list."""
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
    if len(items) > 1:
        return items, end
    sequence = _SEQUENCE.fullmatch(items[0])
    if sequence is None:
        return None
    if sequence[4] is not None:
        first, last, step = ord(sequence[4]), ord(sequence[5]), 1
    else:
        first, last, step = int(sequence[1]), int(sequence[2]), abs(int(sequence[3] or 1)) or 1
    count = abs(last - first) // step + 1
    if count > MOST_BRACES or any(part and part.lstrip("-").startswith("0") and len(part) > 1
                                  for part in sequence.groups()[:2]):  # fmt: skip
        return [HOLE], end
    numbers = range(first, last + (1 if last >= first else -1), step if last >= first else -step)
    return [chr(number) if sequence[4] is not None else str(number) for number in numbers], end

"""Quotes, escapes, braces and tildes: from a word as typed to the text it means."""

import re
from functools import lru_cache

from assent.engine.characters import hidden_character
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

MOST_BRACES = 64

# Characters that mean something only unquoted are kept apart from their quoted twins by moving the
# quoted ones to private code points, which the reader never lets in from outside.
_SPECIAL = "*?[]{},~."
_QUOTED = str.maketrans({character: chr(0xE000 + index) for index, character in enumerate(_SPECIAL)})
_PLAIN = str.maketrans({chr(0xE000 + index): character for index, character in enumerate(_SPECIAL)})

_EXPANDED = {ord(mark): _QUOTED[ord(mark)] for mark in "{},~."}

_PLAIN_WORD = regex(r"[A-Za-z0-9_./:=@%+,^-]+")
_OWN_TEXT = regex(rb"(?=.)[\w./:=@%+,^-]*+([*?]?)[\w./:=@%+,^*?-]*")
"""Text that means itself or, where its group is not empty, files by stars and question marks."""
_LONGEST_KEPT = 64
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


def plain(text: bytes) -> tuple[Word, ...]:
    """The word that is its own text; none where a text may mean something else."""
    return (_kept_plain if len(text) <= _LONGEST_KEPT else _plain)(text)


def _plain(text: bytes) -> tuple[Word, ...]:
    found = _OWN_TEXT.fullmatch(text)
    return () if found is None else (Word(text.decode(), glob=found[1] != b""),)


_kept_plain = lru_cache(maxsize=4096)(_plain)
"""The same few words make up most lines."""


def quoted(text: str) -> str:
    """A piece whose special characters have lost their meaning."""
    return text.translate(_QUOTED)


def expanded(text: str) -> str:
    """The value of an unquoted variable: its globs count, its braces and tildes do not."""
    return text.translate(_EXPANDED)


def unescape_word(raw: str) -> str:
    """An unquoted piece: a backslash takes the meaning from the next character."""
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else quoted(found[1]), raw)


def unescape_string(raw: str) -> str:
    """A piece inside double quotes, where a backslash means little."""
    text = _STRING_ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)
    return quoted(text)


def unescape_ansi(raw: str) -> str:
    r"""A `$'…'` piece without its quotes; one that makes control characters is a hole, and so is `\x{…`."""
    text = _ANSI_ESCAPE.sub(_ansi_character, raw)
    return HOLE if hidden_character(text) or "\\x{" in raw else quoted(text)


def finish(marked: str, *, is_quoted: bool, splits: bool) -> tuple[Word, ...]:
    """The words that one typed word becomes once its braces are written out."""
    if not is_quoted and _PLAIN_WORD.fullmatch(marked):
        return (Word(marked),)
    if "{" in marked and "}" in marked:
        texts = _braces(marked)
        if texts is None:
            return (Word(HOLE, splits=True),)
        return tuple(_word(text, is_quoted=is_quoted, splits=splits) for text in texts if text or is_quoted)
    return (_word(marked, is_quoted=is_quoted, splits=splits),)


def _word(marked: str, *, is_quoted: bool, splits: bool) -> Word:
    glob = "*" in marked or "?" in marked or "[" in marked
    tilde = marked[:1] == "~"
    if tilde and marked[1:2] not in ("", "/"):
        # `~user`, `~+`, `~-`: a directory that we do not know, but it is a home, or one where the line was.
        name, slash, below = marked[1:].translate(_PLAIN).partition("/")
        like = ("." if name in ("+", "-") else "~") + slash + below
        return Word(HOLE + name + slash + below, glob, quoted=is_quoted, splits=splits, otherwise=like)
    return Word(marked.translate(_PLAIN), glob, tilde, is_quoted, splits=splits)


def _ansi_character(found: re.Match[str]) -> str:
    letter, octal, *hexadecimal, control = found.groups()
    if letter is not None:
        return _ANSI_LETTERS[letter]
    if control is not None:
        return chr(ord(control.upper()) & 0x1F) if control.isascii() else "\a"
    digits = octal if octal is not None else next(value for value in hexadecimal if value is not None)
    code = int(digits, 8 if octal is not None else 16)
    # A byte above 127 depends on the locale, a code point above Unicode on the weather.
    return chr(code) if code < 0x80 or (0x9F < code < 0xD800 and found[3] is None and octal is None) else "\a"


def _braces(marked: str) -> list[str] | None:
    """Write out the brace lists of a word, outermost first; None when there are too many."""
    done: list[str] = []
    todo = [marked]
    while todo:
        text = todo.pop()
        found = _first_list(text)
        if found is None:
            done.append(text)
        else:
            head, items, tail = found
            todo.extend(head + item + tail for item in reversed(items))
        if len(done) + len(todo) > MOST_BRACES:
            return None
    return done


def _first_list(text: str) -> tuple[str, list[str], str] | None:
    start = -1
    while (start := text.find("{", start + 1)) >= 0:
        if text[start - 1 : start] == "$":
            continue
        inner = _until_closed(text, start)
        if inner is None:
            continue
        items, end = inner
        return text[:start], items, text[end:]
    return None


def _until_closed(text: str, start: int) -> tuple[list[str], int] | None:
    """The items between a brace and its partner, and where they end; None if it is no list."""
    depth = 0
    items = [""]
    for position in range(start, len(text)):
        character = text[position]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return _items(items, position + 1)
        elif character == "," and depth == 1:
            items.append("")
            continue
        if depth > 1 or (depth == 1 and position > start):
            items[-1] += character
    return None


def _items(items: list[str], end: int) -> tuple[list[str], int] | None:
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

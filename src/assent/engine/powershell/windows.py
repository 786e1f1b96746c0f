"""The other Windows shell: what `cmd /c` would run, as far as rules and breakers need it."""

import re
from typing import NamedTuple

from assent.engine.powershell.scope import automatic
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_VARIABLE = regex(r"[%!]([^%!\s]+)[%!]")
_TOUCHING = regex(r"([A-Za-z]+)(/[^\s]*)")
_FLAG = regex(r"/[^/]*")


class CommandLine(NamedTuple):
    """A line of `cmd`, cut into commands."""

    commands: tuple[tuple[Word, ...], ...]
    sure: bool
    """False when it holds blocks or redirections, of which we know nothing."""


def read_cmd(text: str) -> CommandLine:
    """Cut a line at its separators; carets escape and quotes protect, as in `cmd`."""
    pieces, sure = _pieces(_VARIABLE.sub(_value, text))
    commands = tuple(_command(words) for words in pieces if words)
    return CommandLine(commands, sure and bool(commands))


def spelled_line(words: tuple[Word, ...]) -> str:
    """Words as one line: alone a word is the line itself, among others it is quoted where needed."""
    if len(words) == 1:
        return words[0].text
    return " ".join(
        f'"{word.text}"' if " " in word.text and '"' not in word.text else word.text for word in words
    )


def _value(variable: re.Match[str]) -> str:
    known = automatic(f"env:{variable[1]}")
    return HOLE if known is None else known.text


def _pieces(text: str) -> tuple[list[list[str]], bool]:
    """The words of each command, and whether all of it was understood."""
    commands: list[list[str]] = [[]]
    word: str | None = None
    quoted, sure, at = False, True, 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == '"':
            quoted, word = not quoted, word or ""
        elif not quoted and character in " \t,;=&|\n":
            commands[-1].extend(() if word is None else (word,))
            commands.extend([[]] if character in "&|\n" else ())
            word = None
        else:
            sure = sure and (quoted or character not in "<>()")
            if character == "^" and not quoted and at < len(text):
                character = text[at]
                at += 1
            word = (word or "") + character
    commands[-1].extend(() if word is None else (word,))
    return commands, sure and not quoted


def _command(words: list[str]) -> tuple[Word, ...]:
    """A command's words; flags may touch its name, as in `del/s/q`."""
    name, *rest = words
    name = name.lstrip("@")
    touching = _TOUCHING.fullmatch(name)
    if touching is not None:
        name, rest = touching[1], [*_FLAG.findall(touching[2]), *rest]
    found = [Word(name or HOLE)]
    found.extend(Word(text, tilde=text == "~" or text.startswith(("~\\", "~/"))) for text in rest)
    return tuple(found)

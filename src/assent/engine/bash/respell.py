"""Spellings that the grammar takes amiss, written as it understands them."""

from typing import NoReturn

from tree_sitter import Node

from assent.engine.bash.plain import RESERVED
from assent.engine.lines.command import Unreadable
from assent.engine.programs.word import Word
from assent.engine.regex import regex

_CONTINUED = regex(r"(?<!\\)((?:\\\\)*)\\\n")
_MID_WORD = regex(r"\S\\\n\S|^\\\n")
_KEPT_AS_TYPED = ("'", "<<", "#")
_BRACED_COMMAND = regex(r"(^|[;&|(\n]|\$\()(\s*)\{([\w./:=@%+-]*(?:,[\w./:=@%+-]*)+)\}(?=$|[\s;&|)])")


class Respelled(Exception):
    """The same text as the grammar understands it, to be read instead."""

    def __init__(self, source: bytes) -> None:
        self.source = source


class Refed(Exception):
    """The line redirects the input of its own shell, so every command is read again as fed by that input."""


def join_lines(text: str) -> str:
    """Take out backslashes at line ends; where quotes might keep one, a word cut by it is refused."""
    if "\\\n" not in text:
        return text
    if not any(mark in text for mark in _KEPT_AS_TYPED):
        return _CONTINUED.sub(r"\1", text)
    if _MID_WORD.search(text):
        raise Unreadable("holds a word that goes on in the next line")
    return text


def write_out_braces(source: bytes) -> None:
    """A brace list in the place of a command: `{rm,-r,x}` is `rm -r x`."""
    text = source.decode()
    written = _BRACED_COMMAND.sub(lambda found: found[1] + found[2] + found[3].replace(",", " "), text)
    if written != text:
        raise Respelled(written.encode())


def blank_keyword(source: bytes, node: Node, found: tuple[Word, ...]) -> None:
    """Blank out `time` or `coproc` before a compound; refuse other keywords that stand for programs."""
    first = "" if not found or found[0].quoted else found[0].text
    if first in RESERVED:
        raise Unreadable(f"holds `{first}` where we cannot read it")
    if first not in ("time", "coproc"):
        return
    own = 2 if found[1:] and (found[1].text == "-p" or first == "coproc") else 1
    for skipped in range(1, own + 1):
        after = found[skipped] if len(found) > skipped else Word("")
        if after.text in RESERVED and not after.quoted:
            end = node.children[skipped - 1].end_byte
            raise Respelled(source[: node.start_byte] + b" " * (end - node.start_byte) + source[end:])


def refuse_word(source: bytes, node: Node, child: Node) -> NoReturn:
    """Blank out `time` before a subshell, which the grammar takes for a word; refuse any other."""
    before = source[node.start_byte : child.start_byte]
    if child.type == "subshell" and before.split() == [b"time"]:
        raise Respelled(source[: node.start_byte] + b" " * len(before) + source[child.start_byte :])
    raise Unreadable(f"holds a word we do not read ({child.type})")

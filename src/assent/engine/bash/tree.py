"""The syntax tree of a bash text: a parser with bounded work, and respelling of texts that it misreads."""

import importlib.machinery
import importlib.util
from functools import cache
from typing import NoReturn, cast

import tree_sitter
from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash.language import RESERVED
from assent.engine.lines.command import Unreadable
from assent.engine.programs.word import Word

MOST_TOKENS = 4096
"""How many nodes the tree of a text may have."""
_CHUNK = 256
_SHORT_TEXT = 1024
_WORK_PER_CHUNK = 8
_MOST_UNOPENED = 64
_MOST_MARKS = {
    b"<<": 16, b"|": 512, b"${": 512, b"$(": 512, b"for ": 256, b"case ": 256, b"select ": 256, b"[[": 256,
    b"function ": 256, b">": 3072, b"<": 3072,
}  # fmt: skip
"""How often a mark may occur; too many of these make the error recovery of the parser very slow."""
_BLANK = regex(rb"(?:[ \t\r\n]|\\\n)*")
_BLANK_IN_LINE = regex(rb"(?:[ \t]|\\\n)*")
_ON_ONE_LINE = frozenset(
    "command file_redirect herestring_redirect declaration_command unset_command variable_assignments".split()
)
_CONTINUED_LINE = regex(r"(?<!\\)((?:\\\\)*)\\\n")
_MID_WORD = regex(r"\S\\\n\S|^\\\n")
_KEEPS_BACKSLASH = ("'", "<<", "#")
_BRACED_COMMAND = regex(r"(^|[;&|(\n]|\$\()(\s*)\{([\w./:=@%+-]*(?:,[\w./:=@%+-]*)+)\}(?=$|[\s;&|)])")


class RespelledSource(Exception):
    """Raised with a text of the same meaning that the grammar parses correctly."""

    def __init__(self, source: bytes) -> None:
        self.source = source


class ShellInputReplaced(Exception):
    """Raised when the line redirects the input of its own shell, so that it must be read again."""


def find_skipped_text(source: bytes, node: tree_sitter.Node) -> bytes:
    """The text between the children of a node that the grammar skipped.

    Between the words of a command, a newline counts as skipped text as well.
    """
    is_blank = (_BLANK_IN_LINE if node.type in _ON_ONE_LINE else _BLANK).fullmatch
    at = node.start_byte
    for child in node.children:
        start = child.start_byte
        if start > at and not is_blank(source, at, start):
            return source[at:start].strip() or b"\n"
        at = child.end_byte
    return b""


def parse(source: bytes) -> tree_sitter.Node | None:
    """The root of the tree; None when parsing would take too much work."""
    if len(source) <= _SHORT_TEXT:
        return _bash_parser().parse(source).root_node
    if source.count(b")") > source.count(b"(") + _MOST_UNOPENED:
        return None
    if any(source.count(mark) > most for mark, most in _MOST_MARKS.items()):
        return None
    # Some texts make the parser read the same bytes again and again. Counting its reads limits that
    # without a clock, so that the same text always gets the same answer.
    budget = [len(source) // _CHUNK * _WORK_PER_CHUNK + 64]

    def chunk(offset: int, _point: object) -> bytes:
        budget[0] -= 1
        return source[offset : offset + _CHUNK] if budget[0] > 0 else b""

    root = _bash_parser().parse(chunk).root_node
    return root if budget[0] > 0 and root.descendant_count <= MOST_TOKENS else None


def new_parser(package: str) -> tree_sitter.Parser:
    """A new parser for the grammar of a package.

    INVARIANT: parsers are never shared. A parser that two threads use at once crashes the process, and
    a new one takes only a microsecond.
    """
    return tree_sitter.Parser(_load_grammar(package))


def join_lines(text: str) -> str:
    """Join continued lines; a continued word is refused if quotes may keep its backslash."""
    if "\\\n" not in text:
        return text
    if not any(mark in text for mark in _KEEPS_BACKSLASH):
        return _CONTINUED_LINE.sub(r"\1", text)
    if _MID_WORD.search(text):
        raise Unreadable("holds a word that goes on in the next line")
    return text


def expand_command_braces(source: bytes) -> None:
    """Respell a brace list that is a command: `{rm,-r,x}` is `rm -r x`."""
    text = source.decode()
    written = _BRACED_COMMAND.sub(lambda found: found[1] + found[2] + found[3].replace(",", " "), text)
    if written != text:
        raise RespelledSource(written.encode())


def blank_keyword(source: bytes, node: Node, found: tuple[Word, ...]) -> None:
    """Blank out `time` or `coproc` before a compound statement; refuse other keywords as programs."""
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
            raise RespelledSource(source[: node.start_byte] + b" " * (end - node.start_byte) + source[end:])


def refuse_word(source: bytes, node: Node, child: Node) -> NoReturn:
    """Blank out `time` before a subshell, which the grammar takes as a word; refuse other nodes."""
    before = source[node.start_byte : child.start_byte]
    if child.type == "subshell" and before.split() == [b"time"]:
        raise RespelledSource(source[: node.start_byte] + b" " * len(before) + source[child.start_byte :])
    raise Unreadable(f"holds a word we do not read ({child.type})")


def _bash_parser() -> tree_sitter.Parser:
    return new_parser("tree_sitter_bash")


@cache
def _load_grammar(package: str) -> tree_sitter.Language:
    """The grammar, which all parsers share.

    Only the compiled part of the package is loaded: its Python part imports resource readers, which
    would take longer than the grammar at every start.
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"no module named {package}", name=package)
    name = f"{package}._binding"
    folder = importlib.machinery.FileFinder(
        found.submodule_search_locations[0],
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
    )
    spec = folder.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no module named {name}", name=name)
    binding = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(binding)
    return tree_sitter.Language(cast("object", binding.language()))

"""Build the syntax tree of a bash text with bounded work, and rewrite texts that the grammar misreads."""

import importlib.machinery
import importlib.util
from functools import cache
from itertools import pairwise
from typing import NoReturn, cast

import tree_sitter
from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash.language import RESERVED_WORDS
from assent.engine.lines.command import Unreadable
from assent.engine.programs.word import Word

MAX_NODES = 4096
"""The maximal number of nodes of a syntax tree."""
_CHUNK_SIZE = 256
"""The number of bytes that the parser gets per read."""
_MAX_UNCOUNTED_LENGTH = 1024
"""The length up to which a text is parsed without counting the work."""
_READS_PER_CHUNK = 8
"""The number of reads per chunk of the text after which parsing stops."""
_MAX_UNOPENED = 64
"""The maximal number of closing parentheses without an opening one."""
_MAX_MARKS = {
    b"<<": 16, b"|": 512, b"${": 512, b"$(": 512, b"for ": 256, b"case ": 256, b"select ": 256, b"[[": 256,
    b"function ": 256, b">": 3072, b"<": 3072,
}  # fmt: skip
"""The maximal number of each mark in a text; more of them make the parser's error recovery very slow."""
_BLANK = regex(rb"(?:[ \t\r\n]|\\\n)*")
_BLANK_IN_LINE = regex(rb"(?:[ \t]|\\\n)*")
_SINGLE_LINE_TYPES = frozenset(
    "command file_redirect herestring_redirect declaration_command unset_command variable_assignments".split()
)
"""Types of nodes that a newline would end."""
_CONTINUED_LINE = regex(r"(?<!\\)((?:\\\\)*)\\\n")
"""A backslash at the end of a line, which continues on the next line."""
_CONTINUED_WORD = regex(r"\S\\\n\S|^\\\n")
"""A word that continues on the next line."""
_BACKSLASH_KEEPERS = ("'", "<<", "#")
"""Marks inside which a backslash at the end of a line is kept."""
_BRACED_COMMAND = regex(r"(^|[;&|(\n]|\$\()(\s*)\{([\w./:=@%+-]*(?:,[\w./:=@%+-]*)+)\}(?=$|[\s;&|)])")
"""A brace list that is a whole command, such as `{rm,-r,x}`."""


class RespelledSource(Exception):
    """Raised with a rewritten text of the same meaning, which the grammar parses correctly."""

    def __init__(self, source: bytes) -> None:
        self.source = source


class ShellInputReplaced(Exception):
    """Raised if the line redirects the input of its own shell; the line is then parsed again."""


def find_skipped_text(source: bytes, node: tree_sitter.Node) -> bytes:
    """The text between the children of a node that the grammar skipped.

    In a simple command, a newline also counts as skipped text.
    """
    is_blank = (_BLANK_IN_LINE if node.type in _SINGLE_LINE_TYPES else _BLANK).fullmatch
    at = node.start_byte
    for child in node.children:
        start = child.start_byte
        if start > at and not is_blank(source, at, start):
            if not source[at:start].strip():
                _separate_commands(source, node)
            return source[at:start].strip() or b"\n"
        at = child.end_byte
    return b""


def parse_tree(source: bytes) -> tree_sitter.Node | None:
    """The root node of the syntax tree; None if parsing takes too much work."""
    if len(source) <= _MAX_UNCOUNTED_LENGTH:
        return _create_bash_parser().parse(source).root_node
    if source.count(b")") > source.count(b"(") + _MAX_UNOPENED:
        return None
    if any(source.count(mark) > most for mark, most in _MAX_MARKS.items()):
        return None
    # Some texts make the parser read the same bytes again and again. Counting its reads limits that
    # without a clock, so that the same text always gets the same answer.
    budget = [len(source) // _CHUNK_SIZE * _READS_PER_CHUNK + 64]

    def read_chunk(offset: int, _point: object) -> bytes:
        """Return the next bytes for the parser, and count the reads."""
        budget[0] -= 1
        return source[offset : offset + _CHUNK_SIZE] if budget[0] > 0 else b""

    root = _create_bash_parser().parse(read_chunk).root_node
    return root if budget[0] > 0 and root.descendant_count <= MAX_NODES else None


def create_parser(package: str) -> tree_sitter.Parser:
    """Create a parser for the grammar of a package.

    INVARIANT: parsers are never shared. A parser that two threads use at the same time crashes the
    process, and a new parser takes only a microsecond.
    """
    return tree_sitter.Parser(_load_grammar(package))


def join_continued_lines(text: str) -> str:
    """Join continued lines; raises `Unreadable` for a continued word if quotes may keep its backslash."""
    while text.startswith("\\\n"):
        text = text[2:]
    if "\\\n" not in text:
        return text
    if not any(mark in text for mark in _BACKSLASH_KEEPERS):
        return _CONTINUED_LINE.sub(r"\1", text)
    if _CONTINUED_WORD.search(text):
        raise Unreadable("holds a word that goes on in the next line")
    return text


def _separate_commands(source: bytes, node: Node) -> None:
    """Raise `RespelledSource` with `;` for a newline that the grammar skipped between two commands."""
    if b"<<" in source:
        return  # The newline may begin a here-document.
    for one, behind in pairwise(node.children):
        gap = source[one.end_byte : behind.start_byte]
        if b"\n" in gap and not gap.strip():
            respelled = b";" + b" " * (len(gap) - 1)
            raise RespelledSource(source[: one.end_byte] + respelled + source[behind.start_byte :])


def expand_command_braces(source: bytes) -> None:
    """Raise `RespelledSource` with each brace list that is a command expanded: `{rm,-r,x}` is `rm -r x`."""
    text = source.decode()
    written = _BRACED_COMMAND.sub(lambda found: found[1] + found[2] + found[3].replace(",", " "), text)
    if written != text:
        raise RespelledSource(written.encode())


def replace_keyword_by_blanks(source: bytes, node: Node, found: tuple[Word, ...]) -> None:
    """Replace `time` or `coproc` before a compound statement by blanks; other keywords are unreadable."""
    first = "" if not found or found[0].quoted else found[0].text
    if first in RESERVED_WORDS:
        raise Unreadable(f"holds `{first}` where we cannot read it")
    if first not in ("time", "coproc"):
        return
    own = 2 if found[1:] and (found[1].text == "-p" or first == "coproc") else 1
    for skipped in range(1, own + 1):
        after = found[skipped] if len(found) > skipped else Word("")
        if after.text in RESERVED_WORDS and not after.quoted:
            end = node.children[skipped - 1].end_byte
            raise RespelledSource(source[: node.start_byte] + b" " * (end - node.start_byte) + source[end:])


def refuse_node(source: bytes, node: Node, child: Node) -> NoReturn:
    """Replace `time` before a subshell by blanks, because the grammar treats it as a word.

    Raises `Unreadable` for other nodes.
    """
    before = source[node.start_byte : child.start_byte]
    if child.type == "subshell" and before.split() == [b"time"]:
        raise RespelledSource(source[: node.start_byte] + b" " * len(before) + source[child.start_byte :])
    raise Unreadable(f"holds a word we do not read ({child.type})")


def _create_bash_parser() -> tree_sitter.Parser:
    """A new parser for bash."""
    return create_parser("tree_sitter_bash")


@cache
def _load_grammar(package: str) -> tree_sitter.Language:
    """Load the grammar, which all parsers share.

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

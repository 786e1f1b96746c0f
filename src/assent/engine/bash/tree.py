"""Bash text to a syntax tree: a parser with bounded work; the grammar is loaded with the first text."""

import importlib.machinery
import importlib.util
from functools import cache
from typing import cast

import tree_sitter

from assent.engine.regex import regex

MOST_TOKENS = 4096
"""How many pieces a text may parse into; a here-document or a quoted text is one."""
_CHUNK = 256
_SHORT_TEXT = 1024
_WORK_PER_CHUNK = 8
_MOST_UNOPENED = 64
_MOST = {
    b"<<": 16, b"|": 512, b"${": 512, b"$(": 512, b"for ": 256, b"case ": 256, b"select ": 256, b"[[": 256,
    b"function ": 256, b">": 3072, b"<": 3072,
}  # fmt: skip
"""Marks of which many make the parser's recovery from an error slow beyond measure."""
_BLANK = regex(rb"(?:[ \t\r\n]|\\\n)*")
_BLANK_IN_LINE = regex(rb"(?:[ \t]|\\\n)*")
_ON_ONE_LINE = frozenset(
    "command file_redirect herestring_redirect declaration_command unset_command variable_assignments".split()
)


def _parser() -> tree_sitter.Parser:
    return parser("tree_sitter_bash")


def passed_over(source: bytes, node: tree_sitter.Node) -> bytes:
    """The text that the grammar left out between the children of a node, as it does at times.

    Between the words of a command a line end is such a text, too.
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
    """The root of the tree, or None when the text is not worth the time it would take to read."""
    if len(source) <= _SHORT_TEXT:
        return _parser().parse(source).root_node
    if source.count(b")") > source.count(b"(") + _MOST_UNOPENED:
        return None
    if any(source.count(mark) > most for mark, most in _MOST.items()):
        return None
    # Some texts make the parser read the same bytes again and again; counting what it asks for bounds
    # that without a clock, so that the same text always gets the same answer.
    budget = [len(source) // _CHUNK * _WORK_PER_CHUNK + 64]

    def chunk(offset: int, _point: object) -> bytes:
        budget[0] -= 1
        return source[offset : offset + _CHUNK] if budget[0] > 0 else b""

    root = _parser().parse(chunk).root_node
    return root if budget[0] > 0 and root.descendant_count <= MOST_TOKENS else None


def parser(package: str) -> tree_sitter.Parser:
    """A new parser for the grammar that a package carries.

    INVARIANT: nobody shares a parser. One that two threads use at once takes the whole process down, and
    making one costs a millionth of a second.
    """
    return tree_sitter.Parser(_language(package))


@cache
def _language(package: str) -> tree_sitter.Language:
    """The grammar itself, which is only ever read.

    The packages import resource readers that cost more than the grammar itself, on every start; so only
    their compiled part is loaded.
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

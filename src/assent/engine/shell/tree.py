"""The parser, kept from ever taking long: bash text to a syntax tree."""

import tree_sitter

from assent.engine.grammars import parser

LONGEST_TEXT = 64 * 1024
_CHUNK = 256
_SHORT_TEXT = 1024
_WORK_PER_CHUNK = 8
_MOST_HEREDOCS = 16
_MOST_UNOPENED = 64


def _parser() -> tree_sitter.Parser:
    return parser("tree_sitter_bash")


def parse(source: bytes) -> tree_sitter.Node | None:
    """The root of the tree, or None when the text is not worth the time it would take to read."""
    if len(source) <= _SHORT_TEXT:
        return _parser().parse(source).root_node
    if source.count(b"<<") > _MOST_HEREDOCS or source.count(b")") > source.count(b"(") + _MOST_UNOPENED:
        return None
    # Some texts make the parser read the same bytes again and again; counting what it asks for bounds
    # that without a clock, so that the same text always gets the same answer.
    budget = [len(source) // _CHUNK * _WORK_PER_CHUNK + 64]

    def chunk(offset: int, _point: object) -> bytes:
        budget[0] -= 1
        return source[offset : offset + _CHUNK] if budget[0] > 0 else b""

    root = _parser().parse(chunk).root_node
    return root if budget[0] > 0 else None

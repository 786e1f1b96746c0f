"""Here-documents: their text, and whether the parser ended them where the shell would."""

from tree_sitter import Node

_ENDS_A_WORD = b" \t\n;&|<>()`"
"""What can follow a word; the empty text is among them."""


def body(source: bytes, node: Node) -> str:
    """The text between the line of the operator and the line of the delimiter, as the shell takes it."""
    return "".join(f"{line}\n" for line in _lines(source, node)[:-1])


def problem(source: bytes, node: Node) -> str | None:
    """Why a here-document cannot be read, or None."""
    start, end = _child(node, "heredoc_start"), _child(node, "heredoc_end")
    if start is None or end is None:
        return "holds a here-document without an end"
    written = source[start.start_byte : start.end_byte].decode()
    delimiter = _unquoted(written)
    behind = source[start.end_byte : start.end_byte + 1]
    if not delimiter or "\n" in delimiter or not ends_a_word(behind):
        return "holds a here-document whose delimiter we cannot read"
    lines = _lines(source, node)
    ends = [line == delimiter for line in lines]
    if not ends[-1] or any(ends[:-1]):
        return "holds a here-document that the shell might end elsewhere"
    if body(source, node).split() != _parsed(source, node).split():
        return "holds a here-document that the shell might begin elsewhere"
    return None


def ends_a_word(character: bytes) -> bool:
    """Whether a word must have ended before this character, or at the end of the text."""
    return character in _ENDS_A_WORD


def expands(source: bytes, node: Node) -> bool:
    """Whether the shell expands the text: an unquoted delimiter."""
    start = _child(node, "heredoc_start")
    written = b"" if start is None else source[start.start_byte : start.end_byte]
    return not any(mark in written for mark in (b"'", b'"', b"\\"))


def is_exact(source: bytes, node: Node) -> bool:
    """Whether the text is fed as it stands: the shell takes no backslash out of it."""
    return "\\" not in body(source, node) or not expands(source, node)


def _lines(source: bytes, node: Node) -> list[str]:
    """Everything from the line after the operator to the delimiter's own line, as the shell takes it."""
    places = [child.end_byte for child in node.children if child.type in ("heredoc_start", "heredoc_end")]
    line_end = source.find(b"\n", places[-1])
    last = source[: line_end if line_end >= 0 else len(source)]
    lines = last[source.find(b"\n", places[0]) + 1 :].decode().split("\n")
    tabs = any(child.type == "<<-" for child in node.children)
    return [line.lstrip("\t") for line in lines] if tabs else lines


def _parsed(source: bytes, node: Node) -> str:
    """The text as the grammar found it."""
    found = _child(node, "heredoc_body")
    return "" if found is None else source[found.start_byte : found.end_byte].decode()


def _unquoted(written: str) -> str:
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        inner = written[1:-1]
        return inner if not any(mark in inner for mark in "'\"\\$`") else ""
    written = written.removeprefix("\\")
    return written if not any(mark in written for mark in "'\"\\$`;|&<>()") else ""


def _child(node: Node, kind: str) -> Node | None:
    return next((child for child in node.children if child.type == kind), None)

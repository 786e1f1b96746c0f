"""Read redirections and here-documents of a command."""

from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash import tree
from assent.engine.bash.expansion import StatementReader, read_substitutions
from assent.engine.bash.scope import Scope
from assent.engine.bash.word_builder import read_word
from assent.engine.lines.command import Redirect, RedirectAccess, Unreadable
from assent.engine.programs.word import UNKNOWN_MARK, Word

WORD_TYPES = frozenset(
    """word string raw_string ansi_c_string translated_string number concatenation simple_expansion expansion
    command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex $
    """.split()
)
"""Types of nodes that are words, or pieces of words."""

MAX_INPUT_WORDS = 64
"""The maximal number of words that are read from a here-document."""
_WRITE_OPERATORS = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DUPLICATE_OPERATORS = frozenset({"<&", ">&"})
_CLOSE_OPERATORS = frozenset({"<&-", ">&-"})
_MAX_DESCRIPTOR_LENGTH = 64
_DESCRIPTOR = regex(rb"(?:^|[\s;&|()<>`])(?:\d+|\{\w+\})$")
"""A descriptor (a number or `{name}`) directly before a redirection, which the grammar treats as a word."""
_REST_OF_LINE = frozenset(
    {"pipeline", "command", "list", "subshell", "compound_statement", "redirected_statement"}
)
"""Types of nodes that the grammar puts inside a here-document, although they follow it on its line."""
_PUNCTUATION = frozenset({"heredoc_start", "heredoc_end", "&&", "||", "comment"})


def read_words(
    reader: StatementReader, nodes: list[Node], scope: Scope, *, split: bool = True
) -> tuple[Word, ...]:
    """Read the words of these nodes; adjacent nodes form one word."""
    found: list[Word] = []
    run: list[Node] = []
    end = -1
    for node in nodes:
        if run and end != node.start_byte:
            found.extend(read_word(reader, run, scope, split=split))
            run = []
        run.append(node)
        end = node.end_byte
    if run:
        found.extend(read_word(reader, run, scope, split=split))
    return tuple(found)


def read_redirect(reader: StatementReader, node: Node, scope: Scope, more_words: list[Word]) -> Redirect:
    """Read a redirection.

    Words that the grammar treats as additional targets are appended to `more_words`.
    """
    if tree.find_skipped_text(reader.source, node) or not _has_clear_bounds(reader.source, node):
        raise Unreadable("holds a redirection that we cannot read")
    operator = ""
    targets: list[Node] = []
    for child in node.children:
        if child.type in WORD_TYPES and operator:
            targets.append(child)
        elif child.type == "file_descriptor":
            more_words.extend(_descriptor_words(reader, child))
        else:
            operator = _read_operator(reader, child)
    found = read_words(reader, targets, scope)
    if operator in _CLOSE_OPERATORS:
        more_words.extend(found)
        return Redirect(RedirectAccess.DUPLICATE, Word("-"))
    if not found:
        return (
            Redirect(RedirectAccess.DUPLICATE, Word("-"))
            if not targets
            else _build_redirect(operator, Word(UNKNOWN_MARK, splits=True))
        )
    more_words.extend(found[1:])
    return _build_redirect(operator, found[0])


def _has_clear_bounds(source: bytes, node: Node) -> bool:
    """Whether the grammar and the shell agree on the start and end of a redirection."""
    before = source[max(0, node.start_byte - _MAX_DESCRIPTOR_LENGTH) : node.start_byte]
    if node.children[0].type == "file_descriptor":
        if node.prev_sibling is None and not source[node.start_byte : node.start_byte + 1].isdigit():
            return False
        return ends_word(before[-1:]) and ends_word(source[node.end_byte : node.end_byte + 1])
    return not _DESCRIPTOR.search(before) and ends_word(source[node.end_byte : node.end_byte + 1])


def _read_operator(reader: StatementReader, node: Node) -> str:
    """The operator of a redirection; raises `Unreadable` if the grammar added other text to it."""
    if reader.source[node.start_byte : node.end_byte] != node.type.encode():
        raise Unreadable("holds a redirection that we cannot read")
    return node.type


def _descriptor_words(reader: StatementReader, node: Node) -> tuple[Word, ...]:
    """The word that the grammar treats as a descriptor, as in `sort -ox2>y`; empty for a real descriptor."""
    text = reader.source[node.start_byte : node.end_byte].decode()
    return () if text.isdecimal() else (Word(text),)


def _build_redirect(operator: str, target: Word) -> Redirect:
    """Create the redirection of an operator and its target."""
    if operator == "<<<":
        return Redirect(RedirectAccess.TEXT, target)
    if operator in _DUPLICATE_OPERATORS and target.text.startswith("-") and target.text != "-":
        raise Unreadable("holds a redirection that closes a descriptor and goes on")
    if operator == "<&" and target.text.removesuffix("-").isdecimal() and target.text != "0":
        # The file behind this descriptor is unknown.
        return Redirect(RedirectAccess.TEXT, Word(UNKNOWN_MARK))
    if operator in _DUPLICATE_OPERATORS and (target.text.removesuffix("-").isdecimal() or target.text == "-"):
        return Redirect(RedirectAccess.DUPLICATE, target)
    writes = operator in _WRITE_OPERATORS or operator == ">&"
    access = RedirectAccess.WRITE if writes else RedirectAccess.READ
    return Redirect(access, target, operator in (">>", "&>>"), reads_and_writes=operator == "<>")


def read_heredoc(
    reader: StatementReader, node: Node, scope: Scope, more_words: list[Word], rest_of_line: list[Node]
) -> list[Redirect]:
    """Read a here-document. Statements that follow it on its line are appended to `rest_of_line`."""
    if (reason := heredoc_problem(reader.source, node)) is not None:
        raise Unreadable(reason)
    found: list[Redirect] = []
    first = len(reader.commands)
    holes = False
    for child in node.children:
        if child.type == "heredoc_body":
            if is_heredoc_expanded(reader.source, node):
                read_substitutions(reader, child, scope)
                holes = (
                    b"$" in reader.source[child.start_byte : child.end_byte] or len(reader.commands) > first
                )
        elif child.type in _REST_OF_LINE:
            rest_of_line.append(child)
        elif child.type in ("file_redirect", "herestring_redirect"):
            found.append(read_redirect(reader, child, scope, more_words))
        elif child.type in WORD_TYPES:
            more_words.extend(read_words(reader, [child], scope))
        elif child.type == "file_descriptor":
            more_words.extend(_descriptor_words(reader, child))
        elif child.type in ("<<", "<<-"):
            _read_operator(reader, child)
        elif child.type not in _PUNCTUATION:
            raise Unreadable(f"holds a here-document we do not read ({child.type})")
    lines = heredoc_body(reader.source, node)
    text = Word(UNKNOWN_MARK, quoted=True, if_unset=lines) if holes else Word(lines, quoted=True)
    return [Redirect(RedirectAccess.TEXT, text, exact=is_exact_heredoc(reader.source, node)), *found]


def find_input_words(redirects: tuple[Redirect, ...]) -> tuple[Word, ...] | None:
    """The words of a here-document or a here-string; None if they are unknown."""
    texts = [redirect.target.text for redirect in redirects if redirect.access is RedirectAccess.TEXT]
    if len(texts) != 1 or UNKNOWN_MARK in texts[0]:
        return None
    return tuple(Word(piece, quoted=True) for piece in texts[0].split()[:MAX_INPUT_WORDS])


_WORD_ENDS = b" \t\n;&|<>()`"
"""Characters that can follow a word; the end of the text is an empty string."""


def heredoc_body(source: bytes, node: Node) -> str:
    """The text between the operator and the delimiter, as the shell reads it."""
    return "".join(f"{line}\n" for line in _heredoc_lines(source, node)[:-1])


def heredoc_problem(source: bytes, node: Node) -> str | None:
    """Why a here-document is unreadable; None if it is readable."""
    start, end = _find_child(node, "heredoc_start"), _find_child(node, "heredoc_end")
    if start is None or end is None:
        return "holds a here-document without an end"
    written = source[start.start_byte : start.end_byte].decode()
    delimiter = _unquote_delimiter(written)
    behind = source[start.end_byte : start.end_byte + 1]
    if not delimiter or "\n" in delimiter or not ends_word(behind):
        return "holds a here-document whose delimiter we cannot read"
    lines = _heredoc_lines(source, node)
    ends = [line == delimiter for line in lines]
    if not ends[-1] or any(ends[:-1]):
        return "holds a here-document that the shell might end elsewhere"
    if heredoc_body(source, node).split() != _heredoc_body_in_tree(source, node).split():
        return "holds a here-document that the shell might begin elsewhere"
    return None


def ends_word(character: bytes) -> bool:
    """Whether this character, or the end of the text, ends a word."""
    return character in _WORD_ENDS


def is_heredoc_expanded(source: bytes, node: Node) -> bool:
    """Whether the shell expands the text of the here-document: its delimiter is not quoted."""
    start = _find_child(node, "heredoc_start")
    written = b"" if start is None else source[start.start_byte : start.end_byte]
    return not any(mark in written for mark in (b"'", b'"', b"\\"))


def is_exact_heredoc(source: bytes, node: Node) -> bool:
    """Whether the command gets the text unchanged: the shell removes no backslash."""
    return "\\" not in heredoc_body(source, node) or not is_heredoc_expanded(source, node)


def _heredoc_lines(source: bytes, node: Node) -> list[str]:
    """The lines after the operator up to and including the delimiter, as the shell reads them."""
    marker_ends = [
        child.end_byte for child in node.children if child.type in ("heredoc_start", "heredoc_end")
    ]
    line_end = source.find(b"\n", marker_ends[-1])
    last = source[: line_end if line_end >= 0 else len(source)]
    lines = last[source.find(b"\n", marker_ends[0]) + 1 :].decode().split("\n")
    tabs = any(child.type == "<<-" for child in node.children)
    return [line.lstrip("\t") for line in lines] if tabs else lines


def _heredoc_body_in_tree(source: bytes, node: Node) -> str:
    """The body of a here-document as the grammar parsed it."""
    found = _find_child(node, "heredoc_body")
    return "" if found is None else source[found.start_byte : found.end_byte].decode()


def _unquote_delimiter(written: str) -> str:
    """The delimiter without quotes; empty if it is too complex to read."""
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        inner = written[1:-1]
        return inner if not any(mark in inner for mark in "'\"\\$`") else ""
    written = written.removeprefix("\\")
    return written if not any(mark in written for mark in "'\"\\$`;|&<>()") else ""


def _find_child(node: Node, kind: str) -> Node | None:
    """The first child node of this type."""
    return next((child for child in node.children if child.type == kind), None)

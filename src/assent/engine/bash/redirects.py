"""Redirections and here-documents of a command."""

from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash import tree
from assent.engine.bash.expansion import StatementReader, read_substitutions
from assent.engine.bash.scope import Scope
from assent.engine.bash.word_builder import read_word
from assent.engine.lines.command import Access, Redirect, Unreadable
from assent.engine.programs.word import HOLE, Word

WORDS = frozenset(
    """word string raw_string ansi_c_string translated_string number concatenation simple_expansion expansion
    command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex $
    """.split()
)
"""Nodes that are words, or pieces of one."""

MOST_INPUT_WORDS = 64
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DUPLICATES = frozenset({"<&", ">&"})
_CLOSES = frozenset({"<&-", ">&-"})
_LONGEST_NAME = 64
_DESCRIPTOR = regex(rb"(?:^|[\s;&|()<>`])(?:\d+|\{\w+\})$")
"""A number or name directly before a redirection is its descriptor; the grammar takes it as a word."""
_REST_OF_LINE = frozenset(
    {"pipeline", "command", "list", "subshell", "compound_statement", "redirected_statement"}
)
_PUNCTUATION = frozenset({"heredoc_start", "heredoc_end", "&&", "||", "comment"})


def read_words(
    reader: StatementReader, nodes: list[Node], scope: Scope, *, split: bool = True
) -> tuple[Word, ...]:
    """The words of these nodes; adjacent nodes are one word."""
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
    """Read a redirection; words that the grammar takes as further targets are added to `more_words`."""
    if tree.find_skipped_text(reader.source, node) or not _is_separate(reader.source, node):
        raise Unreadable("holds a redirection that we cannot read")
    operator = ""
    targets: list[Node] = []
    for child in node.children:
        if child.type in WORDS and operator:
            targets.append(child)
        elif child.type == "file_descriptor":
            more_words.extend(_descriptor_words(reader, child))
        else:
            operator = _read_operator(reader, child)
    found = read_words(reader, targets, scope)
    if operator in _CLOSES:
        more_words.extend(found)
        return Redirect(Access.DUPLICATE, Word("-"))
    if not found:
        return (
            Redirect(Access.DUPLICATE, Word("-"))
            if not targets
            else _build_redirect(operator, Word(HOLE, splits=True))
        )
    more_words.extend(found[1:])
    return _build_redirect(operator, found[0])


def _is_separate(source: bytes, node: Node) -> bool:
    """Whether a redirection begins and ends where the shell would begin and end it."""
    before = source[max(0, node.start_byte - _LONGEST_NAME) : node.start_byte]
    if node.children[0].type == "file_descriptor":
        if node.prev_sibling is None and not source[node.start_byte : node.start_byte + 1].isdigit():
            return False
        return ends_a_word(before[-1:]) and ends_a_word(source[node.end_byte : node.end_byte + 1])
    return not _DESCRIPTOR.search(before) and ends_a_word(source[node.end_byte : node.end_byte + 1])


def _read_operator(reader: StatementReader, node: Node) -> str:
    """The operator; refused if the grammar added other text to it, such as the dash of `cat -<<E`."""
    if reader.source[node.start_byte : node.end_byte] != node.type.encode():
        raise Unreadable("holds a redirection that we cannot read")
    return node.type


def _descriptor_words(reader: StatementReader, node: Node) -> tuple[Word, ...]:
    """The word in `sort -ox2>y`, which the grammar takes as the number of a descriptor."""
    text = reader.source[node.start_byte : node.end_byte].decode()
    return () if text.isdecimal() else (Word(text),)


def _build_redirect(operator: str, target: Word) -> Redirect:
    if operator == "<<<":
        return Redirect(Access.TEXT, target)
    if operator in _DUPLICATES and target.text.startswith("-") and target.text != "-":
        raise Unreadable("holds a redirection that closes a descriptor and goes on")
    if operator == "<&" and target.text.removesuffix("-").isdecimal() and target.text != "0":
        # It is not known what that descriptor was opened for.
        return Redirect(Access.TEXT, Word(HOLE))
    if operator in _DUPLICATES and (target.text.removesuffix("-").isdecimal() or target.text == "-"):
        return Redirect(Access.DUPLICATE, target)
    writes = operator in _WRITES or operator == ">&"
    access = Access.WRITE if writes else Access.READ
    return Redirect(access, target, operator in (">>", "&>>"), reads_and_writes=operator == "<>")


def read_heredoc(
    reader: StatementReader, node: Node, scope: Scope, more_words: list[Word], rest_of_line: list[Node]
) -> list[Redirect]:
    """Read a here-document; the tree puts the rest of its line inside it, which goes to `rest_of_line`."""
    if (reason := heredoc_problem(reader.source, node)) is not None:
        raise Unreadable(reason)
    found: list[Redirect] = []
    first = len(reader.commands)
    holes = False
    for child in node.children:
        if child.type == "heredoc_body":
            if heredoc_expands(reader.source, node):
                read_substitutions(reader, child, scope)
                holes = (
                    b"$" in reader.source[child.start_byte : child.end_byte] or len(reader.commands) > first
                )
        elif child.type in _REST_OF_LINE:
            rest_of_line.append(child)
        elif child.type in ("file_redirect", "herestring_redirect"):
            found.append(read_redirect(reader, child, scope, more_words))
        elif child.type in WORDS:
            more_words.extend(read_words(reader, [child], scope))
        elif child.type == "file_descriptor":
            more_words.extend(_descriptor_words(reader, child))
        elif child.type in ("<<", "<<-"):
            _read_operator(reader, child)
        elif child.type not in _PUNCTUATION:
            raise Unreadable(f"holds a here-document we do not read ({child.type})")
    lines = heredoc_body(reader.source, node)
    text = Word(HOLE, quoted=True, if_unset=lines) if holes else Word(lines, quoted=True)
    return [Redirect(Access.TEXT, text, exact=is_exact_heredoc(reader.source, node)), *found]


def find_input_words(redirects: tuple[Redirect, ...]) -> tuple[Word, ...] | None:
    """The words of a here-document or a here-string; None when they are not known."""
    texts = [redirect.target.text for redirect in redirects if redirect.access is Access.TEXT]
    if len(texts) != 1 or HOLE in texts[0]:
        return None
    return tuple(Word(piece, quoted=True) for piece in texts[0].split()[:MOST_INPUT_WORDS])


_ENDS_A_WORD = b" \t\n;&|<>()`"
"""Characters that can follow a word; the empty text also counts."""


def heredoc_body(source: bytes, node: Node) -> str:
    """The text between the operator and the delimiter, as the shell reads it."""
    return "".join(f"{line}\n" for line in _heredoc_lines(source, node)[:-1])


def heredoc_problem(source: bytes, node: Node) -> str | None:
    """Why a here-document cannot be read; None when it can."""
    start, end = _find_child(node, "heredoc_start"), _find_child(node, "heredoc_end")
    if start is None or end is None:
        return "holds a here-document without an end"
    written = source[start.start_byte : start.end_byte].decode()
    delimiter = _unquote_delimiter(written)
    behind = source[start.end_byte : start.end_byte + 1]
    if not delimiter or "\n" in delimiter or not ends_a_word(behind):
        return "holds a here-document whose delimiter we cannot read"
    lines = _heredoc_lines(source, node)
    ends = [line == delimiter for line in lines]
    if not ends[-1] or any(ends[:-1]):
        return "holds a here-document that the shell might end elsewhere"
    if heredoc_body(source, node).split() != _parsed_body(source, node).split():
        return "holds a here-document that the shell might begin elsewhere"
    return None


def ends_a_word(character: bytes) -> bool:
    """Whether a word must have ended before this character, or at the end of the text."""
    return character in _ENDS_A_WORD


def heredoc_expands(source: bytes, node: Node) -> bool:
    """Whether the shell expands the text, because the delimiter is not quoted."""
    start = _find_child(node, "heredoc_start")
    written = b"" if start is None else source[start.start_byte : start.end_byte]
    return not any(mark in written for mark in (b"'", b'"', b"\\"))


def is_exact_heredoc(source: bytes, node: Node) -> bool:
    """Whether the command reads the text unchanged: the shell removes no backslash."""
    return "\\" not in heredoc_body(source, node) or not heredoc_expands(source, node)


def _heredoc_lines(source: bytes, node: Node) -> list[str]:
    """The lines after the operator, up to and including the delimiter, as the shell reads them."""
    places = [child.end_byte for child in node.children if child.type in ("heredoc_start", "heredoc_end")]
    line_end = source.find(b"\n", places[-1])
    last = source[: line_end if line_end >= 0 else len(source)]
    lines = last[source.find(b"\n", places[0]) + 1 :].decode().split("\n")
    tabs = any(child.type == "<<-" for child in node.children)
    return [line.lstrip("\t") for line in lines] if tabs else lines


def _parsed_body(source: bytes, node: Node) -> str:
    """The body of a here-document as the grammar parsed it."""
    found = _find_child(node, "heredoc_body")
    return "" if found is None else source[found.start_byte : found.end_byte].decode()


def _unquote_delimiter(written: str) -> str:
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        inner = written[1:-1]
        return inner if not any(mark in inner for mark in "'\"\\$`") else ""
    written = written.removeprefix("\\")
    return written if not any(mark in written for mark in "'\"\\$`;|&<>()") else ""


def _find_child(node: Node, kind: str) -> Node | None:
    return next((child for child in node.children if child.type == kind), None)

"""Redirections: what a command reads from and writes to besides its own arguments."""

from tree_sitter import Node

from assent.engine.bash import heredoc, tree
from assent.engine.bash.pieces import read_word
from assent.engine.bash.scope import Scope
from assent.engine.bash.substitutions import Statements, read_substitutions
from assent.engine.lines.command import Access, Redirect, Unreadable
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

WORDS = frozenset(
    """word string raw_string ansi_c_string translated_string number concatenation simple_expansion expansion
    command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex $
    """.split()
)
"""Nodes that are words, or pieces of one."""

MOST_GIVEN = 64
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DUPLICATES = frozenset({"<&", ">&"})
_CLOSES = frozenset({"<&-", ">&-"})
_LONGEST_NAME = 64
_DESCRIPTOR = regex(rb"(?:^|[\s;&|()<>`])(?:\d+|\{\w+\})$")
"""A number or name right before a redirection is its descriptor, though the grammar takes it for a word."""
_REST_OF_LINE = frozenset(
    {"pipeline", "command", "list", "subshell", "compound_statement", "redirected_statement"}
)
_PUNCTUATION = frozenset({"heredoc_start", "heredoc_end", "&&", "||", "comment"})


def read_words(
    reader: Statements, nodes: list[Node], scope: Scope, *, split: bool = True
) -> tuple[Word, ...]:
    """The words that these nodes make; nodes that touch are one word."""
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


def read_redirect(reader: Statements, node: Node, scope: Scope, more: list[Word]) -> Redirect:
    """One redirection; the grammar takes words after its target along, and they go to `more`."""
    if tree.passed_over(reader.source, node) or not _stands_alone(reader.source, node):
        raise Unreadable("holds a redirection that we cannot read")
    operator = ""
    targets: list[Node] = []
    for child in node.children:
        if child.type in WORDS and operator:
            targets.append(child)
        elif child.type == "file_descriptor":
            more.extend(_no_descriptor(reader, child))
        else:
            operator = _operator(reader, child)
    found = read_words(reader, targets, scope)
    if operator in _CLOSES:
        more.extend(found)
        return Redirect(Access.DUPLICATE, Word("-"))
    if not found:
        return (
            Redirect(Access.DUPLICATE, Word("-"))
            if not targets
            else _redirect(operator, Word(HOLE, splits=True))
        )
    more.extend(found[1:])
    return _redirect(operator, found[0])


def _stands_alone(source: bytes, node: Node) -> bool:
    """Whether a redirection begins and ends where the shell would have it."""
    before = source[max(0, node.start_byte - _LONGEST_NAME) : node.start_byte]
    if node.children[0].type == "file_descriptor":
        if node.prev_sibling is None and not source[node.start_byte : node.start_byte + 1].isdigit():
            return False
        return heredoc.ends_a_word(before[-1:]) and heredoc.ends_a_word(
            source[node.end_byte : node.end_byte + 1]
        )
    return not _DESCRIPTOR.search(before) and heredoc.ends_a_word(source[node.end_byte : node.end_byte + 1])


def _operator(reader: Statements, node: Node) -> str:
    """The operator, unless the grammar took more for it, as it takes the dash of `cat -<<E`."""
    if reader.source[node.start_byte : node.end_byte] != node.type.encode():
        raise Unreadable("holds a redirection that we cannot read")
    return node.type


def _no_descriptor(reader: Statements, node: Node) -> tuple[Word, ...]:
    """The word in `sort -ox2>y`, which the grammar takes for the descriptor's number."""
    text = reader.source[node.start_byte : node.end_byte].decode()
    return () if text.isdecimal() else (Word(text),)


def _redirect(operator: str, target: Word) -> Redirect:
    if operator == "<<<":
        return Redirect(Access.TEXT, target)
    if operator in _DUPLICATES and target.text.startswith("-") and target.text != "-":
        raise Unreadable("holds a redirection that closes a descriptor and goes on")
    if operator == "<&" and target.text.removesuffix("-").isdecimal() and target.text != "0":
        # Whatever that descriptor was opened for, here or before the line.
        return Redirect(Access.TEXT, Word(HOLE))
    if operator in _DUPLICATES and (target.text.removesuffix("-").isdecimal() or target.text == "-"):
        return Redirect(Access.DUPLICATE, target)
    writes = operator in _WRITES or operator == ">&"
    access = Access.WRITE if writes else Access.READ
    return Redirect(access, target, operator in (">>", "&>>"), both=operator == "<>")


def read_heredoc(
    reader: Statements, node: Node, scope: Scope, more: list[Word], rest: list[Node]
) -> list[Redirect]:
    """A here-document; the rest of its line stands inside it in the tree and goes to `rest`."""
    if (problem := heredoc.problem(reader.source, node)) is not None:
        raise Unreadable(problem)
    found: list[Redirect] = []
    first = len(reader.commands)
    holes = False
    for child in node.children:
        if child.type == "heredoc_body":
            if heredoc.expands(reader.source, node):
                read_substitutions(reader, child, scope)
                holes = (
                    b"$" in reader.source[child.start_byte : child.end_byte] or len(reader.commands) > first
                )
        elif child.type in _REST_OF_LINE:
            rest.append(child)
        elif child.type in ("file_redirect", "herestring_redirect"):
            found.append(read_redirect(reader, child, scope, more))
        elif child.type in WORDS:
            more.extend(read_words(reader, [child], scope))
        elif child.type == "file_descriptor":
            more.extend(_no_descriptor(reader, child))
        elif child.type in ("<<", "<<-"):
            _operator(reader, child)
        elif child.type not in _PUNCTUATION:
            raise Unreadable(f"holds a here-document we do not read ({child.type})")
    body = heredoc.body(reader.source, node)
    text = Word(HOLE, quoted=True, otherwise=body) if holes else Word(body, quoted=True)
    return [Redirect(Access.TEXT, text, exact=heredoc.is_exact(reader.source, node)), *found]


def given_words(redirects: tuple[Redirect, ...]) -> tuple[Word, ...] | None:
    """The very words of a here-document or a here-string."""
    texts = [redirect.target.text for redirect in redirects if redirect.access is Access.TEXT]
    if len(texts) != 1 or HOLE in texts[0]:
        return None
    return tuple(Word(piece, quoted=True) for piece in texts[0].split()[:MOST_GIVEN])

"""Loops, cases, tests and functions: statements that hold others."""

import re
from typing import NamedTuple, Protocol

from tree_sitter import Node

from assent.engine.bash.expansion import Statements, read_arithmetic
from assent.engine.bash.redirects import WORDS, read_words
from assent.engine.bash.scope import Scope
from assent.engine.lines.command import Assignment, Command, Unreadable, sets_parameters
from assent.engine.programs import catalog
from assent.engine.programs.word import HOLE, Word

KEYWORDS = frozenset(
    "; & && || | |& ( ) { } $( ` <( >( if then elif else fi while until do done in esac case for "
    "select function ! time comment".split()
) | {"\n"}
"""Tokens that only hold a statement together."""

_NOT_IN_TEST = frozenset("<>&|;()")
_CASE_ENDS = frozenset({";;", ";&", ";;&"})
_EXPRESSIONS = frozenset(
    {"unary_expression", "binary_expression", "parenthesized_expression", "negated_expression"}
)


class Started(NamedTuple):
    """The commands in the body of a function."""

    every: set[str]
    at_once: set[str]
    """Those that it starts in a pipe or in the background."""


_NOTHING = Started(set(), set())


class Reader(Statements, Protocol):
    """What a compound statement needs of the reader around it."""

    starts: dict[str, Started]
    """What each function of the line starts."""

    def finish(self, command: Command, scope: Scope) -> None:
        """Add a command with what its place says of it."""


def in_background(node: Node) -> bool:
    """Whether a statement runs in a shell of its own, beside what follows it."""
    behind = node.next_sibling
    return behind is not None and behind.type == "&"


def read_test(reader: Reader, node: Node, scope: Scope) -> None:
    """`[[ … ]]` and `[ … ]`, as a command whose words are all that stands between."""
    opening = node.children[0].end_byte
    if reader.source[opening : opening + 1] not in (b" ", b"\t", b"\n"):
        raise Unreadable("holds a bracket that runs into a word")
    found: list[Word] = []
    _operands(reader, node, scope, found)
    if node.children[0].type == "[" and any(
        not word.quoted and (word.text == "=~" or not _NOT_IN_TEST.isdisjoint(word.text)) for word in found
    ):
        raise Unreadable("holds an operator that ends the test before its bracket")
    reader.finish(Command(tuple(found), span=(node.start_byte, node.end_byte)), scope)


def read_arithmetic_command(reader: Reader, node: Node, scope: Scope) -> None:
    """`(( … ))`."""
    read_arithmetic(reader, node, scope)
    reader.finish(Command((Word("(("),), span=(node.start_byte, node.end_byte)), scope)


def read_for(reader: Reader, node: Node, scope: Scope) -> None:
    """`for name in words`, once for each value that can be known."""
    names = [child for child in node.children if child.type == "variable_name"]
    bodies = [child for child in node.children if child.type in ("do_group", "compound_statement")]
    if len(bodies) != 1 or not names:
        raise Unreadable("holds a loop we do not read")
    name = reader.source[names[0].start_byte : names[0].end_byte].decode()
    listed = [child for child in node.children if child.type in WORDS]
    values = read_words(reader, listed, scope)
    span = (names[0].start_byte, names[0].end_byte)
    reader.emit(Command((), (Assignment(name, Word(HOLE)),), directories=scope.directories, span=span))
    chosen = node.children[0].type == "select"
    for value in [None] if chosen else scope.turns(values):
        turn = scope.loop(_text(reader, bodies[0]))
        turn.turn(name, value)
        reader.statement(bodies[0], turn)
        scope.may_be_in(turn.directories)


def read_counted_for(reader: Reader, node: Node, scope: Scope) -> None:
    """`for (( … ))`."""
    body = node.children[-1]
    read_arithmetic(reader, node, scope, until=body.start_byte)
    turn = scope.loop(_text(reader, body))
    reader.statement(body, turn)
    scope.may_be_in(turn.directories)


def read_case(reader: Reader, node: Node, scope: Scope) -> None:
    """`case word in pattern) …`."""
    for child in node.children:
        if child.type == "case_item":
            _case_item(reader, child, scope)
        elif child.type in WORDS:
            read_words(reader, [child], scope)
        elif child.type not in KEYWORDS:
            raise Unreadable(f"holds a case we do not read ({child.type})")


def read_function(reader: Reader, node: Node, scope: Scope) -> None:
    """A function: its body is read as if it were called right here."""
    name_node = next((child for child in node.children if child.type == "word"), None)
    body = node.children[-1]
    if name_node is None or body.type == "file_redirect":
        raise Unreadable("holds a function we do not read")
    name = _text(reader, name_node)
    first = len(reader.commands)
    reader.statement(body, scope.function())
    _fill_in(reader, name, first, _text(reader, body))
    if catalog.reads(name) is not None:
        # From here on the name means something else to the shell than to whoever reads the line.
        reader.emit(Command((Word("function"), Word(name)), span=(name_node.start_byte, name_node.end_byte)))
    scope.define(name)
    reader.starts[name] = Started(_called(reader, body), _started_at_once(reader, body))


def _fill_in(reader: Reader, name: str, first: int, body: str) -> None:
    """Put the arguments of each call into what a function runs, where all its calls are plain to see."""
    source = reader.source.decode()
    calls = re.findall(rf"(?:^|[;&|\n]\s*){re.escape(name)}((?: [\w./-]+)+)[ \t]*(?=[;&|\n]|$)", source)
    times = len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", source))
    if not calls or times != len(calls) + 1 or sets_parameters(body):
        return
    own = reader.commands[first:]
    del reader.commands[first:]
    for call in dict.fromkeys(calls):
        for command in own:
            reader.emit(command.filled((Word(name), *map(Word, call.split()))))


def bombs(starts: dict[str, Started]) -> tuple[str, ...]:
    """The functions that start themselves in a pipe or in the background, maybe by way of others."""
    found: list[str] = []
    for name, started in starts.items():
        reached = set(started.at_once)
        todo = list(reached)
        while todo:
            called = starts.get(todo.pop(), _NOTHING).every - reached
            reached |= called
            todo.extend(called)
        if name in reached:
            found.append(name)
    return tuple(found)


def _operands(reader: Reader, node: Node, scope: Scope, found: list[Word]) -> None:
    for child in node.children:
        if child.type in _EXPRESSIONS:
            _operands(reader, child, scope, found)
        elif child.type in WORDS:
            found.extend(read_words(reader, [child], scope))
        elif child.type != "comment" and not child.child_count:
            found.append(Word(_text(reader, child)))
        else:
            raise Unreadable(f"holds a test we do not read ({child.type})")


def _case_item(reader: Reader, node: Node, scope: Scope) -> None:
    inner = scope.branch()
    in_pattern = True
    for child in node.children:
        if child.type == ")" and in_pattern:
            in_pattern = False
        elif in_pattern and child.type in WORDS:
            read_words(reader, [child], scope)
        elif child.type not in KEYWORDS and child.type not in _CASE_ENDS:
            reader.statement(child, inner.subshell() if in_background(child) else inner)
    scope.may_be_in(inner.directories)


def _started_at_once(reader: Reader, node: Node) -> set[str]:
    """The commands that a body starts in a pipe or in the background."""
    found: set[str] = set()
    children = node.children
    for child, behind in zip(children, [*children[1:], None], strict=False):
        at_once = node.type == "pipeline" or (behind is not None and behind.type == "&")
        found |= _called(reader, child) if at_once else _started_at_once(reader, child)
    return found


def _called(reader: Reader, node: Node) -> set[str]:
    if node.type == "command_name":
        return {_text(reader, node)}
    found: set[str] = set()
    for child in node.children:
        found |= _called(reader, child)
    return found


def _text(reader: Statements, node: Node) -> str:
    return reader.source[node.start_byte : node.end_byte].decode()

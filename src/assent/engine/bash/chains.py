"""Pipes and chains of commands, and where the redirections behind them belong."""

from typing import NamedTuple, Protocol

from tree_sitter import Node

from assent.engine.bash import compound
from assent.engine.bash.redirects import WORDS, given_words, read_words
from assent.engine.bash.scope import Scope
from assent.engine.lines import listing
from assent.engine.lines.command import Command, Redirect, Unreadable
from assent.engine.lines.written_scripts import Drafts
from assent.engine.programs.word import Word

_MAY_MOVE = (b"cd", b"pushd", b"command", b"builtin", b"time")


class Tail(NamedTuple):
    """Redirections, and words that the grammar took for targets, on their way to their command."""

    redirects: tuple[Redirect, ...]
    more: tuple[Word, ...]


class Reader(compound.Reader, Protocol):
    """What a chain needs of the reader around it."""

    drafts: Drafts
    """What the line has written to files so far."""

    def command(
        self, node: Node, scope: Scope, redirects: tuple[Redirect, ...] = (), more: tuple[Word, ...] = ()
    ) -> None:
        """Read a simple command."""

    def check(self, node: Node) -> None:
        """Refuse a statement of which the grammar left something out."""


def placed(command: Command, scope: Scope) -> Command:
    """A command with what its place on the line says of it."""
    own = command.has_input
    return command._replace(
        directories=scope.directories,
        piped=scope.piped or command.program == "coproc",
        fed=None if own else scope.fed,
        given=scope.given if scope.piped and not own else given_words(command.redirects),
        input=None if own else scope.input,
        taken=scope.taken,
        function=command.program in scope.functions,
    )


def read_pipeline(reader: Reader, node: Node, scope: Scope, tail: Tail | None = None) -> None:
    """Each command of a pipe is a shell of its own, fed by the ones before."""
    first = len(reader.commands)
    inner = scope.subshell()
    last = node.children[-1]
    # Behind a here-document the first of them is the one that it was for.
    start = first - (node.children[0].type in ("|", "|&"))
    for child in node.children:
        if child.type in ("|", "|&"):
            inner = scope.piped_from(reader.commands[first:], reader.commands[start:])
            start = len(reader.commands)
        elif child.type not in compound.KEYWORDS:
            inner.taken = scope.taken or child != last
            read_tailed(reader, child, inner, tail if child == last else None)
    if len(reader.commands) == first + 2:
        lister, taker = reader.commands[first:]
        reader.commands[-1] = taker._replace(swept=listing.swept(lister, taker))


def read_list(reader: Reader, node: Node, scope: Scope, tail: Tail | None = None) -> None:
    """A chain of `&&` and `||`, which the tree nests to the left."""
    before = scope.directories
    moved: tuple[str, ...] | None = None
    chain = _chain(reader, node)
    sure = scope.functions, dict(scope.variables)
    for position, (operator, statement) in enumerate(chain):
        own = tail if position == len(chain) - 1 else None
        if operator == "||":
            scope.may_be_in(before)
            other = scope.branch()
            read_tailed(reader, statement, other, own)
            scope.may_be_in(other.directories)
            moved = None
            continue
        if moved is not None:
            scope.directories = moved
        moved = _moves(reader, statement, scope) or moved
        read_tailed(reader, statement, scope, own)
        if position == 0:
            sure = scope.functions, dict(scope.variables)
    scope.doubt_all_but(*sure)
    scope.may_be_in(before)


def read_tailed(reader: Reader, node: Node, scope: Scope, tail: Tail | None) -> None:
    """Read a statement; redirections that the grammar gave to a whole chain are its last one's."""
    if tail is None:
        reader.statement(node, scope)
        return
    reader.check(node)
    if node.type == "command":
        reader.command(node, scope, tail.redirects, tail.more)
    elif node.type == "pipeline":
        read_pipeline(reader, node, scope, tail)
    elif node.type == "list":
        read_list(reader, node, scope, tail)
    elif node.type == "negated_command":
        read_tailed(reader, node.children[-1], scope, tail)
    elif tail.more:
        raise Unreadable("holds words after a redirection that we cannot place")
    else:
        around = Command((), (), tail.redirects, span=(node.start_byte, node.end_byte))
        reader.finish(around, scope)
        before = scope.piped, scope.fed, scope.given, scope.input
        if around.has_input:
            scope.piped, scope.fed, scope.given, scope.input = True, None, None, None
        first = len(reader.commands)
        reader.statement(node, scope)
        reader.drafts.note_all(around, reader.commands[first:])
        scope.piped, scope.fed, scope.given, scope.input = before


def _chain(reader: Reader, node: Node) -> list[tuple[str, Node]]:
    """The statements of a list from left to right, each with the operator before it."""
    found: list[tuple[str, Node]] = []
    while node.type == "list":
        reader.check(node)
        left, operator, right = (child for child in node.children if child.type not in ("comment", "\n"))
        found.append((operator.type, right))
        node = left
    found.append(("", node))
    return found[::-1]


def _moves(reader: Reader, node: Node, scope: Scope) -> tuple[str, ...] | None:
    """Where a statement that is a `cd` leads when it succeeds; None for any other."""
    if node.type == "redirected_statement":
        node = node.children[0]
    if node.type != "command" or not reader.source.startswith(_MAY_MOVE, node.start_byte):
        return None
    # The words are read for what they say alone; what they hold is read with the statement itself.
    kept = list(reader.commands), list(reader.secrets)
    words = [child for child in node.children if child.type in WORDS or child.type == "command_name"]
    found = scope.moved_by(read_words(reader, words, scope))
    reader.commands[:], reader.secrets[:] = kept
    return found

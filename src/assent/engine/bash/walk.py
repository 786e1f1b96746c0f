"""A walk over the syntax tree of a bash text, in the order in which the shell would get there."""

from collections.abc import Callable

from tree_sitter import Node

from assent.engine.bash import builtins as lasting
from assent.engine.bash import chains, compound, tree
from assent.engine.bash.compound import bombs
from assent.engine.bash.expansion import read_arithmetic
from assent.engine.bash.language import read_bash
from assent.engine.bash.pieces import read_word
from assent.engine.bash.redirects import WORDS, read_heredoc, read_redirect, read_words
from assent.engine.bash.respell import (
    Refed,
    Respelled,
    blank_keyword,
    join_lines,
    refuse_word,
    write_out_braces,
)
from assent.engine.bash.scope import Scope
from assent.engine.lines.command import Assignment, Command, Line, Redirect, Unreadable
from assent.engine.lines.written_scripts import Drafts
from assent.engine.programs.word import HOLE, Word

MOST_COMMANDS = 256
DEEPEST = 48

_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_SUBSHELLS = _SUBSTITUTIONS | {"subshell"}
_BRANCHES = frozenset({"if_statement", "elif_clause", "else_clause", "while_statement", "do_group"})
_SEQUENCES = frozenset({"program", "compound_statement", "negated_command"}) | _BRANCHES | _SUBSHELLS


def read(text: str) -> Line:
    """All that a text would run, or `Unreadable`; what the grammar takes amiss is spelled anew."""
    source = join_lines(text).encode()
    refed = False
    for _ in range(DEEPEST):
        walk = _Walk(source, refed=refed)
        try:
            walk.read()
        except Respelled as respelled:
            source = respelled.source
        except Refed:
            refed = True
        else:
            return Line(
                tuple(walk.commands),
                bombs=bombs(walk.starts),
                secrets=tuple(walk.secrets),
                kept=tuple(walk.kept),
                source=source.decode(),
            )
    raise Unreadable("is nested too deeply")


class _Walk:
    """One walk over one syntax tree, in the order in which the shell would get there."""

    def __init__(self, source: bytes, *, refed: bool) -> None:
        self.source = source
        self.refed = refed
        """An `exec` somewhere on the line gives all its commands another input."""
        self.commands: list[Command] = []
        self.starts: dict[str, compound.Started] = {}
        self.secrets: list[str] = []
        self.kept: list[Word] = []
        self.drafts = Drafts(read_bash)
        self.depth = 0

    def read(self) -> None:
        root = tree.parse(self.source)
        if root is None:
            raise Unreadable("is too tangled to read")
        if root.has_error:
            write_out_braces(self.source)
            raise Unreadable("does not parse as a shell command")
        scope = Scope(self.source.decode())
        scope.piped = self.refed
        self.statement(root, scope)
        if not self.commands:
            raise Unreadable("holds no command")

    def statement(self, node: Node, scope: Scope) -> None:
        """Read a statement of any kind; a kind we do not know makes the text unreadable."""
        if self.depth >= DEEPEST:
            raise Unreadable("is nested too deeply")
        self.depth += 1
        read = _STATEMENTS.get(node.type)
        if read is None:
            raise Unreadable(f"holds a construct we do not read ({node.type})")
        self.check(node)
        read(self, node, scope)
        self.depth -= 1

    def check(self, node: Node) -> None:
        """Refuse a statement of which the grammar left something out."""
        left_out = tree.passed_over(self.source, node)
        if left_out and (left_out, node.type) != (b"-", "redirected_statement"):
            raise Unreadable("holds text that we would pass over")

    def emit(self, command: Command) -> None:
        """Add a command as it stands."""
        if len(self.commands) >= MOST_COMMANDS:
            raise Unreadable(f"holds more than {MOST_COMMANDS} commands")
        self.commands.append(command)

    def finish(self, command: Command, scope: Scope) -> None:
        """Add a command with what its place says of it, and let a `cd` move what follows."""
        command = self.drafts.told(chains.placed(command, scope))
        if not self.refed and lasting.feeds_the_rest(command):
            raise Refed
        self.drafts.note(command)
        self.emit(command)
        if command.words:
            scope.after(command.words, has_input=command.has_input)

    def sequence(self, node: Node, scope: Scope) -> None:
        kind = node.type
        if kind == "compound_statement":
            if node.children[0].type == "((":
                compound.read_arithmetic_command(self, node, scope)
                return
            if self.source[node.start_byte + 1] not in b" \t\n":
                raise Unreadable("holds a brace that runs into a word")
        if kind == "command_substitution" and self.source[node.start_byte] == ord("`"):
            self._check_backticks(node)
        inner = scope.subshell() if kind in _SUBSHELLS else scope.branch() if kind in _BRANCHES else scope
        inner.taken = inner.taken or kind in _SUBSTITUTIONS
        if kind == "while_statement":
            inner = scope.loop(self.source[node.start_byte : node.end_byte].decode())
        for child in node.children:
            if child.type == "file_redirect":
                self.finish(Command((), redirects=(read_redirect(self, child, inner, []),)), inner)
            elif child.type not in compound.KEYWORDS:
                self.statement(child, inner.subshell() if compound.in_background(child) else inner)
        if kind in _BRANCHES:
            scope.may_be_in(inner.directories)

    def _check_backticks(self, node: Node) -> None:
        if b"\\" in self.source[node.start_byte : node.end_byte]:
            raise Unreadable("holds escapes inside backticks")

    def assignments(self, node: Node, scope: Scope) -> None:
        nodes = node.children if node.type == "variable_assignments" else [node]
        found = tuple(self._assignment(child, scope) for child in nodes)
        for assignment in found:
            scope.assign(assignment)
        self.finish(Command((), found, span=(node.start_byte, node.end_byte)), scope)

    def _assignment(self, node: Node, scope: Scope) -> Assignment:
        name, operator, *values = node.children
        if values and values[0].start_byte != operator.end_byte:
            raise Unreadable("holds an assignment whose value we cannot place")
        if name.type == "subscript":
            read_arithmetic(self, name, scope)
        found: tuple[Word, ...] = ()
        for value in values:
            if value.type == "array":
                items = [item for item in value.children if item.type in WORDS]
                self.kept.extend(read_words(self, items, scope))
                found = (Word(HOLE, splits=True),)
            else:
                found = read_word(self, [value], scope, split=False)
        if any("$(" in word.text or "`" in word.text for word in found):
            raise Unreadable("assigns a text that holds a command, which the shell may evaluate later")
        known = operator.type == "=" and name.type == "variable_name" and len(found) < 2
        text = self.source[name.start_byte : name.end_byte].decode()
        return Assignment(text, (found[0] if found else Word("")) if known else Word(HOLE))

    def declaration(self, node: Node, scope: Scope) -> None:
        """`export`, `declare`, `unset` and the like: a command whose words may be assignments."""
        found: list[Word] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assignment = self._assignment(child, scope)
                # `declare` is unknown to some shells and `local` fails outside of functions.
                if [word.text for word in found if not word.quoted] == ["export"]:
                    scope.assign(assignment)
                else:
                    scope.branched.add(assignment.name)
                found.append(Word(f"{assignment.name}={assignment.value.text}", quoted=True))
            elif child.type in WORDS:
                found.extend(read_words(self, [child], scope))
            else:
                found.append(Word(self.source[child.start_byte : child.end_byte].decode()))
        self.finish(Command(tuple(found), span=(node.start_byte, node.end_byte)), scope)

    def redirected(self, node: Node, scope: Scope) -> None:
        children = node.children
        body = None if children[0].type.endswith("_redirect") else children[0]
        redirects: list[Redirect] = []
        # In `cat - <<E` and `cat - 2>x` the grammar leaves out the dash.
        more = [Word("-")] if tree.passed_over(self.source, node) else []
        rest: list[Node] = []
        for child in children if body is None else children[1:]:
            if child.type == "heredoc_redirect":
                redirects.extend(read_heredoc(self, child, scope, more, rest))
            else:
                redirects.append(read_redirect(self, child, scope, more))
        tail = chains.Tail(tuple(redirects), tuple(more))
        if body is not None:
            chains.read_tailed(self, body, scope, tail)
        else:
            span = (node.start_byte, node.end_byte)
            self.finish(Command(tail.more, (), tail.redirects, span=span), scope)
        for statement in rest:
            other = scope.branch()
            self.statement(statement, other)
            scope.may_be_in(other.directories)

    def command(
        self, node: Node, scope: Scope, redirects: tuple[Redirect, ...] = (), more: tuple[Word, ...] = ()
    ) -> None:
        """A simple command, with redirections and words that the grammar placed behind it."""
        assignments: list[Assignment] = []
        nodes: list[Node] = []
        own: list[Redirect] = []
        extra: list[Word] = []
        for child in node.children:
            kind = child.type
            if kind == "command_name" or kind in WORDS:
                nodes.append(child)
            elif kind == "variable_assignment" and not nodes:
                assignments.append(self._assignment(child, scope))
            elif kind in ("file_redirect", "herestring_redirect"):
                own.append(read_redirect(self, child, scope, extra))
            else:
                refuse_word(self.source, node, child)
        found = (*read_words(self, nodes, scope), *extra, *more)
        written = [self.source[child.start_byte : child.end_byte].decode() for child in nodes]
        if (problem := lasting.problem(found, written, scope.functions)) is not None:
            raise Unreadable(problem)
        blank_keyword(self.source, node, found)
        span = (node.start_byte, node.end_byte)
        self.finish(Command(found, tuple(assignments), (*own, *redirects), span=span), scope)


_STATEMENTS: dict[str, Callable[[_Walk, Node, Scope], None]] = {
    **dict.fromkeys(_SEQUENCES, _Walk.sequence),
    "command": _Walk.command,
    "pipeline": chains.read_pipeline,
    "list": chains.read_list,
    "redirected_statement": _Walk.redirected,
    "variable_assignment": _Walk.assignments,
    "variable_assignments": _Walk.assignments,
    "declaration_command": _Walk.declaration,
    "unset_command": _Walk.declaration,
    "test_command": compound.read_test,
    "for_statement": compound.read_for,
    "c_style_for_statement": compound.read_counted_for,
    "case_statement": compound.read_case,
    "function_definition": compound.read_function,
}
"""How each kind of statement is read; a kind that is not here makes a text unreadable."""

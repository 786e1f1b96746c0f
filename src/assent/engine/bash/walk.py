"""Walk over the syntax tree of a bash text in the order of execution, and collect the commands."""

from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node

from assent.engine.bash import compound, tree
from assent.engine.bash.compound import find_fork_bombs
from assent.engine.bash.expansion import read_arithmetic
from assent.engine.bash.language import parse_bash
from assent.engine.bash.redirects import WORD_TYPES, find_input_words, read_heredoc, read_redirect, read_words
from assent.engine.bash.scope import Scope, builtin_problem, replaces_shell_input
from assent.engine.bash.tree import (
    RespelledSource,
    ShellInputReplaced,
    expand_command_braces,
    join_continued_lines,
    refuse_node,
    replace_keyword_by_blanks,
)
from assent.engine.bash.word_builder import read_word
from assent.engine.lines.command import Assignment, Command, ParsedLine, Redirect, Unreadable
from assent.engine.lines.output import find_complete_listing
from assent.engine.lines.written_scripts import WrittenFiles
from assent.engine.programs.word import UNKNOWN_MARK, Word

MAX_COMMANDS = 256
"""The maximal number of commands of a line."""
MAX_DEPTH = 48
"""The maximal depth of nested statements."""

_SEQUENCES = (
    frozenset({"program", "compound_statement", "negated_command"}) | compound.BRANCHES | compound.SUBSHELLS
)
"""Types of nodes whose children are statements that run one after the other."""
_DIRECTORY_CHANGE_STARTS = (b"cd", b"pushd", b"command", b"builtin", b"time")
"""Beginnings of commands that may change the directory."""


class _TrailingRedirects(NamedTuple):
    """Redirections after a statement, and words that the grammar treats as their targets."""

    redirects: tuple[Redirect, ...]
    words: tuple[Word, ...]


def parse_by_tree(text: str) -> ParsedLine:
    """All commands of a text; a text that the grammar misreads is rewritten and parsed again."""
    source = join_continued_lines(text).encode()
    input_is_replaced = False
    for _ in range(MAX_DEPTH):
        walker = _TreeWalker(source, input_is_replaced=input_is_replaced)
        try:
            walker.collect_commands()
        except RespelledSource as respelled:
            source = respelled.source
        except ShellInputReplaced:
            input_is_replaced = True
        else:
            return ParsedLine(
                tuple(walker.commands),
                fork_bombs=find_fork_bombs(walker.function_calls),
                secret_variables=tuple(walker.secret_variables),
                array_words=tuple(walker.array_words),
                source=source.decode(),
            )
    raise Unreadable("is nested too deeply")


class _TreeWalker:
    """Collects the commands of one syntax tree, in the order of execution."""

    def __init__(self, source: bytes, *, input_is_replaced: bool) -> None:
        self.source = source
        self.input_is_replaced = input_is_replaced
        """Whether an `exec` of the line replaces the input of all commands."""
        self.commands: list[Command] = []
        self.function_calls: dict[str, compound.FunctionCalls] = {}
        self.secret_variables: list[str] = []
        self.array_words: list[Word] = []
        self.written_files = WrittenFiles(parse_bash)
        self.depth = 0

    def collect_commands(self) -> None:
        """Parse the text and collect its commands."""
        if (root := tree.parse_tree(self.source)) is None:
            raise Unreadable("takes too much work to parse")
        if root.has_error:
            expand_command_braces(self.source)
            raise Unreadable("does not parse as a shell command")
        scope = Scope(self.source.decode())
        scope.piped = self.input_is_replaced
        self.read_statement(root, scope)
        if not self.commands:
            raise Unreadable("holds no command")

    def read_statement(self, node: Node, scope: Scope) -> None:
        """Read a statement; a statement of an unknown kind makes the text unreadable."""
        if self.depth >= MAX_DEPTH:
            raise Unreadable("is nested too deeply")
        self.depth += 1
        read = _STATEMENT_READERS.get(node.type)
        if read is None:
            raise Unreadable(f"holds a construct we do not read ({node.type})")
        self.refuse_skipped_text(node)
        read(self, node, scope)
        self.depth -= 1

    def refuse_skipped_text(self, node: Node) -> None:
        """Raise `Unreadable` if the grammar skipped some text of a statement."""
        left_out = tree.find_skipped_text(self.source, node)
        if left_out and (left_out, node.type) != (b"-", "redirected_statement"):
            raise Unreadable("holds text that the parser skips")

    def emit(self, command: Command) -> None:
        """Append a command."""
        if len(self.commands) >= MAX_COMMANDS:
            raise Unreadable(f"holds more than {MAX_COMMANDS} commands")
        self.commands.append(command)

    def add_command(self, command: Command, scope: Scope) -> None:
        """Add a command together with its directories and input, and apply its effects on later commands."""
        command = self.written_files.attach_files_to(_apply_scope(command, scope))
        if not self.input_is_replaced and replaces_shell_input(command):
            raise ShellInputReplaced
        self.written_files.record_writes(command)
        self.emit(command)
        if command.words:
            scope.apply_command(command.words, has_input=command.has_input)

    def read_sequence(self, node: Node, scope: Scope) -> None:
        """Read statements that run one after the other, in the same shell or in a subshell."""
        kind = node.type
        if kind == "compound_statement":
            if node.children[0].type == "((":
                compound.read_arithmetic_command(self, node, scope)
                return
            if self.source[node.start_byte + 1] not in b" \t\n":
                raise Unreadable("holds a brace that runs into a word")
        has_backticks = kind == "command_substitution" and self.source[node.start_byte] == ord("`")
        if has_backticks and b"\\" in self.source[node.start_byte : node.end_byte]:
            raise Unreadable("holds escapes inside backticks")
        inner = compound.sequence_scope(node, scope)
        inner.output_is_read = inner.output_is_read or kind in compound.SUBSTITUTIONS
        if kind == "while_statement":
            text = self.source[node.start_byte : node.end_byte].decode()
            self.function_calls |= compound.endless_loop(text, node)
            inner = scope.copy_for_loop_body(text)
        for child in node.children:
            if child.type == "file_redirect":
                self.add_command(Command((), redirects=(read_redirect(self, child, inner, []),)), inner)
            elif child.type not in compound.KEYWORDS:
                own = inner.copy_for_subshell() if compound.is_background(child) else inner
                self.read_statement(child, own)
        if kind in compound.BRANCHES:
            scope.add_directories(inner.directories)

    def read_assignments(self, node: Node, scope: Scope) -> None:
        """Read assignments that stand alone, and record the values."""
        nodes = node.children if node.type == "variable_assignments" else [node]
        found = tuple(self._read_assignment(child, scope) for child in nodes)
        for assignment in found:
            scope.record_assignment(assignment)
        self.add_command(Command((), found, span=(node.start_byte, node.end_byte)), scope)

    def _read_assignment(self, node: Node, scope: Scope) -> Assignment:
        """Read one assignment and the commands in its value."""
        name, operator, *values = node.children
        if values and values[0].start_byte != operator.end_byte:
            raise Unreadable("holds an assignment with a blank before its value")
        if name.type == "subscript":
            read_arithmetic(self, name, scope)
        found: tuple[Word, ...] = ()
        for value in values:
            if value.type == "array":
                items = [item for item in value.children if item.type in WORD_TYPES]
                self.array_words.extend(read_words(self, items, scope))
                found = (Word(UNKNOWN_MARK, splits=True),)
            else:
                found = read_word(self, [value], scope, split=False)
        if any("$(" in word.text or "`" in word.text for word in found):
            raise Unreadable("assigns a text that holds a command, which the shell may evaluate later")
        known = operator.type == "=" and name.type == "variable_name" and len(found) < 2
        text = self.source[name.start_byte : name.end_byte].decode()
        return Assignment(text, (found[0] if found else Word("")) if known else Word(UNKNOWN_MARK))

    def read_declaration(self, node: Node, scope: Scope) -> None:
        """Read `export`, `declare`, `unset` and similar commands, whose words may be assignments."""
        found: list[Word] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assignment = self._read_assignment(child, scope)
                # Some shells do not have `declare`, and `local` fails outside of functions.
                if [word.text for word in found if not word.quoted] == ["export"]:
                    scope.record_assignment(assignment)
                else:
                    scope.uncertain_variables.add(assignment.name)
                found.append(Word(f"{assignment.name}={assignment.value.text}", quoted=True))
            elif child.type in WORD_TYPES:
                found.extend(read_words(self, [child], scope))
            else:
                found.append(Word(self.source[child.start_byte : child.end_byte].decode()))
        self.add_command(Command(tuple(found), span=(node.start_byte, node.end_byte)), scope)

    def read_redirected_statement(self, node: Node, scope: Scope) -> None:
        """Read a statement with redirections or here-documents after it."""
        children = node.children
        body = None if children[0].type.endswith("_redirect") else children[0]
        redirects: list[Redirect] = []
        # In `cat - <<E` and `cat - 2>x`, the grammar skips the dash.
        more = [Word("-")] if tree.find_skipped_text(self.source, node) else []
        rest: list[Node] = []
        own = body.children if body is not None and body.type == "command" else []
        targets = compound.target_scope(self.source, [*own, *children], scope)
        for child in children if body is None else children[1:]:
            if child.type == "heredoc_redirect":
                redirects.extend(read_heredoc(self, child, targets, more, rest))
            else:
                redirects.append(read_redirect(self, child, targets, more))
        tail = _TrailingRedirects(tuple(redirects), tuple(more))
        if body is not None:
            _read_with_trailing_redirects(self, body, scope, tail)
        else:
            span = (node.start_byte, node.end_byte)
            self.add_command(Command(tail.words, (), tail.redirects, span=span), scope)
        for statement in rest:
            other = scope.copy_for_branch()
            self.read_statement(statement, other)
            scope.add_directories(other.directories)

    def read_command(
        self,
        node: Node,
        scope: Scope,
        redirects: tuple[Redirect, ...] = (),
        more_words: tuple[Word, ...] = (),
    ) -> None:
        """Read a simple command, with redirections and words that the grammar puts after it."""
        assignments: list[Assignment] = []
        nodes: list[Node] = []
        own: list[Redirect] = []
        extra: list[Word] = []
        targets = compound.target_scope(self.source, node.children, scope)
        for child in node.children:
            kind = child.type
            if kind == "command_name" or kind in WORD_TYPES:
                nodes.append(child)
            elif kind == "variable_assignment" and not nodes:
                assignments.append(self._read_assignment(child, scope))
            elif kind in ("file_redirect", "herestring_redirect"):
                own.append(read_redirect(self, child, targets, extra))
            else:
                refuse_node(self.source, node, child)
        found = (*read_words(self, nodes, scope), *extra, *more_words)
        written = [self.source[child.start_byte : child.end_byte].decode() for child in nodes]
        if (problem := builtin_problem(found, written, scope.functions)) is not None:
            raise Unreadable(problem)
        replace_keyword_by_blanks(self.source, node, found)
        span = (node.start_byte, node.end_byte)
        self.add_command(Command(found, tuple(assignments), (*own, *redirects), span=span), scope)


def _apply_scope(command: Command, scope: Scope) -> Command:
    """The command with the directories, input and functions that are known at its position."""
    own = command.has_input
    return command._replace(
        directories=scope.directories,
        piped=scope.piped or command.program == "coproc",
        listing_roots=None if own else scope.listing_roots,
        input_words=scope.input_words if scope.piped and not own else find_input_words(command.redirects),
        input=None if own else scope.input,
        output_is_read=scope.output_is_read,
        is_function_call=command.program in scope.functions,
    )


def _read_pipeline(
    walker: _TreeWalker, node: Node, scope: Scope, trailing: _TrailingRedirects | None = None
) -> None:
    """Read a pipeline. Each command runs in a shell of its own and reads the output of those before it."""
    first = len(walker.commands)
    inner = scope.copy_for_subshell()
    last = node.children[-1]
    # After a here-document, the first command reads the document.
    start = first - (node.children[0].type in ("|", "|&"))
    for child in node.children:
        if child.type in ("|", "|&"):
            inner = scope.copy_for_piped_subshell(walker.commands[first:], walker.commands[start:])
            start = len(walker.commands)
        elif child.type not in compound.KEYWORDS:
            inner.output_is_read = scope.output_is_read or child != last
            _read_with_trailing_redirects(walker, child, inner, trailing if child == last else None)
    if len(walker.commands) == first + 2:
        lister, taker = walker.commands[first:]
        walker.commands[-1] = taker._replace(complete_listing=find_complete_listing(lister, taker))


def _read_chain(
    walker: _TreeWalker, node: Node, scope: Scope, trailing: _TrailingRedirects | None = None
) -> None:
    """Read commands joined by `&&` and `||`; the syntax tree nests them to the left."""
    before = scope.directories
    moved: tuple[str, ...] | None = None
    chain = _chain_statements(walker, node)
    sure = scope.functions, dict(scope.variables)
    for position, (operator, statement) in enumerate(chain):
        own = trailing if position == len(chain) - 1 else None
        if operator == "||":
            scope.add_directories(before)
            other = scope.copy_for_branch()
            _read_with_trailing_redirects(walker, statement, other, own)
            scope.add_directories(other.directories)
            moved = None
            continue
        if moved is not None:
            scope.directories = moved
        moved = _directories_after_cd(walker, statement, scope) or moved
        _read_with_trailing_redirects(walker, statement, scope, own)
        if position == 0:
            sure = scope.functions, dict(scope.variables)
    scope.forget_uncertain_definitions(*sure)
    scope.add_directories(before)


def _read_with_trailing_redirects(
    walker: _TreeWalker, node: Node, scope: Scope, trailing: _TrailingRedirects | None
) -> None:
    """Read a statement; redirections that the grammar attaches to a chain belong to its last command."""
    if trailing is None:
        walker.read_statement(node, scope)
        return
    walker.refuse_skipped_text(node)
    if node.type == "command":
        walker.read_command(node, scope, trailing.redirects, trailing.words)
    elif node.type == "pipeline":
        _read_pipeline(walker, node, scope, trailing)
    elif node.type == "list":
        _read_chain(walker, node, scope, trailing)
    elif node.type == "negated_command":
        _read_with_trailing_redirects(walker, node.children[-1], scope, trailing)
    elif trailing.words:
        raise Unreadable("holds words after a redirection that belong to no command")
    else:
        around = Command((), (), trailing.redirects, span=(node.start_byte, node.end_byte))
        walker.add_command(around, scope)
        before = scope.piped, scope.listing_roots, scope.input_words, scope.input
        if around.has_input:
            scope.piped, scope.listing_roots, scope.input_words, scope.input = True, None, None, None
        first = len(walker.commands)
        walker.read_statement(node, scope)
        walker.written_files.record_group_writes(around, walker.commands[first:])
        scope.piped, scope.listing_roots, scope.input_words, scope.input = before


def _chain_statements(walker: _TreeWalker, node: Node) -> list[tuple[str, Node]]:
    """The statements of a chain from left to right, each with the operator before it."""
    found: list[tuple[str, Node]] = []
    while node.type == "list":
        walker.refuse_skipped_text(node)
        left, operator, right = (child for child in node.children if child.type not in ("comment", "\n"))
        found.append((operator.type, right))
        node = left
    found.append(("", node))
    return found[::-1]


def _directories_after_cd(walker: _TreeWalker, node: Node, scope: Scope) -> tuple[str, ...] | None:
    """The directories after a successful `cd`; None for other statements."""
    if node.type == "redirected_statement":
        node = node.children[0]
    if node.type != "command" or not walker.source.startswith(_DIRECTORY_CHANGE_STARTS, node.start_byte):
        return None
    # Only the words are needed here; the commands inside them are added when the statement is read.
    kept = list(walker.commands), list(walker.secret_variables)
    words = [child for child in node.children if child.type in WORD_TYPES or child.type == "command_name"]
    found = scope.directories_after(read_words(walker, words, scope))
    walker.commands[:], walker.secret_variables[:] = kept
    return found


_STATEMENT_READERS: dict[str, Callable[[_TreeWalker, Node, Scope], None]] = {
    **dict.fromkeys(_SEQUENCES, _TreeWalker.read_sequence),
    "command": _TreeWalker.read_command,
    "pipeline": _read_pipeline,
    "list": _read_chain,
    "redirected_statement": _TreeWalker.read_redirected_statement,
    "variable_assignment": _TreeWalker.read_assignments,
    "variable_assignments": _TreeWalker.read_assignments,
    "declaration_command": _TreeWalker.read_declaration,
    "unset_command": _TreeWalker.read_declaration,
    "test_command": compound.read_test_command,
    "for_statement": compound.read_for_loop,
    "c_style_for_statement": compound.read_arithmetic_for_loop,
    "case_statement": compound.read_case_statement,
    "function_definition": compound.read_function_definition,
}
"""The function that reads each type of statement; a text with another type is unreadable."""

"""Read compound statements of bash: loops, cases, tests and functions."""

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash.expansion import StatementReader, read_arithmetic
from assent.engine.bash.redirects import WORD_TYPES, read_words
from assent.engine.bash.scope import Scope
from assent.engine.lines.command import Assignment, Command, Unreadable, may_set_parameters
from assent.engine.programs import catalog
from assent.engine.programs.word import UNKNOWN_MARK, Word

KEYWORDS = frozenset(
    "; & && || | |& ( ) { } $( ` <( >( if then elif else fi while until do done in esac case for "
    "select function ! time comment".split()
) | {"\n"}
"""Tokens inside a compound statement that have no meaning of their own."""

SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
SUBSHELLS = SUBSTITUTIONS | {"subshell"}
BRANCHES = frozenset({"if_statement", "elif_clause", "else_clause", "while_statement", "do_group"})
"""Types of nodes whose statements may or may not run."""

_FORBIDDEN_IN_TEST = frozenset("<>&|;()")
"""Operators that end a `[` test before its closing bracket."""
_CASE_ENDS = frozenset({";;", ";&", ";;&"})
"""Tokens that end one branch of a `case` statement."""
_TEST_EXPRESSIONS = frozenset(
    {"unary_expression", "binary_expression", "parenthesized_expression", "negated_expression"}
)


_ENDLESS_CONDITION = regex(
    r"(?:while\s+(?:true|:|/bin/true|\(\(\s*[1-9]\d*\s*\)\)|\[\[?\s+1\s+\]\]?)"
    r"|until\s+(?:false|/bin/false|!\s+(?:true|:)|\(\(\s*0\s*\)\)))\s*[;\n]"
    r"|for\s*\(\([^;()]*;\s*(?:[1-9]\d*)?\s*;[^;()]*\)\)"
)
"""The beginning of a loop that never ends by itself."""
_LOOP_BODIES = frozenset({"do_group", "compound_statement"})
_WAITS = regex(r"\b(?:sleep|wait|read|break|exit|return|inotifywait|timeout)\b")
"""Words with which a loop waits or ends."""


class FunctionCalls(NamedTuple):
    """The names of the commands that the body of a function calls."""

    names: set[str]
    concurrent_names: set[str]
    """The commands that the body starts in a pipe or in the background."""


_NO_CALLS = FunctionCalls(set(), set())


class CompoundReader(StatementReader, Protocol):
    """The methods and fields of the tree walker that compound statements use."""

    function_calls: dict[str, FunctionCalls]
    """The calls in the body of each function of the line."""

    def add_command(self, command: Command, scope: Scope) -> None:
        """Add a command together with its directories, input and known functions."""


def sequence_scope(node: Node, scope: Scope) -> Scope:
    """The scope of statements that run one after the other; a copy for a subshell or a branch."""
    if node.type == "process_substitution" and node.children[0].type == ">(":
        # `>(…)` reads what is written to the file that it stands for.
        return scope.copy_with_unknown_input()
    if node.type in SUBSHELLS:
        return scope.copy_for_subshell()
    return scope.copy_for_branch() if node.type in BRANCHES else scope


def target_scope(source: bytes, nodes: list[Node], scope: Scope) -> Scope:
    """The scope of commands in the targets of redirections and in here-documents.

    The shell redirects one after the other: in `cat < f 2> "$(…)"` the substitution reads `f`.
    """
    found = [one for one in nodes if one.type.endswith("_redirect")]
    inputs = [one for one in found if b"<" in source[one.start_byte : one.end_byte]]
    return scope.copy_with_unknown_input() if inputs and len(found) > 1 else scope


def is_background(node: Node) -> bool:
    """Whether a statement runs in the background."""
    behind = node.next_sibling
    return behind is not None and behind.type == "&"


def read_test_command(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read `[[ … ]]` or `[ … ]` as a command whose words are between the brackets."""
    opening = node.children[0].end_byte
    if reader.source[opening : opening + 1] not in (b" ", b"\t", b"\n"):
        raise Unreadable("holds a bracket that runs into a word")
    found: list[Word] = []
    _read_test_operands(reader, node, scope, found)
    if node.children[0].type == "[" and any(
        not word.quoted and (word.text == "=~" or not _FORBIDDEN_IN_TEST.isdisjoint(word.text))
        for word in found
    ):
        raise Unreadable("holds an operator that ends the test before its bracket")
    reader.add_command(Command(tuple(found), span=(node.start_byte, node.end_byte)), scope)


def read_arithmetic_command(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read an arithmetic command `(( … ))`."""
    read_arithmetic(reader, node, scope)
    reader.add_command(Command((Word("(("),), span=(node.start_byte, node.end_byte)), scope)


def read_for_loop(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read the body of `for name in words` once for each known value."""
    names = [child for child in node.children if child.type == "variable_name"]
    bodies = [child for child in node.children if child.type in _LOOP_BODIES]
    if len(bodies) != 1 or not names:
        raise Unreadable("holds a loop we do not read")
    name = reader.source[names[0].start_byte : names[0].end_byte].decode()
    listed = [child for child in node.children if child.type in WORD_TYPES]
    values = read_words(reader, listed, scope)
    span = (names[0].start_byte, names[0].end_byte)
    reader.emit(
        Command((), (Assignment(name, Word(UNKNOWN_MARK)),), directories=scope.directories, span=span)
    )
    chosen = node.children[0].type == "select"
    for value in [None] if chosen else scope.loop_values(values):
        turn = scope.copy_for_loop_body(_node_text(reader, bodies[0]))
        turn.set_loop_variable(name, value)
        reader.read_statement(bodies[0], turn)
        scope.add_directories(turn.directories)


def read_arithmetic_for_loop(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read a loop `for (( … ))`."""
    body = node.children[-1]
    reader.function_calls.update(endless_loop(_node_text(reader, node), node))
    read_arithmetic(reader, node, scope, until=body.start_byte)
    turn = scope.copy_for_loop_body(_node_text(reader, body))
    reader.read_statement(body, turn)
    scope.add_directories(turn.directories)


def read_case_statement(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read a statement `case word in pattern) …`."""
    for child in node.children:
        if child.type == "case_item":
            _read_case_item(reader, child, scope)
        elif child.type in WORD_TYPES:
            read_words(reader, [child], scope)
        elif child.type not in KEYWORDS:
            raise Unreadable(f"holds a case we do not read ({child.type})")


def read_function_definition(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read a function; its body is read as if the function were called at its definition."""
    name_node = next((child for child in node.children if child.type == "word"), None)
    body = node.children[-1]
    if name_node is None or body.type == "file_redirect":
        raise Unreadable("holds a function we do not read")
    name = _node_text(reader, name_node)
    first = len(reader.commands)
    reader.read_statement(body, scope.copy_for_function_body())
    _insert_call_arguments(reader, name, first, _node_text(reader, body))
    if catalog.find_read_entry(name) is not None:
        # After the definition, the name no longer means the program.
        reader.emit(Command((Word("function"), Word(name)), span=(name_node.start_byte, name_node.end_byte)))
    scope.define_function(name)
    reader.function_calls[name] = FunctionCalls(
        _names_of_called_commands(reader, body), _concurrent_calls(reader, body)
    )


def _insert_call_arguments(reader: CompoundReader, name: str, first: int, body: str) -> None:
    """Replace the parameters of a function by the arguments of each call, if all its calls are plain."""
    source = reader.source.decode()
    calls = re.findall(rf"(?:^|[;&|\n]\s*){re.escape(name)}((?: [\w./-]+)+)[ \t]*(?=[;&|\n]|$)", source)
    times = len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", source))
    if not calls or times != len(calls) + 1 or may_set_parameters(body):
        return
    own = reader.commands[first:]
    del reader.commands[first:]
    for call in dict.fromkeys(calls):
        for command in own:
            reader.emit(command.with_arguments((Word(name), *map(Word, call.split()))))


def endless_loop(text: str, node: Node) -> dict[str, FunctionCalls]:
    """A loop that never ends, starts jobs and never waits, as a function that starts itself."""
    if _ENDLESS_CONDITION.match(text) is None:
        return {}
    jobs = [job for child in node.children if child.type in _LOOP_BODIES for job in _find_jobs(child)]
    waiting = text.encode()
    for job in reversed(jobs):
        # What a job does in the background delays no turn of the loop.
        start, end = job.start_byte - node.start_byte, job.end_byte - node.start_byte
        waiting = waiting[:start] + waiting[end:]
    found = FunctionCalls({"while"}, {"while"})
    return {"while": found} if jobs and _WAITS.search(waiting.decode()) is None else {}


def find_fork_bombs(function_calls: dict[str, FunctionCalls]) -> tuple[str, ...]:
    """The functions that start themselves in a pipe or in the background, directly or through others."""
    found: list[str] = []
    for name, started in function_calls.items():
        reached = set(started.concurrent_names)
        todo = list(reached)
        while todo:
            called = function_calls.get(todo.pop(), _NO_CALLS).names - reached
            reached |= called
            todo.extend(called)
        if name in reached:
            found.append(name)
    return tuple(found)


def _read_test_operands(reader: CompoundReader, node: Node, scope: Scope, found: list[Word]) -> None:
    """Append the words of a test expression to `found`."""
    for child in node.children:
        if child.type in _TEST_EXPRESSIONS:
            _read_test_operands(reader, child, scope, found)
        elif child.type in WORD_TYPES:
            found.extend(read_words(reader, [child], scope))
        elif child.type != "comment" and not child.child_count:
            found.append(Word(_node_text(reader, child)))
        else:
            raise Unreadable(f"holds a test we do not read ({child.type})")


def _read_case_item(reader: CompoundReader, node: Node, scope: Scope) -> None:
    """Read one branch of a `case` statement."""
    inner = scope.copy_for_branch()
    in_pattern = True
    for child in node.children:
        if child.type == ")" and in_pattern:
            in_pattern = False
        elif in_pattern and child.type in WORD_TYPES:
            read_words(reader, [child], scope)
        elif child.type not in KEYWORDS and child.type not in _CASE_ENDS:
            reader.read_statement(child, inner.copy_for_subshell() if is_background(child) else inner)
    scope.add_directories(inner.directories)


def _concurrent_calls(reader: CompoundReader, node: Node) -> set[str]:
    """The commands that a function body starts in a pipe or in the background."""
    found: set[str] = set()
    children = node.children
    for child, behind in zip(children, [*children[1:], None], strict=False):
        at_once = node.type == "pipeline" or (behind is not None and behind.type == "&")
        found |= _names_of_called_commands(reader, child) if at_once else _concurrent_calls(reader, child)
    return found


def _names_of_called_commands(reader: CompoundReader, node: Node) -> set[str]:
    """The names of all commands below a node."""
    if node.type == "command_name":
        return {_node_text(reader, node)}
    found: set[str] = set()
    for child in node.children:
        found |= _names_of_called_commands(reader, child)
    return found


def _find_jobs(node: Node) -> Iterator[Node]:
    """The statements below a node that run in the background."""
    for child in node.children:
        if is_background(child):
            yield child
        elif child.type != "function_definition":
            yield from _find_jobs(child)


def _node_text(reader: StatementReader, node: Node) -> str:
    """The source text of a node."""
    return reader.source[node.start_byte : node.end_byte].decode()

"""Parse a PowerShell text into the simple commands that it runs.

Assent has its own parser: the PowerShell grammar of tree-sitter misreads some texts (for example after a
continued line) and supports neither lists of arguments nor paths that begin with a dot.
"""

from functools import lru_cache

from assent.engine.base.characters import describe_hidden_character
from assent.engine.lines.command import Command, ParsedLine, Unreadable
from assent.engine.lines.line import Language
from assent.engine.lines.standard_input import find_program_input_use
from assent.engine.powershell import cmdlets, members
from assent.engine.powershell.calls import CommandWalker, loop_values
from assent.engine.powershell.cmdlet_table import CmdletEntry, PipedInput
from assent.engine.powershell.cmdlets import find_powershell_forms
from assent.engine.powershell.dangers import find_dangers
from assent.engine.powershell.evaluate import is_plain_variable
from assent.engine.powershell.file_access import attach_written_files, find_changes, find_reads
from assent.engine.powershell.nested import find_nested
from assent.engine.powershell.paths import Values
from assent.engine.powershell.state import (
    DefinedNames,
    SessionState,
    may_set_variables,
    variable_name_without_scope,
)
from assent.engine.powershell.statements import StatementParser
from assent.engine.powershell.syntax import (
    AssignmentNode,
    Cast,
    ConditionalBlock,
    Expression,
    ForeachLoop,
    FunctionDefinition,
    ItemList,
    Pipeline,
    PipelineChain,
    Statement,
    TextConstant,
    Variable,
)
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

MAX_TEXT_LENGTH = 32 * 1024
"""The maximal length of a PowerShell text; a longer text is unreadable."""


@lru_cache(maxsize=2048)
def parse_powershell(text: str) -> ParsedLine:
    """Return all commands that a PowerShell text runs, or the reason why the text is unreadable."""
    if len(text) > MAX_TEXT_LENGTH:
        return ParsedLine((), f"longer than {MAX_TEXT_LENGTH} characters")
    if (what := describe_hidden_character(text)) is not None:
        return ParsedLine((), f"holds {what}")
    try:
        return _parse_text(text)
    except Unreadable as reason:
        return ParsedLine((), str(reason))
    except RecursionError:
        return ParsedLine((), "nested too deeply")


def _parse_text(text: str) -> ParsedLine:
    """Parse a text; raises `Unreadable` if it cannot be parsed."""
    parser = StatementParser(text)
    statements = parser.parse_program()
    if not statements:
        raise Unreadable("holds no command")
    walker = ScriptWalker(text, statements)
    walker.visit_text()
    commands = walker.commands
    if may_set_variables(text) or any(_sets_variables(command) for command in commands):
        # A constant may get another value, so the text is visited with and without constants.
        doubtful = ScriptWalker(text, statements, constants=False)
        doubtful.visit_text()
        commands = [*dict.fromkeys((*doubtful.commands, *commands))]
    if parser.lookalikes:
        # PowerShell treats these characters as quotes, but other programs that handle the text may not.
        commands = [*commands, Command((Word(UNKNOWN_MARK),), span=(0, len(text)))]
    return ParsedLine(
        tuple(_with_byte_span(command, text) for command in attach_written_files(commands)),
        fork_bombs=tuple(walker.fork_bombs),
        secret_variables=tuple(dict.fromkeys(walker.secrets)),
    )


def _sets_variables(command: Command) -> bool:
    """Whether a command may set variables by their names."""
    return may_set_variables(
        " ".join((cmdlets.canonical_name(command.program), *(word.text for word in command.words)))
    )


def _with_byte_span(command: Command, text: str) -> Command:
    """The command with its span in bytes instead of characters."""
    if text.isascii():
        return command
    start, end = (len(text[:index].encode()) for index in command.span)
    return command._replace(span=(start, end))


_STARTING_CMDLETS = frozenset({"Start-Job", "Start-ThreadJob", "Start-Process"})
"""Cmdlets that start a process or a job."""


class ScriptWalker(CommandWalker):
    """Visits all statements of a text in order and collects the commands."""

    def __init__(self, text: str, statements: tuple[Statement, ...], *, constants: bool = True) -> None:
        super().__init__()
        self.statements = statements
        self.state = SessionState(DefinedNames(text, statements, constants=constants))
        self.fork_bombs: list[str] = []
        self.bodies: list[tuple[int, int]] = []
        """The ranges of commands that are in functions, which can be called from anywhere."""
        self.function_changes_directory = False
        """Whether a function changes the directory, so that any command may run in any directory."""

    def visit_text(self) -> None:
        """Visit the whole text."""
        for statement in self.statements:
            first = len(self.commands)
            self.visit_statement(statement, self.state)
            if len(self.commands) == first:
                self.emit(Command((), directories=self.state.directories, span=self.span))
        for first, last in self.bodies if self.changes_directory else ():
            self._forget_directories(first, last)
        if self.function_changes_directory:
            self._forget_directories(0, len(self.commands))

    def visit_statement(self, statement: Statement, state: SessionState) -> Values | None:
        """Visit a statement of any kind."""
        match statement:
            case Pipeline(stages):
                return self.visit_pipeline(stages, state)
            case PipelineChain():
                self._visit_chain(statement, state)
            case AssignmentNode():
                self._visit_assignment(statement, state)
            case ForeachLoop():
                self._visit_loop(statement, state)
            case ConditionalBlock(parts, repeats, endless):
                first = len(self.commands)
                self._visit_conditional_parts(parts, state, repeats=repeats)
                if endless and any(map(_starts_process, self.commands[first:])):
                    self.fork_bombs.append("while")
            case _:
                self._visit_function(statement, state)
        return None

    def visit_block(
        self, body: tuple[Statement, ...], state: SessionState, item: Word | None = None
    ) -> Values | None:
        """Visit a script block, which may run several times and in another session."""
        return self._visit_repeated_code(body, state, "_", item, in_other_session=True)

    def _visit_chain(self, chain: PipelineChain, state: SessionState) -> None:
        """Visit pipelines joined by `&&` and `||`."""
        before = state.directories
        for position, pipeline in enumerate(chain.pipelines):
            inner = state
            if position and chain.operators[position - 1] == "||":
                inner = state.copy_for_branch()
                inner.add_directories(before)
            self.visit_statement(pipeline, inner)
            state.add_directories(inner.directories)
            moved = self.take_last_directory_change()
            if moved is not None and chain.operators[position : position + 1] == ("&&",):
                state.directories = moved
        state.add_directories(before)
        # Some of the pipelines may not have run, so the stack of directories is unknown.
        state.forget_stack()

    def _visit_assignment(self, assign: AssignmentNode, state: SessionState) -> None:
        """Visit the value of an assignment, and assign it to each target."""
        values = self.visit_statement(assign.value, state)
        self.span = assign.span
        targets = assign.target.elements if isinstance(assign.target, ItemList) else (assign.target,)
        known = values if assign.plain and len(targets) == 1 else None
        for target in targets:
            self._assign_to(self._remove_casts(target, state), known, assign.value, state)

    def _remove_casts(self, target: Expression, state: SessionState) -> Expression:
        """The target of an assignment without the casts around it."""
        while isinstance(target, Cast):
            if not members.is_harmless_cast(target.type):
                self.emit_unknown_command(state)
            target = target.operand
        return target

    def _assign_to(
        self, target: Expression, values: Values | None, source: Statement, state: SessionState
    ) -> None:
        """Assign to a variable; an assignment to an environment variable is added as `Set-Item`."""
        if isinstance(target, Variable) and is_plain_variable(target):
            state.record_assignment(target.name, values, source)
        elif isinstance(target, Variable) and variable_name_without_scope(target.name).startswith("env:"):
            value = values[0] if values is not None and len(values) == 1 else Word(UNKNOWN_MARK)
            path = Word("env:" + target.name.partition(":")[2], quoted=True)
            words = (Word("Set-Item"), path, value._replace(quoted=True))
            self.emit(Command(words, directories=state.directories, span=self.span))
        else:
            self.evaluate(target, state)
            self.emit_unknown_command(state)

    def _visit_conditional_parts(
        self, parts: tuple[Statement, ...], state: SessionState, *, repeats: bool
    ) -> None:
        """Visit the parts of a construct that may or may not run."""
        if repeats:
            self._visit_repeated_code(parts, state, "", None)
            return
        inner = state.copy_for_branch()
        for part in parts:
            self.visit_statement(part, inner)
        state.add_directories(inner.directories)

    def _visit_loop(self, loop: ForeachLoop, state: SessionState) -> None:
        """Visit the body of a loop once for each known value."""
        if not is_plain_variable(Variable(loop.variable)):
            self.emit_unknown_command(state)
        for value in loop_values(self.visit_statement(loop.source, state)):
            self._visit_repeated_code(loop.body, state, loop.variable, value)

    def _visit_repeated_code(
        self,
        body: tuple[Statement, ...],
        state: SessionState,
        name: str,
        value: Word | None,
        *,
        in_other_session: bool = False,
    ) -> Values | None:
        """Visit code that may run more than once.

        If the code changes the directory, the directories of its commands become unknown.
        """
        first = len(self.commands)
        inner = state.copy_for_branch()
        inner.in_other_session = state.in_other_session or in_other_session
        if name:
            inner.set_loop_variable(name, value)
        values = [self.visit_statement(statement, inner) for statement in body]
        if inner.directories != state.directories:
            self._forget_directories(first, len(self.commands))
            state.directories = (UNKNOWN_MARK,)
        return values[0] if len(values) == 1 else None

    def _forget_directories(self, first: int, last: int) -> None:
        """Mark the directories of these commands as unknown."""
        for index in range(first, last):
            self.commands[index] = self.commands[index]._replace(directories=(UNKNOWN_MARK,))

    def _visit_function(self, function: FunctionDefinition, state: SessionState) -> None:
        """Visit the body of a function, and record the function."""
        if not isinstance(function.name, TextConstant):
            self.emit_unknown_command(state)
            return
        first = len(self.commands)
        inner = state.copy_for_branch()
        inner.variables = {}
        for statement in function.body:
            self.visit_statement(statement, inner)
        self.bodies.append((first, len(self.commands)))
        self.function_changes_directory = (
            self.function_changes_directory or inner.directories != state.directories
        )
        name = variable_name_without_scope(function.name.value)
        if cmdlets.find_cmdlet(name) is not None:
            # After the definition, the name and its aliases no longer mean the cmdlet.
            self.emit(Command((Word("function"), Word(name)), directories=state.directories, span=self.span))
        if _is_fork_bomb(name, self.commands[first:]):
            self.fork_bombs.append(function.name.value)
        if state.always_runs and "function:" not in state.names.text.lower():
            self.functions.add(name)


def _starts_process(command: Command) -> bool:
    """Whether a command starts a process or a job, and does not wait for its end."""
    return cmdlets.canonical_name(command.program) in _STARTING_CMDLETS


def _is_fork_bomb(name: str, body: list[Command]) -> bool:
    """Whether a function calls itself more than once, or in the background."""
    calls = sum(command.program.lower() == name for command in body)
    return calls > 1 or (calls == 1 and any(map(_starts_process, body)))


_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "cmd"})


def find_input_use(command: Command) -> InputUse:
    """What a command uses its piped input for."""
    cmdlet = cmdlets.find_cmdlet(command.program)
    if cmdlet is not None:
        return _cmdlet_input_use(cmdlet.entry, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _SHELLS:
        nested = find_nested(command._replace(piped=True, input_words=None))
        return InputUse.INSTRUCTIONS if nested is not None and nested.computed else InputUse.DATA
    return find_program_input_use(command._replace(words=(Word(name), *command.words[1:])), find_nested)


def _cmdlet_input_use(entry: CmdletEntry, command: Command) -> InputUse:
    """What a cmdlet uses its piped input for.

    Properties of piped objects can set any parameter that is not given.
    """
    if entry.reads:
        return InputUse.DATA
    match entry.piped:
        case PipedInput.CODE:
            return InputUse.INSTRUCTIONS
        case PipedInput.CLIPBOARD:
            return InputUse.DATA
        case PipedInput.TEXT_TO_FILE:
            return InputUse.DATA if len(command.words) > 1 else InputUse.UNKNOWN
        case PipedInput.UNKNOWN | PipedInput.PATHS | PipedInput.OBJECTS:
            return InputUse.UNKNOWN


POWERSHELL = Language(
    parse_powershell,
    find_reads,
    find_nested,
    find_changes,
    find_dangers,
    find_powershell_forms,
    find_input_use,
)
"""The functions that parse and analyse PowerShell."""

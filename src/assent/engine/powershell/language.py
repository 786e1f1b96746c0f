"""PowerShell as a language: read a text into the simple commands that it runs.

We have our own parser: the PowerShell grammar of tree-sitter misreads some texts (for example after a
continued line) and supports neither lists of arguments nor paths that begin with a dot.
"""

from functools import lru_cache

from assent.engine.base.characters import hidden_character
from assent.engine.lines.command import Command, ParsedLine, Unreadable
from assent.engine.lines.line import Language
from assent.engine.lines.standard_input import find_program_input_use
from assent.engine.powershell import cmdlets, members
from assent.engine.powershell.calls import CommandWalker, loop_values
from assent.engine.powershell.cmdlet_table import Entry, Piped
from assent.engine.powershell.cmdlets import find_powershell_forms
from assent.engine.powershell.dangers import find_dangers
from assent.engine.powershell.evaluate import is_plain_variable
from assent.engine.powershell.file_access import attach_written_files, find_changes, find_reads
from assent.engine.powershell.nested import find_nested
from assent.engine.powershell.paths import Values
from assent.engine.powershell.state import Names, SessionState, bare_name, may_set_variables
from assent.engine.powershell.statements import StatementParser
from assent.engine.powershell.syntax import (
    Assign,
    Cast,
    Chain,
    Expression,
    Function,
    Group,
    Items,
    Loop,
    Pipeline,
    Statement,
    Text,
    Variable,
)
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

LONGEST_TEXT = 32 * 1024


@lru_cache(maxsize=2048)
def read_powershell(text: str) -> ParsedLine:
    """Every command that a PowerShell text runs, or the reason why it cannot be read."""
    if len(text) > LONGEST_TEXT:
        return ParsedLine((), f"longer than {LONGEST_TEXT} characters")
    if (what := hidden_character(text)) is not None:
        return ParsedLine((), f"holds {what}")
    try:
        return _read_text(text)
    except Unreadable as reason:
        return ParsedLine((), str(reason))
    except RecursionError:
        return ParsedLine((), "nested too deeply")


def _read_text(text: str) -> ParsedLine:
    parser = StatementParser(text)
    statements = parser.parse_program()
    if not statements:
        raise Unreadable("holds no command")
    walker = ScriptWalker(text, statements)
    walker.walk()
    commands = walker.commands
    if may_set_variables(text) or any(_sets_variables(command) for command in commands):
        # A constant may have another value by then, so the text is read in both ways.
        doubtful = ScriptWalker(text, statements, constants=False)
        doubtful.walk()
        commands = [*dict.fromkeys((*doubtful.commands, *commands))]
    if parser.lookalikes:
        # They are quotes to PowerShell, but not to every program that handles the text before it.
        commands = [*commands, Command((Word(UNKNOWN_MARK),), span=(0, len(text)))]
    return ParsedLine(
        tuple(_with_byte_span(command, text) for command in attach_written_files(commands)),
        fork_bombs=tuple(walker.fork_bombs),
        secret_variables=tuple(dict.fromkeys(walker.secrets)),
    )


def _sets_variables(command: Command) -> bool:
    """Whether a command with known words may set variables by their names."""
    return may_set_variables(
        " ".join((cmdlets.canonical_name(command.program), *(word.text for word in command.words)))
    )


def _with_byte_span(command: Command, text: str) -> Command:
    """The command with its span in bytes, as for other shells."""
    if text.isascii():
        return command
    start, end = (len(text[:place].encode()) for place in command.span)
    return command._replace(span=(start, end))


_STARTERS = frozenset({"Start-Job", "Start-ThreadJob", "Start-Process"})


class ScriptWalker(CommandWalker):
    """Visits all statements of a text in order and collects the commands."""

    def __init__(self, text: str, statements: tuple[Statement, ...], *, constants: bool = True) -> None:
        super().__init__()
        self.statements = statements
        self.state = SessionState(Names(text, statements, constants=constants))
        self.fork_bombs: list[str] = []
        self.bodies: list[tuple[int, int]] = []
        """The ranges of commands that are in functions, which can be called from anywhere."""
        self.function_changes_directory = False
        """Whether a function changes the directory, so that any command may run in any directory."""

    def walk(self) -> None:
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
            case Chain():
                self._visit_chain(statement, state)
            case Assign():
                self._visit_assignment(statement, state)
            case Loop():
                self._visit_loop(statement, state)
            case Group(parts, repeats):
                self._visit_group(parts, state, repeats=repeats)
            case _:
                self._visit_function(statement, state)
        return None

    def visit_block(
        self, body: tuple[Statement, ...], state: SessionState, item: Word | None = None
    ) -> Values | None:
        """Visit a script block, which may run often and in another session."""
        return self._visit_repeated(body, state, "_", item, in_other_session=True)

    def _visit_chain(self, chain: Chain, state: SessionState) -> None:
        before = state.directories
        for position, pipeline in enumerate(chain.pipelines):
            inner = state
            if position and chain.operators[position - 1] == "||":
                inner = state.branch()
                inner.add_directories(before)
            self.visit_statement(pipeline, inner)
            state.add_directories(inner.directories)
            moved = self.take_last_move()
            if moved is not None and chain.operators[position : position + 1] == ("&&",):
                state.directories = moved
        state.add_directories(before)
        # It is not known whether all of it ran, so the stack of directories is not known.
        state.forget_stack()

    def _visit_assignment(self, assign: Assign, state: SessionState) -> None:
        values = self.visit_statement(assign.value, state)
        self.span = assign.span
        targets = assign.target.elements if isinstance(assign.target, Items) else (assign.target,)
        known = values if assign.plain and len(targets) == 1 else None
        for target in targets:
            self._assign_to(self._remove_casts(target, state), known, assign.value, state)

    def _remove_casts(self, target: Expression, state: SessionState) -> Expression:
        """The variable without the types that its value is cast to."""
        while isinstance(target, Cast):
            if not members.is_harmless_cast(target.type):
                self.emit_unknown(state)
            target = target.operand
        return target

    def _assign_to(
        self, target: Expression, values: Values | None, source: Statement, state: SessionState
    ) -> None:
        """Assign to a plain variable; setting an environment variable counts as `Set-Item`."""
        if isinstance(target, Variable) and is_plain_variable(target):
            state.assign(target.name, values, source)
        elif isinstance(target, Variable) and bare_name(target.name).startswith("env:"):
            value = values[0] if values is not None and len(values) == 1 else Word(UNKNOWN_MARK)
            path = Word("env:" + target.name.partition(":")[2], quoted=True)
            words = (Word("Set-Item"), path, value._replace(quoted=True))
            self.emit(Command(words, directories=state.directories, span=self.span))
        else:
            self.evaluate(target, state)
            self.emit_unknown(state)

    def _visit_group(self, parts: tuple[Statement, ...], state: SessionState, *, repeats: bool) -> None:
        if repeats:
            self._visit_repeated(parts, state, "", None)
            return
        inner = state.branch()
        for part in parts:
            self.visit_statement(part, inner)
        state.add_directories(inner.directories)

    def _visit_loop(self, loop: Loop, state: SessionState) -> None:
        if not is_plain_variable(Variable(loop.variable)):
            self.emit_unknown(state)
        for value in loop_values(self.visit_statement(loop.source, state)):
            self._visit_repeated(loop.body, state, loop.variable, value)

    def _visit_repeated(
        self,
        body: tuple[Statement, ...],
        state: SessionState,
        name: str,
        value: Word | None,
        *,
        in_other_session: bool = False,
    ) -> Values | None:
        """Visit code that may run more than once; a change of directory in it applies from its beginning."""
        first = len(self.commands)
        inner = state.branch()
        inner.in_other_session = state.in_other_session or in_other_session
        if name:
            inner.set_loop_variable(name, value)
        values = [self.visit_statement(statement, inner) for statement in body]
        if inner.directories != state.directories:
            self._forget_directories(first, len(self.commands))
            state.directories = (UNKNOWN_MARK,)
        return values[0] if len(values) == 1 else None

    def _forget_directories(self, first: int, last: int) -> None:
        for place in range(first, last):
            self.commands[place] = self.commands[place]._replace(directories=(UNKNOWN_MARK,))

    def _visit_function(self, function: Function, state: SessionState) -> None:
        if not isinstance(function.name, Text):
            self.emit_unknown(state)
            return
        first = len(self.commands)
        inner = state.branch()
        inner.variables = {}
        for statement in function.body:
            self.visit_statement(statement, inner)
        self.bodies.append((first, len(self.commands)))
        self.function_changes_directory = (
            self.function_changes_directory or inner.directories != state.directories
        )
        name = bare_name(function.name.value)
        if cmdlets.find_cmdlet(name) is not None:
            # From here on the name, or an alias of it, no longer means the cmdlet.
            self.emit(Command((Word("function"), Word(name)), directories=state.directories, span=self.span))
        if _multiplies(name, self.commands[first:]):
            self.fork_bombs.append(function.name.value)
        if state.always_runs and "function:" not in state.names.text.lower():
            self.functions.add(name)


def _multiplies(name: str, body: list[Command]) -> bool:
    """Whether a function calls itself more than once, or in the background."""
    calls = sum(command.program.lower() == name for command in body)
    return calls > 1 or (
        calls == 1 and any(cmdlets.canonical_name(command.program) in _STARTERS for command in body)
    )


_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "cmd"})


def find_input_use(command: Command) -> InputUse:
    """What a command does with its piped input."""
    cmdlet = cmdlets.find_cmdlet(command.program)
    if cmdlet is not None:
        return _cmdlet_input_use(cmdlet.entry, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _SHELLS:
        nested = find_nested(command._replace(piped=True, input_words=None))
        return InputUse.INSTRUCTIONS if nested is not None and nested.computed else InputUse.DATA
    return find_program_input_use(command._replace(words=(Word(name), *command.words[1:])), find_nested)


def _cmdlet_input_use(entry: Entry, command: Command) -> InputUse:
    """A cmdlet takes objects, whose properties can set any parameter that its arguments leave out."""
    if entry.reads:
        return InputUse.DATA
    match entry.piped:
        case Piped.CODE:
            return InputUse.INSTRUCTIONS
        case Piped.CLIPBOARD:
            return InputUse.DATA
        case Piped.TEXT_TO_FILE:
            return InputUse.DATA if len(command.words) > 1 else InputUse.UNKNOWN
        case Piped.UNKNOWN | Piped.PATHS | Piped.OBJECTS:
            return InputUse.UNKNOWN


POWERSHELL = Language(
    read_powershell,
    find_reads,
    find_nested,
    find_changes,
    find_dangers,
    find_powershell_forms,
    find_input_use,
)

"""One walk over a PowerShell text, in the order in which it would run."""

from assent.engine.lines.command import Command
from assent.engine.powershell import cmdlets, members
from assent.engine.powershell.calls import Calls, turns
from assent.engine.powershell.evaluate import is_own
from assent.engine.powershell.names import Names, plain
from assent.engine.powershell.scope import Scope, Values
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
from assent.engine.programs.word import HOLE, Word

_STARTERS = frozenset({"Start-Job", "Start-ThreadJob", "Start-Process"})


class Walker(Calls):
    """Collects the commands of a text, with what is known at each of them."""

    def __init__(self, text: str, statements: tuple[Statement, ...], *, constants: bool = True) -> None:
        super().__init__()
        self.statements = statements
        self.scope = Scope(Names(text, statements, constants=constants))
        self.bombs: list[str] = []
        self.bodies: list[tuple[int, int]] = []
        """Which commands stand in functions, to be called from anywhere."""
        self.wanders = False
        """Whether a function changes the directory, so that any command may run anywhere."""

    def walk(self) -> None:
        """Walk the whole text."""
        for statement in self.statements:
            first = len(self.commands)
            self.run(statement, self.scope)
            if len(self.commands) == first:
                self.emit(Command((), directories=self.scope.directories, span=self.span))
        for first, last in self.bodies if self.moves else ():
            self._anywhere(first, last)
        if self.wanders:
            self._anywhere(0, len(self.commands))

    def run(self, statement: Statement, scope: Scope) -> Values | None:
        """Walk a statement of any kind."""
        match statement:
            case Pipeline(stages):
                return self.pipeline(stages, scope)
            case Chain():
                self._chain(statement, scope)
            case Assign():
                self._assign(statement, scope)
            case Loop():
                self._loop(statement, scope)
            case Group(parts, repeats):
                self._group(parts, scope, repeats=repeats)
            case _:
                self._function(statement, scope)
        return None

    def block(self, body: tuple[Statement, ...], scope: Scope, item: Word | None = None) -> Values | None:
        """Walk a script block, which may run often and in another session."""
        return self._repeated(body, scope, "_", item, away=True)

    def _chain(self, chain: Chain, scope: Scope) -> None:
        before = scope.directories
        for position, pipeline in enumerate(chain.pipelines):
            inner = scope
            if position and chain.operators[position - 1] == "||":
                inner = scope.branch()
                inner.may_be_in(before)
            self.run(pipeline, inner)
            scope.may_be_in(inner.directories)
            moved = self.last_move()
            if moved is not None and chain.operators[position : position + 1] == ("&&",):
                scope.directories = moved
        scope.may_be_in(before)
        # Whether all of it ran, and left something to come back to, is not known.
        scope.forget_way()

    def _assign(self, assign: Assign, scope: Scope) -> None:
        values = self.run(assign.value, scope)
        self.span = assign.span
        targets = assign.target.elements if isinstance(assign.target, Items) else (assign.target,)
        known = values if assign.plain and len(targets) == 1 else None
        for target in targets:
            self._assign_to(self._uncast(target, scope), known, assign.value, scope)

    def _uncast(self, target: Expression, scope: Scope) -> Expression:
        """A variable without the types in front of it, to each of which the value is turned."""
        while isinstance(target, Cast):
            if not members.is_harmless_cast(target.type):
                self.emit_unknown(scope)
            target = target.operand
        return target

    def _assign_to(self, target: Expression, values: Values | None, source: Statement, scope: Scope) -> None:
        """A plain variable is nobody's business; an environment variable is set like an item."""
        if isinstance(target, Variable) and is_own(target):
            scope.assign(target.name, values, source)
        elif isinstance(target, Variable) and plain(target.name).startswith("env:"):
            value = values[0] if values is not None and len(values) == 1 else Word(HOLE)
            path = Word("env:" + target.name.partition(":")[2], quoted=True)
            words = (Word("Set-Item"), path, value._replace(quoted=True))
            self.emit(Command(words, directories=scope.directories, span=self.span))
        else:
            self.value(target, scope)
            self.emit_unknown(scope)

    def _group(self, parts: tuple[Statement, ...], scope: Scope, *, repeats: bool) -> None:
        if repeats:
            self._repeated(parts, scope, "", None)
            return
        inner = scope.branch()
        for part in parts:
            self.run(part, inner)
        scope.may_be_in(inner.directories)

    def _loop(self, loop: Loop, scope: Scope) -> None:
        if not is_own(Variable(loop.variable)):
            self.emit_unknown(scope)
        for value in turns(self.run(loop.source, scope)):
            self._repeated(loop.body, scope, loop.variable, value)

    def _repeated(
        self, body: tuple[Statement, ...], scope: Scope, name: str, value: Word | None, *, away: bool = False
    ) -> Values | None:
        """Walk what may run more than once; a change of directory in it counts from its beginning."""
        first = len(self.commands)
        inner = scope.branch()
        inner.away = scope.away or away
        if name:
            inner.turn(name, value)
        values = [self.run(statement, inner) for statement in body]
        if inner.directories != scope.directories:
            self._anywhere(first, len(self.commands))
            scope.directories = (HOLE,)
        return values[0] if len(values) == 1 else None

    def _anywhere(self, first: int, last: int) -> None:
        for place in range(first, last):
            self.commands[place] = self.commands[place]._replace(directories=(HOLE,))

    def _function(self, function: Function, scope: Scope) -> None:
        if not isinstance(function.name, Text):
            self.emit_unknown(scope)
            return
        first = len(self.commands)
        inner = scope.branch()
        inner.variables = {}
        for statement in function.body:
            self.run(statement, inner)
        self.bodies.append((first, len(self.commands)))
        self.wanders = self.wanders or inner.directories != scope.directories
        name = plain(function.name.value)
        if cmdlets.find(name) is not None:
            # From here on the name, or an alias of it, means something else than to whoever reads the text.
            self.emit(Command((Word("function"), Word(name)), directories=scope.directories, span=self.span))
        if _multiplies(name, self.commands[first:]):
            self.bombs.append(function.name.value)
        if scope.straight and "function:" not in scope.names.text.lower():
            self.functions.add(name)


def _multiplies(name: str, body: list[Command]) -> bool:
    """Whether a function starts itself more than once, or in the background."""
    calls = sum(command.program.lower() == name for command in body)
    return calls > 1 or (
        calls == 1 and any(cmdlets.spelled(command.program) in _STARTERS for command in body)
    )

"""Commands: programs, parameters, redirections, and the pipes between them."""

from assent.engine.powershell.cursor import DOUBLE_QUOTES, LOOKALIKE_DASHES, Unreadable
from assent.engine.powershell.syntax import (
    Assign,
    Call,
    Chain,
    Expression,
    Items,
    Parameter,
    Pipeline,
    Redirection,
    Statement,
    Text,
    Unknown,
    Value,
)
from assent.engine.powershell.words import QUOTES, Words
from assent.engine.regex import regex

_PARAMETER = regex(r"-[A-Za-z_?][^\s{}();,|&.\[:]*")
_ODD_IN_PARAMETER = regex(rf"[`$<>{LOOKALIKE_DASHES}]")
_QUOTE = regex(rf"[{QUOTES}]")
_MERGE = regex(r"[1-6*]>&[12]")
_REDIRECT = regex(r"[1-6*]?>>?")
_ASSIGNMENT = regex(r"(?:\?\?|[+*/%-])?=")
_STOP_PARSING = regex(r"--%(?=[\s&(),;{}|]|$)")
_VERBATIM = regex(
    rf"(?:[{DOUBLE_QUOTES}][^\n{DOUBLE_QUOTES}]*(?:[{DOUBLE_QUOTES}]|(?=\n)|$)|&(?!&)|[^\n|&{DOUBLE_QUOTES}])*"
)
_VALUES = frozenset("$([{@0123456789.!+,-" + QUOTES)


class Commands(Words):
    """Reads what stands where a command is expected."""

    def pipeline(self) -> Statement:
        """Read an assignment, or pipelines joined by `&&` and `||`."""
        pipelines: list[Pipeline] = []
        operators: list[str] = []
        while True:
            first = self._first_stage()
            if isinstance(first, Assign):
                if pipelines:
                    raise Unreadable("does not parse as a PowerShell command")
                return first
            pipelines.append(self._stages(first))
            self.blanks()
            if not (self.starts("&&") or self.starts("||")):
                return Chain(tuple(pipelines), tuple(operators)) if operators else pipelines[0]
            operators.append(self.peek() * 2)
            self.at += 2
            self.newlines()

    def _first_stage(self) -> Call | Value | Assign:
        """The first command of a pipeline may also be a value, or what is assigned to."""
        start = self.at
        if self.peek() and self.peek() in _VALUES and not self._begins_program():
            value = self.expression()
            if value is not None:
                return self._assign(value, start) or self._value(value, start)
            self.at = start
        return self._call()

    def _begins_program(self) -> bool:
        """`./x`, `../x`, `.x` and the dot that sources begin a command, not a value."""
        return self.peek() == "." and not self.peek(1).isdecimal()

    def _assign(self, target: Expression, start: int) -> Assign | None:
        self.blanks()
        operator = self.match(_ASSIGNMENT)
        if operator is None:
            return None
        self.newlines()
        with self.deeper():
            value = self.statement()
        return Assign(target=target, value=value, plain=operator == "=", span=self.span(start))

    def _value(self, value: Expression, start: int) -> Value:
        end = self.at
        redirections: list[Redirection] = []
        self.blanks()
        while (found := self._redirection()) is not None:
            redirections.append(found)
            end = self.at
            self.blanks()
        self.at = end
        return Value(value, tuple(redirections), self.span(start))

    def _stages(self, first: Call | Value) -> Pipeline:
        stages = [first]
        while self._at_pipe():
            self.at += 1
            self.newlines()
            stages.append(self._call())
        return Pipeline(tuple(stages))

    def _at_pipe(self) -> bool:
        """Whether a pipe stands here, or at the beginning of the next line."""
        before = self.at
        self.newlines()
        if self.peek() == "|" and self.peek(1) != "|":
            return True
        self.at = before
        return False

    def _call(self) -> Call:
        start = self.at
        invokes = self.peek() == "&" or (self.peek() == "." and (self.ends_word(1) or self.peek(1) in "$'\""))
        if invokes:
            self.at += 1
            self.blanks()
        if self.ends_word() and not (invokes and self.peek() in ("(", "{")):
            raise Unreadable("does not parse as a PowerShell command")
        program = _parsed(self.argument() if invokes else self._program())
        elements: list[Parameter | Expression] = []
        redirections: list[Redirection] = []
        self._elements(elements, redirections)
        return Call(
            program=program,
            elements=tuple(elements),
            redirections=tuple(redirections),
            span=self.span(start),
        )

    def _program(self) -> Expression:
        """The name of a command, in which nothing is expanded."""
        if self.peek() in "-<>*@]=" + LOOKALIKE_DASHES:
            raise Unreadable("does not parse as a PowerShell command")
        name = self.bare_word()
        return name if isinstance(name, Text) else Unknown()

    def _elements(self, elements: list[Parameter | Expression], redirections: list[Redirection]) -> None:
        only_arguments = False
        while True:
            end = self.at
            self.blanks()
            if (redirection := self._redirection()) is not None:
                redirections.append(redirection)
            elif self._ends_command():
                self.at = end
                return
            elif self.match(_STOP_PARSING) is not None:
                self.blanks()
                elements.extend((Text("--%"), Text(self.match(_VERBATIM) or "", quoted=True), Unknown()))
                return
            elif self.starts("--") and self.ends_word(2):
                self.at += 2
                elements.append(Text("--", quoted=only_arguments))
                only_arguments = True
            elif not only_arguments and (parameter := self._parameter()) is not None:
                elements.append(parameter)
            else:
                elements.append(_parsed(self.arguments()))

    def _parameter(self) -> Parameter | None:
        start = self.at
        name = self.match(_PARAMETER)
        if name is None or _QUOTE.search(name):
            self.at = start
            return None
        if _ODD_IN_PARAMETER.search(name):
            raise Unreadable("holds a word that could be read in two ways")
        if not self.take(":"):
            return Parameter(name)
        colon = self.at
        self.blanks()
        if self._ends_command():
            raise Unreadable("does not parse as a PowerShell command")
        spaced = self.at != colon
        return Parameter(name, self.arguments(), spaced)

    def _redirection(self) -> Redirection | None:
        if self.match(_MERGE) is not None:
            return Redirection(None)
        operator = self.match(_REDIRECT)
        if operator is None:
            return None
        self.blanks()
        if self._ends_command():
            raise Unreadable("does not parse as a PowerShell command")
        return Redirection(self.argument(), operator.endswith(">>"))

    def _ends_command(self) -> bool:
        return self.peek() not in ("(", "{") and self.ends_word()


def _parsed(argument: Expression) -> Expression:
    """An argument after which PowerShell goes on parsing; behind `--%`, even a quoted one, it does not."""
    first = argument.elements[0] if isinstance(argument, Items) else argument
    if isinstance(first, Text) and first.value == "--%":
        raise Unreadable("holds a word that could be read in two ways")
    return argument

"""Parse commands: words, parameters, redirections, pipes, and definitions of parameters."""

import re

from assent.engine.base.characters import hidden_character
from assent.engine.base.lazy import regex
from assent.engine.lines.command import Unreadable
from assent.engine.powershell.expressions import ExpressionParser
from assent.engine.powershell.scanner import (
    DOUBLE_QUOTES,
    LOOKALIKE_DASHES,
    SINGLE_QUOTES,
    join_parts,
)
from assent.engine.powershell.syntax import (
    Assign,
    Call,
    Chain,
    Expand,
    Expression,
    Items,
    Parameter,
    Pipeline,
    Redirection,
    Statement,
    Text,
    Unknown,
    Value,
    Variable,
    as_statement,
)

QUOTES = SINGLE_QUOTES + DOUBLE_QUOTES
_PLAIN = regex(rf"[^\s&(),;{{}}|`$<>{QUOTES}{LOOKALIKE_DASHES}]+")


class WordParser(ExpressionParser):
    """Parses the words of a command."""

    def parse_arguments(self) -> Expression:
        """An argument and those that follow it after commas."""
        elements = [self.parse_argument()]
        spaced = False
        while True:
            before = self.at
            self.skip_blanks()
            comma = self.at
            if not self.take(","):
                self.at = before
                return Items(tuple(elements), spaced) if len(elements) > 1 else elements[0]
            self.skip_newlines()
            spaced = spaced or comma != before or self.at != comma + 1
            elements.append(self.parse_argument())

    def parse_argument(self) -> Expression:
        """One argument, without what follows a comma."""
        start = self.at
        variable = self._parse_variable()
        if variable is not None:
            if self.ends_word():
                return variable
            if not variable.splat and (self.peek() in ".[=" or self.starts_with("::")):
                return self.parse_members(variable)
            # With text directly after it, it is a word that contains a variable.
            self.at = start
            return self.parse_bare_word()
        if self.peek() == "." and self.peek(1) in ("$", "'", '"'):
            self.at += 1
            return Text(".")
        if self._begins_value():
            return self.require(self.parse_primary())
        if self.peek() in ("]", "@"):
            raise Unreadable("does not parse as a PowerShell command")
        return self.parse_bare_word()

    def parse_bare_word(self) -> Text | Expand:
        """A word as typed, with quotes, escapes and variables inside it."""
        parts: list[Expression] = []
        quoted = False
        while not self.ends_word():
            if (run := self.take_match(_PLAIN)) is not None:
                parts.append(Text(run))
                continue
            character = self.peek()
            if character in "<>" + LOOKALIKE_DASHES:
                raise Unreadable("holds a word that could be read in two ways")
            quoted = quoted or character != "$"
            parts.extend(self._parse_piece(character))
        if not parts:
            raise Unreadable("does not parse as a PowerShell command")
        return join_parts(parts, quoted=quoted)

    def _parse_variable(self) -> Variable | None:
        if self.peek() == "@" and (self.peek(1).isalnum() or self.peek(1) == "_"):
            return self.parse_variable("@")
        if self.peek() == "$" and self.peek(1) != "(":
            return self.parse_variable()
        return None

    def _begins_value(self) -> bool:
        first, second = self.peek(), self.peek(1)
        if first == "@":
            return second != "" and second in "({" + QUOTES
        return first == "" or first in "({" + QUOTES or (first == "$" and second == "(")

    def _parse_piece(self, character: str) -> list[Expression]:
        if character in SINGLE_QUOTES:
            return [Text(self.parse_single_quoted())]
        if character in DOUBLE_QUOTES:
            return self.parse_double_quoted()
        found = self.parse_expandable(in_here_string=False) if character == "$" else self.parse_escape()
        if isinstance(found, Text) and (found.value == "\n" or hidden_character(found.value)):
            raise Unreadable("holds a control character in a word")
        return [found]


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


class CommandParser(WordParser):
    """Parses commands, pipelines and assignments."""

    def parse_pipeline(self) -> Statement:
        """Parse an assignment, or pipelines joined by `&&` and `||`."""
        pipelines: list[Pipeline] = []
        operators: list[str] = []
        while True:
            first = self._parse_first_stage()
            if isinstance(first, Assign):
                if pipelines:
                    raise Unreadable("does not parse as a PowerShell command")
                return first
            pipelines.append(self._parse_stages(first))
            self.skip_blanks()
            if not (self.starts_with("&&") or self.starts_with("||")):
                return Chain(tuple(pipelines), tuple(operators)) if operators else pipelines[0]
            operators.append(self.peek() * 2)
            self.at += 2
            self.skip_newlines()

    def _parse_first_stage(self) -> Call | Value | Assign:
        """The first command of a pipeline, which may also be a value or an assignment."""
        start = self.at
        if self.peek() and self.peek() in _VALUES and not self._begins_program():
            value = self.parse_expression()
            if value is not None:
                return self._parse_assignment(value, start) or self._parse_value(value, start)
            self.at = start
        return self._parse_call()

    def _begins_program(self) -> bool:
        """Whether a command begins here: `./x`, `../x`, `.x` and dot sourcing are not values."""
        return self.peek() == "." and not self.peek(1).isdecimal()

    def _parse_assignment(self, target: Expression, start: int) -> Assign | None:
        self.skip_blanks()
        operator = self.take_match(_ASSIGNMENT)
        if operator is None:
            return None
        self.skip_newlines()
        with self.nest():
            value = self.parse_statement()
        return Assign(target=target, value=value, plain=operator == "=", span=self.span_from(start))

    def _parse_value(self, value: Expression, start: int) -> Value:
        end = self.at
        redirections: list[Redirection] = []
        self.skip_blanks()
        while (found := self._parse_redirection()) is not None:
            redirections.append(found)
            end = self.at
            self.skip_blanks()
        self.at = end
        return Value(value, tuple(redirections), self.span_from(start))

    def _parse_stages(self, first: Call | Value) -> Pipeline:
        stages = [first]
        while self._at_pipe():
            self.at += 1
            self.skip_newlines()
            stages.append(self._parse_call())
        return Pipeline(tuple(stages))

    def _at_pipe(self) -> bool:
        """Whether a pipe follows, also at the beginning of the next line."""
        before = self.at
        self.skip_newlines()
        if self.peek() == "|" and self.peek(1) != "|":
            return True
        self.at = before
        return False

    def _parse_call(self) -> Call:
        start = self.at
        invokes = self.peek() == "&" or (self.peek() == "." and (self.ends_word(1) or self.peek(1) in "$'\""))
        if invokes:
            self.at += 1
            self.skip_blanks()
        if self.ends_word() and not (invokes and self.peek() in ("(", "{")):
            raise Unreadable("does not parse as a PowerShell command")
        program = _refuse_stop_parsing(self.parse_argument() if invokes else self._parse_program())
        elements: list[Parameter | Expression] = []
        redirections: list[Redirection] = []
        self._parse_elements(elements, redirections)
        return Call(
            program=program,
            elements=tuple(elements),
            redirections=tuple(redirections),
            span=self.span_from(start),
        )

    def _parse_program(self) -> Expression:
        """The name of a command, in which PowerShell expands nothing."""
        if self.peek() in "-<>*@]=" + LOOKALIKE_DASHES:
            raise Unreadable("does not parse as a PowerShell command")
        name = self.parse_bare_word()
        return name if isinstance(name, Text) else Unknown()

    def _parse_elements(
        self, elements: list[Parameter | Expression], redirections: list[Redirection]
    ) -> None:
        only_arguments = False
        while True:
            end = self.at
            self.skip_blanks()
            if (redirection := self._parse_redirection()) is not None:
                redirections.append(redirection)
            elif self._ends_command():
                self.at = end
                return
            elif self.take_match(_STOP_PARSING) is not None:
                self.skip_blanks()
                elements.extend((Text("--%"), Text(self.take_match(_VERBATIM) or "", quoted=True), Unknown()))
                return
            elif self.starts_with("--") and self.ends_word(2):
                self.at += 2
                elements.append(Text("--", quoted=only_arguments))
                only_arguments = True
            elif not only_arguments and (parameter := self._parse_parameter()) is not None:
                elements.append(parameter)
            else:
                elements.append(_refuse_stop_parsing(self.parse_arguments()))

    def _parse_parameter(self) -> Parameter | None:
        start = self.at
        name = self.take_match(_PARAMETER)
        if name is None or _QUOTE.search(name):
            self.at = start
            return None
        if _ODD_IN_PARAMETER.search(name):
            raise Unreadable("holds a word that could be read in two ways")
        if not self.take(":"):
            return Parameter(name)
        colon = self.at
        self.skip_blanks()
        if self._ends_command():
            raise Unreadable("does not parse as a PowerShell command")
        spaced = self.at != colon
        return Parameter(name, self.parse_arguments(), spaced)

    def _parse_redirection(self) -> Redirection | None:
        if self.take_match(_MERGE) is not None:
            return Redirection(None)
        operator = self.take_match(_REDIRECT)
        if operator is None:
            return None
        self.skip_blanks()
        if self._ends_command():
            raise Unreadable("does not parse as a PowerShell command")
        return Redirection(self.parse_argument(), operator.endswith(">>"))

    def _ends_command(self) -> bool:
        return self.peek() not in ("(", "{") and self.ends_word()


def _refuse_stop_parsing(argument: Expression) -> Expression:
    """The argument, unless it is `--%`, after which PowerShell stops parsing."""
    first = argument.elements[0] if isinstance(argument, Items) else argument
    if isinstance(first, Text) and first.value == "--%":
        raise Unreadable("holds a word that could be read in two ways")
    return argument


_PARAM = regex(r"param(?=[\s(])", re.IGNORECASE)
_ATTRIBUTE = regex(r"\[[ \t]*[A-Za-z_][\w.]*[ \t]*\(")
_NAMED_ARGUMENT = regex(r"[A-Za-z_]\w*[ \t]*=(?!=)")
_BARE_ARGUMENT = regex(r"[A-Za-z_]\w*(?=[ \t\n]*[,)])")


class DefinitionParser(CommandParser):
    """Parses the parameters of functions and blocks, as far as they can run commands."""

    def parse_param_block(self) -> tuple[Statement, ...]:
        """The definitions of `param( )` and its attributes, if it follows."""
        before = self.at
        attributes: list[Statement] = []
        while _ATTRIBUTE.match(self.text, self.at):
            attributes.extend(self._parse_attribute())
            self.skip_newlines()
        if self.take_match(_PARAM) is None:
            self.at = before
            return ()
        self.skip_newlines()
        self.expect("(")
        return (*attributes, *self.parse_parameters())

    def parse_parameters(self) -> tuple[Statement, ...]:
        """The parameters up to the closing parenthesis, as assignments of unknown values."""
        found: list[Statement] = []
        self.skip_newlines()
        while not self.take(")"):
            found.extend(self._parse_parameter_definition())
            self.skip_newlines()
            self.take_comma_or(")")
        return tuple(found)

    def _parse_parameter_definition(self) -> list[Statement]:
        found: list[Statement] = []
        while self.peek() == "[":
            if _ATTRIBUTE.match(self.text, self.at):
                found.extend(self._parse_attribute())
            elif self.parse_type() is None:
                raise Unreadable("holds an attribute or a type we do not read")
            self.skip_newlines()
        start = self.at
        variable = self.require(self.parse_variable())
        default: Expression = Unknown()
        self.skip_newlines()
        if self.take("="):
            self.skip_newlines()
            default = self.require(self.parse_expression(commas=False))
        found.append(
            Assign(target=variable, value=as_statement(default), plain=False, span=self.span_from(start))
        )
        return found

    def _parse_attribute(self) -> list[Statement]:
        """The arguments of an attribute `[Name(arguments)]`."""
        self.take_match(_ATTRIBUTE)
        found: list[Statement] = []
        self.skip_newlines()
        while not self.take(")"):
            if self.take_match(_NAMED_ARGUMENT) is not None or self.take_match(_BARE_ARGUMENT) is None:
                self.skip_newlines()
                found.append(as_statement(self.require(self.parse_expression(commas=False))))
                self.skip_newlines()
            self.take_comma_or(")")
        self.skip_blanks()
        self.expect("]")
        return found

"""Parse commands of PowerShell: words, parameters, redirections, pipes, and definitions of parameters."""

import re

from assent.engine.base.characters import describe_hidden_character
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
    AssignmentNode,
    CommandNode,
    ExpandableString,
    Expression,
    ItemList,
    NamedParameter,
    Pipeline,
    PipelineChain,
    Redirection,
    Statement,
    TextConstant,
    UnknownText,
    ValueNode,
    Variable,
    to_statement,
)

QUOTES = SINGLE_QUOTES + DOUBLE_QUOTES
_PLAIN_CHARACTERS = regex(rf"[^\s&(),;{{}}|`$<>{QUOTES}{LOOKALIKE_DASHES}]+")


class WordParser(ExpressionParser):
    """Parses the words of a command."""

    def parse_arguments(self) -> Expression:
        """Parse an argument and the arguments that follow it after commas."""
        elements = [self.parse_argument()]
        spaced = False
        while True:
            before = self.at
            self.skip_blanks()
            comma = self.at
            if not self.take_text(","):
                self.at = before
                return ItemList(tuple(elements), spaced) if len(elements) > 1 else elements[0]
            self.skip_newlines()
            spaced = spaced or comma != before or self.at != comma + 1
            elements.append(self.parse_argument())

    def parse_argument(self) -> Expression:
        """Parse one argument up to a comma or blank."""
        start = self.at
        variable = self._parse_variable()
        if variable is not None:
            if self.ends_word():
                return variable
            if not variable.splat and (self.peek() in ".[=" or self.starts_with("::")):
                return self.parse_members(variable)
            # A variable with text directly after it is part of a bare word.
            self.at = start
            return self.parse_bare_word()
        if self.peek() == "." and self.peek(1) in ("$", "'", '"'):
            self.at += 1
            return TextConstant(".")
        if self._begins_value():
            return self.require_value(self.parse_primary())
        if self.peek() in ("]", "@"):
            raise Unreadable("does not parse as a PowerShell command")
        return self.parse_bare_word()

    def parse_bare_word(self) -> TextConstant | ExpandableString:
        """Parse an unquoted word, which may contain quotes, escapes and variables."""
        parts: list[Expression] = []
        quoted = False
        while not self.ends_word():
            if (run := self.take_match(_PLAIN_CHARACTERS)) is not None:
                parts.append(TextConstant(run))
                continue
            character = self.peek()
            if character in "<>" + LOOKALIKE_DASHES:
                raise Unreadable("holds a word that could be read in two ways")
            quoted = quoted or character != "$"
            parts.extend(self._parse_word_piece(character))
        if not parts:
            raise Unreadable("does not parse as a PowerShell command")
        return join_parts(parts, quoted=quoted)

    def _parse_variable(self) -> Variable | None:
        """Parse a variable, if the argument begins with one."""
        if self.peek() == "@" and (self.peek(1).isalnum() or self.peek(1) == "_"):
            return self.parse_variable("@")
        if self.peek() == "$" and self.peek(1) != "(":
            return self.parse_variable()
        return None

    def _begins_value(self) -> bool:
        """Whether the argument begins like a value and not like a bare word."""
        first, second = self.peek(), self.peek(1)
        if first == "@":
            return second != "" and second in "({" + QUOTES
        return first == "" or first in "({" + QUOTES or (first == "$" and second == "(")

    def _parse_word_piece(self, character: str) -> list[Expression]:
        """Parse the next piece of a bare word."""
        if character in SINGLE_QUOTES:
            return [TextConstant(self.parse_single_quoted())]
        if character in DOUBLE_QUOTES:
            return self.parse_double_quoted()
        found = self.parse_expandable(in_here_string=False) if character == "$" else self.parse_escape()
        if isinstance(found, TextConstant) and (
            found.value == "\n" or describe_hidden_character(found.value)
        ):
            raise Unreadable("holds a control character in a word")
        return [found]


_PARAMETER_NAME = regex(r"-[A-Za-z_?][^\s{}();,|&.\[:]*")
"""The name of a parameter."""
_UNCLEAR_IN_PARAMETER = regex(rf"[`$<>{LOOKALIKE_DASHES}]")
"""Characters that make the end of a parameter name unclear."""
_QUOTE = regex(rf"[{QUOTES}]")
_STREAM_MERGE = regex(r"[1-6*]>&[12]")
"""A redirection of one stream to another, such as `2>&1`."""
_REDIRECT_OPERATOR = regex(r"[1-6*]?>>?")
_ASSIGNMENT_OPERATOR = regex(r"(?:\?\?|[+*/%-])?=")
_STOP_PARSING = regex(r"--%(?=[\s&(),;{}|]|$)")
"""The word `--%`, after which PowerShell passes the rest of the line unchanged."""
_VERBATIM_TEXT = regex(
    rf"(?:[{DOUBLE_QUOTES}][^\n{DOUBLE_QUOTES}]*(?:[{DOUBLE_QUOTES}]|(?=\n)|$)|&(?!&)|[^\n|&{DOUBLE_QUOTES}])*"
)
"""The rest of the line after `--%`."""
_VALUE_STARTS = frozenset("$([{@0123456789.!+,-" + QUOTES)
"""Characters with which a value begins."""


class CommandParser(WordParser):
    """Parses commands, pipelines and assignments."""

    def parse_pipeline(self) -> Statement:
        """Parse an assignment, or pipelines joined by `&&` and `||`."""
        pipelines: list[Pipeline] = []
        operators: list[str] = []
        while True:
            first = self._parse_first_stage()
            if isinstance(first, AssignmentNode):
                if pipelines:
                    raise Unreadable("does not parse as a PowerShell command")
                return first
            pipelines.append(self._parse_stages(first))
            self.skip_blanks()
            if not (self.starts_with("&&") or self.starts_with("||")):
                return PipelineChain(tuple(pipelines), tuple(operators)) if operators else pipelines[0]
            operators.append(self.peek() * 2)
            self.at += 2
            self.skip_newlines()

    def _parse_first_stage(self) -> CommandNode | ValueNode | AssignmentNode:
        """Parse the first command of a pipeline, which may also be a value or an assignment."""
        start = self.at
        if self.peek() and self.peek() in _VALUE_STARTS and not self._begins_program():
            value = self.parse_expression()
            if value is not None:
                return self._parse_assignment(value, start) or self._parse_value_stage(value, start)
            self.at = start
        return self._parse_command()

    def _begins_program(self) -> bool:
        """Whether a command begins here: `./x`, `../x`, `.x` and dot sourcing are no values."""
        return self.peek() == "." and not self.peek(1).isdecimal()

    def _parse_assignment(self, target: Expression, start: int) -> AssignmentNode | None:
        """Parse the operator and the value of an assignment; None without an operator."""
        self.skip_blanks()
        operator = self.take_match(_ASSIGNMENT_OPERATOR)
        if operator is None:
            return None
        self.skip_newlines()
        with self.enter_nested_construct():
            value = self.parse_statement()
        return AssignmentNode(target=target, value=value, plain=operator == "=", span=self.span_from(start))

    def _parse_value_stage(self, value: Expression, start: int) -> ValueNode:
        """Parse the redirections after a value in a pipeline."""
        end = self.at
        redirections: list[Redirection] = []
        self.skip_blanks()
        while (found := self._parse_redirection()) is not None:
            redirections.append(found)
            end = self.at
            self.skip_blanks()
        self.at = end
        return ValueNode(value, tuple(redirections), self.span_from(start))

    def _parse_stages(self, first: CommandNode | ValueNode) -> Pipeline:
        """Parse the commands after the first command of a pipeline."""
        stages = [first]
        while self._is_pipe_next():
            self.at += 1
            self.skip_newlines()
            stages.append(self._parse_command())
        return Pipeline(tuple(stages))

    def _is_pipe_next(self) -> bool:
        """Whether a pipe follows, also at the beginning of the next line."""
        before = self.at
        self.skip_newlines()
        if self.peek() == "|" and self.peek(1) != "|":
            return True
        self.at = before
        return False

    def _parse_command(self) -> CommandNode:
        """Parse one command: its program, arguments and redirections."""
        start = self.at
        invokes = self.peek() == "&" or (self.peek() == "." and (self.ends_word(1) or self.peek(1) in "$'\""))
        if invokes:
            self.at += 1
            self.skip_blanks()
        if self.ends_word() and not (invokes and self.peek() in ("(", "{")):
            raise Unreadable("does not parse as a PowerShell command")
        program = _refuse_stop_parsing(self.parse_argument() if invokes else self._parse_program())
        elements: list[NamedParameter | Expression] = []
        redirections: list[Redirection] = []
        self._parse_elements(elements, redirections)
        return CommandNode(
            program=program,
            elements=tuple(elements),
            redirections=tuple(redirections),
            span=self.span_from(start),
        )

    def _parse_program(self) -> Expression:
        """Parse the name of a command, in which PowerShell expands nothing."""
        if self.peek() in "-<>*@]=" + LOOKALIKE_DASHES:
            raise Unreadable("does not parse as a PowerShell command")
        name = self.parse_bare_word()
        return name if isinstance(name, TextConstant) else UnknownText()

    def _parse_elements(
        self, elements: list[NamedParameter | Expression], redirections: list[Redirection]
    ) -> None:
        """Parse the arguments, parameters and redirections of a command."""
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
                elements.extend(
                    (
                        TextConstant("--%"),
                        TextConstant(self.take_match(_VERBATIM_TEXT) or "", quoted=True),
                        UnknownText(),
                    )
                )
                return
            elif self.starts_with("--") and self.ends_word(2):
                self.at += 2
                elements.append(TextConstant("--", quoted=only_arguments))
                only_arguments = True
            elif not only_arguments and (parameter := self._parse_parameter()) is not None:
                elements.append(parameter)
            else:
                elements.append(_refuse_stop_parsing(self.parse_arguments()))

    def _parse_parameter(self) -> NamedParameter | None:
        """Parse a parameter; None if no parameter begins here."""
        start = self.at
        name = self.take_match(_PARAMETER_NAME)
        if name is None or _QUOTE.search(name):
            self.at = start
            return None
        if _UNCLEAR_IN_PARAMETER.search(name):
            raise Unreadable("holds a word that could be read in two ways")
        if not self.take_text(":"):
            return NamedParameter(name)
        colon = self.at
        self.skip_blanks()
        if self._ends_command():
            raise Unreadable("does not parse as a PowerShell command")
        spaced = self.at != colon
        return NamedParameter(name, self.parse_arguments(), spaced)

    def _parse_redirection(self) -> Redirection | None:
        """Parse a redirection; None if no redirection begins here."""
        if self.take_match(_STREAM_MERGE) is not None:
            return Redirection(None)
        operator = self.take_match(_REDIRECT_OPERATOR)
        if operator is None:
            return None
        self.skip_blanks()
        if self._ends_command():
            raise Unreadable("does not parse as a PowerShell command")
        return Redirection(self.parse_argument(), operator.endswith(">>"))

    def _ends_command(self) -> bool:
        """Whether the command ends here."""
        return self.peek() not in ("(", "{") and self.ends_word()


def _refuse_stop_parsing(argument: Expression) -> Expression:
    """Return the argument; raises `Unreadable` for `--%`, after which PowerShell stops parsing."""
    first = argument.elements[0] if isinstance(argument, ItemList) else argument
    if isinstance(first, TextConstant) and first.value == "--%":
        raise Unreadable("holds a word that could be read in two ways")
    return argument


_PARAM_KEYWORD = regex(r"param(?=[\s(])", re.IGNORECASE)
_ATTRIBUTE_START = regex(r"\[[ \t]*[A-Za-z_][\w.]*[ \t]*\(")
_NAMED_ARGUMENT = regex(r"[A-Za-z_]\w*[ \t]*=(?!=)")
_BARE_ARGUMENT = regex(r"[A-Za-z_]\w*(?=[ \t\n]*[,)])")


class DefinitionParser(CommandParser):
    """Parses the parameter definitions of functions and blocks, as far as they can run commands."""

    def parse_param_block(self) -> tuple[Statement, ...]:
        """Parse the definitions of `param( )` and its attributes; empty without such a block."""
        before = self.at
        attributes: list[Statement] = []
        while _ATTRIBUTE_START.match(self.text, self.at):
            attributes.extend(self._parse_attribute())
            self.skip_newlines()
        if self.take_match(_PARAM_KEYWORD) is None:
            self.at = before
            return ()
        self.skip_newlines()
        self.expect_text("(")
        return (*attributes, *self.parse_parameters())

    def parse_parameters(self) -> tuple[Statement, ...]:
        """Parse the parameters up to the closing parenthesis, as assignments of unknown values."""
        found: list[Statement] = []
        self.skip_newlines()
        while not self.take_text(")"):
            found.extend(self._parse_parameter_definition())
            self.skip_newlines()
            self.skip_comma_or(")")
        return tuple(found)

    def _parse_parameter_definition(self) -> list[Statement]:
        """Parse one parameter: its attributes, name and default value."""
        found: list[Statement] = []
        while self.peek() == "[":
            if _ATTRIBUTE_START.match(self.text, self.at):
                found.extend(self._parse_attribute())
            elif self.parse_type() is None:
                raise Unreadable("holds an attribute or a type we do not read")
            self.skip_newlines()
        start = self.at
        variable = self.require_value(self.parse_variable())
        default: Expression = UnknownText()
        self.skip_newlines()
        if self.take_text("="):
            self.skip_newlines()
            default = self.require_value(self.parse_expression(commas=False))
        found.append(
            AssignmentNode(
                target=variable, value=to_statement(default), plain=False, span=self.span_from(start)
            )
        )
        return found

    def _parse_attribute(self) -> list[Statement]:
        """Parse the arguments of an attribute `[Name(arguments)]`."""
        self.take_match(_ATTRIBUTE_START)
        found: list[Statement] = []
        self.skip_newlines()
        while not self.take_text(")"):
            if self.take_match(_NAMED_ARGUMENT) is not None or self.take_match(_BARE_ARGUMENT) is None:
                self.skip_newlines()
                found.append(to_statement(self.require_value(self.parse_expression(commas=False))))
                self.skip_newlines()
            self.skip_comma_or(")")
        self.skip_blanks()
        self.expect_text("]")
        return found

"""Evaluate expressions as far as their values are known, and collect the commands that they run."""

import re
from abc import ABC, abstractmethod

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, Unreadable
from assent.engine.powershell import members
from assent.engine.powershell.paths import PLAIN_UNKNOWN, Values
from assent.engine.powershell.state import SessionState, variable_name_without_scope
from assent.engine.powershell.syntax import (
    Cast,
    ExpandableString,
    Expression,
    HashTable,
    IndexAccess,
    ItemList,
    MemberAccess,
    Operation,
    ScriptBlock,
    Statement,
    Subexpression,
    TextConstant,
    TypeName,
    Variable,
)
from assent.engine.programs.variables import is_secret_variable
from assent.engine.programs.word import UNKNOWN_MARK, Word

MAX_COMMANDS = 256
"""The maximal number of commands of a text."""

_TEXT_OF_CONSTANTS = {"true": "True", "false": "False", "null": ""}
_TEXT_CASTS = frozenset({"string", "string[]", "object", "object[]", "array", "psobject"})
"""Types whose cast keeps the text."""
_PATH_MEMBERS = frozenset({"fullname", "pspath", "path"})
"""Properties of a file that are its path."""
_SHORT_CIRCUIT_OPERATORS = frozenset({"-and", "-or", "?", ":", "??"})
"""Operators that may skip their second operand."""
_TEXT_OPERATORS = frozenset("-split -isplit -csplit -replace -ireplace -creplace -join -f".split())
"""Operators whose result is text."""
_MEMORY_DRIVES = frozenset(
    {"env", "variable", "function", "alias", "global", "script", "local", "private", "using"}
)
"""Drives of variables that contain no files."""
_SPECIAL_VARIABLES = frozenset(
    "psdefaultparametervalues psmoduleautoloadingpreference executioncontext error".split()
)
"""Variables that change the behaviour of other commands."""

_FORMAT_PLACEHOLDER = regex(r"\{(\d)\}")


class Evaluator(ABC):
    """Evaluates expressions in the order of their execution."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.secrets: list[str] = []
        self.span = (0, 0)
        """The span of the current statement in the text."""

    @abstractmethod
    def visit_statement(self, statement: Statement, state: SessionState) -> Values | None:
        """Visit a statement and return its values; None if they are unknown."""
        ...

    @abstractmethod
    def visit_block(
        self, body: tuple[Statement, ...], state: SessionState, item: Word | None = None
    ) -> Values | None:
        """Visit a block that may run never, once or often, with this `$_`; return the values of one run."""
        ...

    def emit(self, command: Command) -> None:
        """Append a command to the commands of the text."""
        if len(self.commands) >= MAX_COMMANDS:
            raise Unreadable(f"holds more than {MAX_COMMANDS} commands")
        self.commands.append(command)

    def emit_unknown_command(self, state: SessionState) -> None:
        """Append a command about which nothing is known."""
        self.emit(Command((Word(UNKNOWN_MARK),), directories=state.directories, span=self.span))

    def evaluate(self, expression: Expression, state: SessionState) -> Values | None:
        """The values of an expression as words; None if they are unknown."""
        match expression:
            case TextConstant(value, quoted):
                return (_constant_word(value, quoted=quoted),)
            case Variable():
                return self._evaluate_variable(expression, state)
            case ExpandableString():
                return (self._expand_string(expression, state),)
            case Subexpression(body):
                values = [self.visit_statement(statement, state) for statement in body]
                return values[0] if len(values) == 1 else None
            case ItemList(elements):
                return self._evaluate_items(elements, state)
            case Operation():
                return self._evaluate_operation(expression, state)
            case MemberAccess():
                return self._evaluate_member(expression, state)
            case IndexAccess(target, index):
                return _select_element(self.evaluate(target, state), self.evaluate(index, state))
            case Cast(kind, operand):
                return self._evaluate_cast(kind, operand, state)
            case ScriptBlock() | HashTable():
                self._visit_container(expression, state)
                return None
            case _:  # a type, or a text with different meanings in different versions
                return None

    def _evaluate_variable(self, variable: Variable, state: SessionState) -> Values | None:
        """The values of a variable; None if they are unknown."""
        drive, colon, rest = variable.name.partition(":")
        drive = drive.lower()
        if colon and drive == "env" and is_secret_variable(rest):
            self.secrets.append(rest)
        elif colon and drive not in _MEMORY_DRIVES:
            # A variable with the name of another drive is a file on that drive.
            words = (Word("Get-Content"), Word(variable.name, quoted=True))
            self.emit(Command(words, directories=state.directories, span=self.span))
        return None if variable.splat else state.variable_values(variable.name)

    def _expand_string(self, string: ExpandableString, state: SessionState) -> Word:
        """The word of a string after its variables are replaced."""
        text, tilde, listed = "", False, False
        for part in string.parts:
            values = self.evaluate(part, state)
            known = values[0] if values is not None and len(values) == 1 else Word(UNKNOWN_MARK)
            if known.tilde and text in ("", "C:"):
                text, tilde = known.text, True
            elif isinstance(part, Variable) and variable_name_without_scope(part.name) in _TEXT_OF_CONSTANTS:
                text += _TEXT_OF_CONSTANTS[variable_name_without_scope(part.name)]
            else:
                text += known.text
            # A listed name with text around it may be any path.
            listed = known.listed and len(string.parts) == 1
        return Word(text, tilde=tilde, quoted=string.quoted, listed=listed)

    def _evaluate_items(self, elements: tuple[Expression, ...], state: SessionState) -> Values:
        """The values of all items of a list."""
        found: list[Word] = []
        for element in elements:
            values = self.evaluate(element, state)
            found.extend(values if values is not None else (Word(UNKNOWN_MARK),))
        return tuple(found)

    def _evaluate_operation(self, operation: Operation, state: SessionState) -> Values | None:
        """The values of an operation; None if they are unknown."""
        operators, operands = operation.operators, operation.operands
        inner = state.copy_for_branch() if _SHORT_CIRCUIT_OPERATORS.intersection(operators) else state
        values = [self.evaluate(operand, inner) for operand in operands]
        state.add_directories(inner.directories)
        if operators == ("++",) and not is_plain_variable(operands[0]):
            self.emit_unknown_command(state)
        if "-as" in operators and not all(
            members.is_harmless_cast(operand) for operand in operands if isinstance(operand, TypeName)
        ):
            self.emit_unknown_command(state)
        known = _compute_text(operators, operands, values)
        return PLAIN_UNKNOWN if known is None and _TEXT_OPERATORS.issuperset(operators) else known

    def _evaluate_member(self, member: MemberAccess, state: SessionState) -> Values | None:
        """The value of a member; a member that may run code is added as an unknown command."""
        target = self.evaluate(member.target, state)
        if not isinstance(member.name, TextConstant):
            self.evaluate(member.name, state)
        arguments = [self.evaluate(argument, state) for argument in member.arguments or ()]
        reader = members.equivalent_read_cmdlet(member)
        if equivalent := (reader,) if reader is not None else members.equivalent_removal(member):
            path = (
                arguments[0][0] if arguments[0] is not None and len(arguments[0]) == 1 else Word(UNKNOWN_MARK)
            )
            words = (*map(Word, equivalent), Word("-LiteralPath"), path._replace(quoted=True))
            # Methods use the directory of the process, not `$PWD`; no command changes that directory.
            directories = tuple(dict.fromkeys(("", *state.directories)))
            self.emit(Command(words, directories=directories, span=self.span))
            if reader is not None:
                return PLAIN_UNKNOWN
        harmless = members.is_harmless_member(member, may_be_custom=state.names.creates_custom_objects)
        if not harmless and not (members.fills_collection(member) and _is_collection(member.target, state)):
            self.emit_unknown_command(state)
            return None
        if member.arguments is not None:
            return PLAIN_UNKNOWN if members.returns_text(member) else None
        is_path = isinstance(member.name, TextConstant) and member.name.value.lower() in _PATH_MEMBERS
        return target if is_path and target is not None and _are_paths(member.target, target) else None

    def _evaluate_cast(self, kind: TypeName, operand: Expression, state: SessionState) -> Values | None:
        """The values after a cast; a cast that may run code is added as an unknown command."""
        values = self.evaluate(operand, state)
        if not members.is_harmless_cast(kind):
            self.emit_unknown_command(state)
        return values if kind.name in _TEXT_CASTS else None

    def _visit_container(self, container: ScriptBlock | HashTable, state: SessionState) -> None:
        """Visit the statements inside a script block or a table."""
        if isinstance(container, ScriptBlock):
            self.visit_block(container.body, state)
            return
        for key, statement in container.entries:
            self.evaluate(key, state)
            self.visit_statement(statement, state)


def is_plain_variable(target: Expression) -> bool:
    """Whether a target is a plain variable, which only this text uses."""
    return (
        isinstance(target, Variable)
        and ":" not in variable_name_without_scope(target.name)
        and variable_name_without_scope(target.name) not in _SPECIAL_VARIABLES
    )


def _is_collection(target: Expression, state: SessionState) -> bool:
    """Whether a target is a variable that contains a collection created by this text."""
    return (
        isinstance(target, Variable)
        and variable_name_without_scope(target.name) in state.names.collection_variables
    )


def _constant_word(text: str, *, quoted: bool) -> Word:
    """Convert a constant to a word."""
    tilde = not quoted and (text == "~" or text.startswith(("~/", "~\\")))
    return Word(text, tilde=tilde, quoted=quoted)


def _are_paths(target: Expression, values: Values) -> bool:
    """Whether the values are files, so that `.FullName` and similar properties are their paths."""
    return all(value.listed for value in values) or (
        isinstance(target, Variable) and variable_name_without_scope(target.name) == "pwd"
    )


def _select_element(values: Values | None, index: Values | None) -> Values | None:
    """The element with this index; None if it is unknown."""
    if values is None or index is None or len(index) != 1 or len(values) < 2:
        return None
    number = index[0].text
    if not re.fullmatch(r"-?\d{1,3}", number) or not -len(values) <= int(number) < len(values):
        return None
    return (values[int(number)],)


def _compute_text(
    operators: tuple[str, ...], operands: tuple[Expression, ...], values: list[Values | None]
) -> Values | None:
    """The text that operators make of known texts; None if it is unknown."""
    known = [value for value in values if value is not None]
    if len(known) != len(values) or any(UNKNOWN_MARK in word.text for value in known for word in value):
        return None
    texts = [[word.text for word in value] for value in known]
    if set(operators) == {"+"} and len(operands) > 1 and all(len(text) == 1 for text in texts):
        first = known[0][0]
        return (
            (Word("".join(text[0] for text in texts), quoted=True, tilde=first.tilde),)
            if first.quoted
            else None
        )
    if operators == ("-join",):
        separator = texts[1][0] if len(texts) == 2 and len(texts[1]) == 1 else ""
        return (Word(separator.join(texts[0]), quoted=True),)
    if operators == ("-f",) and len(texts[0]) == 1:
        return _format_text(texts[0][0], texts[1])
    return None


def _format_text(pattern: str, arguments: list[str]) -> Values | None:
    """The result of the operator `-f`, such as `'{1}{0}' -f 'a', 'b'`."""
    if re.search(r"[{}]", _FORMAT_PLACEHOLDER.sub("", pattern)) or any(
        int(slot) >= len(arguments) for slot in _FORMAT_PLACEHOLDER.findall(pattern)
    ):
        return None
    return (Word(_FORMAT_PLACEHOLDER.sub(lambda slot: arguments[int(slot[1])], pattern), quoted=True),)

"""Visit the commands of a PowerShell text: words, piped input, and effects on later commands."""

from assent.engine.lines.command import Command, Redirect, RedirectAccess
from assent.engine.powershell import cmdlets, members, paths
from assent.engine.powershell.cmdlet_table import ALIASES, LOCATION_FUNCTIONS
from assent.engine.powershell.evaluate import Evaluator
from assent.engine.powershell.paths import Values
from assent.engine.powershell.state import SessionState
from assent.engine.powershell.syntax import (
    CommandNode,
    Expression,
    HashTable,
    ItemList,
    NamedParameter,
    Redirection,
    ScriptBlock,
    ValueNode,
    Variable,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word

MAX_ITERATIONS = 16
"""The maximal number of loop values that are visited one by one."""


class CommandWalker(Evaluator):
    """Visits pipelines and the commands in them."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: set[str] = set()
        """Functions that are certainly defined by now, in lower case."""
        self.changes_directory = False
        """Whether any command changes the directory."""
        self._last_move: tuple[str, ...] | None = None

    def visit_pipeline(
        self, stages: tuple[CommandNode | ValueNode, ...], state: SessionState
    ) -> Values | None:
        """Visit the commands of a pipeline, and return the output of the last command; None if unknown."""
        fed: Values | None = None
        for position, stage in enumerate(stages):
            self.span = stage.span if stage.span[1] else self.span
            if isinstance(stage, CommandNode):
                fed = self._visit_call(stage, state, piped=position > 0, piped_values=fed)
            else:
                fed = self._visit_value(stage, state)
        return fed

    def take_last_directory_change(self) -> tuple[str, ...] | None:
        """Return the directories that the last command changed to, and forget them; None without a change."""
        moved, self._last_move = self._last_move, None
        return moved

    def _visit_value(self, stage: ValueNode, state: SessionState) -> Values | None:
        """Visit an expression that is a stage of a pipeline, and return its values."""
        values = self.evaluate(stage.expression, state)
        redirects = self._build_redirects(stage.redirections, state)
        if redirects:
            self.emit(Command((), (), redirects, state.directories, span=stage.span))
        return values

    def _visit_call(
        self, call: CommandNode, state: SessionState, *, piped: bool, piped_values: Values | None
    ) -> Values | None:
        """Visit a command, add it to the commands of the text, and return its output."""
        words = self._command_words(call, state)
        self._last_move = None
        redirects = self._build_redirects(call.redirections, state)
        listed = piped_values is not None and all(word.listed for word in piped_values)
        # A program reads unknown texts as a stream, not as separate words.
        known = bool(words) and (
            cmdlets.find_cmdlet(words[0].text) is not None or not _has_unknown_text(piped_values)
        )
        if words or redirects:
            self.emit(
                Command(
                    words,
                    (),
                    redirects,
                    state.directories,
                    piped=piped,
                    listing_roots=piped_values if listed else None,
                    input_words=None if listed or not known else piped_values,
                    span=call.span,
                    is_function_call=bool(words) and self._is_function(words[0].text, state),
                )
            )
        made = self._visit_blocks(call, words, state, piped_values)
        if not words:
            return None
        self._apply_command(words, state)
        if words[0].text.lower() in state.names.defined_functions:
            return None
        return paths.piped_values(words, piped_values) or made

    def _is_function(self, name: str, state: SessionState) -> bool:
        """Whether a name certainly means a function of this text; an alias has precedence."""
        return name.lower() in self.functions and name.lower() not in ALIASES and not state.in_other_session

    def _command_words(self, call: CommandNode, state: SessionState) -> tuple[Word, ...]:
        """The words of a command; none if the program is a script block, which is visited separately."""
        if isinstance(call.program, ScriptBlock):
            self.visit_block(call.program.body, state)
            self._element_words(call.elements, state, known=True)
            return ()
        program = _program_word(self.evaluate(call.program, state))
        known = cmdlets.find_cmdlet(program.text) is not None
        return (program, *self._element_words(call.elements, state, known=known))

    def _visit_blocks(
        self, call: CommandNode, words: tuple[Word, ...], state: SessionState, piped_values: Values | None
    ) -> Values | None:
        """Visit the script blocks of a command, and return their values for all piped items if known."""
        name = cmdlets.canonical_name(words[0].text) if words else ""
        items = loop_values(piped_values) if name in ("ForEach-Object", "Where-Object") else [None]
        made: list[Values | None] = []
        for element in call.elements:
            value = element.value if isinstance(element, NamedParameter) else element
            for script in value.elements if isinstance(value, ItemList) else (value,):
                if isinstance(script, ScriptBlock):
                    made.extend(self.visit_block(script.body, state, item) for item in items)
        known = [values for values in made if values is not None]
        alone = name == "ForEach-Object" and len(call.elements) == 1 and len(known) == len(made)
        return tuple(word for values in known for word in values) if alone else None

    def _apply_command(self, words: tuple[Word, ...], state: SessionState) -> None:
        """Apply the effects of a command on later commands."""
        name = cmdlets.canonical_name(words[0].text)
        if name in ("Set-Location", "Push-Location", "Pop-Location"):
            self.changes_directory = True
            self._change_directory(name, words, state)
        elif name == "Add-Type" or (name == "New-Object" and not makes_plain_object(words)):
            self.emit_unknown_command(state)

    def _change_directory(self, name: str, words: tuple[Word, ...], state: SessionState) -> None:
        """Apply a change of directory, and record the new directories."""
        if _uses_named_stack(words):
            state.forget_stack()
        elif name == "Push-Location":
            state.push_location()
        if name == "Pop-Location":
            self._last_move = state.pop_location()
        else:
            self._last_move = state.directories_after(_directory_destination(words))
            state.change_directory(self._last_move)

    def _element_words(
        self, elements: tuple[NamedParameter | Expression, ...], state: SessionState, *, known: bool
    ) -> tuple[Word, ...]:
        """The words of all arguments and parameters of a command."""
        found: list[Word] = []
        for element in elements:
            if not isinstance(element, NamedParameter):
                found.extend(self._argument_words(element, state, known=known))
            elif element.value is None:
                found.append(Word(element.name))
            else:
                values = self._argument_words(element.value, state, known=known)
                if known or element.spaced or len(values) != 1:
                    found.extend((Word(element.name + ":"), *values))
                else:
                    found.append(values[0]._replace(text=f"{element.name}:{values[0].text}", tilde=False))
        return tuple(found)

    def _argument_words(self, expression: Expression, state: SessionState, *, known: bool) -> list[Word]:
        """The words of one argument; commas separate the items of a list."""
        if not isinstance(expression, ItemList):
            return self._item_words(expression, state, known=known)
        items = [self._item_words(element, state, known=known) for element in expression.elements]
        if not known and not expression.spaced and all(len(item) == 1 for item in items):
            return [Word(",".join(item[0].text for item in items), quoted=True)]
        return [word for item in items for word in (Word(","), *item)][1:]

    def _item_words(self, expression: Expression, state: SessionState, *, known: bool) -> list[Word]:
        """The words of one item of an argument."""
        if isinstance(expression, ScriptBlock):
            return [Word(expression.source)]
        values = self.evaluate(expression, state)
        if isinstance(expression, HashTable):
            return [Word(expression.source)]
        if values is None:
            return [Word(UNKNOWN_MARK, splits=isinstance(expression, Variable) and expression.splat)]
        words = [_to_argument(word, known=known) for word in values]
        return [part for word in words for part in (Word(","), word)][1:]

    def _build_redirects(
        self, redirections: tuple[Redirection, ...], state: SessionState
    ) -> tuple[Redirect, ...]:
        """Convert the redirections of a command, with their evaluated targets."""
        found: list[Redirect] = []
        for redirection in redirections:
            if redirection.target is None:
                found.append(Redirect(RedirectAccess.DUPLICATE, Word("")))
                continue
            values = self.evaluate(redirection.target, state)
            target = values[0] if values is not None and len(values) == 1 else Word(UNKNOWN_MARK)
            access = RedirectAccess.DUPLICATE if target.text == "$null" else RedirectAccess.WRITE
            found.append(Redirect(access, paths.to_file(target) or target, redirection.appends))
        return tuple(found)


def _has_unknown_text(values: Values | None) -> bool:
    """Whether one of the values is not completely known."""
    return any(UNKNOWN_MARK in word.text for word in values or ())


def loop_values(values: Values | None) -> list[Word | None]:
    """The values of a loop variable; a single None if they are unknown or too many."""
    if not values or len(values) > MAX_ITERATIONS:
        return [None]
    return [*values]


def makes_plain_object(words: tuple[Word, ...]) -> bool:
    """Whether `New-Object` creates an object of a type that only contains values."""
    cmdlet = cmdlets.find_cmdlet(words[0].text)
    given = None if cmdlet is None else cmdlets.bind_arguments(cmdlet, words[1:])
    if given is None:
        return False
    names = [value.text for item in given if item.parameter.name == "TypeName" for value in item.values]
    harmless = all(item.parameter.harmless for item in given)
    return harmless and len(names) == 1 and members.is_harmless_object(names[0])


def _program_word(values: Values | None) -> Word:
    """The program that a value names; an unknown word if the value is uncertain."""
    if values is None or len(values) != 1 or UNKNOWN_MARK in values[0].text or not values[0].text:
        return Word(UNKNOWN_MARK)
    return values[0]


def _to_argument(word: Word, *, known: bool) -> Word:
    """Convert a value to an argument; a value never becomes a parameter, and only programs get globs."""
    if known and word.text != "--":
        return word._replace(quoted=word.quoted or word.text[:1] in ("-", ",", "{", "@"))
    return word._replace(glob=word.glob or (not word.quoted and any(mark in word.text for mark in "*?[")))


def _uses_named_stack(words: tuple[Word, ...]) -> bool:
    """Whether a change of directory may use another stack than the default stack."""
    cmdlet = cmdlets.find_cmdlet(words[0].text)
    given = () if cmdlet is None else cmdlets.bind_arguments(cmdlet, words[1:])
    return given is None or any(item.parameter.name == "StackName" for item in given)


def _directory_destination(words: tuple[Word, ...]) -> Word:
    """The destination of a change of directory."""
    program = words[0].text.lower()
    if program in LOCATION_FUNCTIONS:
        return Word(LOCATION_FUNCTIONS[program])
    cmdlet = cmdlets.find_cmdlet(program)
    if cmdlet is None:
        return words[0]
    given = cmdlets.bind_arguments(cmdlet, words[1:]) or ()
    paths = [
        value for item in given if item.parameter.name in ("Path", "LiteralPath") for value in item.values
    ]
    return paths[0] if len(paths) == 1 else Word(UNKNOWN_MARK)

"""Find the commands that a program runs from its arguments, scripts, input and variables."""

from functools import lru_cache

from assent.engine.lines import repeaters, shells
from assent.engine.lines.command import (
    Command,
    NestedCode,
    add_shell_texts,
    guess_nested_commands,
    restrict_uncertain_code,
)
from assent.engine.lines.embedded_commands import (
    add_script_commands,
    add_variable_commands,
    has_searchable_scripts,
    takes_assignments,
)
from assent.engine.lines.options import (
    OptionParser,
    find_options,
    find_shell_texts,
    join_words,
    may_be_option,
    program_in_setting_value,
    shell_texts_in_options,
    value_after_equals,
)
from assent.engine.lines.written_scripts import add_written_scripts
from assent.engine.programs.catalog import find_program, runner_name, trusted_name
from assent.engine.programs.runs import CodeInput, RestOfWords, RunCommands, RunEntry, Runs, RunsBy
from assent.engine.programs.variables import is_harmless_assignment
from assent.engine.programs.word import UNKNOWN_MARK, Word

_OPTIONS_ONLY = Runs(rest=RestOfWords.FLAGS)
"""The entry of a program that runs code only from its options."""


def find_nested(command: Command) -> NestedCode | None:
    """The nested commands of a command, one level deep; None if it runs only itself."""
    if not (command.assignments or command.written_files or _may_run_others(command.program)):
        return None
    return add_variable_commands(
        add_written_scripts(add_script_commands(_nested_in_words(command), command), command), command
    )


@lru_cache(maxsize=4096)
def _may_run_others(program: str) -> bool:
    """Whether a program of this name may run other commands; most programs do not."""
    return runner_name(program) is not None or has_searchable_scripts(program) or takes_assignments(program)


def _nested_in_words(command: Command) -> NestedCode | None:
    """The nested commands in the words of a command."""
    name = runner_name(command.program)
    if name is None:
        return None
    known = find_program(name)
    if known.runs_by is not None:
        found = _nested_by_kind(known.runs_by, known.runs_options, name, command)
    else:
        found = add_shell_texts(
            _nested_by_entry(known.runs or _OPTIONS_ONLY, command, 1), find_shell_texts(name, command.words)
        )
        found = shells.mark_unknown_program_file(found, command, known.text_options or "")
    return (
        None
        if found is None
        else restrict_uncertain_code(found, trusted=trusted_name(command.program) == name)
    )


def _nested_by_kind(kind: RunsBy, options: str, name: str, command: Command) -> NestedCode | None:
    """The nested commands of a program that needs a parser of its own, such as `find` or `sh`."""
    match kind:
        case RunsBy.SHELL:
            return shells.nested_in_shell(name, command)
        case RunsBy.POWERSHELL:
            return shells.nested_in_powershell(command)
        case RunsBy.WINDOWS_SHELL:
            return shells.nested_in_cmd(command)
        case RunsBy.INPUT_NAMES:
            return repeaters.nested_in_xargs(command, options)
        case RunsBy.FOUND_FILES:
            return repeaters.nested_in_find(command)
        case RunsBy.FOUND_NAMES:
            return repeaters.nested_in_fd(command)
        case RunsBy.ARGUMENTS:
            return repeaters.nested_in_parallel(command, options)


def _nested_by_entry(entry: RunEntry, command: Command, at: int) -> NestedCode | None:
    """The nested command of a wrapper, found by its entry in the catalog."""
    if isinstance(entry, RunCommands):
        return _nested_in_subcommand(entry, command, at)
    if entry.marker:
        return _nested_after_marker(entry, command, at)
    if entry.rest is RestOfWords.FLAGS:
        return _nested_in_flags(entry, command, at)
    return _WrapperParser(entry, command, at).parse_wrapper()


def _nested_in_subcommand(entry: RunCommands, command: Command, at: int) -> NestedCode | None:
    """The nested command of a sub-command, such as `docker exec`."""
    words = command.words
    own = OptionParser(entry.options, words, at)
    own.skip_options()
    named = words[own.at].text if own.understood and own.at < len(words) else ""
    found: NestedCode | None = None
    if named in entry.commands:
        found = _nested_by_entry(entry.commands[named], command, own.at + 1)
    elif not own.understood:
        found = _guess_subcommand(entry, command, own.at)
    if found is None and entry.default is not None and named not in entry.commands:
        found = _nested_by_entry(entry.default, command, at)
    return add_shell_texts(found, shell_texts_in_options(own.found))


def _guess_subcommand(entry: RunCommands, command: Command, at: int) -> NestedCode | None:
    """The nested commands of the first two words that may be the sub-command."""
    words = command.words
    indexes = [index for index in range(at, len(words)) if words[index].text in entry.commands]
    found = [_nested_by_entry(entry.commands[words[index].text], command, index + 1) for index in indexes[:2]]
    likely = [one for one in found if one is not None]
    if not likely:
        return None
    return likely[0]._replace(
        commands=tuple(vector for one in likely for vector in one.commands),
        texts=tuple(text for one in likely for text in one.texts),
        certain=False,
        computed=len(indexes) > 2 or any(one.computed for one in likely),
    )


def _nested_in_flags(wrapper: Runs, command: Command, at: int) -> NestedCode | None:
    """The nested code of a program that runs code only from its options or its input."""
    words = command.words
    options = find_options(wrapper.options, words, at)
    found = shells.nested_in_input(command, wrapper.input)
    for start in [option.at + 1 for option in options if "*" in option.option.marks]:
        found = NestedCode((words[start:],), at=start) if words[start:] else found
    found = add_shell_texts(found, shell_texts_in_options(options))
    return (found or NestedCode())._replace(privilege=True) if wrapper.privilege else found


def _nested_after_marker(wrapper: Runs, command: Command, at: int) -> NestedCode | None:
    """The nested command after a marker word, such as `--`."""
    words = command.words
    indexes = [index for index in range(at, len(words)) if words[index].text == wrapper.marker]
    start = indexes[0] + 1 if indexes else len(words)
    if not words[start:]:
        return _nested_in_flags(wrapper, command, at)
    return NestedCode(
        ((*map(Word, wrapper.words_before), *words[start:]),), at=start, privilege=wrapper.privilege
    )


class _WrapperParser:
    """Separates the words of a wrapper from the words of the command that it runs."""

    def __init__(self, wrapper: Runs, command: Command, at: int) -> None:
        self.wrapper = wrapper
        self.command = command
        self.words = command.words
        self.own = OptionParser(wrapper.options, command.words, at)
        self.pending = wrapper.operands
        self.start = at
        self.harmless = True

    def parse_wrapper(self) -> NestedCode | None:
        """The command that the wrapper runs; None if it runs none."""
        wrapper, own = self.wrapper, self.own
        self._skip_own_words()
        found = add_shell_texts(
            None if own.options_with_mark(";") else self._find_nested(), shell_texts_in_options(own.found)
        )
        if found is None:
            return NestedCode(privilege=True) if wrapper.privilege else None
        clean = self.harmless and not own.options_with_mark("~")
        return found._replace(
            transparent=wrapper.transparent and clean,
            covers=wrapper.covers and clean,
            privilege=wrapper.privilege,
            files=tuple(option.value for option in own.options_with_mark("<")),
        )

    def _skip_own_words(self) -> None:
        """Skip the options, operands and assignments of the wrapper."""
        own = self.own
        own.skip_options()
        self.start = own.at
        while self.pending and own.understood and own.at < len(self.words):
            if may_be_option(self.words[own.at]):
                own.understood = False
                return
            own.at += 1
            self.pending -= 1
            if self.wrapper.options_after_operands:
                own.skip_options()
        while (
            self.wrapper.assignments
            and own.understood
            and own.at < len(self.words)
            and self._next_is_assignment()
        ):
            own.at += 1
            if self.wrapper.options_after_operands:
                own.skip_options()

    def _next_is_assignment(self) -> bool:
        """Whether the next word is an assignment; a harmful assignment clears `harmless`."""
        word = self.words[self.own.at]
        name, equals, value = word.text.partition("=")
        if not equals or not name or UNKNOWN_MARK in name:
            return False
        self.harmless = self.harmless and is_harmless_assignment(name, word._replace(text=value))
        return True

    def _find_nested(self) -> NestedCode | None:
        """The nested command after the wrapper's own words, or guesses if an option is unknown."""
        own = self.own
        clear = own.understood or all(map(may_be_option, self.words[own.at : own.at + 1]))
        if self.wrapper.rest is RestOfWords.SCRIPT and clear:
            return self._nested_in_script()
        return (
            self._nested_in_rest() if own.understood or own.options_with_mark("&") else self._guess_nested()
        )

    def _guess_nested(self) -> NestedCode | None:
        """The nested commands at all possible positions, because an option is unknown."""
        own = self.own
        marked = any("!" in option.marks for option in own.grammar.known.values())
        texts = marked or self.wrapper.rest is not RestOfWords.COMMAND
        start = self.start if self.wrapper.optional else own.at
        found = guess_nested_commands(self.words, start, own=self.pending, texts=texts)
        if found.commands or found.texts or found.computed:
            return found
        # If the last word has an unknown value, that value must contain the command.
        hidden = self.wrapper.input is CodeInput.DATA and any(word.is_opaque for word in self.words[own.at :])
        return found._replace(computed=True) if hidden else None

    def _nested_in_rest(self) -> NestedCode | None:
        """The nested command or shell text in the remaining words."""
        own, words = self.own, self.words
        if own.options_with_mark("&"):
            # `env -S` splits the text into words; `\_` means a blank.
            text = join_words(
                (words[0], *(option.value for option in own.options_with_mark("&")), *words[own.at :])
            )
            text = text._replace(text=text.text.replace("\\_", " "))
            return NestedCode(texts=(text,), at=own.options_with_mark("&")[0].at)
        # An optional operand may also be the beginning of the command.
        starts = [self.start, own.at] if self.wrapper.optional and self.start < own.at else [own.at]
        match RestOfWords.TEXT if own.options_with_mark("$") else self.wrapper.rest:
            case RestOfWords.COMMAND:
                programs = tuple(option.value for option in own.options_with_mark("^"))
                before = (*map(Word, self.wrapper.words_before), *programs)
                vectors = tuple((*before, *words[start:]) for start in starts if programs or words[start:])
                return NestedCode(vectors, at=starts[0]) if vectors else self._nested_in_input()
            case RestOfWords.TEXT:
                texts = tuple(join_words(words[start:]) for start in starts if words[start:])
                return NestedCode(texts=texts, at=starts[0]) if texts else self._nested_in_input()
            case _:
                return self._nested_in_operands()

    def _nested_in_script(self) -> NestedCode | None:
        """The code that the program runs from a script file or its input."""
        own = self.own
        if shell_texts_in_options(own.found):
            return None
        return shells.nested_in_script(
            self.command, own.at, reads=self.wrapper.input, unknown=own.assumed_switches
        )

    def _nested_in_input(self) -> NestedCode | None:
        """The code that the program runs from its standard input."""
        return (
            None
            if shell_texts_in_options(self.own.found)
            else shells.nested_in_input(self.command, self.wrapper.input)
        )

    def _nested_in_operands(self) -> NestedCode | None:
        """The shell texts in the operands."""
        at, operands = self.own.at, self.own.parse_operands()
        texts: list[Word | None] = []
        match self.wrapper.rest:
            case RestOfWords.FIRST:
                texts = [operands[0]] if len(operands) > 1 and operands[0].text not in ("", "-") else []
            case RestOfWords.VALUES:
                texts = [value_after_equals(word) for word in operands if "=" in word.text]
            case RestOfWords.SETTING:
                texts = [program_in_setting_value(operands[0].text, operands[1])] if len(operands) > 1 else []
            case _:
                texts = [*operands]
        found = tuple(text for text in texts if text is not None)
        return NestedCode(texts=found, at=at) if found else None

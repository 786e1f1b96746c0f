"""Parse a command line into parts, and find what each part reads, writes, runs and endangers."""

import posixpath
from collections.abc import Callable, Sized
from functools import cache
from typing import NamedTuple, cast

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import load_attribute
from assent.engine.base.tool import Dialect
from assent.engine.lines import spellings
from assent.engine.lines.command import Command, NestedCode, ParsedLine, Redirect, RedirectAccess
from assent.engine.lines.dangers import CommandDangers
from assent.engine.lines.embedded_commands import files_written_by_variables, has_harmless_assignments
from assent.engine.lines.output import find_listed_paths
from assent.engine.lines.part import (
    ParsedCall,
    Part,
    evaluated_value_reason,
    evaluated_word_reason,
    find_changed_paths,
    find_copied_paths,
    find_endangered_paths,
    find_redirected_paths,
    to_path_uses,
)
from assent.engine.lines.part_searches import find_part_searches, join_code_searches
from assent.engine.lines.reading import ReadResult
from assent.engine.lines.specifier import StandardInput, quote_words
from assent.engine.lines.writes import FileChanges
from assent.engine.programs import catalog
from assent.engine.programs.runs import InputUse
from assent.engine.programs.variables import is_harmless_assignment, is_harmless_lone_assignment
from assent.engine.programs.word import Word

MAX_DEPTH = 8
"""The maximal depth of nested commands."""
MAX_PARTS = 512
"""The maximal number of parts of a line, including nested parts."""
_WORK_PER_PART = 3
"""Units of work for each part."""
_CHARACTERS_PER_WORK = 16
"""Characters of shell text that cost one unit of work."""
MAX_WORK = MAX_PARTS * _WORK_PER_PART
"""The maximal work for a line. Each word costs one unit; parts, long texts and paths cost more."""
TOO_MUCH_WORK = "would run more than can be read"
"""Why a line that exceeds its work limit is unreadable."""
_CHARACTERS_PER_FORM_WORK = 512
"""Characters of normal forms that cost one unit of work."""
DECLARATIONS = frozenset({"declare", "export", "local", "readonly", "typeset"})
"""Builtins that declare variables."""
_LANGUAGES = {
    Dialect.SHELL: ("bash.language", "BASH"),
    Dialect.POWERSHELL: ("powershell.language", "POWERSHELL"),
}
"""Module and name of the language of each dialect, loaded when it is first needed."""
SpendWork = Callable[[int], bool]
"""Subtracts units from the remaining work of the line; returns False if too little work is left."""


class Language(NamedTuple):
    """The functions that parse and analyse the command lines of one shell language."""

    parse: Callable[[str], ParsedLine]
    find_reads: Callable[[tuple[Word, ...]], ReadResult | None]
    find_nested: Callable[[Command], NestedCode | None]
    find_changes: Callable[[tuple[Word, ...]], FileChanges | None]
    find_dangers: Callable[[Command], CommandDangers]
    find_forms: spellings.FormFinder
    find_input_use: Callable[[Command], InputUse]
    """Finds what a program uses its standard input for."""


class _Budget(NamedTuple):
    """The current depth of nesting, and the remaining work for the whole line."""

    depth: int
    work_left: list[int]
    """The remaining units, in a list so that all depths share the number."""

    def one_level_deeper(self) -> "_Budget":
        """The budget one level deeper."""
        return self._replace(depth=self.depth + 1)

    def spend_work(self, work: int) -> bool:
        """Subtract units of work; return False if too little is left.

        Work is counted because the engine has no clock.
        """
        self.work_left[0] -= work
        return self.work_left[0] >= 0


class _SeenPart(NamedTuple):
    """A part and the work that it cost, for later repetitions of the same command."""

    part: Part
    work: int

    def is_same_command(self, command: Command) -> bool:
        """Whether a command with the same text also has the same directories, input and variables."""
        own = self.part.command
        return own is not None and own == command._replace(span=own.span)


def parse_line(text: str, language: Language, standard_input: str | None = None) -> ParsedCall:
    """Parse a line into parts. An unreadable line becomes one part that no allow rule covers.

    `standard_input` is the text that the shell, and so each command of the line, reads.
    """
    line = language.parse(text)
    if line.unreadable is not None:
        return ParsedCall((Part(text, unreadable=line.unreadable),), line.unreadable)
    if standard_input is not None:
        shell = Command((), redirects=(Redirect(RedirectAccess.TEXT, Word(standard_input, quoted=True)),))
        line = line._replace(commands=tuple(one.with_input_of(shell) for one in line.commands))
    parts = _line_parts(line, language, text, ("",), _Budget(0, [MAX_WORK]))
    subject = ParsedCall(parts, source=line.source, spans=tuple(command.span for command in line.commands))
    unreadable = _first_unreadable_reason(subject.parts) or evaluated_value_reason(text, subject.all_parts)
    return subject if unreadable is None else subject._replace(unreadable=unreadable)


@cache
def load_language(dialect: Dialect) -> Language:
    """Load the language of a dialect."""
    module, name = _LANGUAGES[dialect]
    found = load_attribute(module, name)
    if not isinstance(found, Language):
        raise TypeError(f"{module}.{name} is not a language")
    return found


def build_program_part(
    text: str,
    command: Command,
    language: Language,
    spend: SpendWork,
    nested: NestedCode | None,
    nested_parts: tuple[Part, ...],
) -> Part:
    """Build the part of a command that runs a program."""
    words, directories = command.words, command.directories
    # Nested code that is not among the words does not change the meaning of the words.
    by_words = nested if nested is None or nested.at >= 0 else None
    reading = None if by_words is not None else _find_command_reads(command, language)
    changes = None if reading is not None else language.find_changes(words)
    if reading is not None:
        files = reading.files
    else:
        files = find_copied_paths(words, changes) if by_words is None else by_words.files
    changed = files_written_by_variables(command)
    if reading is None:
        runs_others = bool(nested_parts) and by_words is not None
        changed = (*find_changed_paths(command, changes, runs_others=runs_others), *changed)
    dangers = language.find_dangers(command)
    endangered = find_endangered_paths(dangers, directories, changes)
    reads, redirected = find_redirected_paths(command)
    writes = to_path_uses(changed, directories)
    copies = to_path_uses(files, directories)
    harmless_assignments = has_harmless_assignments(command)
    known = spellings.are_literal(words)
    forms = spellings.normal_forms(command, language.find_forms)
    unreadable = _too_many_forms_reason(forms, spend) or _too_many_paths_reason(
        words, (copies, writes, endangered), spend
    )
    command_only_reads = harmless_assignments and reading is not None
    part = Part(
        text,
        normal_forms=forms,
        possible_forms=() if known else spellings.possible_forms(command, language.find_forms),
        written_forms=spellings.written_forms(
            command, harmless_assignments=harmless_assignments, known=known
        ),
        reads=(*reads, *copies) if reads else copies,
        selectors=() if reading is None else to_path_uses(reading.selectors, directories),
        redirect_reads=reads,
        writes=writes,
        input=None if command_only_reads else _find_input(command, language, nested, nested_parts),
        redirect_writes=redirected,
        listed_paths=to_path_uses(find_listed_paths(command, reading), directories),
        only_reads=command_only_reads and not redirected,
        command_only_reads=command_only_reads,
        searches=find_part_searches(command, reading),
        directories=directories,
        is_gate=catalog.is_gate(command.program),
        unreadable=_unreadable_reason(command, nested) or unreadable,
        catastrophe=dangers.catastrophe,
        endangered_paths=endangered,
        command=command,
    )
    return (
        part
        if nested is None
        else _add_nested_parts(part, command, nested, nested_parts, harmless_assignments=harmless_assignments)
    )


def _first_unreadable_reason(parts: tuple[Part, ...]) -> str | None:
    """The first reason why one of the parts or nested parts is unreadable; None if all are readable."""
    for part in parts:
        reason = part.unreadable or _first_unreadable_reason(part.nested)
        if reason is not None:
            return reason
    return None


def _build_part(text: str, command: Command, language: Language, budget: _Budget) -> Part:
    """Build the part of a command, including its nested parts."""
    if not budget.spend_work(_WORK_PER_PART + len(command.words)):
        return Part("…", unreadable=TOO_MUCH_WORK)
    nested = language.find_nested(command)
    inner = () if nested is None else _nested_parts(command, nested, language, budget)
    if command.words:
        return build_program_part(text, command, language, budget.spend_work, nested, inner)
    reads, redirected = find_redirected_paths(command)
    dangers = language.find_dangers(command)
    alone = all(is_harmless_lone_assignment(*one) for one in command.assignments)
    return Part(
        text,
        normal_forms=(text,),
        reads=reads,
        redirect_reads=reads,
        redirect_writes=redirected,
        listed_paths=to_path_uses(find_listed_paths(command), command.directories),
        only_reads=alone and not redirected and not inner,
        directories=command.directories,
        nested=inner,
        catastrophe=dangers.catastrophe,
        endangered_paths=find_endangered_paths(dangers, command.directories),
        command=command,
    )


def _nested_parts(
    command: Command, nested: NestedCode, language: Language, budget: _Budget
) -> tuple[Part, ...]:
    """Build the parts of the commands and texts that a command would run."""
    if budget.depth >= MAX_DEPTH:
        return (Part("…", unreadable="is nested too deeply"),)
    found: list[Part] = []
    for words in filter(None, nested.commands):
        one = Command(words, directories=command.directories).with_input_of(command)
        found.append(_build_part(_command_text(one, b""), one, language, budget.one_level_deeper()))
    for text in nested.texts:
        found.extend(_shell_text_parts(text, command, language, budget))
    return tuple(found)


def _shell_text_parts(text: Word, command: Command, language: Language, budget: _Budget) -> tuple[Part, ...]:
    """Build the parts of a shell text that a command would run."""
    if UNKNOWN_MARK in text.text:
        # The unknown text may contain any code; deny rules still match the text around it.
        known = text._replace(text=text.text.replace(UNKNOWN_MARK, "${_}"))
        seen = _shell_text_parts(known, command, language, budget) if text.text != UNKNOWN_MARK else ()
        return (Part("…", unreadable="runs a text that is itself computed"), *seen)
    if not budget.spend_work(_WORK_PER_PART + len(text.text) // _CHARACTERS_PER_WORK):
        return (Part("…", unreadable=TOO_MUCH_WORK),)
    line = language.parse(text.text)
    if line.unreadable is not None:
        return (Part(text.text, unreadable=line.unreadable),)
    inner = line._replace(commands=tuple(one.with_input_of(command) for one in line.commands))
    return _line_parts(inner, language, text.text, command.directories, budget.one_level_deeper())


def _line_parts(
    line: ParsedLine, language: Language, text: str, directories: tuple[str, ...], budget: _Budget
) -> tuple[Part, ...]:
    """Build the parts of all commands of a line, and of its fork bombs and secret variables."""
    source = (line.source or text).encode()
    commands = [command.relative_to(directories) for command in line.commands]
    found = _command_parts(commands, language, source, budget)
    if line.fork_bombs or line.secret_variables or line.array_words:
        found += [Part(f"{name}()", fork_bomb=name) for name in line.fork_bombs]
        found += [Part(f"${name}", only_reads=True, secret_variable=name) for name in line.secret_variables]
        found += [_array_word_part(word, directories) for word in line.array_words]
    return tuple(found)


def _command_parts(commands: list[Command], language: Language, source: bytes, budget: _Budget) -> list[Part]:
    """Build the parts of the commands in order; a repeated command shares one part object."""
    if len(commands) == 1:
        return [_build_part(_command_text(commands[0], source), commands[0], language, budget)]
    met: dict[str, _SeenPart] = {}
    found: list[Part] = []
    for command in commands:
        text = _command_text(command, source)
        again = met.get(text)
        if again is None or not again.is_same_command(command):
            left = budget.work_left[0]
            part = _build_part(text, command, language, budget)
            met[text] = _SeenPart(part, left - budget.work_left[0])
        else:
            part = again.part if budget.spend_work(again.work) else Part("…", unreadable=TOO_MUCH_WORK)
        found.append(part)
    return found


def _array_word_part(word: Word, directories: tuple[str, ...]) -> Part:
    """A part that only lists the path in a word of an array."""
    return Part(word.text, only_reads=True, listed_paths=to_path_uses((word,), directories))


def _command_text(command: Command, source: bytes) -> str:
    """The text of a command in its line; for a command without position, its quoted words."""
    start, end = command.span
    return source[start:end].decode() if end else quote_words(tuple([word.text for word in command.words]))


def _find_input(
    command: Command, language: Language, nested: NestedCode | None, nested_parts: tuple[Part, ...]
) -> StandardInput | None:
    """The standard input that a rule must name; None for most commands."""
    if not (command.piped or command.redirects or command.inherited_redirects or nested_parts):
        return None
    fills = nested is not None and nested.texts != () and any(one.possible_forms for one in nested_parts)
    find = cast("Callable[..., StandardInput | None]", load_attribute("lines.standard_input", "find_input"))
    return find(command, [one.input for one in nested_parts], language.find_input_use, fills_words=fills)


def _add_nested_parts(
    part: Part,
    command: Command,
    nested: NestedCode,
    nested_parts: tuple[Part, ...],
    *,
    harmless_assignments: bool,
) -> Part:
    """Add the nested parts to the part of the command that runs them."""
    is_transparent = nested.transparent and nested.certain and harmless_assignments
    command_only_reads = is_transparent and bool(nested_parts) and all(one.only_reads for one in nested_parts)
    return part._replace(
        only_reads=command_only_reads and not part.redirect_writes,
        command_only_reads=command_only_reads,
        searches=join_code_searches(part.searches, [one.searches for one in nested_parts]),
        nested=nested_parts,
        nested_at=_nested_position(command, nested, harmless_assignments=harmless_assignments),
        is_covered_by_nested=nested.covers and nested.certain and harmless_assignments,
        privilege=nested.privilege,
    )


def _too_many_forms_reason(forms: tuple[str, ...], spend: SpendWork) -> str | None:
    """Why a command with too many normal forms is unreadable; each rule is compared with each form."""
    if len(forms) <= 2:
        return None
    many = len(forms) > spellings.MAX_FORMS or not spend(sum(map(len, forms)) // _CHARACTERS_PER_FORM_WORK)
    return "could be spelled in more ways than can be read" if many else None


def _too_many_paths_reason(words: tuple[Word, ...], uses: tuple[Sized, ...], spend: SpendWork) -> str | None:
    """Why a command with too many paths is unreadable; None if it has few paths."""
    more = sum(map(len, uses)) - len(words)
    return TOO_MUCH_WORK if more > 0 and not spend(more) else None


def _nested_position(command: Command, nested: NestedCode, *, harmless_assignments: bool) -> int:
    """The index of the first nested word among the words that an allow rule must match."""
    before = 0 if harmless_assignments else len(command.assignments)
    return before + (nested.at if nested.certain else len(command.words))


_PROCESS_DIRECTORIES = ("proc/", "dev/")
"""Directories whose names mean other files in each process: `/proc/self/exe` is the shell itself."""


def _unreadable_reason(command: Command, nested: NestedCode | None) -> str | None:
    """Why a single command is unreadable: its program or its code is unknown."""
    program = command.words[0]
    if program.is_opaque or program.glob:
        return "runs a program that is itself computed"
    if _is_in_process_directory(program.text):
        return "runs a program whose file is different for every process"
    if nested is not None and nested.computed:
        return "runs code from its input or an unknown source"
    return evaluated_word_reason(command)


def _is_in_process_directory(program: str) -> bool:
    path = posixpath.normpath(program)
    return path[:1] == "/" and path.lstrip("/").startswith(_PROCESS_DIRECTORIES)


def _find_command_reads(command: Command, language: Language) -> ReadResult | None:
    """What the command reads; None if it may do more than read."""
    if command.is_function_call:
        # The body of a function has parts of its own. A function with the name of a known program does
        # not count as a read.
        known = language.find_reads(command.words[:1]) or language.find_nested(command)
        return ReadResult() if known is None and catalog.find_read_entry(command.program) is None else None
    program = command.words[0].text
    if program in DECLARATIONS:
        return ReadResult() if _is_harmless_declaration(program, command.words[1:]) else None
    return language.find_reads(command.words)


def _is_harmless_declaration(program: str, words: tuple[Word, ...]) -> bool:
    """Whether a declaration only sets variables that no program reads."""
    is_safe = is_harmless_assignment if program == "export" else is_harmless_lone_assignment
    pairs = [word.text.partition("=") for word in words]
    return bool(words) and all(equals and is_safe(name, Word(value)) for name, equals, value in pairs)

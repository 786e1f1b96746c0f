"""The part of a program that a line runs: what it reads, writes, runs, endangers and is called."""

from collections.abc import Callable, Sized
from functools import cache
from typing import NamedTuple, cast

from assent.engine.globs import HOLE
from assent.engine.late import late
from assent.engine.lines import listing, spellings, touches
from assent.engine.lines.command import Command, Line
from assent.engine.lines.dangers import Dangers
from assent.engine.lines.input_names import Fed
from assent.engine.lines.nested import Carried
from assent.engine.lines.part import Part
from assent.engine.lines.reading import Reading
from assent.engine.lines.variable_commands import harmless_before, written_by_variables
from assent.engine.lines.writes import Written
from assent.engine.model import Dialect
from assent.engine.programs import catalog
from assent.engine.programs.program import InputUse
from assent.engine.programs.variables import harmless, harmless_alone
from assent.engine.programs.word import Word
from assent.engine.regex import regex

TOO_MUCH = "would run more than can be read"
_FORMS = 512
_DECLARATIONS = frozenset({"declare", "export", "local", "readonly", "typeset"})

_EVALUATORS = frozenset(
    """test [ [[ let declare typeset local export readonly unset read printf mapfile readarray wait
    getopts""".split()
)
_ARITHMETIC = frozenset({"((", "[[", "let", "declare", "typeset", "local", "export", "readonly"})
_COMPARES = frozenset("-eq -ne -lt -le -gt -ge -v".split())
_SUBSCRIPT = regex(r"\w\[[^\]]*(?:\$\((?!\()|`)")
"""A subscript that runs a command, which arithmetic does with one in a value."""
_EVALUATION = "evaluates a text that holds a command"
_HOMES = {
    Dialect.SHELL: ("bash.language", "BASH"),
    Dialect.POWERSHELL: ("powershell.language", "POWERSHELL"),
}

Spend = Callable[[int], bool]
"""Whether so much work was left for the line."""


class Language(NamedTuple):
    """How one kind of shell is read."""

    read: Callable[[str], Line]
    reading: Callable[[tuple[Word, ...]], Reading | None]
    carried: Callable[[Command], Carried | None]
    written: Callable[[tuple[Word, ...]], Written | None]
    dangers: Callable[[Command], Dangers]
    spellings: spellings.Forms
    takes: Callable[[Command], InputUse]
    """What a program takes its standard input for."""


@cache
def language_of(dialect: Dialect) -> Language:
    """How lines of this dialect are read."""
    module, name = _HOMES[dialect]
    found = late(module, name)
    if not isinstance(found, Language):
        raise TypeError(f"{module}.{name} is not a language")
    return found


def part_of_program(
    text: str,
    command: Command,
    language: Language,
    spend: Spend,
    carried: Carried | None,
    inner: tuple[Part, ...],
) -> Part:
    """A part that runs a program: what is known of it, and of what it carries."""
    words, directories = command.words, command.directories
    # What it runs only besides leaves its own words what they are.
    by_words = carried if carried is None or carried.at >= 0 else None
    reading = None if by_words is not None else _reading(command, language)
    changes = None if reading is not None else language.written(words)
    if reading is not None:
        files = reading.files
    else:
        files = touches.copied_paths(words, changes) if by_words is None else by_words.files
    changed = written_by_variables(command)
    if reading is None:
        carries = bool(inner) and by_words is not None
        changed = (*touches.changed_paths(command, changes, carries=carries), *changed)
    dangers = language.dangers(command)
    endangered = touches.endangered_paths(dangers, directories, changes)
    reads, redirected = touches.redirections(command)
    writes = touches.path_uses(changed, directories)
    copies = touches.path_uses(files, directories)
    prefixed = harmless_before(command)
    known = spellings.are_literal(words)
    hits = spellings.normal_forms(command, language.spellings)
    unreadable = _many_forms(hits, spend) or _many_paths(words, (copies, writes, endangered), spend)
    reads_alone = prefixed and reading is not None
    part = Part(
        text,
        hits=hits,
        possible=() if known else spellings.possible_forms(command, language.spellings),
        covers=spellings.written_forms(command, prefixed=prefixed, known=known),
        reads=(*reads, *copies) if reads else copies,
        inputs=reads,
        writes=writes,
        fed=None if reads_alone else _fed(command, language, inner),
        redirected=redirected,
        names=touches.path_uses(listing.named(command, reading), directories),
        only_reads=reads_alone and not redirected,
        reads_alone=reads_alone,
        trust=reading is not None and reading.trust,
        directories=directories,
        unreadable=_computed(command, carried) or unreadable,
        catastrophe=dangers.catastrophe,
        endangered=endangered,
        command=command,
    )
    return part if carried is None else _carrying(part, command, carried, inner, prefixed=prefixed)


def _fed(command: Command, language: Language, inner: tuple[Part, ...]) -> Fed | None:
    """What is fed to it, where a rule must name that; most commands are fed nothing."""
    if not (command.piped or command.redirects or command.inherited or inner):
        return None
    below = [one.fed for one in inner]
    find = cast("Callable[..., Fed | None]", late("lines.standard_input", "fed_to"))
    return find(command, below, language.takes)


def _carrying(
    part: Part, command: Command, carried: Carried, inner: tuple[Part, ...], *, prefixed: bool
) -> Part:
    """The part of a program that runs others, too."""
    is_harmless = carried.transparent and carried.certain and prefixed
    reads_alone = is_harmless and bool(inner) and all(one.only_reads for one in inner)
    return part._replace(
        only_reads=reads_alone and not part.redirected,
        reads_alone=reads_alone,
        trust=part.trust or any(one.trust for one in inner),
        carried=inner,
        carried_at=_carried_at(command, carried, prefixed=prefixed),
        passes_through=carried.covers and carried.certain and prefixed,
        privilege=carried.privilege,
    )


def _many_forms(hits: tuple[str, ...], spend: Spend) -> str | None:
    """Why a command cannot be read that may be spelled in very many ways, each of which rules look at."""
    if len(hits) <= 2:
        return None
    many = len(hits) > spellings.MOST_FORMS or not spend(sum(map(len, hits)) // _FORMS)
    return "could be spelled in more ways than can be read" if many else None


def _many_paths(words: tuple[Word, ...], uses: tuple[Sized, ...], spend: Spend) -> str | None:
    """Why a command cannot be read whose words stand for more paths than there are words, if too many do."""
    more = sum(map(len, uses)) - len(words)
    return TOO_MUCH if more > 0 and not spend(more) else None


def _carried_at(command: Command, carried: Carried, *, prefixed: bool) -> int:
    """Which word of those that a rule must spell is the first that is carried."""
    before = 0 if prefixed else len(command.assignments)
    return before + (carried.at if carried.certain else len(command.words))


def _computed(command: Command, carried: Carried | None) -> str | None:
    program = command.words[0]
    if program.opaque or program.glob:
        return "runs a program that is itself computed"
    if carried is not None and carried.computed:
        return "runs a program that it gets from elsewhere"
    return evaluated_word_reason(command)


def _reading(command: Command, language: Language) -> Reading | None:
    if command.function:
        # A function of the line's own: its body is among the parts. One that takes a program's name is
        # left to a person.
        known = language.reading(command.words[:1]) or language.carried(command)
        return Reading() if known is None and catalog.reads(command.program) is None else None
    program = command.words[0].text
    if program in _DECLARATIONS:
        return Reading() if _declares(program, command.words[1:]) else None
    return language.reading(command.words)


def _declares(program: str, words: tuple[Word, ...]) -> bool:
    """Whether a declaration only sets variables that nothing else looks at."""
    is_safe = harmless if program == "export" else harmless_alone
    pairs = [word.text.partition("=") for word in words]
    return bool(words) and all(equals and is_safe(name, Word(value)) for name, equals, value in pairs)


def evaluated_word_reason(command: Command) -> str | None:
    """Why a builtin cannot be read that takes a word for a subscript or arithmetic which runs a command."""
    if command.words[0].text not in _EVALUATORS:
        return None
    words = [word.text for word in command.words]
    if words[0] == "printf" and "-v" not in words:
        return None
    return _EVALUATION if any(map(_runs, words[1:])) else None


def evaluated_value_reason(text: str, parts: tuple[Part, ...]) -> str | None:
    """Why a line cannot be read that evaluates an unknown value, and spells out one that runs a command."""
    commands = [(part, part.command) for part in parts if part.command is not None]
    suspects = [command for _, command in commands if command.program in _ARITHMETIC]
    if not any(map(_evaluates, suspects)):
        return None
    # What a part carries is read by itself, so that it is no text any more.
    texts = [word.text for part, command in commands if not part.carried for word in command.words]
    texts += [redirect.target.text for _, command in commands for redirect in command.redirects]
    return _EVALUATION if any(map(_SUBSCRIPT.search, (text, *texts))) else None


def _evaluates(command: Command) -> bool:
    """Whether a command takes its words, or what the variables in them hold, for arithmetic."""
    words = [word.text for word in command.words]
    match words[:1]:
        case ["(("]:
            return HOLE in words[-1]
        case ["[["]:
            return not _COMPARES.isdisjoint(words)
        case ["let"]:
            return True
        case _:  # a declaration
            return any(word[:1] == "-" and "i" in word for word in words)


def _runs(text: str) -> bool:
    return "$(" in text or "`" in text

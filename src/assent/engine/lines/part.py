"""A part of a call: one thing that the call would do, and the files that it reads, writes and endangers."""

import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from assent.engine.base.facts import PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, Redirect, RedirectAccess
from assent.engine.lines.dangers import CommandDangers, Harm
from assent.engine.lines.options import OptionParser
from assent.engine.lines.part_searches import NO_SEARCHES, PartSearches
from assent.engine.lines.specifier import StandardInput
from assent.engine.lines.writes import FileChanges, find_output_files
from assent.engine.programs.catalog import find_program
from assent.engine.programs.program import SentFiles, WritesBy
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import Word, base_name


class EndangeredPath(NamedTuple):
    """A path that a part would damage, and the kind of damage."""

    harm: Harm
    use: PathUse


class Part(NamedTuple):
    """One thing that a call would do, as rules and breakers see it."""

    text: str
    """The text that people see."""
    normal_forms: tuple[str, ...] = ()
    """The words without quotes, path or other disguise; deny and ask rules match these forms."""
    possible_forms: tuple[str, ...] = ()
    """The normal forms with a wildcard for each unknown word; empty if every word is known."""
    written_forms: tuple[tuple[str, ...], ...] = ()
    """The words as written, which a scoped allow rule matches; empty if no allow rule can cover the part."""
    reads: tuple[PathUse, ...] = ()
    selectors: tuple[PathUse, ...] = ()
    """Patterns that select, by their names, the files that the part reads in directory trees."""
    redirect_reads: tuple[PathUse, ...] = ()
    """Files that a redirection reads; a rule for the command does not cover them."""
    writes: tuple[PathUse, ...] = ()
    input: StandardInput | None = None
    """The standard input of the command or a nested command, if the program may act on it.

    An allow rule must name this input.
    """
    redirect_writes: tuple[PathUse, ...] = ()
    """Files that a redirection writes; an allow rule for the command does not cover them."""
    listed_paths: tuple[PathUse, ...] = ()
    """Paths that the part prints for other parts of the line."""
    only_reads: bool = False
    command_only_reads: bool = False
    """True if the command would only read without its output redirections."""
    searches: PartSearches = NO_SEARCHES
    """The searches in the workspace that the part depends on."""
    directories: tuple[str, ...] = ("",)
    nested: "tuple[Part, ...]" = ()
    """The parts that the command runs in addition to itself."""
    nested_at: int = 0
    """The index of the first word of the nested command."""
    is_covered_by_nested: bool = False
    """True if rules that cover the nested parts also cover this part."""
    privilege: bool = False
    is_gate: bool = False
    """True if the part runs Assent itself."""
    unreadable: str | None = None
    catastrophe: str | None = None
    """Why the words alone make the part catastrophic."""
    endangered_paths: tuple[EndangeredPath, ...] = ()
    """Paths that the part would damage; for some paths this is a catastrophe."""
    fork_bomb: str = ""
    """The name of a function that starts itself endlessly."""
    secret_variable: str = ""
    """A variable that the part expands and whose name looks like the name of a secret."""
    command: Command | None = None
    path: PathUse | None = None
    args: Mapping[str, object] | None = None

    @property
    def needs_trust(self) -> bool:
        """Whether files of the workspace can make the part do more than read."""
        return bool(self.searches.code)

    @property
    def reads_listed_files(self) -> bool:
        """Whether the part reads files whose names another part of the line lists."""
        return any(use.listed for use in self.reads)

    @property
    def may_trip_breaker(self) -> bool:
        """Whether the part has anything that the built-in breakers check."""
        return bool(self.endangered_paths or self.catastrophe or self.fork_bomb or self.path)


_get_nested = attrgetter("nested")


class ParsedCall(NamedTuple):
    """The parts of a call, and the reason if the call as a whole is unreadable."""

    parts: tuple[Part, ...]
    unreadable: str | None = None
    source: str = ""
    """The line as rewritten before it was parsed; empty if it was not rewritten."""
    spans: tuple[tuple[int, int], ...] = ()
    """Start and end of the first parts in the line, in bytes."""

    # INVARIANT: parts is never empty, or a bare deny rule would not see the call.

    @property
    def distinct_parts(self) -> tuple[Part, ...]:
        """The parts without repetitions; repeated commands share one part object."""
        return _without_repetitions(self.parts)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts and all nested parts, without repetitions."""
        if not any(map(_get_nested, self.parts)):
            return self.distinct_parts
        found: list[Part] = []
        _collect_nested(self.parts, found)
        return _without_repetitions(found)


_HARMLESS_TARGETS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_EXCLUDE_OPTION = regex(r"--?(?:extend-)?(?:exclude|ignore|skip|omit)[\w-]*")
"""The name of an option that excludes files."""
_UPLOAD_OPTIONS = frozenset(
    "-T --upload-file --post-file --body-file -i --input-file -K --config -b --cookie --load-cookies".split()
)
"""Options of transfer programs whose value is a file that is sent or read."""
_BODY_OPTIONS = frozenset(
    "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header -w --variable".split()
)
"""Options of transfer programs whose value may name a file after `@` or `<`."""
_FILE_IN_VALUE = regex(r"[^@=/:]*(?:=?@|=<)(?!.*://)([^;,]+).*")
"""A file name in the value of an option: `@file`, `name=@file`, `name=<file` or `name@file`."""
_FILE_ADDRESS = regex(r"file:(?://[^/]*)?(/.*)", re.IGNORECASE)
_FILE_FINDERS = (RunsBy.FOUND_FILES, RunsBy.FOUND_NAMES)
_EVALUATING_BUILTINS = frozenset(
    """test [ [[ let declare typeset local export readonly unset read printf mapfile readarray wait
    getopts""".split()
)
"""Builtins that evaluate their words as arithmetic or as variable names."""
_ARITHMETIC_BUILTINS = frozenset({"((", "[[", "let", "declare", "typeset", "local", "export", "readonly"})
_NUMBER_TESTS = frozenset("-eq -ne -lt -le -gt -ge -v".split())
"""Operators of `[[` that evaluate their operands as numbers."""
_COMMAND_IN_SUBSCRIPT = regex(r"\w\[[^\]]*(?:\$\((?!\()|`)")
"""An array index that contains a command, which arithmetic evaluation would run."""
_EVALUATION_REASON = "evaluates a text that holds a command"


def find_redirected_paths(command: Command) -> tuple[tuple[PathUse, ...], tuple[PathUse, ...]]:
    """The files that a command reads, and those that it writes, by redirection.

    Harmless targets such as `/dev/null` are omitted.
    """
    if not command.redirects:
        return (), ()
    reads = [
        one.target
        for one in command.redirects
        if one.access is RedirectAccess.READ and not _has_harmless_target(one)
    ]
    writes = [
        one.target
        for one in command.redirects
        if one.access is RedirectAccess.WRITE and not _has_harmless_target(one)
    ]
    return to_path_uses(reads, command.directories), to_path_uses(
        _add_listed_directories(command, writes), command.directories
    )


def to_path_uses(words: tuple[Word, ...] | list[Word], directories: tuple[str, ...]) -> tuple[PathUse, ...]:
    """Convert words to paths, relative to each directory that the command may run in."""
    if not words:
        return ()
    return tuple(
        [
            PathUse(word.text, directory, word.tilde, word.glob, word.listed, word.if_unset, word.certain)
            for word in words
            for directory in (directories if not (word.tilde or word.text.startswith("/")) else ("",))
        ]
    )


def find_endangered_paths(
    dangers: CommandDangers, directories: tuple[str, ...], changes: FileChanges | None = None
) -> tuple[EndangeredPath, ...]:
    """The paths that a command damages, including those that it overwrites."""
    if not dangers.paths and (changes is None or not changes.paths):
        return ()
    found = [
        EndangeredPath(harm, use)
        for harm, path in dangers.paths
        for use in to_path_uses((path,), directories)
    ]
    if changes is not None and changes.paths:
        known = {one.use for one in found}
        more = [use for use in to_path_uses(changes.paths, directories) if use not in known]
        found.extend([EndangeredPath(Harm.OVERWRITES, use) for use in more])
    return tuple(found)


def find_changed_paths(
    command: Command, changes: FileChanges | None, *, runs_others: bool
) -> tuple[Word, ...]:
    """The paths among the words that a command may change."""
    return _add_listed_directories(command, _changed_words(command.words, changes, runs_others=runs_others))


def find_copied_paths(words: tuple[Word, ...], changes: FileChanges | None) -> tuple[Word, ...]:
    """The files that a command copies, links or sends, and therefore reads."""
    known = find_program(base_name(words[0].text))
    if known.writes is not None and known.writes.by in (WritesBy.DOWNLOAD, WritesBy.SAVED_DOWNLOAD):
        return _sent_files(known.writes.options, words)
    match known.sends:
        case None:
            return ()
        case SentFiles.INPUT_OPTION:
            return tuple(words[at + 1] for at in range(len(words) - 1) if words[at].text == "-in")
        case SentFiles.EVERY_WORD:
            return tuple(
                word._replace(text=word.text.removeprefix("@")) for word in words[1:] if not word.is_opaque
            )
        case SentFiles.OPERANDS:
            return _unwritten_operands(words, changes)


def evaluated_word_reason(command: Command) -> str | None:
    """Why a builtin is unreadable: it evaluates a word that contains a command."""
    if command.words[0].text not in _EVALUATING_BUILTINS:
        return None
    words = [word.text for word in command.words]
    if words[0] == "printf" and "-v" not in words:
        return None
    return _EVALUATION_REASON if any(map(_contains_substitution, words[1:])) else None


def evaluated_value_reason(text: str, parts: tuple[Part, ...]) -> str | None:
    """Why a line is unreadable: it evaluates an unknown value, and a text in the line contains a command."""
    commands = [(part, part.command) for part in parts if part.command is not None]
    suspects = [command for _, command in commands if command.program in _ARITHMETIC_BUILTINS]
    if not any(map(_evaluates_arithmetic, suspects)):
        return None
    # Nested parts are checked separately.
    texts = [word.text for part, command in commands if not part.nested for word in command.words]
    texts += [redirect.target.text for _, command in commands for redirect in command.redirects]
    return _EVALUATION_REASON if any(map(_COMMAND_IN_SUBSCRIPT.search, (text, *texts))) else None


def _without_repetitions(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without repetitions, in order."""
    each = {id(part): part for part in parts}
    return tuple(parts) if len(each) == len(parts) else tuple(each.values())


def _collect_nested(parts: tuple[Part, ...], found: list[Part]) -> None:
    """Append the parts and all their nested parts to `found`."""
    for part in parts:
        found.append(part)
        if part.nested:
            _collect_nested(part.nested, found)


def _has_harmless_target(redirect: Redirect) -> bool:
    """Whether the target of a redirection is `/dev/null`, a terminal or an open descriptor."""
    text = redirect.target.text
    return text in _HARMLESS_TARGETS or (text.startswith("/dev/fd/") and text[8:].isdecimal())


def _add_listed_directories(command: Command, changes: Sequence[Word]) -> tuple[Word, ...]:
    """Add the listed directories to the changed paths if some changed names come from a listing."""
    if command.listing_roots and any(UNKNOWN_MARK in word.text for word in changes):
        return (*changes, *command.listing_roots)
    return tuple(changes)


def _changed_words(
    words: tuple[Word, ...], changes: FileChanges | None, *, runs_others: bool
) -> tuple[Word, ...]:
    """The words that are changed paths; for an unknown program, every operand may be one."""
    besides = find_output_files(words)
    if changes is not None:
        return (*changes.paths, *changes.removed, *changes.linked, *besides)
    name = base_name(words[0].text)
    known = find_program(name)
    if known.takes_hosts or (runs_others and known.runs_by not in _FILE_FINDERS):
        return besides
    return (*besides, *_possible_files(words[1:]))


def _possible_files(words: tuple[Word, ...]) -> list[Word]:
    """The operands and option values, without the values of options that exclude files."""
    found: list[Word] = []
    excluded = False
    for word in words:
        if word.text[:1] != "-":
            if not excluded:
                found.append(word)
            excluded = False
            continue
        name, equals, value = word.text.partition("=")
        excludes = _EXCLUDE_OPTION.fullmatch(name) is not None
        if not equals:
            excluded = excludes
        elif not excludes:
            found.append(word._replace(text=value))
    return found


def _sent_files(options: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The local files that a transfer program sends or reads."""
    own = OptionParser(options, words)
    operands = own.parse_operands()
    found = [option.value for option in own.found if option.name in _UPLOAD_OPTIONS]

    given = [*(option.value for option in own.found if option.name in _BODY_OPTIONS), *operands]
    found.extend(
        word._replace(text=match[1])
        for word in given
        if (match := _FILE_IN_VALUE.fullmatch(word.text)) is not None
    )
    addresses = [*operands, *(option.value for option in own.found if option.name == "--url")]
    found.extend(
        word._replace(text=match[1])
        for word in addresses
        if (match := _FILE_ADDRESS.fullmatch(word.text)) is not None
    )
    # Lists in braces are not expanded here, so the file name counts as unknown.
    return tuple(word._replace(text=UNKNOWN_MARK) if "{" in word.text else word for word in found)


def _unwritten_operands(words: tuple[Word, ...], changes: FileChanges | None) -> tuple[Word, ...]:
    """The operands that the command does not write."""
    written = () if changes is None else changes.paths
    named = (word._replace(text=word.text.removeprefix("if=")) for word in words[1:])
    return tuple(
        word for word in named if word not in written and word.text[:1] != "-" and "of=" not in word.text
    )


def _evaluates_arithmetic(command: Command) -> bool:
    """Whether a command evaluates its words, or the variables in them, as arithmetic."""
    words = [word.text for word in command.words]
    match words[:1]:
        case ["(("]:
            return UNKNOWN_MARK in words[-1]
        case ["[["]:
            return not _NUMBER_TESTS.isdisjoint(words)
        case ["let"]:
            return True
        case _:  # a declaration
            return any(word[:1] == "-" and "i" in word for word in words)


def _contains_substitution(text: str) -> bool:
    """Whether a text contains a command substitution."""
    return "$(" in text or "`" in text

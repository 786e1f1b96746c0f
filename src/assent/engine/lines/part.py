"""A part of a call: one thing that it would do, and the files that this reads, writes and endangers."""

import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from assent.engine.base.facts import PathUse
from assent.engine.base.globs import HOLE
from assent.engine.base.lazy import regex
from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.lines.dangers import Dangers, Harm
from assent.engine.lines.options import Options
from assent.engine.lines.specifier import StandardInput
from assent.engine.lines.writes import Changes, find_output_files
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Sends, WritesBy
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import Word, base_name


class EndangeredPath(NamedTuple):
    """A path that a part would damage, and how."""

    harm: Harm
    use: PathUse


class Part(NamedTuple):
    """One thing that a call would do, as rules and circuit breakers see it."""

    text: str
    """The text that people are shown."""
    normal_forms: tuple[str, ...] = ()
    """Normal forms of the words, without disguises: deny and ask rules match these."""
    possible_forms: tuple[str, ...] = ()
    """The normal forms with a hole for each unknown word; empty when every word is known."""
    written_forms: tuple[tuple[str, ...], ...] = ()
    """The words as written, which a scoped allow rule matches; empty when no rule can cover the part."""
    reads: tuple[PathUse, ...] = ()
    redirect_reads: tuple[PathUse, ...] = ()
    """The files that it reads by redirection, which a rule for the command does not cover."""
    writes: tuple[PathUse, ...] = ()
    input: StandardInput | None = None
    """Its standard input or that of a nested command, if the program may act on it; a rule must name it."""
    redirect_writes: tuple[PathUse, ...] = ()
    """The files that it writes by redirection, which an allow rule for the command does not cover."""
    listed_paths: tuple[PathUse, ...] = ()
    """Paths that it prints or spells out for other parts of the line."""
    only_reads: bool = False
    command_only_reads: bool = False
    """It would only read if its output were not redirected."""
    needs_trust: bool = False
    """It only reads if the repository's own configuration is trusted."""
    directories: tuple[str, ...] = ("",)
    nested: "tuple[Part, ...]" = ()
    """The parts that it would run in addition to itself."""
    nested_at: int = 0
    """The position of the word that the nested command starts at."""
    is_covered_by_nested: bool = False
    """Rules that cover the nested parts cover this part as well."""
    privilege: bool = False
    unreadable: str | None = None
    catastrophe: str | None = None
    """Why its words alone make it a catastrophe."""
    endangered_paths: tuple[EndangeredPath, ...] = ()
    """Paths that it would damage, which is a catastrophe for some paths."""
    fork_bomb: str = ""
    """The name of a function that starts itself without end."""
    secret_variable: str = ""
    """A variable that it expands and whose name looks like the name of a secret."""
    command: Command | None = None
    path: PathUse | None = None
    args: Mapping[str, object] | None = None


_NESTED = attrgetter("nested")


class ParsedCall(NamedTuple):
    """The parts of a call, and the reason if the call as a whole cannot be read."""

    parts: tuple[Part, ...]
    unreadable: str | None = None
    source: str = ""
    """The line as it was respelled before it was read; empty if it was not respelled."""
    spans: tuple[tuple[int, int], ...] = ()
    """Start and end of the first parts in that text, in bytes; a repeated part is the same object."""

    # INVARIANT: parts is never empty, or a bare deny rule would not see the call.

    @property
    def distinct_parts(self) -> tuple[Part, ...]:
        """The parts without repetitions: a repeated command is the same object."""
        return _distinct(self.parts)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts and all nested parts, without repetitions."""
        if not any(map(_NESTED, self.parts)):
            return self.distinct_parts
        found: list[Part] = []
        _flatten(self.parts, found)
        return _distinct(found)


_HARMLESS_TARGETS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_EXCLUDES = regex(r"--?(?:extend-)?(?:exclude|ignore|skip|omit)[\w-]*")
_UPLOAD_OPTIONS = frozenset(
    "-T --upload-file --post-file --body-file -i --input-file -K --config -b --cookie --load-cookies".split()
)
_BODY_OPTIONS = frozenset(
    "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header -w --variable".split()
)
_FROM_FILE = regex(r"[^@=/:]*(?:=?@|=<)(?!.*://)([^;,]+).*")
_FILE_ADDRESS = regex(r"file:(?://[^/]*)?(/.*)", re.IGNORECASE)
_FINDERS = (RunsBy.FOUND_FILES, RunsBy.FOUND_NAMES)
_EVALUATORS = frozenset(
    """test [ [[ let declare typeset local export readonly unset read printf mapfile readarray wait
    getopts""".split()
)
_ARITHMETIC = frozenset({"((", "[[", "let", "declare", "typeset", "local", "export", "readonly"})
_COMPARES = frozenset("-eq -ne -lt -le -gt -ge -v".split())
_SUBSCRIPT = regex(r"\w\[[^\]]*(?:\$\((?!\()|`)")
"""A subscript with a command, which arithmetic runs when it evaluates the value."""
_EVALUATION_REASON = "evaluates a text that holds a command"


def redirected_paths(command: Command) -> tuple[tuple[PathUse, ...], tuple[PathUse, ...]]:
    """The files that a command reads and writes by redirection, without `/dev/null` and similar ones."""
    if not command.redirects:
        return (), ()
    reads = [one.target for one in command.redirects if one.access is Access.READ and not _is_harmless(one)]
    writes = [one.target for one in command.redirects if one.access is Access.WRITE and not _is_harmless(one)]
    return to_path_uses(reads, command.directories), to_path_uses(
        _add_listed_directories(command, writes), command.directories
    )


def to_path_uses(words: tuple[Word, ...] | list[Word], directories: tuple[str, ...]) -> tuple[PathUse, ...]:
    """Words as paths, relative to each directory that the line may be in."""
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
    dangers: Dangers, directories: tuple[str, ...], changes: Changes | None = None
) -> tuple[EndangeredPath, ...]:
    """The paths that a command harms by its words, and other paths that it overwrites."""
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


def find_changed_paths(command: Command, changes: Changes | None, *, runs_others: bool) -> tuple[Word, ...]:
    """The paths that a command may change, by its words."""
    return _add_listed_directories(command, _changed_words(command.words, changes, runs_others=runs_others))


def find_copied_paths(words: tuple[Word, ...], changes: Changes | None) -> tuple[Word, ...]:
    """The files that a command copies, links or sends, and therefore reads."""
    known = lookup(base_name(words[0].text))
    if known.writes is not None and known.writes.by in (WritesBy.DOWNLOAD, WritesBy.SAVED_DOWNLOAD):
        return _sent_files(known.writes.options, words)
    match known.sends:
        case None:
            return ()
        case Sends.INPUT_OPTION:
            return tuple(words[at + 1] for at in range(len(words) - 1) if words[at].text == "-in")
        case Sends.EVERY_WORD:
            return tuple(
                word._replace(text=word.text.removeprefix("@")) for word in words[1:] if not word.opaque
            )
        case Sends.OPERANDS:
            return _unwritten_operands(words, changes)


def evaluated_word_reason(command: Command) -> str | None:
    """Why a builtin cannot be read: it evaluates a word as arithmetic or a subscript with a command in it."""
    if command.words[0].text not in _EVALUATORS:
        return None
    words = [word.text for word in command.words]
    if words[0] == "printf" and "-v" not in words:
        return None
    return _EVALUATION_REASON if any(map(_holds_substitution, words[1:])) else None


def evaluated_value_reason(text: str, parts: tuple[Part, ...]) -> str | None:
    """Why a line cannot be read: it evaluates an unknown value, and contains a value with a command in it."""
    commands = [(part, part.command) for part in parts if part.command is not None]
    suspects = [command for _, command in commands if command.program in _ARITHMETIC]
    if not any(map(_evaluates_arithmetic, suspects)):
        return None
    # Nested parts are read on their own, so their text is not evaluated here.
    texts = [word.text for part, command in commands if not part.nested for word in command.words]
    texts += [redirect.target.text for _, command in commands for redirect in command.redirects]
    return _EVALUATION_REASON if any(map(_SUBSCRIPT.search, (text, *texts))) else None


def _distinct(parts: Sequence[Part]) -> tuple[Part, ...]:
    each = {id(part): part for part in parts}
    return tuple(parts) if len(each) == len(parts) else tuple(each.values())


def _flatten(parts: tuple[Part, ...], found: list[Part]) -> None:
    for part in parts:
        found.append(part)
        if part.nested:
            _flatten(part.nested, found)


def _is_harmless(redirect: Redirect) -> bool:
    text = redirect.target.text
    return text in _HARMLESS_TARGETS or (text.startswith("/dev/fd/") and text[8:].isdecimal())


def _add_listed_directories(command: Command, changes: Sequence[Word]) -> tuple[Word, ...]:
    """The changed paths; if a listing provides unknown names, also the directories that it lists."""
    if command.listing_roots and any(HOLE in word.text for word in changes):
        return (*changes, *command.listing_roots)
    return tuple(changes)


def _changed_words(
    words: tuple[Word, ...], changes: Changes | None, *, runs_others: bool
) -> tuple[Word, ...]:
    """The changed paths among the words; for an unknown program, every operand may be one."""
    besides = find_output_files(words)
    if changes is not None:
        return (*changes.paths, *changes.removed, *changes.linked, *besides)
    name = base_name(words[0].text)
    known = lookup(name)
    if known.takes_hosts or (runs_others and known.runs_by not in _FINDERS):
        return besides
    return (*besides, *_operands(words[1:]))


def _operands(words: tuple[Word, ...]) -> list[Word]:
    """Operands and option values, without those of options that exclude files."""
    found: list[Word] = []
    excluded = False
    for word in words:
        if word.text[:1] != "-":
            if not excluded:
                found.append(word)
            excluded = False
            continue
        name, equals, value = word.text.partition("=")
        excludes = _EXCLUDES.fullmatch(name) is not None
        if not equals:
            excluded = excludes
        elif not excludes:
            found.append(word._replace(text=value))
    return found


def _sent_files(options: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The local files that a transfer program sends or reads."""
    own = Options(options, words)
    operands = own.operands()
    found = [option.value for option in own.found if option.name in _UPLOAD_OPTIONS]
    # `@file`, `name=@file`, `name=<file` and `name@file` mean the content of the file.
    given = [*(option.value for option in own.found if option.name in _BODY_OPTIONS), *operands]
    found.extend(
        word._replace(text=match[1])
        for word in given
        if (match := _FROM_FILE.fullmatch(word.text)) is not None
    )
    addresses = [*operands, *(option.value for option in own.found if option.name == "--url")]
    found.extend(
        word._replace(text=match[1])
        for word in addresses
        if (match := _FILE_ADDRESS.fullmatch(word.text)) is not None
    )
    # A list in braces is not expanded, so the file is not known.
    return tuple(word._replace(text=HOLE) if "{" in word.text else word for word in found)


def _unwritten_operands(words: tuple[Word, ...], changes: Changes | None) -> tuple[Word, ...]:
    """The operands that are not written."""
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
            return HOLE in words[-1]
        case ["[["]:
            return not _COMPARES.isdisjoint(words)
        case ["let"]:
            return True
        case _:  # a declaration
            return any(word[:1] == "-" and "i" in word for word in words)


def _holds_substitution(text: str) -> bool:
    return "$(" in text or "`" in text

"""Commands that only edit files of the workspace, as the edit tool could."""

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from assent.engine.base.facts import Facts, FileState, PathUse, is_inside, normalize_path
from assent.engine.base.globs import has_glob
from assent.engine.base.sensitive_paths import could_be_secret, is_protected, is_secret
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.lines.command import Command
from assent.engine.lines.embedded_commands import has_harmless_assignments
from assent.engine.lines.part import Part, to_path_uses
from assent.engine.lines.writes import find_output_files
from assent.engine.parsing import parse_call
from assent.engine.programs import catalog
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.program import EditKind, Reads, ShellEdits
from assent.engine.programs.word import Word, base_name

_REPOSITORY_FILES = frozenset(
    "HEAD config config.worktree objects refs commondir gitdir index packed-refs"
    " .gitattributes".casefold().split()
)
"""Names of files with which a directory becomes a repository, or a repository names programs."""
_ANY_STATE = frozenset({FileState.NEW, FileState.CLEAN, FileState.DIRECTORY})
_FILE_STATES = frozenset({FileState.NEW, FileState.CLEAN})
_CHANGED_STATES = frozenset({FileState.NEW, FileState.CLEAN, FileState.FILE})
"""For a change that keeps the rest of the file, as the edit tool does: the file may hold other changes."""
_STAGED_STATES = frozenset({FileState.CLEAN, FileState.FILE, FileState.NEW, FileState.DIRECTORY})
_STAGED_TREE_STATES = frozenset({FileState.CLEAN, FileState.DIRECTORY})
_APPENDING = ("-a", "--append")
_IN_PLACE = ("-i", "--in-place")


_ENDLESS_FILES = frozenset("/dev/zero /dev/full /dev/random /dev/urandom".split())


class EditedPath(NamedTuple):
    """A path that a part edits, and the states in which it may be."""

    use: PathUse
    states: frozenset[FileState] = _FILE_STATES


def find_edits(part: Part) -> tuple[EditedPath, ...] | None:
    """The paths that a part edits and does nothing else to; None if it may do something else."""
    command = part.command
    if (
        command is None
        or part.nested
        or part.unreadable
        or part.is_gate
        or part.catastrophe
        or part.privilege
    ):
        return None
    if not has_harmless_assignments(command):
        return None
    if _reads_without_end(command, part):
        return None
    redirected = _redirected_paths(command, part)
    if part.command_only_reads or not (command.words or command.assignments):
        return redirected
    if not command.words or command.is_function_call:
        return None
    known = catalog.find_program(catalog.trusted_name(command.program) or "")
    entry = known.shell_edits
    edited = None if entry is None else _edited_by_words(entry, command, part)
    return None if edited is None else (*edited, *redirected)


def _redirected_paths(command: Command, part: Part) -> tuple[EditedPath, ...]:
    """The files of the redirections of a command; `>>` keeps what a file holds."""
    cut = {one.target.text for one in command.redirects if not one.appends}
    kept = {one.target.text for one in command.redirects if one.appends} - cut
    return tuple(
        EditedPath(use, _CHANGED_STATES if use.text in kept else _FILE_STATES) for use in part.redirect_writes
    )


def _reads_without_end(command: Command, part: Part) -> bool:
    """Whether a command prints or copies without end, so that an edit would fill the disk."""
    known = catalog.find_program(base_name(command.program) if command.words else "")
    return known.prints_without_end or (
        not known.prints_beginning and any(use.text in _ENDLESS_FILES for use in part.reads)
    )


def paths_to_make(tool: Tool, call: Call, facts: Facts) -> tuple[str, ...]:
    """The real paths outside of the workspace at which a call states that it writes, without protected ones.

    What an unknown program may write is not among them.
    """
    found: dict[str, None] = {}
    for part in () if tool.effect is Effect.READ else parse_call(call, tool).all_parts:
        for use in _stated_writes(part) if part.path is None else (part.path,):
            written = use.to_absolute_path(facts.directories)
            real = () if written is None or use.glob or use.listed else facts.real.get(written, ())
            found.update((path, None) for path in real if len(real) == 1 and _may_be_made(path, facts))
    return tuple(found)


def _stated_writes(part: Part) -> tuple[PathUse, ...]:
    """The paths that a command certainly writes, by its redirections and by what is known of its program."""
    command = part.command
    if command is None or not command.words or part.unreadable or part.catastrophe:
        return part.redirect_writes
    known = catalog.find_program(catalog.trusted_name(command.program) or "")
    if known.shell_edits is not None:
        return (*part.writes, *part.redirect_writes)
    return (*to_path_uses(find_output_files(command.words), command.directories), *part.redirect_writes)


def _may_be_made(path: str, facts: Facts) -> bool:
    """Whether a real path outside of the workspace is neither protected nor usually a secret."""
    path = normalize_path(path, facts.directories)
    return not (is_inside(path, facts.directories) or is_protected(path) or is_secret(path) or has_glob(path))


def may_become_repository(edited: Iterable[EditedPath]) -> bool:
    """Whether an edit may make Git use another repository or other settings."""
    return any(one.use.text.rstrip("/").rpartition("/")[2].casefold() in _REPOSITORY_FILES for one in edited)


def is_allowed(edited: EditedPath, facts: Facts) -> bool:
    """Whether the file is in a state in which an edit loses nothing."""
    written = edited.use.to_absolute_path(facts.directories)
    if written is None or facts.files.get(written) not in edited.states:
        return False
    return edited.states is not _CHANGED_STATES or not is_secret(written)


def _edited_by_words(entry: ShellEdits, command: Command, part: Part) -> tuple[EditedPath, ...] | None:
    """The paths that a program edits, by its words; None if an option is not known to be harmless."""
    words = command.words[1:]
    if entry.kind is EditKind.IN_PLACE:
        words = _without_empty_suffix(words)
    scan = FlagScan(parse_flags(entry.flags), words)
    operands = scan.operands()
    if not operands or any(word.is_opaque and not word.glob for word in operands):
        return None
    match entry.kind:
        case EditKind.FILES:
            appends = _APPENDING[1] in entry.flags.split() and any(flag in scan.given for flag in _APPENDING)
            states = _CHANGED_STATES if appends else _FILE_STATES
            return tuple(EditedPath(use, states) for use in part.writes)
        case EditKind.DIRECTORIES:
            return tuple(EditedPath(use, _ANY_STATE) for use in part.writes)
        case EditKind.COPIES:
            return _copied_paths(scan, operands, part)
        case EditKind.STAGED:
            return _staged_paths(scan, operands, command)
        case EditKind.IN_PLACE:
            return _paths_edited_in_place(scan, operands, words, command)


def _copied_paths(scan: FlagScan, operands: list[Word], part: Part) -> tuple[EditedPath, ...] | None:
    """The paths that `cp` or `mv` writes; only the destination may be a directory."""
    into = [value for flag in ("-t", "--target-directory") for value in scan.given.get(flag, ())]
    if len(operands) + len(into) < 2:
        return None
    destinations = {word.text for word in (into or operands[-1:])}
    return tuple(
        EditedPath(use, _ANY_STATE if use.text in destinations else _FILE_STATES) for use in part.writes
    )


def _staged_paths(scan: FlagScan, operands: list[Word], command: Command) -> tuple[EditedPath, ...] | None:
    """The files that `git add` records, or the tree of its directory, in which no secret may be found."""
    if operands[0].text not in ("add", "stage"):
        return None
    files = operands[1:]
    below = [word.text for word in scan.given.get("-C", ())]
    directories = tuple(posixpath.join(one, *below) for one in command.directories)
    tree = any(flag in scan.given for flag in ("-A", "--all", "-u", "--update"))
    if [word.text for word in files] == ["."] or (tree and not files):
        # Another directory than that of the command is not searched for secrets.
        uses = () if below else to_path_uses((Word("."),), directories)
        return tuple(EditedPath(use, _STAGED_TREE_STATES) for use in uses) or None
    if not files:
        return None
    if any(
        word.text[:1] == ":"
        or has_glob(word.text)
        or could_be_secret(word.text)
        or is_secret(f"/{word.text}")
        for word in files
    ):
        return None
    return tuple(EditedPath(use, _STAGED_STATES) for use in to_path_uses(tuple(files), directories))


def _paths_edited_in_place(
    scan: FlagScan, operands: list[Word], words: tuple[Word, ...], command: Command
) -> tuple[EditedPath, ...] | None:
    """The files that `sed -i` edits; None if a script may do more than print."""
    if not any(flag in scan.given for flag in _IN_PLACE):
        return None
    scripts = any(flag in scan.given for flag in ("-e", "--expression"))
    plain = tuple(word for word in words if word.text not in _IN_PLACE)
    reads = catalog.find_read_entry(command.program)
    if (
        not isinstance(reads, Reads)
        or not reads.check
        or catalog.find_check_function(reads.check)(plain) is None
    ):
        return None
    files = tuple(operands if scripts else operands[1:])
    if not files:
        return None
    return tuple(EditedPath(use, _CHANGED_STATES) for use in to_path_uses(files, command.directories))


def _without_empty_suffix(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words of `sed -i ''` without the empty word, which some systems take for the suffix of a copy."""
    return tuple(word for at, word in enumerate(words) if word.text or at == 0 or words[at - 1].text != "-i")

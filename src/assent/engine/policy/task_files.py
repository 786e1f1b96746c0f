"""Files that define what the commands of a pack run; the pack needs their approved content."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from assent.engine.base.facts import CallDirectories, DirectorySearch, Facts, PathUse, Search
from assent.engine.base.globs import UNKNOWN_MARK, matches_component
from assent.engine.lines.command import Command
from assent.engine.lines.part import Part
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.programs.catalog import find_program
from assent.engine.programs.packs import PACKS, PackOperands
from assent.engine.programs.program import Damage
from assent.engine.programs.word import base_name

ASSUMED_PINS: Mapping[str, str] = {PACK_SIGN: ""}
"""Findings that say that every task file is unchanged: for examples and previews, which run nothing."""
_BRINGING_DAMAGES = (Damage.UNPACKS, Damage.SYNCHRONIZES, Damage.MOVES, Damage.COPIES)
"""How programs damage paths if they also bring files with unknown names into a directory."""


def task_searches(
    packs: Iterable[str], parts: Sequence[Part], directories: CallDirectories
) -> tuple[DirectorySearch, ...]:
    """The searches for the task files of these packs, for the parts that use a program of the pack."""
    found: dict[DirectorySearch, None] = {}
    for name in packs:
        for part in parts:
            found.update(dict.fromkeys(task_searches_of_part(name, part, directories) or ()))
    return tuple(found)


def is_about_tasks(search: DirectorySearch) -> bool:
    """Whether a search is for the task files of a pack."""
    return search.search.program.startswith(PACK_SIGN)


def has_unchanged_tasks(name: str, part: Part, facts: Facts, line: Iterable[Part] = ()) -> bool:
    """Whether the task files of a pack have the content that a person approved, and the line keeps it.

    A search that was not made counts as a change.
    """
    if name not in PACKS or not _names_no_code(name, part, facts, line):
        return False
    if not PACKS[name].tasks:
        return True
    if any(one is not part and _may_change_tasks(name, one) for one in line):
        return False
    if facts.findings.get(PACK_SIGN) == "":
        return True
    searches = task_searches_of_part(name, part, facts.directories)
    return searches is not None and all(facts.findings.get(one.key) == "" for one in searches)


def _names_no_code(name: str, part: Part, facts: Facts, line: Iterable[Part]) -> bool:
    """Whether the repository of a command of this pack makes Git run nothing, even after its line.

    A search that was not made counts as a finding, unless a person trusts the repository.
    """
    if not PACKS[name].git_settings or facts.trusted_repository or facts.findings.get(PACK_SIGN) == "":
        return True
    if any(one is not part and brings_unknown_files(one) for one in line if not one.only_reads):
        return False
    searches = task_searches_of_part(name, part, facts.directories)
    return searches is not None and all(facts.findings.get(one.key) == "" for one in searches)


def changed_tasks(findings: Mapping[str, str]) -> dict[str, str]:
    """The digests of the task files that no person approved; an unreadable file has an empty one."""
    found: dict[str, str] = {}
    for key, text in findings.items():
        if key.startswith(PACK_SIGN):
            for line in text.splitlines():
                digest, _, path = line.partition(" ")
                found[path] = digest if digest != "-" else ""
    return found


def brings_unknown_files(part: Part) -> bool:
    """Whether a command writes files whose names it does not state: it unpacks, copies or downloads."""
    if part.command is None or not part.command.words:
        return False
    known = find_program(base_name(part.command.words[0].text))
    return (
        known.damage in _BRINGING_DAMAGES or known.downloads or known.is_copier or known.brings_files == "*"
    )


def brings_other_versions(part: Part) -> bool:
    """Whether a sub-command replaces files by other versions of them, such as `git checkout`."""
    if part.command is None or not part.command.words:
        return False
    words = [word.text for word in part.command.words]
    return not set(find_program(base_name(words[0])).brings_files.split()).isdisjoint(words[1:])


@lru_cache(maxsize=64)
def _programs(name: str) -> frozenset[str]:
    """The programs of a pack."""
    return frozenset(one.words.split()[0] for one in PACKS[name].commands)


def task_searches_of_part(
    name: str, part: Part, directories: CallDirectories
) -> list[DirectorySearch] | None:
    """The searches for the task files of a pack in the places that a part uses; None if one is unknown."""
    command = part.command
    if name not in PACKS or command is None or command.program not in _programs(name):
        return []
    places = [PathUse("", directory).to_absolute_path(directories) for directory in part.directories]
    if PACKS[name].git_settings:
        return _git_searches(name, command, directories)
    names: list[str | None] = []
    for word in command.words[1:]:
        # A path such as `pkg/tests/test_a.py::test_b` brings the task files of its directories.
        text = word.text.partition("::")[0]
        is_option = text.startswith("-")
        text = text.partition("=")[2] if is_option else text
        if text and word.is_known:
            use = PathUse(text, part.directories[0], tilde=word.tilde)
            (names if is_option or "/" not in text else places).append(use.to_absolute_path(directories))
    if None in places:
        return None
    found = [DirectorySearch(Search(PACK_SIGN + name), place) for place in dict.fromkeys(places) if place]
    if all(one.operands is not PackOperands.PATHS for one in PACKS[name].commands):
        return found
    # Another word may be a name of a file, which may be a link that leads out.
    inside = Search(PACK_SIGN + name, "inside")
    return found + [DirectorySearch(inside, place) for place in dict.fromkeys(names) if place]


def _git_searches(name: str, command: Command, directories: CallDirectories) -> list[DirectorySearch] | None:
    """The searches for settings of Git in the directories that a command enters; None if one is unknown."""
    entered = [value for before, value in pairwise(command.words) if before.text == "-C"]
    if any(not value.is_known or value.tilde for value in entered):
        return None
    below = [value.text for value in entered]
    inner = [posixpath.join(directory, *below) for directory in command.directories]
    places = [PathUse("", directory).to_absolute_path(directories) for directory in inner]
    if None in places:
        return None
    search = Search(command.program, PACKS[name].git_settings)
    return [DirectorySearch(search, place) for place in dict.fromkeys(places) if place is not None]


def _may_change_tasks(name: str, other: Part) -> bool:
    """Whether another part of a line states that it writes a task file, or brings unnamed files."""
    if not other.only_reads and (brings_unknown_files(other) or brings_other_versions(other)):
        return True
    names = _task_names(name)
    for use in (*other.writes, *other.redirect_writes):
        components = use.text.lower().split("/")
        if UNKNOWN_MARK in use.text or use.glob:
            return True
        if any(matches_component(one, component) for one in names for component in components):
            return True
    return False


@lru_cache(maxsize=64)
def _task_names(name: str) -> frozenset[str]:
    """The names of the task files of a pack in lower case; of a whole directory, its name."""
    parts = [pattern.lower().split("/") for pattern in PACKS[name].tasks]
    return frozenset(one[-1] if one[-1] != "*" else one[0] for one in parts)

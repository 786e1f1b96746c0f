"""Searches the workspace for files that make a program run code; a decision needs the findings."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from assent.config.file_kinds import exists, is_directory
from assent.config.git_code import NamedCode, find_git_code
from assent.config.repository import NO_TRUST, Trust
from assent.config.small_files import UnsafeFileError, read_small_file
from assent.config.task_files import UNREAD, Pins, find_changed_tasks
from assent.config.tree_walk import TreeSearch, find_in_tree
from assent.config.workspace import UnresolvableError, resolve_path
from assent.engine.base.facts import CallDirectories, DirectorySearch, is_inside
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.programs.catalog import find_program, topic_entries
from assent.engine.programs.code_files import CodeFile
from assent.engine.programs.index import NAMES
from assent.engine.programs.packs import PACKS


def make_searches(
    directories: CallDirectories,
    searches: Iterable[DirectorySearch],
    pins: Pins | None,
    trust: Trust = NO_TRUST,
) -> dict[str, str]:
    """The finding of each search, by its key; a search that fails finds something, so that the call asks.

    `pins` are the approved task files of packs; with None, all of them count as approved.
    """
    return {search.key: _make_search(directories, search, pins, trust) for search in searches}


def names_program_code(searches: Iterable[DirectorySearch], findings: Mapping[str, str]) -> bool:
    """Whether a file makes another program than Git run code, which trust in a repository does not cover."""
    return any(
        findings.get(one.key)
        for one in searches
        if one.search.program not in ("", "git") and not one.search.program.startswith(PACK_SIGN)
    )


def _make_search(
    directories: CallDirectories, search: DirectorySearch, pins: Pins | None, trust: Trust
) -> str:
    """Make one search, and describe what it found."""
    program, settings = search.search
    try:
        start = resolve_path(search.directory)
        if program.startswith(PACK_SIGN):
            if _leads_out(search.directory, start, directories):
                return f"{UNREAD} {search.directory}"
            if settings == "inside":
                return ""
            tasks = PACKS[program.removeprefix(PACK_SIGN)].tasks
            return "" if pins is None else find_changed_tasks(start, tasks, pins, directories)
        if exists(start) and not is_directory(start):
            return ""
        if not program:
            found_path = find_in_tree(start, TreeSearch.from_text(settings), directories)
            shown = _shown_path(found_path, directories)
            return (
                f"`{shown}` may lead out of the workspace"
                if shown and settings in ("links", "links always")
                else shown
            )
        if program == "git":
            found = find_git_code(start, settings)
        else:
            known = find_program(program)
            if not (known.code_files or known.git_settings):
                return f"nothing is known about the files that `{program}` runs"
            found = find_named_code(start, known.code_files, settings.split(), directories, trust)
            if found is None and known.git_settings and not trust.trusts_directory(start):
                found = find_git_code(start, known.git_settings)
    except (OSError, UnresolvableError, UnsafeFileError, ValueError) as error:
        if program.startswith(PACK_SIGN):
            return f"{UNREAD} {search.directory}"
        return f"`{search.directory}` cannot be searched ({type(error).__name__})"
    return "" if found is None else f"`{_shown_path(found.file, directories)}` could run code: {found.what}"


def _leads_out(path: str, real: str, directories: CallDirectories) -> bool:
    """Whether a path in the workspace leads out of it through a link."""
    return is_inside(os.path.normpath(path), directories) and not is_inside(real, directories)


def _shown_path(path: str, directories: CallDirectories) -> str:
    """A path as people read it: relative to the workspace if it is inside."""
    root = directories.roots[0]
    return path[len(root) + 1 :] if path.startswith(root.rstrip("/") + "/") else path


MAX_NAMES = 20_000
"""The maximal number of names that are read from one directory."""
_DISGUISE = re.compile(r"\\(?:[uUx]|\r?\n)")
"""A text in which a key may be written with other letters, or over two lines."""
_DISGUISE_BY_ENDING = {
    "rc": re.compile(r"^[^=\n]*\$\{", re.MULTILINE),
    ".yml": re.compile(r"(?<![\w\"'])!"),
    ".yaml": re.compile(r"(?<![\w\"'])!"),
}
"""Further disguises of keys: variables in keys, and tags."""


def find_named_code(
    start: str,
    files: Iterable[CodeFile],
    settings: Sequence[str],
    directories: CallDirectories,
    trust: Trust = NO_TRUST,
) -> NamedCode | None:
    """The first untrusted file that makes a program run code when it starts in a directory."""
    for file in files:
        if file.settings and file.settings not in settings:
            continue
        for directory in _searched_directories(start, directories) if file.above else (start,):
            for path in _matching_paths(directory, file.path):
                found = _find_in_file(path, file)
                if found is not None and not trust.trusts_file(path, code_digest(path)):
                    return NamedCode(found, path)
    return None


def find_untrusted_code(start: str, directories: CallDirectories, trust: Trust) -> dict[str, tuple[str, str]]:
    """Each untrusted file that makes a program run code in a directory, with the reason and its digest.

    A directory, and a file that cannot be read completely, cannot be trusted.
    """
    found: dict[str, tuple[str, str]] = {}
    for file in all_code_files():
        for directory in _searched_directories(start, directories) if file.above else (start,):
            for path in _matching_paths(directory, file.path):
                digest = code_digest(path)
                what = _find_in_file(path, file) if digest and not trust.trusts_file(path, digest) else None
                if what is not None:
                    found.setdefault(path, (what, digest))
    return found


def code_digest(path: str) -> str:
    """The digest of a file that names code; empty if it cannot be read completely and safely."""
    try:
        data = read_small_file(path, (os.path.dirname(path),))
    except UnsafeFileError:
        return ""
    return "" if data is None else hashlib.sha256(data).hexdigest()


@cache
def all_code_files() -> tuple[CodeFile, ...]:
    """The files that make any known program run code, once each."""
    programs = (program for topic in NAMES for program in topic_entries(topic).values())
    return tuple(dict.fromkeys(file for program in programs for file in program.code_files))


def _searched_directories(start: str, directories: CallDirectories) -> Iterator[str]:
    """Yield a directory and the directories above it, without the home directory and what is above it.

    The files there are the user's own, unless the workspace contains them.
    """
    home = directories.home
    directory = start
    while True:
        owned = home and (home == directory or home.startswith(directory.rstrip("/") + "/"))
        inside = any(directory == root or directory.startswith(root + "/") for root in directories.roots)
        if inside or not owned:
            yield directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def _matching_paths(directory: str, pattern: str) -> Iterator[str]:
    """Yield the paths below a directory that match a pattern; only the last name may be a glob."""
    if "*" not in pattern:
        path = os.path.join(directory, pattern)
        if exists(path):
            yield path
        return
    parent, _, name = pattern.rpartition("/")
    place = os.path.join(directory, parent) if parent else directory
    try:
        with os.scandir(place) as entries:
            for count, entry in enumerate(entries):
                if count >= MAX_NAMES:
                    yield place
                    return
                if fnmatchcase(entry.name, name):
                    yield entry.path
    except (FileNotFoundError, NotADirectoryError):
        return


def _find_in_file(path: str, file: CodeFile) -> str | None:
    """Why a file makes the program run code; None if it has no key that names code."""
    if not file.keys:
        return "this program would run or load it"
    try:
        data = read_small_file(path, (os.path.dirname(path),))
    except UnsafeFileError:
        return "it cannot be read completely and safely"
    text = (data or b"").decode("utf-8", "replace")
    disguises = (_DISGUISE, *(found for end, found in _DISGUISE_BY_ENDING.items() if path.endswith(end)))
    if any(found.search(text) for found in disguises) or "\ufffd" in text or "\0" in text:
        return "its keys may be written in another way"
    found = _key_pattern(file.keys).search(text)
    return None if found is None else f"it contains `{found[0]}`"


@lru_cache(maxsize=256)
def _key_pattern(keys: str) -> re.Pattern[str]:
    """A pattern that matches each of these words, but not inside a longer word."""
    words = "|".join(
        rf"(?<![\w-]){re.escape(key)}(?![\w-])" if key[-1].isalnum() else re.escape(key)
        for key in keys.split()
    )
    return re.compile(words, re.IGNORECASE)

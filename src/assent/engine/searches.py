"""Searches in the workspace: which files could make a part of a call do more than read."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.facts import (
    CallDirectories,
    DirectorySearch,
    Facts,
    PathUse,
    Search,
    is_inside,
)
from assent.engine.base.globs import UNKNOWN_MARK, has_glob, matches_component
from assent.engine.base.lazy import regex
from assent.engine.lines.part import Part, to_path_uses
from assent.engine.lines.part_searches import STAGED
from assent.engine.policy.packs import pack_covers
from assent.engine.policy.task_files import (
    brings_other_versions,
    brings_unknown_files,
    changed_tasks,
    task_searches,
    task_searches_of_part,
)
from assent.engine.programs.catalog import find_program
from assent.engine.programs.program import EditKind

_PLAIN_NAME = regex(r"(?i)^(?!.*(?:^|/)(?:\.git\w*|head|config|objects|refs|commondir)/?$).*[^/.]$")
"""A path that names one file or directory, which is no part of a repository."""


class ChangedTasks(NamedTuple):
    """Files that must be approved before a pack that is turned on covers a part."""

    pack: str
    files: str
    """The names of the files, in backticks."""
    is_unread: bool
    """True if the files cannot be read; otherwise they are new or changed."""


def directory_searches(
    parts: Sequence[Part], directories: CallDirectories, packs: Iterable[str] = ()
) -> tuple[DirectorySearch, ...]:
    """The searches that a decision about these parts depends on, with these packs turned on."""
    found: dict[DirectorySearch, None] = {}
    reads_names = any(part.reads_listed_files for part in parts)
    for part in parts:
        if part.searches.code:
            found.update(dict.fromkeys(_code_searches(part, directories) or ()))
        listed = (part.searches.listing, part.searches.listed_secrets) if reads_names else ()
        for search in filter(None, (part.searches.secrets, *listed)):
            found.update(dict.fromkeys(_tree_searches(search, part, directories) or ()))
    found.update(dict.fromkeys(task_searches(packs, parts, directories)))
    return tuple(found)


def finding(part: Part, facts: Facts) -> str | None:
    """What the searches of a part found, empty if nothing; None if a search was not made."""
    return _answer(_code_searches(part, facts.directories), facts)


def finding_in_tree(search: Search, part: Part, facts: Facts) -> str | None:
    """What a search in the tree that a part reads found; None if it was not made."""
    return _answer(_tree_searches(search, part, facts.directories), facts)


def _answer(searches: Sequence[DirectorySearch] | None, facts: Facts) -> str | None:
    """The first finding of these searches, empty if there is none; None if one was not made."""
    if searches is None:
        return None
    answers = [facts.findings.get(search.key) for search in searches]
    return next((answer for answer in answers if answer), None if None in answers else "")


def find_changed_tasks(parts: Iterable[Part], packs: Sequence[str], facts: Facts) -> ChangedTasks | None:
    """The changed files that must be approved before a pack covers a part; None without any."""
    for part in parts:
        for name in packs:
            if not pack_covers(name, part, facts.directories, spelled_out=0):
                continue
            keys = [one.key for one in task_searches_of_part(name, part, facts.directories) or ()]
            changed = changed_tasks({key: facts.findings.get(key, "") for key in keys})
            if changed:
                return _describe_changes(name, changed, facts)
    return None


def is_code_trusted(part: Part, facts: Facts) -> bool:
    """Whether trust in the repository answers all searches of a part for code."""
    return facts.trusted_repository and not any("always" in one.settings for one in part.searches.code)


def finds_nothing(part: Part, line: Iterable[Part], facts: Facts) -> bool:
    """Whether no file of the workspace makes a part run code, also after the other parts of its line."""
    if is_code_trusted(part, facts):
        return True
    changing = (one for one in line if not one.only_reads)
    return finding(part, facts) == "" and not any(may_change_finding(one, part) for one in changing)


def is_listed_inside(use: PathUse, facts: Facts) -> bool:
    """Whether a path means names that are listed in the workspace.

    A link or a blank in such a name may still lead out.
    """
    if not use.listed or use.text[:1] != "/":
        return use.listed
    directory = use.text.partition(UNKNOWN_MARK)[0]
    real = facts.real.get(directory) or facts.real.get(directory.rstrip("/"))
    return real is not None and all(is_inside(path, facts.directories) for path in real)


def may_change_finding(other: Part, part: Part) -> bool:
    """Whether another part of the line may write files that the searches of a part would find."""
    if other.command is None or not other.command.words:
        return False
    if _is_about_start_directory(part) and (not brings_unknown_files(other) or _names_what_it_brings(other)):
        return False
    if brings_unknown_files(other):
        return True
    if brings_other_versions(other):
        return True
    written = [use.text for use in (*other.writes, *other.redirect_writes)]
    names = [name for search in part.searches.code for name in _code_file_names(search.program)]
    return any(UNKNOWN_MARK in text or not names or _has_name(text, names) for text in written)


def _names_what_it_brings(part: Part) -> bool:
    """Whether `cp` or `mv` states each name that it brings, and no repository or settings are among them."""
    words = () if part.command is None else part.command.words
    edits = find_program(words[0].text).shell_edits if words else None
    if edits is None or edits.kind is not EditKind.COPIES:
        return False
    return all(word.is_known and not word.glob and _PLAIN_NAME.search(word.text) for word in words[1:])


@lru_cache(maxsize=256)
def _code_file_names(program: str) -> tuple[str, ...]:
    """The names of the files and directories that can make a program run code; none for Git."""
    files = find_program(program).code_files
    return tuple(dict.fromkeys(name for file in files for name in file.path.lower().split("/")))


def _has_name(path: str, names: Iterable[str]) -> bool:
    """Whether a component of a path has one of these names, which may be globs."""
    components = path.lower().split("/")
    return any(matches_component(name, component) for component in components for name in names)


def _is_about_start_directory(part: Part) -> bool:
    """Whether only settings of the repository of the start directory matter, which no program brings."""
    about_git = all(
        not find_program(one.program).code_files if one.program else STAGED in one.settings.split()
        for one in part.searches.code
    )
    return part.directories == ("",) and not part.reads and about_git


def _code_searches(part: Part, directories: CallDirectories) -> Sequence[DirectorySearch] | None:
    """The searches of a part in each directory that it enters; None if a directory is unknown."""
    entered = [PathUse("", directory).to_absolute_path(directories) for directory in part.directories]
    # The value of an option such as `-C` is among the paths that the part reads.
    entered += [use.to_absolute_path(directories) for use in part.reads if not use.listed]
    places = [directory for directory in dict.fromkeys(entered) if directory is not None]
    if len(places) < len(set(entered)):
        return None
    found = [
        DirectorySearch(search, directory)
        for search in part.searches.code
        if search.program
        for directory in places
    ]
    for search in part.searches.code:
        inner = () if search.program else _tree_searches(search, part, directories)
        if inner is None:
            return None
        found += inner
    return found


def _tree_searches(
    search: Search, part: Part, directories: CallDirectories
) -> Sequence[DirectorySearch] | None:
    """A search in each tree that a part names, or in its directory; None if a directory is unknown."""
    if STAGED in search.settings.split():
        uses = staged_paths(part)
    else:
        uses = part.reads or tuple(PathUse("", directory) for directory in part.directories)
    places = [use.to_absolute_path(directories) for use in uses]
    found = [
        _before_glob(place) if use.glob else place for use, place in zip(uses, places, strict=True) if place
    ]
    return None if len(found) < len(places) else [DirectorySearch(search, place) for place in found]


def staged_paths(part: Part) -> tuple[PathUse, ...]:
    """The paths that `git add` names."""
    words = () if part.command is None else part.command.words
    at = next((at for at, word in enumerate(words) if word.text in ("add", "stage")), len(words))
    named = tuple(word for word in words[at + 1 :] if word.text[:1] != "-")
    return to_path_uses(named, part.directories)


def _before_glob(path: str) -> str:
    """The directory in which the first glob of a path is expanded."""
    names = path.split("/")
    first = next((at for at, name in enumerate(names) if has_glob(name)), len(names))
    return "/".join(names[:first]) or "/"


_MAX_SHOWN = 3


def _describe_changes(pack: str, changed: Mapping[str, str], facts: Facts) -> ChangedTasks:
    """The changed files of a pack, by the names that people read."""
    root = facts.directories.roots[0].rstrip("/") + "/"
    unread = [path for path, digest in changed.items() if not digest]
    paths = [f"`{path.removeprefix(root)}`" for path in unread or changed]
    more = ("…",) if len(paths) > _MAX_SHOWN else ()
    return ChangedTasks(pack, ", ".join((*paths[:_MAX_SHOWN], *more)), is_unread=bool(unread))

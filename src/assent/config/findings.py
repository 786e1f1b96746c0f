"""Makes the searches that a decision needs: which files of the workspace make a program run code."""

import os
from collections.abc import Iterable

from assent.config.code_files import find_named_code
from assent.config.git_code import find_git_code
from assent.config.small_files import UnsafeFileError
from assent.config.task_files import Pins, find_changed_tasks
from assent.config.tree_walk import TreeSearch, find_in_tree
from assent.config.workspace import UnresolvableError, resolve_path
from assent.engine.base.facts import CallDirectories, DirectorySearch
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.programs.catalog import find_program
from assent.engine.programs.packs import PACKS


def make_searches(
    directories: CallDirectories, searches: Iterable[DirectorySearch], pins: Pins | None
) -> dict[str, str]:
    """The finding of each search, by its key; a search that fails finds something, so that the call asks.

    `pins` are the approved task files of packs; with None, all of them count as approved.
    """
    return {search.key: _make_search(directories, search, pins) for search in searches}


def _make_search(directories: CallDirectories, search: DirectorySearch, pins: Pins | None) -> str:
    """Make one search, and describe what it found."""
    program, settings = search.search
    try:
        start = resolve_path(search.directory)
        if program.startswith(PACK_SIGN):
            tasks = PACKS[program.removeprefix(PACK_SIGN)].tasks
            return "" if pins is None else find_changed_tasks(start, tasks, pins, directories)
        if os.path.lexists(start) and not os.path.isdir(start):
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
            found = find_named_code(start, known.code_files, settings.split(), directories)
            if found is None and known.git_settings:
                found = find_git_code(start, known.git_settings)
    except (OSError, UnresolvableError, UnsafeFileError, ValueError) as error:
        return f"`{search.directory}` cannot be searched ({type(error).__name__})"
    return "" if found is None else f"`{_shown_path(found.file, directories)}` could run code: {found.what}"


def _shown_path(path: str, directories: CallDirectories) -> str:
    """A path as people read it: relative to the workspace if it is inside."""
    root = directories.roots[0]
    return path[len(root) + 1 :] if path.startswith(root.rstrip("/") + "/") else path

"""Real paths, step by step: links followed as the system would, and nothing guessed."""

import os
from collections.abc import Iterator

from assent.engine.globs import has_glob, matches_component

MOST_LINKS = 40
MOST_MATCHES = 1_000
MOST_ENTRIES = 20_000
"""How many directory entries one expansion may look at."""


_UNCOMMON = ("[:", "[.", "[=", "?(", "*(", "+(", "@(", "!(")


class Unresolvable(Exception):
    """Which file a path means depends on something that we cannot see."""


def resolve(path: str) -> str:
    """The real path of an absolute one; the part that does not exist yet is taken as it is written."""
    waiting = _components(path)
    reached: list[str] = []
    links = 0
    while waiting:
        name = waiting.pop()
        if name == "..":
            del reached[-1:]
            continue
        here = "/" + "/".join((*reached, name))
        target = _link(here)
        if target is None:
            reached.append(name)
            continue
        links += 1
        if links > MOST_LINKS:
            raise Unresolvable(f"{path} leads in circles")
        if target.startswith("/"):
            reached.clear()
        waiting.extend(_components(target))
    return "/" + "/".join(reached)


def expand(pattern: str) -> list[str]:
    """The files that a glob matches, hidden ones only if it says so; too many are none at all.

    `**` counts both ways, as one component and as any number of them, because shells differ.
    """
    if any(mark in pattern for mark in _UNCOMMON):
        raise Unresolvable(f"{pattern} is a pattern that shells read differently")
    budget = iter(range(MOST_ENTRIES))
    paths = ["/"]
    for component in pattern.split("/"):
        if component in ("", "."):
            continue
        paths = list(_step(paths, component, budget))
        if len(paths) > MOST_MATCHES:
            raise Unresolvable(f"{pattern} matches too many files")
    return paths


def _components(path: str) -> list[str]:
    """The components of a path, last one first."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _link(path: str) -> str | None:
    """Where a link points to, or None when it is none; what a process's own links mean is its own affair."""
    try:
        target = os.readlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == _NOT_A_LINK:
            return None
        raise
    of_process = path.startswith("/proc/") and path.count("/") > len(("", "proc"))
    if of_process and not (path.endswith("/root") and target == "/"):
        raise Unresolvable(f"{path} means something else to every process")
    return target


_NOT_A_LINK = 22
"""EINVAL: what is there is a file or a directory."""


def _step(paths: list[str], component: str, budget: Iterator[int]) -> Iterator[str]:
    for path in paths:
        if not has_glob(component):
            below = os.path.join(path, component)
            if os.path.lexists(below):
                yield below
        elif component == "**":
            yield path
            yield from _below(path, budget)
        else:
            yield from (os.path.join(path, name) for name in _names(path, budget) if _fits(component, name))


def _below(path: str, budget: Iterator[int]) -> Iterator[str]:
    """Everything below a directory, links not followed."""
    waiting = [path]
    while waiting:
        directory = waiting.pop()
        for name in _names(directory, budget):
            if not name.startswith("."):
                below = os.path.join(directory, name)
                yield below
                if not os.path.islink(below):
                    waiting.append(below)


def _names(path: str, budget: Iterator[int]) -> Iterator[str]:
    """The names in a directory; what is none has no names, and what may not be read is an error."""
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if next(budget, None) is None:
                    raise Unresolvable(f"{path} is too large to look through")
                yield entry.name
    except (FileNotFoundError, NotADirectoryError):
        return


def _fits(component: str, name: str) -> bool:
    return (component.startswith(".") or not name.startswith(".")) and matches_component(component, name)

"""The roots of the workbench: the workspaces of this server on its disk, distinguished by name."""

import posixpath
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assent.gate.workspaces import RegisteredWorkspace
from assent.hosts.workbench.refusal import Reason, WorkbenchError


class Root(NamedTuple):
    """A directory in which the workbench works."""

    name: str
    directory: str
    """The real path."""
    own: bool = False
    """Whether it is the directory of the server itself."""


def name_roots(own: str | None, workspaces: Iterable[RegisteredWorkspace]) -> tuple[Root, ...]:
    """The roots with their names, the server's own first; remote workspaces are on another disk."""
    on_disk = [one for one in workspaces if not one.remote and one.root != own]
    # Those of all agents first, so that everybody knows them by the same name.
    shared = sorted({one.root for one in on_disk if not one.agent})
    single = sorted({one.root for one in on_disk if one.agent} - set(shared))
    roots: list[Root] = []
    names: set[str] = set()
    for directory in (*(() if own is None else (own,)), *shared, *single):
        name = _free_name(posixpath.basename(directory) or "root", names)
        names.add(name)
        roots.append(Root(name, directory, own=directory == own))
    return tuple(roots)


def find_root(roots: Sequence[Root], name: str) -> Root:
    """The root with a name; the server's own for an empty name."""
    for root in roots:
        if root.name == name or (not name and root.own):
            return root
    raise WorkbenchError(Reason.ABSENT, f"there is no root `{name}`")


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free

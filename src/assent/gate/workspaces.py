"""Workspaces: the directories that people register for agents, and which of them contains a call."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from assent.errors import InputError
from assent.gate.audit import Entry

ALL_AGENTS = "*"
"""The name that a request uses for a workspace of all agents."""
MAX_WORKSPACES = 200
"""The maximum number of workspaces of one agent."""
MAX_ROOT_LENGTH = 4096
WORKSPACES_CHANGED_MESSAGE = "the workspaces were changed meanwhile: list them and try again"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredWorkspace:
    """A directory that a person registered as a workspace of one agent, or of all agents."""

    id: str
    agent: str = ""
    """The agent whose calls the workspace is for; empty is all agents."""
    root: str
    """The absolute path: the real path on this disk, or the path as written if the workspace is remote."""
    remote: bool = False
    """Whether the directory is on another machine, so that its paths are never looked up on this disk."""
    by: str
    at: datetime | None = None
    """By the store's clock."""


class RootProof(NamedTuple):
    """A file with a random text that a client wrote into a root, to prove that the server shares its disk."""

    file: str
    """The name of the file; it is directly in the root."""
    text: str


class WantedRoot(NamedTuple):
    """A directory to register; without a proof it is remote, unless it already is a local workspace."""

    root: str
    proof: RootProof | None = None


class CheckedRoot(NamedTuple):
    """A directory that may be registered."""

    root: str
    remote: bool


class RootChecker(Protocol):
    """Checks directories on the file system of this machine."""

    async def check_root(self, wanted: WantedRoot) -> CheckedRoot:
        """Resolve and check a directory; raises `InputError` if it may not be registered."""
        ...

    async def check_project(self, directory: str) -> CheckedRoot:
        """The project that contains a directory of this disk; `InputError` if it may not be registered."""
        ...

    async def find_root(self, directory: str, workspaces: Sequence[RegisteredWorkspace]) -> str | None:
        """The root of the workspace that contains a directory; None if no workspace contains it."""
        ...

    async def fitting_packs(self, workspaces: Sequence[RegisteredWorkspace]) -> frozenset[str]:
        """The packs whose files are in this process's own workspace, or in one of these."""
        ...


class WorkspaceStore(Protocol):
    """The part of a store that keeps workspaces."""

    async def workspaces(self) -> Sequence[RegisteredWorkspace]:
        """All registered workspaces, by agent and root."""
        ...

    async def set_workspaces(
        self,
        agent: str,
        workspaces: Sequence[RegisteredWorkspace],
        *,
        known: frozenset[str],
        entries: Sequence[Entry],
    ) -> None:
        """Replace the workspaces of an agent, and write the audit entries, in one commit.

        Raises `ConflictError` if the current workspaces of the agent do not have exactly the ids `known`.
        The same workspaces again change nothing.
        """
        ...


def check_root_path(root: str) -> str:
    """The path of a root without `..` and double slashes; raises `InputError` if it is not usable."""
    if len(root) > MAX_ROOT_LENGTH or not root.isprintable() or not posixpath.isabs(root):
        raise InputError("the root of a workspace must be an absolute path of printable characters")
    normal = posixpath.normpath(root)
    return normal[1:] if normal.startswith("//") else normal


def is_below(path: str, root: str) -> bool:
    """Whether a path is a directory or inside it, by their texts alone."""
    return path == root or path.startswith(root.rstrip("/") + "/")

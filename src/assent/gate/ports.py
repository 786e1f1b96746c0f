"""The interfaces that the gate needs besides a store: a workspace, an authorizer and runners."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from assent.engine.base.facts import CallDirectories, DirectorySearch, Facts
from assent.engine.base.tool import Call, Tool
from assent.gate.access import Principal
from assent.gate.file_preview import FileContent
from assent.gate.policy import FilePolicies
from assent.gate.workspaces import RegisteredWorkspace, RootChecker


class CallWorkspace(NamedTuple):
    """The directories of a call, and the policy files that apply there."""

    directories: CallDirectories
    root: str = ""
    """The root of the registered workspace that contains the call; empty in this process's own workspace."""
    remote: bool = False
    """Whether the workspace is on another machine, so that its paths are never looked up on this disk."""
    file_policies: FilePolicies | None = None
    """The policy of the workspace's files; None is the policy of this process's own workspace."""


class Workspace(RootChecker, Protocol):
    """The file system that calls use."""

    async def locate(self, call: Call, workspaces: Sequence[RegisteredWorkspace] = ()) -> CallWorkspace:
        """The directories in which a call would run; `workspaces` are those of its agent."""
        ...

    async def facts(
        self, where: CallWorkspace, wanted: Sequence[str], searches: Sequence[DirectorySearch] = ()
    ) -> Facts:
        """Read the current facts of some paths, and make some searches."""
        ...

    def record_made_paths(self, call: Call, paths: Sequence[str]) -> None:
        """Note the paths outside of the workspace that a call with a person's yes is about to make."""
        ...

    async def approve_tasks(self, files: Mapping[str, str]) -> None:
        """Approve task files of packs: digests by path. A change of a file ends its approval."""
        ...

    async def content(self, where: CallWorkspace, path: str) -> FileContent:
        """Read the file at an absolute path, or return why it is not read."""
        ...


class Authorizer(Protocol):
    """Checks rights for tools outside of the policy, such as those of another system."""

    async def missing_right(self, principal: Principal, tool: Tool) -> str | None:
        """The right that is missing, or None."""
        ...


class ArgumentIssue(NamedTuple):
    """An error in a call's arguments."""

    path: str
    message: str


class DryRunResult(NamedTuple):
    """The result of a dry run, and a fingerprint of the state that it used."""

    summary: str
    details: Mapping[str, object]
    fingerprint: str = ""


class Runner(Protocol):
    """Runs one tool for the gate, without the original caller."""

    async def validate(self, call: Call) -> Sequence[ArgumentIssue]:
        """The errors in the arguments according to the tool's current schema."""
        ...

    async def dry_run(self, principal: Principal, call: Call) -> DryRunResult:
        """The effect that the call would have; changes nothing."""
        ...

    async def run(self, principal: Principal, call: Call) -> object:
        """Run the call with the rights of a principal."""
        ...

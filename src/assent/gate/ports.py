"""The interfaces that the gate needs besides a store: limits, a workspace, an authorizer and runners."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, Protocol

from assent.engine.base.facts import CallDirectories, DirectorySearch, Facts
from assent.engine.base.tool import Call, Tool
from assent.errors import LimitError, PendingBytesError
from assent.gate.access import Principal
from assent.gate.approval import Approval
from assent.gate.file_preview import FileContent
from assent.gate.policy import FilePolicies
from assent.gate.workspaces import RegisteredWorkspace, RootChecker


class PendingBytes(NamedTuple):
    """Bytes of pending approvals, either as counted or as allowed."""

    agent: int = 0
    """The bytes of one person's agent and its sub-agents."""
    user: int = 0
    server: int = 0


_MEGABYTE = 1_000_000


DEFAULT_PENDING_BYTES = PendingBytes(agent=32 * _MEGABYTE, user=128 * _MEGABYTE, server=1024 * _MEGABYTE)
"""The default limits."""


_DENIAL_ADVICE = "do not try another way, ask the person what to do instead"
"""The advice in the refusal of a call that was denied too often."""


class PendingLoad(NamedTuple):
    """The pending approvals and recent denials of one agent."""

    pending: int
    """Pending approvals of the agent that a person started, and of all its sub-agents."""
    denied_in_turn: int
    """Denials of this call in its turn."""
    denied_recently: int
    """Denials of this call in any turn within the time window."""
    tool_denied_recently: int = 0
    """Denials of calls of this tool in any conversation within the time window."""
    size: int = 0
    """Bytes of the new approval."""
    bytes: PendingBytes = PendingBytes()
    """Bytes of the pending approvals."""


class Limits(NamedTuple):
    """The limits on the questions of one agent."""

    pending: int = 100
    """Pending approvals of one agent and all its sub-agents."""
    denials: int = 3
    """The number of denials after which the same call is no longer asked in its turn."""
    denial_window: timedelta = timedelta()
    """How long denials count in later turns, for agents that begin their turns themselves."""
    tool_denials: int = 20
    """The number of denials within `denial_window` after which a tool's calls are no longer asked."""

    bytes: PendingBytes = DEFAULT_PENDING_BYTES
    """Bytes of pending approvals."""

    def check(self, asked: Approval, load: PendingLoad) -> None:
        """Raise `LimitError` where one more question would exceed a limit."""
        if (missing := over_budget_reason(asked, load.size, load.bytes, self.bytes)) is not None:
            raise PendingBytesError(missing)
        if load.pending >= self.pending:
            who = f"agent `{asked.root_agent}`, with its sub-agents,"
            raise LimitError(f"{who} already has {self.pending} open questions")
        if load.denied_in_turn >= self.denials:
            raise LimitError(f"this call was denied {self.denials} times in this turn; {_DENIAL_ADVICE}")
        if self.denial_window and load.denied_recently >= self.denials:
            raise LimitError(f"this call was denied {self.denials} times recently; {_DENIAL_ADVICE}")
        if self.denial_window and load.tool_denied_recently >= self.tool_denials:
            raise LimitError(
                f"calls of this tool were denied {self.tool_denials} times recently; {_DENIAL_ADVICE}"
            )


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

    async def content(self, where: CallWorkspace, path: str) -> FileContent:
        """Read the file at an absolute path, or return why it is not read."""
        ...


class Authorizer(Protocol):
    """Checks rights for tools outside of the policy, such as those of another system."""

    async def missing(self, principal: Principal, tool: Tool) -> str | None:
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


def over_budget_reason(asked: Approval, size: int, held: PendingBytes, most: PendingBytes) -> str | None:
    """The message why a question of this size would exceed a budget; None if it fits."""
    of_agent = min(most.agent, _max_share(most.user, held.user - held.agent))
    if held.agent + size > of_agent:
        return _over_budget_message(f"agent `{asked.root_agent}`", held.agent, size, of_agent)
    of_user = min(most.user, _max_share(most.server, held.server - held.user))
    if held.user + size > of_user:
        return _over_budget_message(f"user `{asked.owner}`", held.user, size, of_user)
    return None


def _max_share(budget: int, others: int) -> int:
    """A third of the unused budget, so that no agent or user can use up all of it."""
    return max(budget - others, 0) // 3


def _over_budget_message(who: str, held: int, size: int, most: int) -> str:
    return (
        f"{who} has {_format_megabytes(held)} of open questions, and this one has {_format_megabytes(size)},"
        f" more than the {_format_megabytes(most)} allowed; wait until some are answered"
    )


def _format_megabytes(size: int) -> str:
    return f"{size / _MEGABYTE:.1f} MB"

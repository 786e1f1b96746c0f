"""The interface of a store, which keeps approvals, policy, conversations and the audit."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from assent.engine.base.tool import Effect
from assent.engine.policy.snapshot import TierSetting
from assent.gate.access import Principal
from assent.gate.approval import Approval, Excerpt, ExcerptPage, State
from assent.gate.audit import BucketSize, Entry, Link, RuleHits, Tally
from assent.gate.catalog import DeclaredTool, Pin
from assent.gate.conversation import CHANGEABLE_FIELDS, Conversation
from assent.gate.events import EventSource, Pod
from assent.gate.policy import Moment, PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.gate.question import Limits
from assent.gate.workspaces import WorkspaceStore

START_MODE = "agent.permissions.mode"
"""The setting for the mode that a new conversation starts in."""


class ChangeResult(NamedTuple):
    """The changed approval, and the grants and rules to write in the same transaction."""

    approval: Approval
    grants: tuple[StoredGrant, ...] = ()
    rules: tuple[StoredRule, ...] = ()


ApprovalChange = Callable[[Approval, Moment], ChangeResult]
"""A function that changes an approval; it is pure, so a store can retry it, and raises an error to refuse."""
MakeApproval = Callable[[Moment], Approval]
"""A function that makes a new approval with the store's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalFilter:
    """Selects approvals; each given field narrows the selection."""

    states: frozenset[State] = frozenset()
    owner: str | None = None
    resources: frozenset[str] = frozenset()
    """Resources of roles whose approvals are selected as well as the owner's."""
    conversation: str | None = None
    agent: str | None = None
    turn: str | None = None
    tool: str | None = None
    postponed: bool | None = None
    """True selects postponed approvals, False the others, None both."""
    effect: Effect | None = None
    """The declared effect of the tool."""
    search: str = ""
    """Text to find in names of tools and agents and in ids and titles of conversations; case is ignored."""
    has_arguments: bool = False
    """Whether only approvals are selected whose arguments are still stored."""

    def visible_to(self, principal: Principal) -> "ApprovalFilter":
        """The filter restricted to approvals that a principal may see.

        Even the boundaries of pages must not reveal other approvals.
        """
        if principal.administrator:
            return self
        return replace(self, owner=principal.user, resources=frozenset(principal.roles))


class ApprovalPage(NamedTuple):
    """A page of approvals, and the cursor of the next page (empty at the end)."""

    approvals: tuple[Approval, ...]
    after: str = ""


class ConversationPage(NamedTuple):
    """A page of conversations, newest first, and the cursor of the next page (empty at the end)."""

    conversations: tuple[Conversation, ...]
    after: str = ""


class ToolTier(NamedTuple):
    """The tier that an administrator set for one agent and tool."""

    agent: str
    tool: str
    assignment: TierSetting
    provider: str = "operations"
    by: str = ""


class ToolUse(NamedTuple):
    """An agent and a tool that it called; `tool` is empty if the agent called only undeclared tools."""

    agent: str
    tool: str


class BudgetResult(NamedTuple):
    """Whether a call is within its budget; otherwise, the seconds until the next call is."""

    allowed: bool
    retry_after: float = 0.0


class Counters(NamedTuple):
    """Counters of one process, which are available without the database."""

    waiting: int = 0
    """The number of approvals that callers in this process wait for."""
    audit_spooled: int = 0
    """Audit entries that are not yet in the database."""
    audit_lost: int = 0
    """Audit entries that could not be saved anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Selects rows of the audit; each given field narrows the selection."""

    agent: str | None = None
    tool: str | None = None
    user: str | None = None
    conversation: str | None = None
    verdict: str | None = None
    decision: str | None = None
    """The `decision` or the `verdict` of a row."""
    since: datetime | None = None
    until: datetime | None = None
    """Only rows before this moment."""
    answers: bool = False
    """Whether only answers of people are selected."""
    changes: bool = False
    """Whether only changes of people, rights and policy are selected."""

    def visible_to(self, principal: Principal) -> "AuditFilter":
        """The filter restricted to rows that a principal may read: their own, or all for administrators."""
        return self if principal.administrator else replace(self, user=principal.user)


ALL_ENTRIES = AuditFilter()


class Store(EventSource, WorkspaceStore, Protocol):
    """Keeps approvals and policy. Every method fails closed: it does its work or raises `StoreError`.

    INVARIANT: when a method returns, its writes survive a crash of this process and of the machine.
    Only the gate calls the methods that change something.
    """

    @property
    def boot(self) -> str:
        """The id of this process, new at every start."""
        ...

    @property
    def secret(self) -> bytes:
        """Random bytes that all processes on this store share, so that ids cannot be guessed."""
        ...

    async def moment(self) -> Moment:
        """The store's time and the last committed policy version."""
        ...

    # ---- approvals --------------------------------------------------------------------------

    async def add_approval(self, id: str, ask: MakeApproval, limits: Limits) -> Approval:
        """Store a new approval; if the id exists with the same digest, return the existing approval.

        Raises `LimitError` over a limit, and `ConflictError` for the same id with another digest.
        """
        ...

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        """Change one approval atomically and wake its waiters in all processes.

        The audit rows of the change (`changes.step_entries`) are part of the same commit.
        """
        ...

    async def approval(self, id: str) -> Approval:
        """The approval with an id, or `NotFoundError`."""
        ...

    async def approvals(
        self, which: ApprovalFilter, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> ApprovalPage:
        """A page of complete approvals; a page of large approvals ends early."""
        ...

    async def excerpts(self, which: ApprovalFilter, *, limit: int = 100, after: str = "") -> ExcerptPage:
        """A page of excerpts, oldest first; uses no more memory than it returns."""
        ...

    async def excerpt(self, id: str) -> Excerpt:
        """The excerpt of the approval with an id, or `NotFoundError`."""
        ...

    async def wait_for_answer(self, id: str) -> Approval:
        """Wait until the approval is no longer pending; needs no thread and survives lost notifications."""
        ...

    async def sweep(self, grace: timedelta, *, keep: timedelta | None = None) -> Sequence[Approval]:
        """End overdue approvals and return them; each is returned to one process only.

        With `keep`, the arguments of approvals that ended longer ago are deleted.
        """
        ...

    # ---- policy -----------------------------------------------------------------------------

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        """The current policy for a user, agent and conversation, in one query."""
        ...

    async def set_tiers(
        self,
        tool_tiers: Iterable[ToolTier],
        *,
        replace_agent: str | None = None,
        cleared: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Set tiers, and clear the tiers of some (agent, tool) pairs, in one commit.

        With `replace_agent`, all other tiers of that agent are cleared.
        """
        ...

    async def tiers(self, agent: str | None = None) -> Sequence[ToolTier]:
        """The tiers that are set."""
        ...

    async def add_policy(self, grants: Iterable[StoredGrant] = (), rules: Iterable[StoredRule] = ()) -> None:
        """Add grants and rules that do not come from an answer."""
        ...

    async def revoke(self, id: str, *, by: str) -> None:
        """Revoke a grant or a rule; takes effect immediately in all processes."""
        ...

    async def replace_rule(
        self, id: str, change: Callable[[StoredRule], StoredRule], *, by: str
    ) -> StoredRule:
        """Revoke a rule and add the rule that `change` makes of it, in one commit.

        `change` is pure and gives the new rule its own id; the same rule back changes nothing.
        Raises `NotFoundError`, and `ConflictError` for a rule that was replaced or revoked meanwhile.
        """
        ...

    async def grants(self) -> Sequence[StoredGrant]:
        """The grants that are not revoked, oldest first."""
        ...

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules that are not revoked, oldest first."""
        ...

    async def use_grants(self, grants: Iterable[str]) -> bool:
        """Count one use of each of these grants; if one has no use left, use none and return False."""
        ...

    async def pin_definitions(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:
        """Store definitions of tools without a pin; with `accept`, also replace existing pins."""
        ...

    async def pins(self) -> Sequence[Pin]:
        """The pinned definitions."""
        ...

    async def set_declarations(
        self, agent: str, origin: str, declared: Sequence[DeclaredTool], *, by: str
    ) -> None:
        """Replace all tools that an origin declares to an agent (an empty agent is all agents)."""
        ...

    async def declarations(self) -> Sequence[DeclaredTool]:
        """The tools that are declared to all processes, by agent, origin and name."""
        ...

    async def setting(self, name: str) -> str | None:
        """The value of a setting."""
        ...

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Save a setting; None removes it."""
        ...

    async def pause(self, by: str) -> None:
        """Make every call that is not a read wait, in all processes; the first pause stays."""
        ...

    async def resume(self, by: str) -> None:
        """End the pause; a call that was approved before can be used for its full time from now on."""
        ...

    # ---- conversations ----------------------------------------------------------------------

    async def save_conversation(
        self, conversation: Conversation, *, fields: Collection[str] = CHANGEABLE_FIELDS
    ) -> Conversation:
        """Create a conversation, or save the named fields of an existing one."""
        ...

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation with an id."""
        ...

    async def conversations(
        self, owner: str | None = None, *, limit: int = 100, after: str = ""
    ) -> ConversationPage:
        """A page of the conversations of one owner, or of all owners."""
        ...

    # ---- the audit --------------------------------------------------------------------------

    def record(self, entry: Entry) -> None:
        """Queue an audit entry; never waits and never fails."""
        ...

    async def flush_audit(self) -> None:
        """Wait until every queued audit entry is in the database or in the spool file."""
        ...

    async def audit(
        self,
        audit_filter: AuditFilter = ALL_ENTRIES,
        *,
        limit: int = 100,
        after: str = "",
        newest_first: bool = False,
    ) -> tuple[tuple[Link, ...], str]:
        """A page of the audit, and where the next page begins."""
        ...

    async def tally(
        self, audit_filter: AuditFilter = ALL_ENTRIES, *, span: BucketSize = BucketSize.HOUR
    ) -> Tally:
        """Exact statistics of the audit: by verdict, time, tool and cause."""
        ...

    async def rule_hits(self, audit_filter: AuditFilter = ALL_ENTRIES) -> tuple[int, Sequence[RuleHits]]:
        """The number of decisions, and how many of them each rule made, most first."""
        ...

    async def tool_uses(self, owner: str | None = None) -> frozenset[ToolUse]:
        """The agents of one owner or of all owners, with every tool that they called."""
        ...

    # ---- processes --------------------------------------------------------------------------

    async def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call against a budget of `calls` in any time `window`, or refuse it."""
        ...

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Register or update this process, and return the other live processes."""
        ...

    async def leave(self) -> None:
        """Remove the registration of this process."""
        ...

    async def record_heartbeat(self) -> None:
        """Record that this process is alive; opening a store also records this."""
        ...

    async def count_pending(self) -> int:
        """The number of approvals that wait for a person."""
        ...

    def counters(self) -> Counters:
        """The counters of this process; available even if the database is down."""
        ...

    async def check_writable(self) -> None:
        """Commit a test write, at most once a second; it causes no event."""
        ...

    async def close(self) -> None:
        """Close the store; waiting callers get a `StoreError`."""
        ...

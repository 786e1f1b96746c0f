"""What the gate needs of the world: a store, a workspace, an authorizer and runners."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from assent.engine.facts import Facts, Place
from assent.engine.model import Call, Effect, Tool
from assent.engine.policy.tiers import TierSetting
from assent.errors import BytesError, LimitError
from assent.gate.access import Principal
from assent.gate.approval import Approval, State
from assent.gate.audit import Entry, Link, Sought
from assent.gate.conversation import CHANGEABLE, Conversation
from assent.gate.current import About, Current, Pin
from assent.gate.excerpt import Excerpt, Excerpts
from assent.gate.filepreview import Content
from assent.gate.grant import Grant, StoredRule
from assent.gate.live import Live
from assent.gate.pending import BUDGET, PendingBytes, shortage
from assent.gate.tally import Hit, Span, Tally


class Moment(NamedTuple):
    """When a change happens, by the store's own clock, and the policy version that holds then."""

    at: datetime
    version: int
    paused: bool = False
    """Calls that are not reads wait."""


class Changed(NamedTuple):
    """What a change makes of an approval, and what it writes to the policy in the same transaction."""

    approval: Approval
    grants: tuple[Grant, ...] = ()
    rules: tuple[StoredRule, ...] = ()


Change = Callable[[Approval, Moment], Changed]
"""A step of an approval's life: pure, so that it can be tried again; it refuses by raising."""
Ask = Callable[[Moment], Approval]
"""Makes a question, stamped with the store's own time."""

_INSTEAD = "do not try it in another way, ask the person what to do instead"
"""What an agent hears that does not take no for an answer."""


class Load(NamedTuple):
    """What one agent has on people's desks, and how often it was told no."""

    pending: int
    """Questions of the agent that a person started, and of all its sub-agents."""
    in_turn: int
    """Denials of this call in its turn."""
    of_late: int
    """Denials of this call in whichever turn, as far back as the limits look."""
    of_tool: int = 0
    """Denials of any call of its tool in whichever conversation, as far back as the limits look."""
    size: int = 0
    """Bytes of the question that is to be put."""
    bytes: PendingBytes = PendingBytes()
    """What waits already."""


class Limits(NamedTuple):
    """How much one agent may have on people's desks."""

    pending: int = 100
    """Questions of one agent and all its sub-agents that wait at a time."""
    denials: int = 3
    """How often the same call may be denied in one turn before it is no longer asked."""
    lasting: timedelta = timedelta()
    """How long a denial counts beyond its turn, too: for agents that say themselves where one begins."""
    of_tool: int = 20
    """How often calls of one tool may be denied in that time, whatever was changed from one to the next."""

    bytes: PendingBytes = BUDGET
    """Bytes of the questions that wait at a time."""

    def check(self, asked: Approval, load: Load) -> None:
        """Refuse one more question where there is enough."""
        if (missing := shortage(asked, load.size, load.bytes, self.bytes)) is not None:
            raise BytesError(missing)
        if load.pending >= self.pending:
            who = f"agent `{asked.root_agent}`, with its sub-agents,"
            raise LimitError(f"{who} already has {self.pending} questions that wait for an answer")
        if load.in_turn >= self.denials:
            raise LimitError(f"this call was denied {self.denials} times in this turn; {_INSTEAD}")
        if self.lasting and load.of_late >= self.denials:
            raise LimitError(f"this call was denied {self.denials} times of late; {_INSTEAD}")
        if self.lasting and load.of_tool >= self.of_tool:
            raise LimitError(f"calls of this tool were denied {self.of_tool} times of late; {_INSTEAD}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """Which approvals are meant; each field that is given narrows."""

    states: frozenset[State] = frozenset()
    owner: str | None = None
    besides: frozenset[str] = frozenset()
    """Conversations and agents, as roles name them, whose questions are meant besides those of the owner."""
    conversation: str | None = None
    agent: str | None = None
    turn: str | None = None
    tool: str | None = None
    later: bool | None = None
    """Only those that were put off, or only those that were not."""
    effect: Effect | None = None
    """What the tool was declared to do."""
    search: str = ""
    """Within the tool's name, the agent's, the conversation's id or its title; capitals do not matter."""
    whole: bool = False
    """Only those whose arguments are still kept."""

    def seen_by(self, principal: Principal) -> "Which":
        """As far as somebody sees them: where a page ends must not tell of what they do not see, either."""
        if principal.administrator:
            return self
        return replace(self, owner=principal.user, besides=frozenset(principal.roles))


class Page(NamedTuple):
    """Some approvals, oldest first, and where the next page begins (empty at the end)."""

    approvals: tuple[Approval, ...]
    after: str = ""


class Tiering(NamedTuple):
    """What an administrator says of one agent and tool."""

    agent: str
    tool: str
    assignment: TierSetting
    provider: str = "operations"
    by: str = ""


class Called(NamedTuple):
    """An agent, and a tool that it called; no tool where none of those it named was there."""

    agent: str
    tool: str


class Counters(NamedTuple):
    """What a process knows of its own work without asking its database."""

    waiting: int = 0
    """Approvals that somebody in this process waits for."""
    audit_spooled: int = 0
    """Audit entries that could not be written yet."""
    audit_lost: int = 0
    """Audit entries that are nowhere."""


ALL = Sought()


class Store(Live, Protocol):
    """Keeps approvals and policy. Every method fails closed: it does what it says, or raises `StoreError`.

    INVARIANT: when a method returns, what it wrote survives a crash of this process and of its machine.
    """

    @property
    def boot(self) -> str:
        """The mark of this process, new at every start."""
        ...

    @property
    def secret(self) -> bytes:
        """Random bytes that all processes on this store share, so that ids cannot be guessed."""
        ...

    async def current(self, about: About) -> Current:
        """Policy as it is now, in one query."""
        ...

    async def moment(self) -> Moment:
        """The store's time, and the number of the last change of policy that is committed anywhere."""
        ...

    async def add(self, id: str, ask: Ask, limits: Limits) -> Approval:
        """Keep a question. The same id and digest again is the question there is; another digest conflicts.

        Raises `LimitError` over a limit, `ConflictError` for another digest.
        """
        ...

    async def change(self, id: str, change: Change) -> Approval:
        """Move one approval on, atomically; whoever waits for it is woken, here and elsewhere.

        The audit's rows of the step (`record.step_entries`) are committed with it.
        """
        ...

    async def approval(self, id: str) -> Approval:
        """The approval of an id, or `NotFoundError`."""
        ...

    async def approvals(
        self, which: Which, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> Page:
        """A page of the approvals that are meant, each whole: a page of large ones ends early."""
        ...

    async def excerpts(self, which: Which, *, limit: int = 100, after: str = "") -> Excerpts:
        """A page of the same in short, oldest first; costs no more memory than it shows."""
        ...

    async def excerpt(self, id: str) -> Excerpt:
        """The approval of an id in short, or `NotFoundError`."""
        ...

    async def wait(self, id: str) -> Approval:
        """Come back when the approval is no longer pending; costs no thread, survives lost notices."""
        ...

    async def tier(
        self,
        tierings: Iterable[Tiering],
        *,
        replace_agent: str | None = None,
        cleared: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Set tiers, and clear those of some agents and tools, in one commit; others stay as they are.

        With `replace_agent`, that agent's tiers are these and no others.
        """
        ...

    async def tiers(self, agent: str | None = None) -> Sequence[Tiering]:
        """The tiers that are set."""
        ...

    async def remember(self, grants: Iterable[Grant] = (), rules: Iterable[StoredRule] = ()) -> None:
        """Write grants and rules that come from no question."""
        ...

    async def revoke(self, id: str, *, by: str) -> None:
        """End a grant or a rule; no decision that starts later uses it, on any pod."""
        ...

    async def replace_rule(
        self, id: str, change: Callable[[StoredRule], StoredRule], *, by: str
    ) -> StoredRule:
        """End a rule and write what `change` makes of it, in one commit.

        `change` is pure and gives the new rule an id of its own; the same rule back changes nothing.
        Raises `NotFoundError`, and `ConflictError` for a rule that was replaced or revoked meanwhile.
        """
        ...

    async def grants(self) -> Sequence[Grant]:
        """The grants that are not revoked, oldest first."""
        ...

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules that are not revoked, oldest first."""
        ...

    async def use(self, grants: Iterable[str]) -> bool:
        """Use each of these counted grants once; False, and nothing used, when one has no use left."""
        ...

    async def pin(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:
        """Hold on to definitions seen for the first time; with `accept`, replace what was held."""
        ...

    async def pins(self) -> Sequence[Pin]:
        """The definitions that are held on to."""
        ...

    async def save(self, conversation: Conversation, *, fields: Collection[str] = CHANGEABLE) -> Conversation:
        """Create a conversation, or write those of its mode, title and model that are named."""
        ...

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation of an id."""
        ...

    def record(self, entry: Entry) -> None:
        """Queue an audit entry; never waits, never fails."""
        ...

    async def recorded(self) -> None:
        """Come back when every queued entry is written or spooled."""
        ...

    async def audit(
        self, sought: Sought = ALL, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> tuple[tuple[Link, ...], str]:
        """A page of what is sought in the audit, and where the next one begins."""
        ...

    async def tally(self, sought: Sought = ALL, *, span: Span = Span.HOUR) -> Tally:
        """What is sought in the audit, added up: by verdict, bucket, tool and cause, exactly."""
        ...

    async def hits(self, sought: Sought = ALL) -> tuple[int, Sequence[Hit]]:
        """How many decisions are sought, and how often each rule made one of them, most often first."""
        ...

    async def callers(self, owner: str | None = None) -> frozenset[Called]:
        """Every agent that was heard of, of one owner or all, with every tool that it called."""
        ...

    async def count_pending(self) -> int:
        """Questions that wait for a person, whoever asked them."""
        ...

    def counters(self) -> Counters:
        """What this process knows of its own work; always there, whatever became of the database."""
        ...

    async def beat(self) -> None:
        """Say that this process is alive; whoever opens a store has said so."""
        ...

    async def check_writable(self) -> None:
        """Prove that a write is committed now, at most once a second; it is told to nobody."""
        ...

    async def sweep(self, grace: timedelta, *, keep: timedelta | None = None) -> Sequence[Approval]:
        """Relabel what time alone has ended, and say which; each is told to one sweeper only.

        With `keep`, the arguments of approvals that ended longer ago are scrubbed.
        """
        ...

    async def close(self) -> None:
        """Let everything go; whoever waits gets a `StoreError`."""
        ...


class Workspace(Protocol):
    """Knows the file system that calls are about."""

    async def place(self, call: Call) -> Place:
        """Where a call would happen."""
        ...

    async def facts(self, place: Place, wanted: Sequence[str]) -> Facts:
        """What the file system says of these paths now."""
        ...

    async def content(self, place: Place, path: str) -> Content:
        """The bytes of the file that an absolute path leads to, or why they are not read."""
        ...


class Authorizer(Protocol):
    """Knows the rights that somebody needs for a tool, beyond what policy says."""

    async def missing(self, principal: Principal, tool: Tool) -> str | None:
        """The right that is missing, or None."""
        ...


class Issue(NamedTuple):
    """Something wrong with a call's arguments."""

    path: str
    message: str


class Preview(NamedTuple):
    """What a dry run says would happen, and a fingerprint of the state it was made on."""

    summary: str
    details: Mapping[str, object]
    fingerprint: str = ""


class Runner(Protocol):
    """Executes one tool where the original caller is gone."""

    async def validate(self, call: Call) -> Sequence[Issue]:
        """What is wrong with the arguments, against the tool's schema as it is now."""
        ...

    async def dry_run(self, principal: Principal, call: Call) -> Preview:
        """What would happen; changes nothing."""
        ...

    async def run(self, principal: Principal, call: Call) -> object:
        """Do it, with this principal's own rights."""
        ...

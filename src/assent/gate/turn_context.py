"""The context of a turn, the options that it begins with, and the observer of its decisions."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from assent.engine.batching import batch_key
from assent.engine.facts import Facts
from assent.engine.inputs import fed_inputs
from assent.engine.irreversible_acts import irreversible
from assent.engine.model import Call, Tool
from assent.engine.modes import Mode
from assent.engine.pieces import call_pieces
from assent.engine.policy.snapshot import Snapshot
from assent.engine.verdict import Decision
from assent.gate.access import Principal
from assent.gate.approval import Approval
from assent.gate.conversation import Conversation
from assent.gate.ids import digest_of_call
from assent.gate.policy import FilePolicy
from assent.gate.preset import Delivery
from assent.gate.stored_policy import PolicyKey, StoredPolicy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnContext:
    """Everything about a turn that does not change after it begins."""

    turn_id: str
    principal: Principal
    conversation: Conversation
    agent: str
    mode: Mode | None
    mode_name: str
    """The mode as the request spelled it."""
    file_policy: FilePolicy
    initial_policy: StoredPolicy
    delivery: Delivery
    """How answers reach the calls of this turn."""
    attended: bool = True
    parent: "TurnContext | None" = None
    nonce: str = ""
    """The digest of the nonce that lets the caller claim again."""

    @property
    def policy_key(self) -> PolicyKey:
        """Selects the policy of this turn."""
        return PolicyKey(user=self.principal.user, agent=self.agent, conversation=self.conversation.id)

    @property
    def lineage(self) -> tuple[str, ...]:
        """The parent agents, nearest first."""
        return () if self.parent is None else (self.parent.agent, *self.parent.lineage)


class DecidedCall(NamedTuple):
    """A call with its decision, and the policy and facts of the decision."""

    call: Call
    decision: Decision
    facts: Facts
    snapshot: Snapshot
    policy: StoredPolicy
    counted_grants: tuple[str, ...] = ()
    """The ids of counted grants that this verdict uses."""
    rule_origin: str = ""
    """The origin of the rule that decided."""

    @property
    def tool(self) -> Tool:
        """The current definition of the tool; a bare one for an absent tool."""
        return self.snapshot.tools.get(self.call.tool) or Tool(name=self.call.tool)

    @property
    def decision_with_pieces(self) -> Decision:
        """The decision as shown to a person: its pieces, irreversible effects, and what is fed."""
        acts = irreversible(self.call, self.tool)
        return self.decision._replace(
            pieces=call_pieces(self.call, self.snapshot, self.facts, self.decision),
            irreversible=acts,
            inputs=fed_inputs(self.call, self.snapshot, self.facts),
            batch_key=batch_key(self.call, self.tool, self.decision, acts),
        )

    @property
    def call_digest(self) -> str:
        """The digest of the call, its directory and its tool's definition."""
        return digest_of_call(self.call, self.facts.place.cwd, self.tool)


class TurnOptions(NamedTuple):
    """Options of a turn that replace the settings of its conversation."""

    preset: str = ""
    """The preset of a new conversation; empty is the default preset."""
    mode: str | None = None
    """The mode of this turn; None or empty is the conversation's. Unknown or unoffered modes are refused."""
    attended: bool = True
    delivery: Delivery | None = None
    """How answers reach the calls; None is the preset's delivery."""
    turn_id: str = ""
    """The id of a turn that continues, possibly in another process."""
    claimed: bool = False
    """The options come from a remote agent: it may narrow its mode but not widen anything."""
    continued: bool = False
    """The mode comes from a stored turn, not from a request: it is neither refused nor widened."""


DEFAULT_OPTIONS = TurnOptions()


class TurnTarget(NamedTuple):
    """The conversation and agent of a turn, and its parent turn."""

    conversation: str = ""
    agent: str = ""
    parent: TurnContext | None = None


class Observer(Protocol):
    """Is notified of decisions and approvals; it must return quickly, because calls wait for it."""

    def decided(self, context: TurnContext, decided: DecidedCall, seconds: float) -> None:
        """A submitted call was decided."""
        ...

    def asked(self, approval: Approval) -> None:
        """An approval was asked; the same one may be reported again."""
        ...

    def answered(self, approval: Approval) -> None:
        """A person's answer was accepted."""
        ...

    def ended(self, approval: Approval) -> None:
        """An approval ended without an answer, or its call has run."""
        ...


class Nobody:
    """Ignores everything."""

    def decided(self, context: TurnContext, decided: DecidedCall, seconds: float) -> None:
        """Do nothing."""

    def asked(self, approval: Approval) -> None:
        """Do nothing."""

    def answered(self, approval: Approval) -> None:
        """Do nothing."""

    def ended(self, approval: Approval) -> None:
        """Do nothing."""


NOBODY = Nobody()

"""A call in a turn: the context that it comes from, its decision and its outcome."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.engine.base.facts import Facts
from assent.engine.base.reason import text_reason
from assent.engine.base.sentences import to_advice, to_model_message
from assent.engine.base.tool import Call, Tool
from assent.engine.details import batch_key, call_pieces, disclosed_inputs, irreversible_acts
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.errors import LimitError, PendingBytesError
from assent.gate.access import Principal, SubAgent
from assent.gate.approval import Approval, State
from assent.gate.conversation import Conversation
from assent.gate.ids import digest_of_call
from assent.gate.policy import FilePolicy, PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.gate.ports import ArgumentIssue, CallWorkspace
from assent.gate.preset import Delivery, Lifetime, Scope

_INPUT_DIGEST = re.compile(r"\b(?:sha256|hmac):[0-9a-f]")
"""Part of a rule that names the input of a command; only people learn the digest of a file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnContext:
    """The properties of a turn that stay the same until it ends."""

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
    """How an answer reaches its call in this turn."""
    attended: bool = True
    parent: "TurnContext | None" = None
    nonce: str = ""
    """The digest of the nonce with which the caller can claim a call again."""
    lease: timedelta | None = None
    """How long a question waits for a caller that does not renew its lease; None is without a limit."""
    sub_agents: tuple[SubAgent, ...] = ()
    """The sub-agents that the caller named, outermost first; each can only narrow."""
    where: CallWorkspace | None = None
    """The registered workspace that the turn began in; None in this process's own workspace."""

    @property
    def outermost(self) -> "TurnContext":
        """The turn of the agent that a person started; its workspaces are those of its sub-agents."""
        return self if self.parent is None else self.parent.outermost

    @property
    def policy_key(self) -> PolicyKey:
        """The user, agent and conversation whose policy applies to this turn."""
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
    where: CallWorkspace
    counted_grants: tuple[str, ...] = ()
    """The ids of counted grants that this verdict uses."""
    rule_origin: str = ""
    """The id of the stored rule that decided, or its file and line."""

    @property
    def tool(self) -> Tool:
        """The current definition of the tool; one with only a name for an absent tool."""
        return self.snapshot.tools.get(self.call.tool) or Tool(name=self.call.tool)

    @property
    def decision_with_pieces(self) -> Decision:
        """The decision as a person sees it, with its pieces, irreversible acts and inputs of commands."""
        acts = irreversible_acts(self.call, self.tool)
        return self.decision._replace(
            pieces=call_pieces(self.call, self.snapshot, self.facts, self.decision),
            irreversible=acts,
            inputs=disclosed_inputs(self.call, self.snapshot, self.facts),
            batch_key=batch_key(self.call, self.tool, self.decision, acts),
        )

    @property
    def call_digest(self) -> str:
        """The digest of the call, its directory and its tool's definition."""
        return digest_of_call(self.call, self.facts.directories.cwd, self.tool)


def with_confirmation(decided: DecidedCall, why: str) -> DecidedCall:
    """The decision with an ask rule of the agent's own program, which only a person can answer.

    An empty reason changes nothing, and a denial stays a denial.
    """
    decision = decided.decision
    if not why or decision.verdict > Verdict.ASK:
        return decided
    steps = (*decision.steps, Step(Stage.ASK_RULE, Verdict.ASK, text_reason(why)))
    if decision.verdict is Verdict.ASK and not decision.is_only_paused:
        return decided._replace(decision=decision._replace(steps=steps, always_offered=False))
    asked = Decision(Verdict.ASK, Stage.ASK_RULE, text_reason(why), steps)
    return decided._replace(decision=asked)


class TurnOptions(NamedTuple):
    """Options of a turn, which take precedence over the settings of its conversation."""

    preset: str = ""
    """The preset of a new conversation; empty is the default preset."""
    mode: str | None = None
    """The mode of this turn; None or empty is the conversation's. Unknown or unoffered modes are refused."""
    mode_limit: str = ""
    """The mode of the agent's own program, as that program writes it; it can only narrow the turn's mode."""
    attended: bool = True
    delivery: Delivery | None = None
    """How an answer reaches its call; None is the preset's delivery."""
    turn_id: str = ""
    """The id of a turn that continues, possibly in another process."""
    claimed: bool = False
    """Whether a remote agent sent the options; it may narrow its mode but not widen anything."""
    continued: bool = False
    """Whether the mode comes from a stored turn, not from a request: it is neither refused nor widened."""
    lease: timedelta | None = None
    """After this time without a wait of the caller, its question is withdrawn; None is never."""
    sub_agents: tuple[SubAgent, ...] = ()
    """The sub-agents below the agent for which the call is made, outermost first."""


DEFAULT_OPTIONS = TurnOptions()


class TurnTarget(NamedTuple):
    """The conversation and agent of a turn, and its parent turn."""

    conversation: str = ""
    agent: str = ""
    parent: TurnContext | None = None
    cwd: str = ""
    """The directory of the call that begins the turn; empty is that of this process."""


class Observer(Protocol):
    """Receives notifications of decisions and approvals; calls wait until its methods return."""

    def on_decision(self, context: TurnContext, decided: DecidedCall, seconds: float) -> None:
        """A submitted call was decided."""
        ...

    def on_question(self, approval: Approval) -> None:
        """A person was asked; the same approval may be reported again."""
        ...

    def on_answer(self, approval: Approval) -> None:
        """A person's answer was accepted."""
        ...

    def on_end(self, approval: Approval) -> None:
        """An approval ended without an answer, or its call has run."""
        ...


class NullObserver:
    """An observer that ignores all notifications."""

    def on_decision(self, context: TurnContext, decided: DecidedCall, seconds: float) -> None:
        """Do nothing."""

    def on_question(self, approval: Approval) -> None:
        """Do nothing."""

    def on_answer(self, approval: Approval) -> None:
        """Do nothing."""

    def on_end(self, approval: Approval) -> None:
        """Do nothing."""


NO_OBSERVER = NullObserver()


class Code(StrEnum):
    """Why a call does not run, as a stable code for programs."""

    UNKNOWN_TOOL = "unknown_tool"
    PLAN = "blocked_in_plan_mode"
    DENIED = "permission_denied"
    UNATTENDED = "nobody_to_ask"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    ALREADY_RUN = "already_run"
    ALREADY_PROPOSED = "awaiting_operator"
    INVALID = "invalid_arguments"
    FORBIDDEN = "forbidden"
    NOT_PROPOSABLE = "not_proposable"
    LIMIT = "too_many_questions"
    BYTES = "too_many_bytes"
    PAUSED = "paused"


class RememberedRule(NamedTuple):
    """A rule that lets later calls run without asking: its text, for whom, and how long."""

    rule: str
    scope: Scope
    lifetime: Lifetime
    until: datetime | None = None
    uses: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The call may run now, once, with exactly these arguments."""

    call: Call
    decision: Decision
    approval: str = ""
    """The approval of the call; the host reports the result to it."""
    claim: str = ""
    remembered: tuple[RememberedRule, ...] = ()
    """What the answer wrote for later calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The call does not run; the message is for the model, the reason is from the person."""

    code: Code
    message: str
    reason: str = ""
    issues: tuple[ArgumentIssue, ...] = ()
    retry_after: float | None = None
    """Seconds after which a retry may succeed; None where a retry does not help."""

    @property
    def full_message(self) -> str:
        """The message together with the person's reason.

        INVARIANT: the reason stays within its quotation marks, so that it cannot look like words of ours.
        """
        quoted = json.dumps(self.reason, ensure_ascii=False)
        return f"{self.message} (they said: {quoted})" if self.reason else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A person has been asked."""

    approval: Approval
    token: str = ""
    """The token that applies a proposal; only its caller gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The gate itself ran the proposed call; this is its result."""

    approval: Approval
    result: object


Outcome = Run | Refuse | Wait | Applied


def remembered_rules(
    approval: str, written: Iterable[StoredRule | StoredGrant]
) -> tuple[RememberedRule, ...]:
    """The rules that the answer to this approval wrote, and that are still in effect."""
    return tuple(_remembered_rules(one for one in written if approval and one.approval == approval))


def limit_refusal(error: LimitError) -> Refuse:
    """The refusal of a call whose question would exceed a limit."""
    return Refuse(code=Code.BYTES if isinstance(error, PendingBytesError) else Code.LIMIT, message=str(error))


def policy_refusal(decision: Decision) -> Refuse:
    """The refusal of a call that policy denies; an absent tool looks like an unknown one."""
    if decision.verdict is Verdict.ABSENT:
        return Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    match decision.stage:
        case Stage.PLAN:
            return Refuse(code=Code.PLAN, message="plan mode only reads: describe what you would do instead")
        case Stage.UNATTENDED:
            return Refuse(code=Code.UNATTENDED, message=to_model_message(decision.reason))
        case _:
            return Refuse(
                code=Code.DENIED, message=f"{to_model_message(decision.reason)}; do not retry the same call"
            )


def approval_refusal(approval: Approval) -> Refuse:
    """The refusal of a call whose approval ended without a run."""
    match approval.state:
        case State.EXPIRED:
            return Refuse(code=Code.EXPIRED, message="nobody answered in time; do not retry the same call")
        case State.WITHDRAWN:
            return Refuse(code=Code.WITHDRAWN, message=f"the question was withdrawn: {approval.note}")
        case State.LAPSED:
            return Refuse(code=Code.LAPSED, message="the approved call did not run in time; submit it again")
        case State.REFUSED:
            return Refuse(code=Code.DENIED, message=f"{approval.note}; do not retry the same call")
        case State.DENIED:
            return _denial_refusal(approval)
        case (
            State.PENDING | State.APPROVED | State.RUNNING | State.DONE | State.FAILED | State.UNKNOWN
        ):  # INVARIANT: a call that was claimed once is never returned again.
            return Refuse(
                code=Code.ALREADY_RUN, message=f"this call was already claimed and is {approval.state}"
            )


def _denial_refusal(approval: Approval) -> Refuse:
    reason = approval.answer.reason if approval.answer is not None else ""
    advice = to_advice(approval.decision.reason)
    message = "a person denied this call; do not retry the same call"
    return Refuse(code=Code.DENIED, message=f"{message}; {advice}" if advice else message, reason=reason)


def _remembered_rules(written: Iterable[StoredRule | StoredGrant]) -> Iterator[RememberedRule]:
    for one in written:
        text = one.text if isinstance(one, StoredRule) else one.pattern
        if _INPUT_DIGEST.search(text):
            continue
        if isinstance(one, StoredGrant):
            yield RememberedRule(text, _scope_of(one), one.lifetime, one.until, one.uses)
        elif one.list is RuleList.ALLOW:
            yield RememberedRule(text, _scope_of(one), Lifetime.FOREVER)


def _scope_of(one: StoredRule | StoredGrant) -> Scope:
    """The scope of a rule or grant, by the conversation, user and agent that it names."""
    if one.conversation is not None:
        return Scope.CONVERSATION
    if one.user is not None:
        return Scope.USER if one.agent is None else Scope.USER_AGENT
    return Scope.EVERYONE if one.agent is None else Scope.AGENT

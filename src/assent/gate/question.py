"""A question: how an approval begins, the limits on open questions, and which are answered together."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from assent.errors import InputError, LimitError, PendingBytesError
from assent.gate.access import Kind, Resource
from assent.gate.approval import Approval
from assent.gate.calls import DecidedCall, TurnContext
from assent.gate.file_preview import FilePreview
from assent.gate.ids import keyed_id
from assent.gate.lease import Lease
from assent.gate.policy import Moment

DENIAL_LIFETIME = timedelta(hours=1)
"""How long a denial counts in later turns of an agent that starts its turns itself."""
_MEGABYTE = 1_000_000
_DENIAL_ADVICE = "do not try another way, ask the person what to do instead"
"""The advice in the refusal of a call that was denied too often."""


class Proposal(NamedTuple):
    """The additional fields of a proposed call."""

    id: str
    token_digest: str
    preview: Mapping[str, object]


class PendingBytes(NamedTuple):
    """Bytes of pending approvals, either as counted or as allowed."""

    agent: int = 0
    """The bytes of one person's agent and its sub-agents."""
    user: int = 0
    server: int = 0


DEFAULT_PENDING_BYTES = PendingBytes(agent=32 * _MEGABYTE, user=128 * _MEGABYTE, server=1024 * _MEGABYTE)
"""The default limits."""


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


def question_id(secret: bytes, resource: Resource, call: str) -> str:
    """The id of the approval of a call: the same in all processes, and not guessable."""
    # The owner is part of the id: two people may have agents with the same name.
    return keyed_id(secret, resource.owner, resource.conversation, resource.agent, call)


def new_question(
    id: str, context: TurnContext, decided: DecidedCall, *, boot: str, file: FilePreview | None = None
) -> Approval:
    """The pending approval of a call that needs an answer."""
    return Approval(
        id=id,
        call=decided.call,
        tool=decided.tool,
        cwd=decided.facts.directories.cwd,
        call_digest=decided.call_digest,
        decision=decided.decision_with_pieces,
        facts=decided.facts,
        owner=context.conversation.owner,
        turn=context.turn_id,
        lineage=context.lineage,
        sub_agents=context.sub_agents,
        preset=context.file_policy.preset.name,
        mode=context.mode_name,
        delivery=context.delivery,
        asked_at=decided.policy.at,
        boot=boot,
        file=file,
    )


def with_store_times(question: Approval, context: TurnContext, moment: Moment) -> Approval:
    """The approval with the times of the question, of its expiry and of its lease by the store's clock."""
    # A call that only waits for the end of a pause does not expire.
    is_held = question.decision.is_only_paused and not question.delivery.is_run_by_gate
    expires_at = None if is_held else context.file_policy.preset.expires_at(moment.at)
    duration = context.lease if question.delivery.needs_live_caller else None
    lease = None if duration is None else Lease(duration, moment.at + duration)
    return replace(question, asked_at=moment.at, expires_at=expires_at, lease=lease)


def limits_for_turn(limits: Limits, context: TurnContext) -> Limits:
    """The limits for a turn; denials of agents count longer, because agents can begin new turns."""
    if context.principal.kind is Kind.PERSON:
        return limits
    return limits._replace(denial_window=max(limits.denial_window, DENIAL_LIFETIME))


def over_budget_reason(asked: Approval, size: int, held: PendingBytes, most: PendingBytes) -> str | None:
    """The message why a question of this size would exceed a budget; None if it fits."""
    of_agent = min(most.agent, _max_share(most.user, held.user - held.agent))
    if held.agent + size > of_agent:
        return _over_budget_message(f"agent `{asked.root_agent}`", held.agent, size, of_agent)
    of_user = min(most.user, _max_share(most.server, held.server - held.user))
    if held.user + size > of_user:
        return _over_budget_message(f"user `{asked.owner}`", held.user, size, of_user)
    return None


def check_can_batch(approval: Approval) -> None:
    """Raise `InputError` for a call that must not be approved together with others."""
    if not approval.decision.batch_key:
        raise InputError(f"question `{approval.id}` must be allowed alone: read it and answer it separately")


def check_same_kind(approvals: Iterable[Approval]) -> None:
    """Raise `InputError` for calls of different kinds, which must not be approved together."""
    keys = sorted({one.decision.batch_key for one in approvals} - {""})
    if len(keys) > 1:
        kinds = ", ".join(f"`{key}`" for key in keys[:3])
        raise InputError(
            f"a batch can allow calls of one kind only, not {kinds}: answer each kind separately"
        )


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

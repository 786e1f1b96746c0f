"""A question: the approval that a decided call begins with, before a store adds its times."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from assent.gate.access import Kind, Resource
from assent.gate.approval import Approval
from assent.gate.calls import DecidedCall, TurnContext
from assent.gate.file_preview import FilePreview
from assent.gate.ids import keyed_id
from assent.gate.lease import Lease
from assent.gate.policy import Moment
from assent.gate.ports import Limits

DENIAL_LIFETIME = timedelta(hours=1)
"""How long a denial counts in later turns of an agent that starts its turns itself."""


class Proposal(NamedTuple):
    """The additional fields of a proposed call."""

    id: str
    token_digest: str
    preview: Mapping[str, object]


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

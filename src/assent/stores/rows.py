"""An approval as a row: what was asked, which never changes, and what became of it, which does."""

import json
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import case, func

from assent.engine.model import Call
from assent.gate.answer import Answer
from assent.gate.approval import MAX_WHOLE_BYTES, Approval, State
from assent.gate.ids import canonical_json
from assent.gate.preset import Delivery
from assent.stores.brief import brief, slim, to_json, told
from assent.stores.tables import approvals
from assent.stores.times import kept, kept_span, maybe_kept, maybe_moment, moment, span
from assent.wire.approval import (
    answer_from_json,
    answer_to_json,
    approval_from_json,
    file_from_json,
    file_to_json,
)
from assent.wire.excerpt import clip_approval

_c = approvals.c
ASKED = (
    _c.id, _c.digest, _c.owner, _c.user_id, _c.agent_id, _c.conversation_id, _c.turn, _c.call_id,
    _c.tool_name, _c.args, _c.question, _c.preset, _c.mode, _c.delivery, _c.asked_at,
)  # fmt: skip
"""The columns that `asked` takes, in its order."""
MOVED = (
    _c.id, _c.state, _c.boot, _c.expires_at, _c.usable_for, _c.later_at, _c.answer, _c.answered_at,
    _c.claim, _c.claim_nonce, _c.closed_at, _c.note, _c.token_digest, _c.preview, _c.file, _c.scrubbed_at,
)  # fmt: skip
"""The columns that `moved` takes, in its order."""

SIZE = case((_c.size > 0, _c.size), else_=func.length(_c.args) + func.length(_c.question))
"""Bytes of what was asked; a version before 1.6 did not write them down."""

question_of = attrgetter(
    "id", "call", "tool", "cwd", "call_digest", "decision", "facts", "owner", "turn", "lineage", "preset",
    "mode", "delivery", "asked_at",
)  # fmt: skip
"""Everything that was asked; two approvals of one row have the same."""

_STATES = {state.value: state for state in State}
_DELIVERIES = {delivery.value: delivery for delivery in Delivery}


def asked_row(approval: Approval) -> dict[str, object]:
    """A whole new row."""
    call, moved_part = approval.call, moved_row(approval)
    args, question = canonical_json(call.args), brief(approval)
    size = len(args) + len(question) + sum(len(str(moved_part[name] or "")) for name in ("preview", "file"))
    return {
        "digest": approval.call_digest,
        "owner": approval.owner,
        "user_id": call.user,
        "agent_id": call.agent,
        "conversation_id": call.conversation,
        "turn": approval.turn,
        "call_id": call.id,
        "tool_name": call.tool,
        "args": args,
        "question": question,
        "preset": approval.preset,
        "mode": approval.mode,
        "delivery": approval.delivery.value,
        "asked_at": kept(approval.asked_at),
        "scrubbed_at": None,
        "size": size,
        "root_agent": approval.root_agent,
        "excerpt": to_json(clip_approval(approval)) if size > MAX_WHOLE_BYTES else None,
        **moved_part,
    }


def moved_row(approval: Approval) -> dict[str, object]:
    """The part of a row that a step may change."""
    return {
        "id": approval.id,
        "state": approval.state.value,
        "boot": approval.boot,
        "expires_at": maybe_kept(approval.expires_at),
        "usable_for": kept_span(approval.usable_for),
        "later_at": maybe_kept(approval.later_at),
        "answer": None if approval.answer is None else to_json(slim(answer_to_json(approval.answer))),
        "answered_at": maybe_kept(approval.answered_at),
        "claim": approval.claim,
        "claim_nonce": approval.claim_nonce,
        "closed_at": maybe_kept(approval.closed_at),
        # A tool's own words: as JSON they hold whatever it said, NUL and half characters included.
        "note": to_json(approval.note) if approval.note else "",
        "token_digest": approval.token_digest,
        "preview": None if approval.preview is None else to_json(dict(approval.preview)),
        "file": None if approval.file is None else to_json(slim(file_to_json(approval.file))),
    }


class Question(NamedTuple):
    """What was asked, decoded once; its arguments stay text, so that nobody shares them."""

    approval: Approval
    """Without its arguments."""
    args: str
    size: int = 0
    """Bytes of all that was asked."""


def asked(row: Sequence[Any]) -> Question:
    """The question of a row, as if nothing had become of it yet."""
    (id_, digest, owner, user, agent, conversation, turn, call, tool, args, question, preset, mode, delivery,
     asked_at) = row  # fmt: skip
    tool_then, decision, facts, cwd, call_cwd, lineage = told(question)
    approval = Approval(
        id=id_,
        call=Call(
            tool=tool,
            args={},
            id=call,
            agent=agent,
            conversation=conversation,
            user=user,
            cwd=call_cwd,
        ),
        tool=tool_then,
        cwd=cwd,
        call_digest=digest,
        decision=decision,
        facts=facts,
        owner=owner,
        turn=turn,
        lineage=lineage,
        preset=preset,
        mode=mode,
        delivery=_DELIVERIES[delivery],
        asked_at=moment(asked_at),
    )
    return Question(approval, args, len(args) + len(question))


def asked_in_short(excerpt: str) -> Question:
    """What lists show of a large question, as if nothing had become of it yet."""
    approval = approval_from_json(json.loads(excerpt))
    return Question(approval, canonical_json(approval.call.args))


def moved(asked: Question, row: Sequence[Any]) -> Approval:
    """The approval: its question, already decoded, and what became of it."""
    question, call = asked.approval, asked.approval.call
    (id_, state, boot, expires_at, usable_for, later_at, answer, answered_at, claim, claim_nonce,
     closed_at, note, token_digest, preview, file, _) = row  # fmt: skip
    return Approval(
        id=id_,
        call=Call(
            tool=call.tool,
            args=json.loads(asked.args),
            id=call.id,
            agent=call.agent,
            conversation=call.conversation,
            user=call.user,
            cwd=call.cwd,
        ),
        tool=question.tool,
        cwd=question.cwd,
        call_digest=question.call_digest,
        decision=question.decision,
        facts=question.facts,
        owner=question.owner,
        turn=question.turn,
        lineage=question.lineage,
        preset=question.preset,
        mode=question.mode,
        delivery=question.delivery,
        asked_at=question.asked_at,
        expires_at=maybe_moment(expires_at),
        usable_for=span(usable_for),
        state=_STATES[state],
        boot=boot,
        later_at=maybe_moment(later_at),
        answer=_answer(answer),
        answered_at=maybe_moment(answered_at),
        claim=claim,
        claim_nonce=claim_nonce,
        closed_at=maybe_moment(closed_at),
        note=json.loads(note) if note else "",
        token_digest=token_digest,
        preview=None if preview is None else json.loads(preview),
        file=None if file is None else file_from_json(json.loads(file)),
    )


def _answer(text: str | None) -> Answer | None:
    return None if text is None else answer_from_json(json.loads(text))

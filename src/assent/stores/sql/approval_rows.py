"""Converts approvals to rows and back: the question never changes, the state does."""

import json
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, Self

from sqlalchemy import case, func

from assent.engine.base.tool import Call
from assent.gate.answer import Answer
from assent.gate.approval import MAX_WHOLE_BYTES, Approval, State
from assent.gate.ids import canonical_json
from assent.gate.lease import Lease
from assent.gate.preset import Delivery
from assent.stores.sql.question_text import decode_question, encode_question, to_json, without_defaults
from assent.stores.sql.statement import (
    from_micros,
    from_micros_or_none,
    insert_rows,
    span_from_micros,
    span_to_micros,
    to_micros,
    to_micros_or_none,
    update_rows,
)
from assent.stores.sql.tables import approvals
from assent.wire.approval import (
    answer_from_json,
    answer_to_json,
    approval_from_json,
    file_from_json,
    file_to_json,
)
from assent.wire.excerpt import clip_approval

_c = approvals.c
QUESTION_COLUMNS = (
    _c.id, _c.digest, _c.owner, _c.user_id, _c.agent_id, _c.conversation_id, _c.turn, _c.call_id,
    _c.tool_name, _c.args, _c.question, _c.preset, _c.mode, _c.delivery, _c.asked_at,
)  # fmt: skip
"""The columns that `question_from_row` reads, in its order."""
STATE_COLUMNS = (
    _c.id, _c.state, _c.boot, _c.expires_at, _c.usable_for, _c.later_at, _c.answer, _c.answered_at,
    _c.claim, _c.claim_nonce, _c.closed_at, _c.note, _c.token_digest, _c.preview, _c.file, _c.lease,
    _c.leased_until, _c.scrubbed_at,
)  # fmt: skip
"""The columns that `approval_from_row` reads, in its order."""
ALL_COLUMNS = (*QUESTION_COLUMNS, *(column.label(f"state_{column.name}") for column in STATE_COLUMNS))
"""The columns that `approval_from_full_row` reads, in its order."""
QUESTION_SIZE = case((_c.size > 0, _c.size), else_=func.length(_c.args) + func.length(_c.question))
"""The size of the question in bytes; computed for rows from before schema 1.6, which do not store it."""
question_fields = attrgetter(
    "id", "call", "tool", "cwd", "call_digest", "decision", "facts", "owner", "turn", "lineage",
    "sub_agents", "preset", "mode", "delivery", "asked_at",
)  # fmt: skip
"""Returns the fields that never change after an approval was asked."""
_STATE_NAMES = (*(column.name for column in STATE_COLUMNS[1:-1]), "id")
UPDATE_STATES = update_rows(approvals, "id", *_STATE_NAMES[:-1])
"""Updates rows with the values that `state_to_row` makes."""
INSERT_APPROVALS = insert_rows(
    approvals,
    *(column.name for column in QUESTION_COLUMNS[1:]),
    "size",
    "root_agent",
    "excerpt",
    *_STATE_NAMES,
)
"""Inserts rows that `question_to_row` and `state_to_row` make."""
_STATES = {state.value: state for state in State}
_DELIVERIES = {delivery.value: delivery for delivery in Delivery}
Row = tuple[object, ...]


class QuestionRow(NamedTuple):
    """The part of an approval's row that never changes, in the order of `INSERT_APPROVALS`."""

    values: Row
    args: str
    """The arguments of the call as JSON."""
    size: int
    """The size of the whole question in bytes."""


def question_to_row(approval: Approval) -> QuestionRow:
    """The values of a new approval that never change."""
    call = approval.call
    args, question = canonical_json(call.args), encode_question(approval)
    size = len(args) + len(question) + len(_preview_text(approval) or "") + len(_file_text(approval) or "")
    excerpt = to_json(clip_approval(approval)) if size > MAX_WHOLE_BYTES else None
    values = (
        approval.call_digest, approval.owner, call.user, call.agent, call.conversation, approval.turn,
        call.id, call.tool, args, question, approval.preset, approval.mode, approval.delivery.value,
        to_micros(approval.asked_at), size, approval.root_agent, excerpt,
    )  # fmt: skip
    return QuestionRow(values, args, size)


def state_to_row(approval: Approval) -> Row:
    """The values that a change of state may write, in the order of `UPDATE_STATES`."""
    answer, lease = approval.answer, approval.lease
    return (
        approval.state.value,
        approval.boot,
        to_micros_or_none(approval.expires_at),
        span_to_micros(approval.usable_for),
        to_micros_or_none(approval.later_at),
        None if answer is None else to_json(without_defaults(answer_to_json(answer))),
        to_micros_or_none(approval.answered_at),
        approval.claim,
        approval.claim_nonce,
        to_micros_or_none(approval.closed_at),
        # The text comes from a tool; as JSON it may contain NUL and unpaired surrogates.
        to_json(approval.note) if approval.note else "",
        approval.token_digest,
        _preview_text(approval),
        _file_text(approval),
        None if lease is None else span_to_micros(lease.duration),
        None if lease is None else to_micros(lease.until),
        approval.id,
    )


def approval_to_row(approval: Approval) -> dict[str, object]:
    """The complete row of an approval, by the names of its columns."""
    values = (*question_to_row(approval).values, *state_to_row(approval))
    return dict(zip(INSERT_APPROVALS.columns, values, strict=True))


def _preview_text(approval: Approval) -> str | None:
    return None if approval.preview is None else to_json(dict(approval.preview))


def _file_text(approval: Approval) -> str | None:
    return None if approval.file is None else to_json(without_defaults(file_to_json(approval.file)))


class DecodedQuestion(NamedTuple):
    """A decoded question; the arguments stay JSON text, so that no two callers share a mutable value."""

    approval: Approval
    """The approval, whose own arguments are not used."""
    args: str
    size: int = 0
    """The size of the whole question in bytes."""

    @classmethod
    def from_approval(cls, approval: Approval, row: QuestionRow) -> Self:
        """The question of a new approval; large arguments are not held as objects as well."""
        if row.size > MAX_WHOLE_BYTES:
            approval = replace(approval, call=replace(approval.call, args={}))
        return cls(approval, row.args, row.size)


def question_from_row(row: Sequence[Any]) -> DecodedQuestion:
    """The question of a row, in its initial state."""
    (id_, digest, owner, user, agent, conversation, turn, call, tool, args, question, preset, mode, delivery,
     asked_at) = row  # fmt: skip
    tool_then, decision, facts, cwd, call_cwd, lineage, sub_agents = decode_question(question)
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
        sub_agents=sub_agents,
        preset=preset,
        mode=mode,
        delivery=_DELIVERIES[delivery],
        asked_at=from_micros(asked_at),
    )
    return DecodedQuestion(approval, args, len(args) + len(question))


def question_from_excerpt(excerpt: str) -> DecodedQuestion:
    """The excerpt of a large question that lists show, in its initial state."""
    approval = approval_from_json(json.loads(excerpt))
    return DecodedQuestion(approval, canonical_json(approval.call.args))


def approval_from_row(asked: DecodedQuestion, row: Sequence[Any]) -> Approval:
    """The approval: a decoded question with the state of its row."""
    question, call = asked.approval, asked.approval.call
    (id_, state, boot, expires_at, usable_for, later_at, answer, answered_at, claim, claim_nonce,
     closed_at, note, token_digest, preview, file, lease, leased_until, _) = row  # fmt: skip
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
        sub_agents=question.sub_agents,
        preset=question.preset,
        mode=question.mode,
        delivery=question.delivery,
        asked_at=question.asked_at,
        expires_at=from_micros_or_none(expires_at),
        usable_for=span_from_micros(usable_for),
        state=_STATES[state],
        boot=boot,
        later_at=from_micros_or_none(later_at),
        answer=_parse_answer(answer),
        answered_at=from_micros_or_none(answered_at),
        claim=claim,
        claim_nonce=claim_nonce,
        closed_at=from_micros_or_none(closed_at),
        note=json.loads(note) if note else "",
        token_digest=token_digest,
        preview=None if preview is None else json.loads(preview),
        file=None if file is None else file_from_json(json.loads(file)),
        lease=None if lease is None else Lease(span_from_micros(lease), from_micros(leased_until)),
    )


def approval_from_full_row(row: Sequence[Any]) -> Approval:
    """The approval of a row that holds the question and the state."""
    width = len(QUESTION_COLUMNS)
    return approval_from_row(question_from_row(row[:width]), row[width:])


def question_size(approval: Approval) -> int:
    """Size of the stored question in bytes."""
    preview = _preview_text(approval) or ""
    return len(canonical_json(approval.call.args)) + len(encode_question(approval)) + len(preview)


def _parse_answer(text: str | None) -> Answer | None:
    return None if text is None else answer_from_json(json.loads(text))

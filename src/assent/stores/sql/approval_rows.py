"""Converts approvals to rows and back: the question never changes, the state does."""

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, cast

from sqlalchemy import case, func

from assent.engine.base.facts import Facts
from assent.engine.base.reason import Reason, text_reason
from assent.engine.base.tool import Call, Dialect, PathKind, Tool
from assent.engine.policy.verdict import Decision
from assent.gate.access import SubAgent, sub_agents_from_text, sub_agents_to_text
from assent.gate.answer import Answer
from assent.gate.approval import MAX_WHOLE_BYTES, Approval, State
from assent.gate.ids import canonical_json
from assent.gate.lease import Lease
from assent.gate.preset import Delivery
from assent.stores.sql.piece_rows import group_piece_reasons, group_pieces, ungroup_pieces
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
from assent.wire.call import (
    decision_from_json,
    decision_to_json,
    facts_from_json,
    facts_to_json,
    tool_from_json,
    tool_to_json,
)
from assent.wire.excerpt import clip_approval
from assent.wire.fields import Fields

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
INSERT_APPROVALS = insert_rows(approvals)
"""Inserts rows that `approval_to_row` makes."""
UPDATE_STATES = update_rows(approvals, "id", *(column.name for column in STATE_COLUMNS[1:-1]))
"""Updates rows with the columns that `state_to_row` makes."""
_STATES = {state.value: state for state in State}
_DELIVERIES = {delivery.value: delivery for delivery in Delivery}


def approval_to_row(approval: Approval) -> dict[str, object]:
    """The complete row of a new approval."""
    call, moved_part = approval.call, state_to_row(approval)
    args, question = canonical_json(call.args), encode_question(approval)
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
        "asked_at": to_micros(approval.asked_at),
        "scrubbed_at": None,
        "size": size,
        "root_agent": approval.root_agent,
        "excerpt": to_json(clip_approval(approval)) if size > MAX_WHOLE_BYTES else None,
        **moved_part,
    }


def state_to_row(approval: Approval) -> dict[str, object]:
    """The columns that a change of state may write."""
    return {
        "id": approval.id,
        "state": approval.state.value,
        "boot": approval.boot,
        "expires_at": to_micros_or_none(approval.expires_at),
        "usable_for": span_to_micros(approval.usable_for),
        "later_at": to_micros_or_none(approval.later_at),
        "answer": None
        if approval.answer is None
        else to_json(without_defaults(answer_to_json(approval.answer))),
        "answered_at": to_micros_or_none(approval.answered_at),
        "claim": approval.claim,
        "claim_nonce": approval.claim_nonce,
        "closed_at": to_micros_or_none(approval.closed_at),
        # The text comes from a tool; as JSON it may contain NUL and unpaired surrogates.
        "note": to_json(approval.note) if approval.note else "",
        "token_digest": approval.token_digest,
        "preview": None if approval.preview is None else to_json(dict(approval.preview)),
        "file": None if approval.file is None else to_json(without_defaults(file_to_json(approval.file))),
        "lease": None if approval.lease is None else span_to_micros(approval.lease.duration),
        "leased_until": None if approval.lease is None else to_micros(approval.lease.until),
    }


class DecodedQuestion(NamedTuple):
    """A decoded question; the arguments stay JSON text, so that no two callers share a mutable value."""

    approval: Approval
    """The approval without its arguments."""
    args: str
    size: int = 0
    """The size of the whole question in bytes."""


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


_TOOL_DEFAULTS: Mapping[str, object] = {
    "dialect": Dialect.TEXT.value,
    "paths": PathKind.OS.value,
    "parameters": {},
    "origin": "server",
}
"""Defaults of a tool that are left out of the JSON; its effect is always written."""


class QuestionDetails(NamedTuple):
    """The parts of a question that have no column of their own."""

    tool: Tool
    decision: Decision
    facts: Facts
    cwd: str
    call_cwd: str
    lineage: tuple[str, ...]
    sub_agents: tuple[SubAgent, ...]


def encode_question(approval: Approval) -> str:
    """The question as compact JSON, without values that can be derived from the rest."""
    decision, facts = approval.decision, approval.facts
    elsewhere = {} if approval.cwd == facts.directories.cwd else {"cwd": approval.cwd}
    tool_json, facts_json = tool_to_json(approval.tool), facts_to_json(facts)
    decision_json = decision_to_json(decision._replace(pieces=()) if decision.pieces else decision)
    data = {
        "tool": _shorten_tool(tool_json),
        "decision": _shorten_decision(decision_json, decision),
        "facts": _shorten_facts(facts_json, facts),
        "plain": _unresolved_paths(facts),
        "pieces": group_pieces(decision.pieces),
        "piece_reasons": group_piece_reasons(decision.pieces),
        "lineage": list(approval.lineage),
        "sub_agents": sub_agents_to_text(approval.sub_agents),
        "call_cwd": approval.call.cwd,
    }
    return to_json(without_defaults(data) | elsewhere)


def question_size(approval: Approval) -> int:
    """Size of the stored question in bytes."""
    preview = "" if approval.preview is None else to_json(dict(approval.preview))
    return len(canonical_json(approval.call.args)) + len(encode_question(approval)) + len(preview)


def decode_question(text: str) -> QuestionDetails:
    """Decode the JSON of `encode_question`, or the complete JSON of earlier versions."""
    data = Fields(json.loads(text), "question")
    facts = facts_from_json({"real": {}, **data.table("facts")})
    names = data.texts("plain", ())
    if names:
        plain = {path: (path,) for path in (posixpath.join(facts.directories.cwd, name) for name in names)}
        facts = replace(facts, real={**facts.real, **plain})
    return QuestionDetails(
        tool=tool_from_json(data.raw("tool")),
        decision=_restore_decision(
            decision_from_json(data.raw("decision")),
            data.items("pieces", ()),
            data.items("piece_reasons", ()),
        ),
        facts=facts,
        cwd=data.text("cwd", facts.directories.cwd),
        call_cwd=data.text("call_cwd", ""),
        lineage=data.texts("lineage", ()),
        sub_agents=sub_agents_from_text(data.text("sub_agents", "")),
    )


def without_defaults(table: Mapping[str, object]) -> dict[str, object]:
    """The object without null, false and empty texts and lists; an empty object or a zero stays."""
    return {
        name: value
        for name, value in table.items()
        if not (value is None or value is False or value in ("", []))
    }


to_json = json.JSONEncoder(separators=(",", ":")).encode
"""Encodes a value as compact ASCII JSON, because databases refuse some Unicode text."""


def _parse_answer(text: str | None) -> Answer | None:
    return None if text is None else answer_from_json(json.loads(text))


def _shorten_tool(data: Mapping[str, object]) -> dict[str, object]:
    return {
        name: value for name, value in without_defaults(data).items() if _TOOL_DEFAULTS.get(name) != value
    }


def _shorten_decision(data: Mapping[str, object], decision: Decision) -> dict[str, object]:
    """The decision without its reason if the deciding step has the same reason."""
    if decision.reason != _deciding_reason(decision):
        return {**data}
    return {name: value for name, value in data.items() if name != "reason"} | {"because": ""}


def _deciding_reason(decision: Decision) -> Reason | None:
    """The reason of the first step with this verdict and stage."""
    for step in decision.steps:
        if step.stage is decision.stage and step.verdict is decision.verdict:
            return step.reason
    return None


def _shorten_facts(data: dict[str, object], facts: Facts) -> dict[str, object]:
    """The facts without paths that resolve to themselves and without default values."""
    real = cast("Mapping[str, list[str]]", data["real"])
    data["real"] = {
        path: found for path, found in real.items() if not _resolves_to_itself(path, found)
    } or None
    if facts.directories.case_sensitive:
        del cast("dict[str, object]", data["place"])["case_sensitive"]
    return without_defaults(data)


def _resolves_to_itself(path: str, found: Sequence[str]) -> bool:
    return list(found) == [path] and path.startswith("/")


def _unresolved_paths(facts: Facts) -> list[str]:
    """The paths that resolve to themselves, relative to the directory of the call."""
    cwd = facts.directories.cwd
    return [
        _relative_path(cwd, path) for path, found in facts.real.items() if _resolves_to_itself(path, found)
    ]


def _relative_path(directory: str, path: str) -> str:
    name = path.removeprefix(f"{directory}/")
    return name if name and posixpath.join(directory, name) == path else path


def _restore_decision(decision: Decision, groups: Sequence[object], reasons: Sequence[object]) -> Decision:
    has_own = decision.reason != text_reason("")
    return decision._replace(
        reason=decision.reason if has_own else _deciding_reason(decision) or decision.reason,
        pieces=ungroup_pieces(groups, reasons) if groups else decision.pieces,
    )

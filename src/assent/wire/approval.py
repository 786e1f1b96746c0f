"""Approvals, answers, file previews and outcomes as JSON."""

from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar, cast

from assent.engine.suggestions import Suggestion
from assent.errors import InputError
from assent.gate.access import SubAgent
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.calls import Applied, Outcome, Refuse, RememberedRule, Run, Wait
from assent.gate.file_preview import FilePreview, FileState
from assent.gate.ids import canonical_json
from assent.gate.lease import Lease
from assent.gate.preset import CHOICE, Delivery, Lifetime, Scope
from assent.wire import shapes
from assent.wire.call import (
    call_from_json,
    call_to_json,
    decision_from_json,
    decision_to_json,
    facts_from_json,
    facts_to_json,
    tool_from_json,
    tool_to_json,
)
from assent.wire.fields import Fields, maybe_moment, maybe_moment_to_json, moment_from_json, moment_to_json

_EnumWord = TypeVar("_EnumWord", bound=StrEnum)
_PRIVATE_FIELDS = frozenset({"boot", "claim", "claim_nonce", "lease", "token_digest"})
"""Fields that only the caller or the server may know; a claim lets its holder report a result."""


def approval_to_json(approval: Approval) -> dict[str, object]:
    """The complete approval as JSON; `usable_for` is in seconds."""
    return {
        "id": approval.id,
        "call": call_to_json(approval.call),
        "tool": tool_to_json(approval.tool),
        "cwd": approval.cwd,
        "digest": approval.digest,
        "call_digest": approval.call_digest,
        "decision": decision_to_json(approval.decision),
        "facts": facts_to_json(approval.facts),
        "owner": approval.owner,
        "turn": approval.turn,
        "lineage": list(approval.lineage),
        "sub_agents": [{"id": one.id, "kind": one.kind} for one in approval.sub_agents],
        "preset": approval.preset,
        "mode": approval.mode,
        "delivery": approval.delivery.value,
        "asked_at": moment_to_json(approval.asked_at),
        "expires_at": maybe_moment_to_json(approval.expires_at),
        "usable_for": approval.usable_for.total_seconds(),
        "state": approval.state.value,
        "boot": approval.boot,
        "later_at": maybe_moment_to_json(approval.later_at),
        "answer": None if approval.answer is None else answer_to_json(approval.answer),
        "answered_at": maybe_moment_to_json(approval.answered_at),
        "claim": approval.claim,
        "claim_nonce": approval.claim_nonce,
        "closed_at": maybe_moment_to_json(approval.closed_at),
        "note": approval.note,
        "token_digest": approval.token_digest,
        "preview": None if approval.preview is None else dict(approval.preview),
        "file": None if approval.file is None else file_to_json(approval.file),
        "lease": None if approval.lease is None else _lease_to_json(approval.lease),
    }


def approval_to_public_json(approval: Approval) -> shapes.Approval:
    """The approval as surfaces show it, without private fields and without the diff of its file."""
    whole = approval_to_json(approval)
    shown = {name: value for name, value in whole.items() if name not in _PRIVATE_FIELDS}
    shown["file"] = None if approval.file is None else file_to_public_json(approval.file)
    shown |= {"locked": approval.decision.is_locked, "clipped": False, "size": None}
    return cast("shapes.Approval", shown)


def suggestion_to_json(suggestion: Suggestion) -> shapes.Suggestion:
    """Suggested rules and their width as JSON."""
    return {
        "width": suggestion.width.value,
        "rules": [rule.text for rule in suggestion.rules],
        "as_grant": suggestion.as_grant,
        "irreversible": list(suggestion.irreversible),
    }


def approval_from_json(data: object, within: str = "approval") -> Approval:
    """Parse an approval from a JSON object."""
    fields = Fields(data, within)
    return Approval(
        id=fields.text("id"),
        call=call_from_json(fields.raw("call"), fields.path("call")),
        tool=tool_from_json(fields.raw("tool"), fields.path("tool")),
        cwd=fields.text("cwd"),
        call_digest=_call_digest(fields),
        decision=decision_from_json(fields.raw("decision"), fields.path("decision")),
        facts=facts_from_json(fields.raw("facts"), fields.path("facts")),
        owner=fields.text("owner"),
        turn=fields.text("turn"),
        lineage=fields.texts("lineage", ()),
        sub_agents=tuple(
            SubAgent(one.text("id"), one.text("kind", "")) for one in _list_of_fields(fields, "sub_agents")
        ),
        preset=fields.text("preset"),
        mode=fields.text("mode"),
        delivery=fields.word("delivery", Delivery),
        asked_at=moment_from_json(fields.raw("asked_at"), fields.path("asked_at")),
        expires_at=maybe_moment(fields, "expires_at"),
        usable_for=_duration_from_fields(fields, "usable_for"),
        # The state has a default in Python only: JSON without a state is refused.
        state=fields.word("state", State),
        boot=fields.text("boot", ""),
        later_at=maybe_moment(fields, "later_at"),
        answer=_answer_from_fields(fields, "answer"),
        answered_at=maybe_moment(fields, "answered_at"),
        claim=fields.text("claim", ""),
        claim_nonce=fields.text("claim_nonce", ""),
        closed_at=maybe_moment(fields, "closed_at"),
        note=fields.text("note", ""),
        token_digest=fields.text("token_digest", ""),
        preview=fields.maybe_table("preview"),
        file=_file_from_fields(fields),
        lease=_lease_from_fields(fields),
    )


def _list_of_fields(fields: Fields, name: str) -> list[Fields]:
    """The objects of a list, which may be absent."""
    path = fields.path(name)
    return [Fields(one, f"{path}[{index}]") for index, one in enumerate(fields.items(name, ()))]


def _lease_to_json(lease: Lease) -> dict[str, object]:
    return {"seconds": lease.duration.total_seconds(), "until": moment_to_json(lease.until)}


def _lease_from_fields(fields: Fields) -> Lease | None:
    if not fields.has("lease"):
        return None
    lease = Fields(fields.raw("lease"), fields.path("lease"))
    until = moment_from_json(lease.raw("until"), lease.path("until"))
    return Lease(_duration_from_fields(lease, "seconds"), until)


def _file_from_fields(fields: Fields) -> FilePreview | None:
    """Parse the file preview with its diff, which is a separate field in the detail view."""
    if not fields.has("file"):
        return None
    file = file_from_json(fields.raw("file"), fields.path("file"))
    return replace(file, diff=fields.text("diff")) if fields.has("diff") else file


def _call_digest(fields: Fields) -> str:
    """The digest of the call without the file; a clipped excerpt has none."""
    digest = fields.text("digest")
    return fields.text("call_digest", digest) if digest else ""


def _duration_from_fields(fields: Fields, name: str) -> timedelta:
    try:
        return timedelta(seconds=fields.number(name))
    except (ValueError, OverflowError):
        raise InputError(f"field `{fields.path(name)}` must be a number of seconds") from None


def _answer_from_fields(fields: Fields, name: str) -> Answer | None:
    return answer_from_json(fields.raw(name), fields.path(name)) if fields.has(name) else None


PERSON_FIELDS = ("say", "reason", "rules", "scope", "lifetime", "until", "uses", "args")
"""The fields of an answer that a person fills in; the server sets the others."""


def answer_to_json(answer: Answer) -> shapes.AnswerJson:
    """The complete answer as JSON."""
    return {
        "say": answer.say.value,
        "by": answer.by,
        "reason": answer.reason,
        "rules": list(answer.rules),
        "scope": None if answer.scope is None else answer.scope.value,
        "lifetime": None if answer.lifetime is None else answer.lifetime.value,
        "until": maybe_moment_to_json(answer.until),
        "uses": answer.uses,
        "args": None if answer.args is None else dict(answer.args),
        "released_by": answer.released_by,
    }


def answer_from_json(data: object, within: str = "answer") -> Answer:
    """Parse an answer from a JSON object."""
    fields = Fields(data, within)
    return Answer(
        say=fields.word("say", Say),
        by=fields.text("by", ""),
        reason=fields.text("reason", ""),
        rules=fields.texts("rules", ()),
        scope=_chosen_word(fields, "scope", Scope),
        lifetime=_chosen_word(fields, "lifetime", Lifetime),
        until=maybe_moment(fields, "until"),
        uses=fields.maybe_integer("uses"),
        args=fields.maybe_table("args"),
        released_by=fields.text("released_by", ""),
    )


def _chosen_word(fields: Fields, name: str, kind: type[_EnumWord]) -> _EnumWord | None:
    """Parse a word that a person chose, or None; stored answers of earlier versions may contain `choice`."""
    is_none = fields.has(name) and fields.raw(name) == CHOICE
    return None if is_none else fields.maybe_word(name, kind)


def file_to_json(file: FilePreview) -> dict[str, object]:
    """The complete file preview as JSON."""
    return {**file_to_public_json(file), "diff": file.diff}


def file_to_public_json(file: FilePreview) -> shapes.FileJson:
    """A preview without its diff, for lists and live messages."""
    return {
        "path": file.path,
        "state": file.state.value,
        "digest": file.digest,
        "added": file.added,
        "removed": file.removed,
        "lines": file.lines,
        "within": file.within,
        "why": file.why,
        "changes": file.changes,
    }


def file_from_json(data: object, within: str = "file") -> FilePreview:
    """Parse a file preview from a JSON object."""
    fields = Fields(data, within)
    return FilePreview(
        path=fields.text("path"),
        state=fields.word("state", FileState),
        digest=fields.text("digest"),
        diff=fields.text("diff", ""),
        added=fields.integer("added", 0),
        removed=fields.integer("removed", 0),
        lines=fields.integer("lines", 0),
        within=fields.text("within", ""),
        why=fields.text("why", ""),
        changes=fields.integer("changes", 0),
    )


def outcome_to_json(outcome: Outcome, turn: str) -> shapes.Outcome:
    """An outcome as JSON, with its kind and the id of its turn."""
    match outcome:
        case Run():
            return {
                "outcome": "run",
                "turn": turn,
                "call": call_to_json(outcome.call),
                "decision": decision_to_json(outcome.decision),
                "approval": outcome.approval,
                "claim": outcome.claim,
                "remembered": [_remembered_to_json(one) for one in outcome.remembered],
            }
        case Wait(approval=approval):
            return {
                "outcome": "wait",
                "turn": turn,
                "approval": approval.id,
                # Only people get the digest of a file: an agent could use it to guess the content.
                "decision": decision_to_json(approval.decision._replace(inputs=())),
                "expires_at": maybe_moment_to_json(approval.expires_at),
                "token": outcome.token,
                "leased_until": None if approval.lease is None else moment_to_json(approval.lease.until),
            }
        case Refuse():
            return {
                "outcome": "refuse",
                "turn": turn,
                "code": outcome.code.value,
                "message": outcome.message,
                "reason": outcome.reason,
                "retry_after": outcome.retry_after,
                "issues": [{"path": issue.path, "message": issue.message} for issue in outcome.issues],
            }
        case Applied():
            result = _to_json_result(outcome.result)
            return {"outcome": "applied", "turn": turn, "approval": outcome.approval.id, "result": result}


def _remembered_to_json(one: RememberedRule) -> shapes.RememberedShown:
    return {
        "rule": one.rule,
        "scope": one.scope.value,
        "lifetime": one.lifetime.value,
        "until": maybe_moment_to_json(one.until),
        "uses": one.uses,
    }


def remembered_from_json(data: object, within: str = "remembered") -> RememberedRule:
    """Parse a rule that an answer wrote."""
    fields = Fields(data, within)
    return RememberedRule(
        rule=fields.text("rule"),
        scope=fields.word("scope", Scope),
        lifetime=fields.word("lifetime", Lifetime),
        until=maybe_moment(fields, "until"),
        uses=fields.maybe_integer("uses"),
    )


def _to_json_result(result: object) -> object:
    """The result of a tool as JSON; a value that is not JSON is replaced by the name of its type."""
    try:
        canonical_json(result)
    except InputError:
        return {"not_json": type(result).__name__}
    return result

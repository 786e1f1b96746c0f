"""An approval as JSON: everything that is known of a question."""

from dataclasses import replace
from datetime import timedelta

from assent.engine.suggestions import Suggestion
from assent.errors import InputError
from assent.gate.approval import Answer, Approval, State
from assent.gate.filepreview import FilePreview
from assent.gate.preset import Delivery
from assent.wire.answer import answer_from_json, answer_to_json
from assent.wire.call import call_from_json, call_to_json
from assent.wire.decision import decision_from_json, decision_to_json
from assent.wire.facts import facts_from_json, facts_to_json
from assent.wire.fields import Fields
from assent.wire.filepreview import file_from_json, file_shown, file_to_json
from assent.wire.moment import maybe_moment, maybe_moment_to_json, moment_from_json, moment_to_json
from assent.wire.tool import tool_from_json, tool_to_json

_OURS = frozenset({"boot", "claim", "claim_nonce", "token_digest"})
"""With a claim one reports what came of a call; only whoever took it has it."""


def approval_to_json(approval: Approval) -> dict[str, object]:
    """The whole approval; `usable_for` is in seconds."""
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
    }


def approval_shown(approval: Approval) -> dict[str, object]:
    """What a surface shows of a question: all but what only its caller or this server may know.

    A file comes without its diff, which is for whoever looks at this one question.
    """
    whole = approval_to_json(approval)
    shown = {name: value for name, value in whole.items() if name not in _OURS}
    shown["file"] = None if approval.file is None else file_shown(approval.file)
    return {**shown, "locked": approval.decision.is_locked, "clipped": False, "size": None}


def suggestion_to_json(suggestion: Suggestion) -> dict[str, object]:
    """Rules that would have spared a question, and how wide they are."""
    return {
        "width": suggestion.width.value,
        "rules": [rule.text for rule in suggestion.rules],
        "as_grant": suggestion.as_grant,
        "irreversible": list(suggestion.irreversible),
    }


def approval_from_json(data: object, within: str = "approval") -> Approval:
    """The approval that such an object says."""
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
        preset=fields.text("preset"),
        mode=fields.text("mode"),
        delivery=fields.word("delivery", Delivery),
        asked_at=moment_from_json(fields.raw("asked_at"), fields.path("asked_at")),
        expires_at=maybe_moment(fields, "expires_at"),
        usable_for=_seconds(fields, "usable_for"),
        # The state has a default in Python only: a question that does not say where it stands is none.
        state=fields.word("state", State),
        boot=fields.text("boot", ""),
        later_at=maybe_moment(fields, "later_at"),
        answer=_answer(fields, "answer"),
        answered_at=maybe_moment(fields, "answered_at"),
        claim=fields.text("claim", ""),
        claim_nonce=fields.text("claim_nonce", ""),
        closed_at=maybe_moment(fields, "closed_at"),
        note=fields.text("note", ""),
        token_digest=fields.text("token_digest", ""),
        preview=fields.maybe_table("preview"),
        file=_file(fields),
    )


def _file(fields: Fields) -> FilePreview | None:
    """The file with its diff, which the detail of a question has beside it."""
    if not fields.has("file"):
        return None
    file = file_from_json(fields.raw("file"), fields.path("file"))
    return replace(file, diff=fields.text("diff")) if fields.has("diff") else file


def _call_digest(fields: Fields) -> str:
    """The digest of the call alone; what is no question to be answered, such as an excerpt, has none."""
    digest = fields.text("digest")
    return fields.text("call_digest", digest) if digest else ""


def _seconds(fields: Fields, name: str) -> timedelta:
    try:
        return timedelta(seconds=fields.number(name))
    except (ValueError, OverflowError):
        raise InputError(f"field `{fields.path(name)}` must be a number of seconds") from None


def _answer(fields: Fields, name: str) -> Answer | None:
    return answer_from_json(fields.raw(name), fields.path(name)) if fields.has(name) else None

"""The audit as JSON: an entry, its link in a writer's chain, a closed segment, and the answers alone."""

from assent.gate.audit import Entry, Link, Segment
from assent.wire import shapes
from assent.wire.fields import Fields
from assent.wire.moment import moment_from_json, moment_to_json


def entry_to_json(entry: Entry) -> shapes.EntryShown:
    """The whole entry."""
    return {
        "id": entry.id,
        "user": entry.user,
        "agent": entry.agent,
        "conversation": entry.conversation,
        "call": entry.call,
        "tool": entry.tool,
        "verdict": entry.verdict,
        "stage": entry.stage,
        "rule": entry.rule,
        "decision": entry.decision,
        "with_override": entry.with_override,
        "reason": entry.reason,
        "mode": entry.mode,
        "policy_version": entry.policy_version,
        "approval": entry.approval,
        "asked_digest": entry.asked_digest,
        "ran_digest": entry.ran_digest,
    }


def entry_from_json(data: object, within: str = "entry") -> Entry:
    """The entry that such an object says."""
    fields = Fields(data, within)
    return Entry(
        id=fields.text("id"),
        user=fields.text("user"),
        agent=fields.text("agent"),
        conversation=fields.text("conversation"),
        call=fields.text("call"),
        tool=fields.text("tool"),
        verdict=fields.text("verdict"),
        stage=fields.text("stage", ""),
        rule=fields.text("rule", ""),
        decision=fields.text("decision", ""),
        with_override=fields.flag("with_override", default=False),
        reason=fields.text("reason", ""),
        mode=fields.text("mode", ""),
        policy_version=fields.whole("policy_version", 0),
        approval=fields.text("approval", ""),
        asked_digest=fields.text("asked_digest", ""),
        ran_digest=fields.text("ran_digest", ""),
    )


def link_to_json(link: Link) -> shapes.LinkShown:
    """An entry in its place; whoever has all of a writer's links can check the chain."""
    return {
        "entry": entry_to_json(link.entry),
        "writer": link.writer,
        "number": link.number,
        "at": moment_to_json(link.at),
        "hash": link.hash,
    }


def link_from_json(data: object, within: str = "link") -> Link:
    """The link that such an object says."""
    fields = Fields(data, within)
    return Link(
        entry=entry_from_json(fields.raw("entry"), fields.path("entry")),
        writer=fields.text("writer"),
        number=fields.whole("number"),
        at=moment_from_json(fields.raw("at"), fields.path("at")),
        hash=fields.text("hash"),
    )


def segment_to_json(segment: Segment) -> dict[str, object]:
    """What an archive says of a stretch that it holds; where the archive is, it does not know itself."""
    return {
        "writer": segment.writer,
        "first": segment.first,
        "last": segment.last,
        "previous_hash": segment.previous_hash,
        "last_hash": segment.last_hash,
    }


def segment_from_json(data: object, within: str = "segment") -> Segment:
    """The segment that such an object says."""
    fields = Fields(data, within)
    return Segment(
        writer=fields.text("writer"),
        first=fields.whole("first"),
        last=fields.whole("last"),
        previous_hash=fields.text("previous_hash"),
        last_hash=fields.text("last_hash"),
    )


ANSWERS = frozenset({"approved", "denied", "denied_with_reason"})
"""The decisions that a person's own answer can be."""


def answered_to_json(link: Link) -> dict[str, object] | None:
    """A person's answer in the columns that tool permissions are reported in; None for any other row."""
    entry = link.entry
    if entry.verdict or entry.decision not in ANSWERS:
        return None
    return {
        "id": entry.id,
        "tool_call_id": entry.call,
        "user_id": entry.user,
        "agent_id": entry.agent,
        "chat_id": entry.conversation,
        "tool_name": entry.tool,
        "decision": entry.decision,
        "with_override": entry.with_override,
        "reason": entry.reason or None,
        "created_at": moment_to_json(link.at),
    }

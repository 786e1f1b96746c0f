"""An event as JSON: what happened, and where it stands among all that did."""

from assent.gate.live import Event, What
from assent.wire.fields import Fields
from assent.wire.moment import moment_from_json, moment_to_json


def event_to_json(event: Event) -> dict[str, object]:
    """The whole event; whoever has seen it asks for what came after its cursor."""
    return {
        "cursor": event.cursor,
        "at": moment_to_json(event.at),
        "kind": event.kind.value,
        "approval": event.approval,
        "owner": event.owner,
        "conversation": event.conversation,
        "agent": event.agent,
    }


def event_from_json(data: object, within: str = "event") -> Event:
    """The event that such an object tells."""
    fields = Fields(data, within)
    return Event(
        cursor=fields.text("cursor"),
        at=moment_from_json(fields.raw("at"), fields.path("at")),
        kind=fields.word("kind", What),
        approval=fields.text("approval", ""),
        owner=fields.text("owner", ""),
        conversation=fields.text("conversation", ""),
        agent=fields.text("agent", ""),
    )

"""A conversation as JSON."""

from assent.gate.conversation import Conversation
from assent.wire import shapes
from assent.wire.fields import Fields
from assent.wire.moment import maybe_moment, maybe_moment_to_json


def conversation_to_json(conversation: Conversation) -> shapes.ConversationShown:
    """The whole conversation, its mode as it was spelled."""
    return {
        "id": conversation.id,
        "owner": conversation.owner,
        "agent": conversation.agent,
        "preset": conversation.preset,
        "mode": conversation.mode,
        "title": conversation.title,
        "model": conversation.model,
        "at": maybe_moment_to_json(conversation.at),
    }


def conversation_from_json(data: object, within: str = "conversation") -> Conversation:
    """The conversation that such an object says."""
    fields = Fields(data, within)
    return Conversation(
        id=fields.text("id"),
        owner=fields.text("owner"),
        agent=fields.text("agent", ""),
        preset=fields.text("preset"),
        mode=fields.text("mode", ""),
        title=fields.text("title", ""),
        model=fields.text("model", ""),
        at=maybe_moment(fields, "at"),
    )

"""A conversation as JSON."""

from assent.gate.conversation import Conversation
from assent.wire import shapes
from assent.wire.fields import maybe_moment_to_json


def conversation_to_json(conversation: Conversation) -> shapes.ConversationShown:
    """The whole conversation; the mode keeps its spelling."""
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

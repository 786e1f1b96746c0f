"""A call as JSON: the tool, its arguments, and whose it is."""

from assent.engine.model import Call
from assent.wire import shapes
from assent.wire.fields import Fields


def call_to_json(call: Call) -> shapes.Called:
    """The call, its arguments as they are."""
    return {
        "tool": call.tool,
        "args": dict(call.args),
        "id": call.id,
        "agent": call.agent,
        "conversation": call.conversation,
        "user": call.user,
        "cwd": call.cwd,
    }


def call_from_json(data: object, within: str = "call") -> Call:
    """The call that such an object says."""
    fields = Fields(data, within)
    return Call(
        tool=fields.text("tool"),
        args=fields.table("args"),
        id=fields.text("id", ""),
        agent=fields.text("agent", ""),
        conversation=fields.text("conversation", ""),
        user=fields.text("user", ""),
        cwd=fields.text("cwd", ""),
    )

"""A changed definition of a tool as JSON."""

from assent.gate.definitions import ChangedDefinition, Difference
from assent.wire import shapes
from assent.wire.fields import Fields


def definition_to_json(changed: ChangedDefinition) -> shapes.DefinitionShown:
    """What changed, and what would be accepted."""
    return {
        "origin": changed.origin,
        "tool": changed.tool,
        "agent": changed.agent,
        "digest": changed.digest,
        "differences": [
            {"field": one.field, "before": one.before, "after": one.after} for one in changed.differences
        ],
    }


def definition_from_json(data: object, within: str = "definition") -> ChangedDefinition:
    """The changed definition that such an object is."""
    fields = Fields(data, within)
    found = [Fields(one, "difference") for one in fields.items("differences")]
    return ChangedDefinition(
        origin=fields.text("origin"),
        tool=fields.text("tool"),
        agent=fields.text("agent"),
        digest=fields.text("digest"),
        differences=tuple(
            Difference(one.text("field"), one.maybe_text("before"), one.maybe_text("after")) for one in found
        ),
    )

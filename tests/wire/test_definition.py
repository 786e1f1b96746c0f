"""A changed definition survives its way to a client and back."""

from assent.gate.agents import ChangedDefinition, FieldChange
from assent.wire.policy import definition_from_json, definition_to_json

CHANGED = ChangedDefinition(
    origin="mcp:post",
    tool="post.send",
    agent="clerk",
    digest="0" * 64,
    differences=(FieldChange("effect", '"read"', None), FieldChange("template", None, '"{to}"')),
)


def test_a_changed_definition_comes_back_as_it_was() -> None:
    assert definition_from_json(definition_to_json(CHANGED)) == CHANGED

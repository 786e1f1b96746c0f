"""A changed definition survives its way to a client and back."""

from assent.gate.definitions import ChangedDefinition, Difference
from assent.wire.definition import definition_from_json, definition_to_json

CHANGED = ChangedDefinition(
    origin="mcp:post",
    tool="post.send",
    agent="clerk",
    digest="0" * 64,
    differences=(Difference("effect", '"read"', None), Difference("template", None, '"{to}"')),
)


def test_a_changed_definition_comes_back_as_it_was() -> None:
    assert definition_from_json(definition_to_json(CHANGED)) == CHANGED

"""A declaration of a tool as JSON: what the tool says of itself, whose word that is, and for whom."""

from assent.gate.catalog import Declared, Trust
from assent.wire.fields import Fields
from assent.wire.tool import tool_from_json, tool_to_json


def declared_to_json(declared: Declared) -> dict[str, object]:
    """The whole declaration."""
    return {
        "tool": tool_to_json(declared.tool),
        "trust": declared.trust.value,
        "provider": declared.provider,
        "agent": declared.agent,
    }


def declared_from_json(data: object, within: str = "declared") -> Declared:
    """The declaration that such an object is; one that names no trust is a stranger's."""
    fields = Fields(data, within)
    return Declared(
        tool=tool_from_json(fields.raw("tool"), fields.path("tool")),
        trust=fields.word("trust", Trust, Trust.CLIENT),
        provider=fields.text("provider", "operations"),
        agent=fields.text("agent", ""),
    )

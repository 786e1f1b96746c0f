"""Changed definitions of tools as JSON."""

from assent.surfaces.http.models.base import Digest, NamedId, Received, Sent, ToolName


class DifferenceShown(Sent):
    """One field of a definition that is another now; each side is JSON, null where the field is not there."""

    field: str
    before: str | None
    after: str | None


class DefinitionShown(Sent):
    """A tool whose definition is another than the one that was accepted: its calls ask."""

    origin: str
    tool: str
    agent: str
    """The one agent that it is offered to; empty is all of them."""
    digest: str
    """Of the definition as it is now."""
    differences: list[DifferenceShown]
    """Empty where a version before kept only the digest of what was accepted."""


class DefinitionsShown(Sent):
    """The changed definitions."""

    items: list[DefinitionShown]


class DefinitionIn(Received):
    """The definition to accept, as it was shown."""

    origin: NamedId
    tool: ToolName
    digest: Digest

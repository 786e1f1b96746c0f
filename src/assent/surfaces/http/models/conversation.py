"""A conversation as JSON."""

from pydantic import JsonValue

from assent.surfaces.http.models.base import Id, Line, Received, Sent
from assent.surfaces.http.models.chat import Delivered


class ConversationIn(Received):
    """A conversation to begin."""

    agent: Id = ""
    preset: Id = ""
    mode: Id | None = None
    title: Line = ""
    model: Line = ""
    message: dict[str, JsonValue] | None = None
    """Its first message, which is kept and answered in the same request."""
    delivery: Delivered | None = None
    """How questions about the first message are delivered; as the preset says."""


class ConversationPatch(Received):
    """What is to be another; a mode counts from the next turn."""

    mode: Id | None = None
    title: Line | None = None
    model: Line | None = None


class ConversationShown(Sent):
    """A conversation."""

    id: str
    owner: str
    agent: str
    preset: str
    mode: str
    title: str
    model: str
    at: str | None


class ConversationsShown(Sent):
    """A page of conversations, newest first."""

    items: list[ConversationShown]
    next: str | None

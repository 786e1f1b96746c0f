"""A chat as JSON: what a client of the AI SDK sends, and what was said."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from assent.surfaces.http.models.base import Asked, Id, Line, Sent

Delivered = Annotated[str, Field(pattern="^(wait|suspend)$")]


class ChatIn(BaseModel):
    """A message, or answers to questions. Clients send their whole history: only its last message is read."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, use_attribute_docstrings=True)

    message: dict[str, JsonValue] | None = None
    """The one new message, for clients that send no more than that."""
    messages: list[dict[str, JsonValue]] = Field(default_factory=list[dict[str, JsonValue]])
    mode: Id | None = None
    """The mode of this turn; otherwise the conversation's. One that the preset does not offer is refused."""
    permission_mode: Id | None = None
    """Another name for `mode`; two different values are refused."""
    permissionMode: Id | None = None  # noqa: N815 - as some clients spell it
    """Another name for `mode`."""
    model: Line | None = None
    about: Id | None = None
    """A proposal that was applied or declined; the server tells the model, and no message is read."""
    delivery: Delivered | None = None
    """Whether a question keeps the stream open, or ends it until an answer is sent; as the preset says."""
    trigger: str | None = None
    """`submit-message`, or `regenerate-message` for another answer to a message that is there."""
    message_id: JsonValue = Field(default=None, alias="messageId")
    """The message that is edited or answered again; it must be one of this conversation."""


class MessagesAsked(Asked):
    """Which messages are meant."""

    live: bool = False
    """Whether what is being said just now is among them; it is what the stream tells from its beginning."""
    replaced: bool = False
    """Whether messages and answers that an edit or a new try replaced are among them."""


class MessageShown(Sent):
    """A message in the form of the AI SDK."""

    id: str
    role: str
    metadata: dict[str, JsonValue] | None = None
    parts: list[dict[str, JsonValue]]


class MessagesShown(Sent):
    """What was said in a conversation, oldest first."""

    items: list[MessageShown]


class ModelShown(Sent):
    """A model on offer."""

    name: str
    model: str
    rehearsal: bool


class ModelsShown(Sent):
    """The models on offer, the usual one first."""

    items: list[ModelShown]

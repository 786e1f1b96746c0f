"""Field types of requests: strict types, and texts that every store can save."""

from datetime import datetime
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    WithJsonSchema,
)

from assent.errors import InputError
from assent.gate.preset import Lifetime, Scope
from assent.wire.fields import moment_from_json

_ID_PATTERN = r"^[^\x00-\x1f\x7f]*$"
_TEXT_PATTERN = r"^[^\x00]*$"


class StrictBody(BaseModel):
    """Base class of JSON bodies: types are strict, and unknown fields are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)


class StrictQuery(BaseModel):
    """Base class of query parameters; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Paging(StrictQuery):
    """The page of a list that the client requests."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    after: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]*$", max_length=2048)] = ""
    """The `next` of the previous page; an opaque cursor."""


def _parse_moment(value: object) -> datetime:
    try:
        return moment_from_json(value)
    except InputError as error:
        raise ValueError("must be an ISO 8601 time with its zone") from error


def _parse_integer(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, StringConstraints(pattern=_TEXT_PATTERN, max_length=10_000)]
"""A text without NUL characters, which some stores cannot save."""
ShortText = Annotated[str, StringConstraints(pattern=_TEXT_PATTERN, max_length=500)]
"""A short text without NUL characters."""
Id = Annotated[str, StringConstraints(pattern=_ID_PATTERN, max_length=256)]
"""An id that the client chooses; may be empty."""
NonEmptyId = Annotated[str, StringConstraints(pattern=_ID_PATTERN, min_length=1, max_length=256)]
"""An id that the client chooses; must not be empty."""
RoleSubject = Annotated[
    str, StringConstraints(pattern=r"^(agent|conversation):[^\x00-\x1f\x7f]{1,256}$", max_length=269)
]
"""The agent or conversation that a role is for."""
GeneratedId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""An id that the server generated: 128 random bits."""
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,128}$")]
RuleText = Annotated[str, StringConstraints(pattern=_TEXT_PATTERN, min_length=1, max_length=10_000)]
ACCEPT_WHOLE_FLOAT = BeforeValidator(_parse_integer)
"""Accepts 1.0 as 1, because both are the same number in JSON."""
Moment = Annotated[
    datetime, BeforeValidator(_parse_moment), WithJsonSchema({"type": "string", "format": "date-time"})
]
Args = dict[str, JsonValue]
# Enumerations arrive as strings; in strict mode pydantic would require the Python member.
ScopeWord = Annotated[Scope, Field(strict=False)]
LifetimeWord = Annotated[Lifetime, Field(strict=False)]

"""What every model of the API shares: strict fields, and texts that any store can hold."""

from datetime import datetime
from typing import Annotated, Literal

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
from assent.wire.moment import moment_from_json

_ID_PATTERN = r"^[^\x00-\x1f\x7f]*$"
_TEXT_PATTERN = r"^[^\x00]*$"


class Received(BaseModel):
    """JSON that somebody sends: each field of its very kind, and none that nobody knows."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)


class Asked(BaseModel):
    """What an address asks for behind its question mark; a name that nobody knows is refused, too."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Paging(Asked):
    """Which part of a list is meant."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    after: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]*$", max_length=2048)] = ""
    """Where an earlier page said that the next one begins; nothing can be read from it."""


class Sent(BaseModel):
    """JSON that we send; it describes what `wire` writes."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


def _moment(value: object) -> datetime:
    try:
        return moment_from_json(value)
    except InputError as error:
        raise ValueError("must be an ISO 8601 time with its zone") from error


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, StringConstraints(pattern=_TEXT_PATTERN, max_length=10_000)]
"""A text for people: anything but NUL, which not every store can hold."""
Line = Annotated[str, StringConstraints(pattern=_TEXT_PATTERN, max_length=500)]
"""A short text for people."""
Id = Annotated[str, StringConstraints(pattern=_ID_PATTERN, max_length=256)]
"""An id that somebody chose, or empty."""
NamedId = Annotated[str, StringConstraints(pattern=_ID_PATTERN, min_length=1, max_length=256)]
"""An id that somebody chose."""
RoleSubject = Annotated[
    str, StringConstraints(pattern=r"^(agent|conversation):[^\x00-\x1f\x7f]{1,256}$", max_length=269)
]
"""Whose calls a role is about."""
Mark = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""An id of ours: 128 bits that nobody can guess."""
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,128}$")]
RuleText = Annotated[str, StringConstraints(pattern=_TEXT_PATTERN, min_length=1, max_length=10_000)]
WHOLE = BeforeValidator(_whole)
"""Behind the bounds of a whole number: JSON does not tell 1 from 1.0."""
Moment = Annotated[
    datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})
]
Args = dict[str, JsonValue]
# Words of ours come as texts; pydantic's strictness would ask for the Python enum itself.
ScopeWord = Annotated[Scope, Field(strict=False)]
LifetimeWord = Annotated[Lifetime, Field(strict=False)]
Choice = Literal["choice"]
"""The person who answers chooses; no answer says this word."""

"""A moment as JSON: ISO 8601 in UTC with microseconds, so that the texts sort as the moments do."""

from datetime import UTC, datetime

from assent.errors import InputError
from assent.wire.fields import Fields


def moment_to_json(moment: datetime) -> str:
    """The one spelling of a moment."""
    if moment.tzinfo is None:
        raise InputError(f"the time {moment.isoformat()} does not say its zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment_from_json(text: object, field: str = "at") -> datetime:
    """The moment that a text spells; one without a zone could be any of 27 hours."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"field `{field}` must be an ISO 8601 time with its zone")


def maybe_moment_to_json(moment: datetime | None) -> str | None:
    """A moment, or null."""
    return None if moment is None else moment_to_json(moment)


def maybe_moment(fields: Fields, name: str) -> datetime | None:
    """The moment in a field, or nothing."""
    return moment_from_json(fields.raw(name), fields.path(name)) if fields.has(name) else None

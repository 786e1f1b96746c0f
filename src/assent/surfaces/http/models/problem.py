"""A problem as JSON, after RFC 9457."""

from assent.surfaces.http.models.base import Sent


class FieldError(Sent):
    """What is wrong with one field."""

    field: str
    reason: str


class Problem(Sent):
    """Why a request was not done."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] | None = None
    """Each field that is wrong, for a request of the wrong shape."""
    state: str | None = None
    """Where an approval stands by now, if that is why."""
    by: str | None = None
    """Who was first, if somebody was."""

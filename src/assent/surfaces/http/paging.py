"""Paging: where a page of a list begins, in a spelling that nobody is tempted to read or make up."""

import base64
from collections.abc import Generator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

from assent.errors import InputError
from assent.surfaces.http.reply import Json


def page(items: list[dict[str, object]], after: str) -> Json:
    """A page of a list, and where the next one begins; null at the end."""
    cursor = base64.urlsafe_b64encode(after.encode()).decode().rstrip("=")
    return Json({"items": items, "next": cursor or None})


@contextmanager
def place_of(cursor: str) -> Generator[str]:
    """Where a store's own page begins; whatever no earlier page said is refused, here or by the store."""
    try:
        yield base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (InputError, ValueError):
        raise HTTPException(400, "`after` is not what an earlier page gave as `next`") from None

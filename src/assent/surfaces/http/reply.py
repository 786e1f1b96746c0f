"""A reply: JSON that any reader takes, whatever a file name or an agent put into it."""

import json
from collections.abc import Mapping

from starlette.responses import Response


class Json(Response):
    """JSON in plain ASCII: half of a surrogate pair in a file's name is spelled out, and cannot fail."""

    media_type = "application/json"

    def __init__(
        self, content: object, status_code: int = 200, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(content, status_code, {"cache-control": "no-store", **(headers or {})})

    def render(self, content: object) -> bytes:
        """The one spelling of a value."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def nothing() -> Response:
    """Done, and there is nothing to say."""
    return Response(status_code=204, headers={"cache-control": "no-store"})

"""A problem: the JSON (RFC 9457) that explains why a request is refused."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

TYPE_PREFIX = "urn:assent:problem:"
_MAX_DETAIL = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """An error response; the detail is for client developers, and contains no secret."""

    status: int
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    more: Mapping[str, object] = field(default_factory=dict[str, object])
    """Additional JSON members, such as the invalid fields."""

    @property
    def body(self) -> bytes:
        """The problem as JSON bytes."""
        title = HTTPStatus(self.status).phrase
        content = {
            "type": TYPE_PREFIX + title.lower().replace(" ", "-").replace("'", ""),
            "title": title,
            "status": self.status,
            "detail": self.detail[:_MAX_DETAIL],
            **self.more,
        }
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()

    def response_start(self) -> dict[str, object]:
        """The ASGI message that starts the response."""
        headers = {
            "content-type": "application/problem+json",
            "content-length": str(len(self.body)),
            **self.headers,
        }
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        return {"type": "http.response.start", "status": self.status, "headers": pairs}

    def response_end(self) -> dict[str, object]:
        """The ASGI message that ends the response."""
        return {"type": "http.response.body", "body": self.body}

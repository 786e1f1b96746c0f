"""A problem: why a request is refused, as RFC 9457 JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

TYPE = "urn:assent:problem:"
_MAX_DETAIL = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal; the detail is for the author of the client, and repeats no secret."""

    status: int
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    more: Mapping[str, object] = field(default_factory=dict[str, object])
    """Further members of the JSON, such as the fields that are wrong."""

    @property
    def body(self) -> bytes:
        """The JSON."""
        title = HTTPStatus(self.status).phrase
        content = {
            "type": TYPE + title.lower().replace(" ", "-").replace("'", ""),
            "title": title,
            "status": self.status,
            "detail": self.detail[:_MAX_DETAIL],
            **self.more,
        }
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()

    def start(self) -> dict[str, object]:
        """The ASGI message that begins the response."""
        headers = {
            "content-type": "application/problem+json",
            "content-length": str(len(self.body)),
            **self.headers,
        }
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        return {"type": "http.response.start", "status": self.status, "headers": pairs}

    def end(self) -> dict[str, object]:
        """The ASGI message that ends the response."""
        return {"type": "http.response.body", "body": self.body}

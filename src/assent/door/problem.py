"""A problem: why a request is refused, in the JSON of RFC 9457, before any route has seen it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

TYPE = "urn:assent:problem:"


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal; the detail is for whoever wrote the client, and repeats nothing they sent."""

    status: int
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def body(self) -> bytes:
        """The JSON."""
        title = HTTPStatus(self.status).phrase
        said = {
            "type": TYPE + title.lower().replace(" ", "-"),
            "title": title,
            "status": self.status,
            "detail": self.detail,
        }
        return json.dumps(said).encode()

    def start(self) -> dict[str, object]:
        """The ASGI message that begins the response."""
        headers = {
            "content-type": "application/problem+json",
            "content-length": str(len(self.body)),
            **self.headers,
        }
        listed = [(name.encode(), value.encode()) for name, value in headers.items()]
        return {"type": "http.response.start", "status": self.status, "headers": listed}

    def end(self) -> dict[str, object]:
        """The ASGI message that ends it."""
        return {"type": "http.response.body", "body": self.body}

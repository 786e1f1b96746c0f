"""A failure: what a server says when it does not do what was asked."""

import json
from typing import cast

from assent.errors import AssentError

PASSING = frozenset({502, 503, 504})
"""A proxy, or a server that starts or stops: trying again may work."""


class Failure(AssentError):
    """The server's own words, and its status."""

    def __init__(self, status: int, detail: str, code: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        """Why a call is refused, where the failure is about one."""

    @property
    def is_passing(self) -> bool:
        """Whether trying again may work."""
        return self.status in PASSING


def failure_of(status: int, body: bytes) -> Failure:
    """The failure that a response tells of; one that is no problem document says its status."""
    detail = code = ""
    try:
        said: object = json.loads(body)
        if isinstance(said, dict):
            told = cast("dict[str, object]", said)
            detail, code = str(told.get("detail", "")), str(told.get("code", ""))
    except ValueError:
        pass
    return Failure(status, detail or f"the server answered with status {status}", code)

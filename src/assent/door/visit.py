"""A visit: a request as the door sees it, and what must be true of it before anything else looks at it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from assent.door.cookie import cookie_in
from assent.door.premises import Premises
from assent.door.problem import Problem
from assent.door.proxy import Client, Proxies
from assent.door.secret import holds_secret

LARGEST = 10_000_000
"""Bytes that a request may carry."""
STRANGERS = 10_000
"""Bytes that whoever does not say who they are may send: coming in takes no more."""
_ONLY_LOOKING = frozenset({"GET", "HEAD", "OPTIONS"})
_BEARER = "bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What the checks need of a request."""

    method: str
    is_socket: bool
    client: Client
    query: str
    headers: Mapping[str, Sequence[str]] = field(repr=False)

    @property
    def scheme(self) -> str:
        """How a page is fetched that makes such a request."""
        return "https" if self.client.secure else "http"

    @property
    def changes(self) -> bool:
        """Whether it may change something; a socket always may."""
        return self.is_socket or self.method not in _ONLY_LOOKING

    @property
    def token(self) -> str | None:
        """What stands in `Authorization`; None where nothing does."""
        given = self.headers.get("authorization", ())
        if not given:
            return None
        is_bearer = len(given) == 1 and given[0].lower().startswith(_BEARER)
        return given[0][len(_BEARER) :].strip() if is_bearer else ""

    @property
    def session(self) -> str:
        """The secret in the session's cookie."""
        return cookie_in(self.headers.get("cookie", ()))

    def one(self, name: str) -> str | None:
        """The value of a header that is there once; None where it is not, or where there are several."""
        given = self.headers.get(name, ())
        return given[0] if len(given) == 1 else None

    def carries(self) -> bool:
        """Whether a body comes with it."""
        length = self.one("content-length")
        return "transfer-encoding" in self.headers or length not in (None, "0")


def visit_of(scope: Mapping[str, Any], proxies: Proxies) -> Visit:
    """The visit that a server's scope is about."""
    headers = _headers(scope["headers"])
    peer = scope.get("client")
    client = proxies.client(
        peer[0] if peer else "",
        secure=scope.get("scheme") in ("https", "wss"),
        chain=headers.get("x-forwarded-for", ()),
        scheme=(headers.get("x-forwarded-proto") or [""])[-1].rpartition(",")[2],
    )
    return Visit(
        method=scope.get("method", "GET"),
        is_socket=scope["type"] == "websocket",
        client=client,
        query=scope.get("query_string", b"").decode("latin-1"),
        headers=headers,
    )


def refusal_of(visit: Visit, premises: Premises, largest: int = LARGEST) -> Problem | None:
    """Why a request goes no further, whoever sent it; None where it may."""
    return (
        _wrong_host(visit, premises)
        or _wrong_origin(visit, premises)
        or _told_in_query(visit)
        or _told_twice(visit)
        or _wrong_kind(visit)
        or overweight(visit, largest)
    )


def _wrong_host(visit: Visit, premises: Premises) -> Problem | None:
    host = visit.one("host")
    if host is not None and premises.knows(host):
        return None
    return Problem(403, "this server is not known by that name: see `public_url` and `hosts` in its settings")


def _wrong_origin(visit: Visit, premises: Premises) -> Problem | None:
    origins = visit.headers.get("origin", ())
    host = visit.one("host") or ""
    if origins:
        is_own = len(origins) == 1 and premises.owns(origins[0], host=host, scheme=visit.scheme)
        return None if is_own else Problem(403, "this request comes from a page that is not this server's")
    if not visit.changes or visit.token is not None:
        return None
    # INVARIANT: a cookie alone never changes anything: every browser says which page it acts for.
    return Problem(403, "a change needs a token in `Authorization`, or the Origin of this server's own page")


def _told_in_query(visit: Visit) -> Problem | None:
    if not holds_secret(unquote(visit.query)):
        return None
    return Problem(400, "a secret does not belong in an address, which is logged: send it in `Authorization`")


def _told_twice(visit: Visit) -> Problem | None:
    if "content-length" not in visit.headers or "transfer-encoding" not in visit.headers:
        return None
    # A proxy that believes the other one would take the rest of the body for somebody's next request.
    return Problem(400, "a body has a length or comes in chunks, not both", {"connection": "close"})


def _wrong_kind(visit: Visit) -> Problem | None:
    if visit.is_socket or not visit.changes:
        return None
    kinds = visit.headers.get("content-type", ())
    if not kinds and not visit.carries():
        return None
    if len(kinds) == 1 and _is_json(kinds[0]):
        return None
    return Problem(415, "a change is sent as `application/json`")


def _is_json(kind: str) -> bool:
    name, *parameters = (part.strip().lower() for part in kind.split(";"))
    return name == "application/json" and all(one in ("", "charset=utf-8") for one in parameters)


def overweight(visit: Visit, largest: int) -> Problem | None:
    """The refusal of a request that says itself that it carries more."""
    length = visit.one("content-length") or "0"
    is_number = length.isascii() and length.isdigit() and len(length) < 20
    return None if is_number and int(length) <= largest else too_large(largest)


def too_large(largest: int) -> Problem:
    """The refusal of more than a request may carry."""
    return Problem(413, f"a request carries at most {largest:,} bytes", {"connection": "close"})


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found

"""The first checks of a request: its host name, origin, size and headers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from assent.door.credentials import contains_secret, read_cookie
from assent.door.problem import Problem
from assent.errors import InputError

MAX_BODY_BYTES = 10_000_000
"""Maximum size of a request's body."""
MAX_ANONYMOUS_BODY_BYTES = 10_000
"""Maximum size of a body without authentication, enough for a log-in."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_BEARER = "bearer "
_AUTHORITY = re.compile(
    r"(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?", re.ASCII
)

_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(:[0-9]{1,5})?", re.ASCII)
PAGES_PATH = "/v1/pages"
"""The only path that pages of listed origins may use."""
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedHosts:
    """The host names that requests may use; other names are refused, even if they resolve to this machine."""

    public_url: str = ""
    """The URL that people use, if it is not a loopback address."""
    hosts: tuple[str, ...] = ()
    """Additional host names, for agents and health checks; without a port, any port is allowed."""
    page_origins: tuple[str, ...] = ()
    """The origins of other sites whose pages may give tools to conversations."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.public_url)
        for origin in self.page_origins:
            if not _ORIGIN.fullmatch(origin):
                raise InputError(f"`{origin}` is not the origin of a page: expected `https://name`")
        if self.public_url and (parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.query):
            raise InputError(f"`{self.public_url}` is not the address of a server: expected `https://…`")

    @property
    def public_origin(self) -> str:
        """The origin of the public URL, as browsers send it."""
        parts = urlsplit(self.public_url.lower())
        return _format_origin(parts.scheme, parts.netloc) if self.public_url else ""

    @property
    def path(self) -> str:
        """The path of the public URL, with a slash at the end."""
        return urlsplit(self.public_url).path.rstrip("/") + "/"

    def includes(self, host: str) -> bool:
        """Whether the value of a Host header is an allowed name."""
        host = host.lower()
        found = _AUTHORITY.fullmatch(host)
        if found is None:
            return False
        return found["name"] in LOOPBACK or self._is_public(host) or self._is_listed(found["name"], host)

    def is_own_origin(self, origin: str, *, host: str, scheme: str) -> bool:
        """Whether an Origin header belongs to a page of this server.

        INVARIANT: `host` is an allowed host. Behind a proxy it may be an internal name,
        while the page has the public one.
        """
        if self.public_url and origin == self.public_origin:
            return True
        # For the public name, only the configured scheme is accepted, not the same page without TLS.
        return not self._is_public(host.lower()) and origin == _format_origin(scheme, host.lower())

    def _is_listed(self, *names: str) -> bool:
        return any(one.lower() in names for one in self.hosts)

    def _is_public(self, host: str) -> bool:
        return self.public_url != "" and self.public_origin in (
            _format_origin("http", host),
            _format_origin("https", host),
        )


class Peer(NamedTuple):
    """The client's address, and whether its connection is encrypted."""

    address: str
    secure: bool


@dataclass(frozen=True, slots=True)
class Proxies:
    """The networks of trusted proxies."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    def find_client(self, peer: str, *, secure: bool, chain: Sequence[str], scheme: str) -> Peer:
        """The client behind trusted proxies, from `X-Forwarded-For` and `X-Forwarded-Proto`."""
        if not self.is_trusted(peer):
            return Peer(peer, secure)
        address = peer
        # Each proxy appends its peer; entries before an untrusted entry could be forged.
        for entry in reversed([word.strip() for line in chain for word in line.split(",")]):
            if not _is_address(entry):
                break
            address = entry
            if not self.is_trusted(entry):
                break
        return Peer(address, scheme.strip().lower() == "https" if scheme else secure)

    def is_trusted(self, address: str) -> bool:
        """Whether an address is one of the trusted proxies."""
        if not self.networks or not _is_address(address):
            return False
        found = ip_address(address)
        # A dual-stack socket reports IPv4 addresses as IPv6 addresses.
        plain = found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
        return any(plain in network for network in self.networks)


def parse_proxies(words: Iterable[str]) -> Proxies:
    """Parse a list of trusted addresses or networks."""
    try:
        return Proxies(tuple(ip_network(word) for word in words))
    except ValueError as error:
        raise InputError(f"a trusted proxy must be an address or a network: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """The method, client and headers of a request, for the checks."""

    method: str
    is_websocket: bool
    client: Peer
    query: str
    headers: Mapping[str, Sequence[str]] = field(repr=False)
    path: str = ""

    @property
    def scheme(self) -> str:
        """The scheme of the page that sends the request: `http` or `https`."""
        return "https" if self.client.secure else "http"

    @property
    def can_change(self) -> bool:
        """Whether the request may change something; always true for a WebSocket."""
        return self.is_websocket or self.method not in _SAFE_METHODS

    @property
    def token(self) -> str | None:
        """The bearer token; None without an `Authorization` header, empty for another scheme."""
        given = self.headers.get("authorization", ())
        if not given:
            return None
        is_bearer = len(given) == 1 and given[0].lower().startswith(_BEARER)
        return given[0][len(_BEARER) :].strip() if is_bearer else ""

    @property
    def session(self) -> str:
        """The secret in the session cookie."""
        return read_cookie(self.headers.get("cookie", ()))

    def single_header(self, name: str) -> str | None:
        """The value of a header; None if it is missing or repeated."""
        given = self.headers.get(name, ())
        return given[0] if len(given) == 1 else None

    def has_body(self) -> bool:
        """Whether the request has a body."""
        length = self.single_header("content-length")
        return "transfer-encoding" in self.headers or length not in (None, "0")


def read_head(scope: Mapping[str, Any], proxies: Proxies) -> RequestHead:
    """Read the head of a request from an ASGI scope."""
    headers = _decode_headers(scope["headers"])
    peer = scope.get("client")
    client = proxies.find_client(
        peer[0] if peer else "",
        secure=scope.get("scheme") in ("https", "wss"),
        chain=headers.get("x-forwarded-for", ()),
        scheme=(headers.get("x-forwarded-proto") or [""])[-1].rpartition(",")[2],
    )
    return RequestHead(
        method=scope.get("method", "GET"),
        is_websocket=scope["type"] == "websocket",
        client=client,
        query=scope.get("query_string", b"").decode("latin-1"),
        headers=headers,
        path=scope.get("path", ""),
    )


def find_refusal(head: RequestHead, hosts: AllowedHosts, max_body: int = MAX_BODY_BYTES) -> Problem | None:
    """The problem of an invalid request, before authentication; None if the request is valid."""
    return (
        _check_host(head, hosts)
        or _check_origin(head, hosts)
        or _check_query(head)
        or _check_framing(head)
        or _check_content_type(head)
        or check_length(head, max_body)
    )


def check_length(head: RequestHead, max_body: int) -> Problem | None:
    """The problem of a request whose `Content-Length` is above the limit; None if it is not."""
    length = head.single_header("content-length") or "0"
    is_number = length.isascii() and length.isdigit() and len(length) < 20
    return None if is_number and int(length) <= max_body else too_large_problem(max_body)


def too_large_problem(max_body: int) -> Problem:
    """The problem for a body above the limit."""
    return Problem(413, f"the body of a request has at most {max_body:,} bytes", {"connection": "close"})


def _format_origin(scheme: str, authority: str) -> str:
    """Format an origin as browsers do, without the default port."""
    return f"{scheme}://{authority.removesuffix(':' + _DEFAULT_PORTS[scheme])}"


def _check_host(head: RequestHead, hosts: AllowedHosts) -> Problem | None:
    host = head.single_header("host")
    if host is not None and hosts.includes(host):
        return None
    return Problem(403, "unknown host name: see `public_url` and `hosts` in the server's settings")


def find_listed_origin(head: RequestHead, hosts: AllowedHosts) -> str:
    """The origin of a listed page of another site that opens the WebSocket of pages; otherwise empty."""
    origin = head.single_header("origin") or ""
    is_for_pages = head.is_websocket and head.path in (PAGES_PATH, hosts.path.rstrip("/") + PAGES_PATH)
    is_listed = is_for_pages and origin in hosts.page_origins
    return origin if is_listed and not _is_own_origin(head, hosts) else ""


def _is_own_origin(head: RequestHead, hosts: AllowedHosts) -> bool:
    origin, host = head.single_header("origin"), head.single_header("host") or ""
    return origin is not None and hosts.is_own_origin(origin, host=host, scheme=head.scheme)


def _check_origin(head: RequestHead, hosts: AllowedHosts) -> Problem | None:
    if head.headers.get("origin", ()):
        is_allowed = _is_own_origin(head, hosts) or find_listed_origin(head, hosts)
        return None if is_allowed else Problem(403, "this request comes from a page of another site")
    if not head.can_change or head.token is not None:
        return None
    # INVARIANT: a request with a cookie may change something only with an Origin header of this server.
    return Problem(403, "a change needs a token in `Authorization`, or the Origin of this server's own page")


def _check_query(head: RequestHead) -> Problem | None:
    if not contains_secret(unquote(head.query)):
        return None
    return Problem(400, "an address must not contain a secret, because it is logged: use `Authorization`")


def _check_framing(head: RequestHead) -> Problem | None:
    if "content-length" not in head.headers or "transfer-encoding" not in head.headers:
        return None
    # A proxy that uses the other header would treat the rest of the body as the next request.
    return Problem(400, "a body has either a length or chunks, not both", {"connection": "close"})


def _check_content_type(head: RequestHead) -> Problem | None:
    if head.is_websocket or not head.can_change:
        return None
    types = head.headers.get("content-type", ())
    if not types and not head.has_body():
        return None
    if len(types) == 1 and _is_json(types[0]):
        return None
    return Problem(415, "a change must be sent as `application/json`")


def _is_json(content_type: str) -> bool:
    name, *parameters = (part.strip().lower() for part in content_type.split(";"))
    return name == "application/json" and all(one in ("", "charset=utf-8") for one in parameters)


def _decode_headers(pairs: Iterable[tuple[bytes, bytes]]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True

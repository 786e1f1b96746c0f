"""The head of a request, the host names of this server, and the checks before anything else."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from assent.door.credentials import contains_secret, read_cookie
from assent.door.problem import Problem
from assent.errors import InputError

MAX_BODY = 10_000_000
"""Bytes of a request's body."""
MAX_ANONYMOUS_BODY = 10_000
"""Bytes of a body without authentication: a log-in needs no more."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_BEARER = "bearer "
_AUTHORITY = re.compile(
    r"(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?", re.ASCII
)

_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedHosts:
    """The host names that requests may use; a name that only resolves to this machine is not one of them."""

    public_url: str = ""
    """The address that people use, if it is not this machine's own."""
    hosts: tuple[str, ...] = ()
    """Further names, for agents and probes: with a port, or for every port."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.public_url)
        if self.public_url and (parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.query):
            raise InputError(f"`{self.public_url}` is not the address of a server: expected `https://…`")

    @property
    def public_origin(self) -> str:
        """The scheme and authority of the public address, as browsers spell an Origin."""
        parts = urlsplit(self.public_url.lower())
        return _origin(parts.scheme, parts.netloc) if self.public_url else ""

    @property
    def path(self) -> str:
        """The path of the public address, with a slash at its end."""
        return urlsplit(self.public_url).path.rstrip("/") + "/"

    def includes(self, host: str) -> bool:
        """Whether a Host header names this server."""
        host = host.lower()
        found = _AUTHORITY.fullmatch(host)
        if found is None:
            return False
        return found["name"] in LOOPBACK or self._is_public(host) or self._is_listed(found["name"], host)

    def is_own_origin(self, origin: str, *, host: str, scheme: str) -> bool:
        """Whether an Origin header is that of a page of this server.

        INVARIANT: `host` is an allowed host. Behind a proxy it may be an internal name,
        while the page has the public one.
        """
        if self.public_url and origin == self.public_origin:
            return True
        # Under the public name only the configured scheme counts: not the same page without TLS.
        return not self._is_public(host.lower()) and origin == _origin(scheme, host.lower())

    def _is_listed(self, *names: str) -> bool:
        return any(one.lower() in names for one in self.hosts)

    def _is_public(self, host: str) -> bool:
        return self.public_url != "" and self.public_origin in (
            _origin("http", host),
            _origin("https", host),
        )


class Peer(NamedTuple):
    """The client's address, and whether its connection is encrypted."""

    address: str
    secure: bool


@dataclass(frozen=True, slots=True)
class Proxies:
    """The networks of trusted proxies."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    def client(self, peer: str, *, secure: bool, chain: Sequence[str], scheme: str) -> Peer:
        """The client behind the trusted proxies, by `X-Forwarded-For` and `-Proto`."""
        if not self.trusts(peer):
            return Peer(peer, secure)
        address = peer
        # Each proxy appends its own peer: an entry before an untrusted one could be forged.
        for entry in reversed([word.strip() for line in chain for word in line.split(",")]):
            if not _is_address(entry):
                break
            address = entry
            if not self.trusts(entry):
                break
        return Peer(address, scheme.strip().lower() == "https" if scheme else secure)

    def trusts(self, address: str) -> bool:
        """Whether an address is one of the trusted proxies."""
        if not self.networks or not _is_address(address):
            return False
        found = ip_address(address)
        # A dual-stack listener shows IPv4 addresses as IPv6.
        plain = found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
        return any(plain in network for network in self.networks)


def parse_proxies(words: Iterable[str]) -> Proxies:
    """The proxies of a list of addresses or networks."""
    try:
        return Proxies(tuple(ip_network(word) for word in words))
    except ValueError as error:
        raise InputError(f"a trusted proxy must be an address or a network: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """What the checks need of a request."""

    method: str
    is_websocket: bool
    client: Peer
    query: str
    headers: Mapping[str, Sequence[str]] = field(repr=False)

    @property
    def scheme(self) -> str:
        """The scheme of the page that makes such a request."""
        return "https" if self.client.secure else "http"

    @property
    def can_change(self) -> bool:
        """Whether it may change something; a WebSocket always may."""
        return self.is_websocket or self.method not in _SAFE_METHODS

    @property
    def token(self) -> str | None:
        """The token in `Authorization`; None without that header, empty if it is not a bearer token."""
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
        """The value of a header that is present once; None where it is missing or repeated."""
        given = self.headers.get(name, ())
        return given[0] if len(given) == 1 else None

    def has_body(self) -> bool:
        """Whether the request has a body."""
        length = self.single_header("content-length")
        return "transfer-encoding" in self.headers or length not in (None, "0")


def read_head(scope: Mapping[str, Any], proxies: Proxies) -> RequestHead:
    """The head of the request of an ASGI scope."""
    headers = _decode_headers(scope["headers"])
    peer = scope.get("client")
    client = proxies.client(
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
    )


def refusal(head: RequestHead, hosts: AllowedHosts, max_body: int = MAX_BODY) -> Problem | None:
    """Why a request is refused, regardless of its sender; None if it is not."""
    return (
        _check_host(head, hosts)
        or _check_origin(head, hosts)
        or _check_query(head)
        or _check_framing(head)
        or _check_content_type(head)
        or check_length(head, max_body)
    )


def check_length(head: RequestHead, max_body: int) -> Problem | None:
    """The refusal of a request whose declared length is over the limit."""
    length = head.single_header("content-length") or "0"
    is_number = length.isascii() and length.isdigit() and len(length) < 20
    return None if is_number and int(length) <= max_body else too_large(max_body)


def too_large(max_body: int) -> Problem:
    """The refusal of a body over the limit."""
    return Problem(413, f"the body of a request has at most {max_body:,} bytes", {"connection": "close"})


def _origin(scheme: str, authority: str) -> str:
    """An origin as browsers write it: without the default port."""
    return f"{scheme}://{authority.removesuffix(':' + _DEFAULT_PORTS[scheme])}"


def _check_host(head: RequestHead, hosts: AllowedHosts) -> Problem | None:
    host = head.single_header("host")
    if host is not None and hosts.includes(host):
        return None
    return Problem(403, "unknown host name: see `public_url` and `hosts` in the server's settings")


def _check_origin(head: RequestHead, hosts: AllowedHosts) -> Problem | None:
    origins = head.headers.get("origin", ())
    host = head.single_header("host") or ""
    if origins:
        is_own = len(origins) == 1 and hosts.is_own_origin(origins[0], host=host, scheme=head.scheme)
        return None if is_own else Problem(403, "this request comes from a page of another site")
    if not head.can_change or head.token is not None:
        return None
    # INVARIANT: a cookie alone never changes anything: every browser sends the Origin of the page.
    return Problem(403, "a change needs a token in `Authorization`, or the Origin of this server's own page")


def _check_query(head: RequestHead) -> Problem | None:
    if not contains_secret(unquote(head.query)):
        return None
    return Problem(400, "an address must not contain a secret, because it is logged: use `Authorization`")


def _check_framing(head: RequestHead) -> Problem | None:
    if "content-length" not in head.headers or "transfer-encoding" not in head.headers:
        return None
    # A proxy that uses the other header would read the rest of the body as the next request.
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

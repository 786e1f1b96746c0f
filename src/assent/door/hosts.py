"""The host names of this server, and the origins of its own pages."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from assent.errors import InputError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
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


def _origin(scheme: str, authority: str) -> str:
    """An origin as browsers write it: without the default port."""
    return f"{scheme}://{authority.removesuffix(':' + _DEFAULT_PORTS[scheme])}"

"""The premises: under which names this server is reached, and which pages are its own."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from assent.errors import InputError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_AUTHORITY = re.compile(
    r"(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?", re.ASCII
)
_USUAL_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Premises:
    """Names are compared whole: a part of one, or one that resolves to us, is somebody else's."""

    public_url: str = ""
    """Where people find it, if that is not this machine itself."""
    hosts: tuple[str, ...] = ()
    """Further names, for agents and probes: with a port, or for any."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.public_url)
        if self.public_url and (parts.scheme not in _USUAL_PORTS or not parts.hostname or parts.query):
            raise InputError(f"this is no address of a server: `{self.public_url}`; expected `https://…`")

    @property
    def public_origin(self) -> str:
        """The scheme and authority of the public address, as browsers spell an Origin."""
        parts = urlsplit(self.public_url.lower())
        return _spelled(parts.scheme, parts.netloc) if self.public_url else ""

    @property
    def path(self) -> str:
        """The path under which it is found, with a slash at its end."""
        return urlsplit(self.public_url).path.rstrip("/") + "/"

    def knows(self, host: str) -> bool:
        """Whether a Host header names us: a name that only resolves to this machine does not."""
        host = host.lower()
        found = _AUTHORITY.fullmatch(host)
        if found is None:
            return False
        return found["name"] in LOOPBACK or self._is_public(host) or self._is_listed(found["name"], host)

    def owns(self, origin: str, *, host: str, scheme: str) -> bool:
        """Whether an Origin header is that of our own page.

        INVARIANT: `host` is one that we know. Behind a proxy it may be an inner name, and the page's the
        public one.
        """
        if self.public_url and origin == self.public_origin:
            return True
        # Under the public name there is one page, fetched as we were told: not its twin without TLS.
        return not self._is_public(host.lower()) and origin == _spelled(scheme, host.lower())

    def _is_listed(self, *names: str) -> bool:
        return any(one.lower() in names for one in self.hosts)

    def _is_public(self, host: str) -> bool:
        return self.public_url != "" and self.public_origin in (
            _spelled("http", host),
            _spelled("https", host),
        )


def _spelled(scheme: str, authority: str) -> str:
    """An origin as browsers spell it: without the port that goes without saying."""
    return f"{scheme}://{authority.removesuffix(':' + _USUAL_PORTS[scheme])}"

"""Addresses: which machines the web tools may talk to, found out once and then held on to."""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from assent.engine.regex import regex
from assent.hosts.chat.belt.fault import FaultError

PORTS = {"http": 80, "https": 443}
_HOST = regex(r"[A-Za-z0-9._-]+")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """An address of the web, in its parts; whatever two readers could split differently is refused."""

    scheme: str
    host: str
    port: int
    target: str
    """The path and the query, as they are sent."""

    @property
    def url(self) -> str:
        """The address in one piece."""
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target}"

    @property
    def authority(self) -> str:
        """The `Host` header."""
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"


def web(url: str) -> Web:
    """Read an address; only plain `http` and `https` ones without a user are good enough."""
    if not url.isascii() or any(character <= " " or character in '\\"<>^`{|}\x7f' for character in url):
        raise FaultError(f"`{url[:200]}` is not a web address: write it in plain, escaped characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise FaultError(f"`{url[:200]}` is not a web address") from None
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in PORTS or "@" in parts.netloc or not _HOST.fullmatch(host):
        raise FaultError(f"`{url[:200]}` is not a web address: it must be http:// or https:// and a name")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Web(scheme=parts.scheme, host=host, port=port or PORTS[parts.scheme], target=target)


class Guard:
    """Lets connections through to public addresses, and to private ones that an operator named."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        self._allowed = frozenset(one.lower() for one in allow_private)

    def and_also(self, *endpoints: str) -> "Guard":
        """The same, with more private endpoints: those that the operator configured for a tool of its own."""
        return Guard((*self._allowed, *endpoints))

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of a host, to be connected to as they are; one that is private is a fault."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise FaultError(f"there is no host `{host}`") from None
        addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
        if f"{host}:{port}".lower() in self._allowed:
            return addresses
        # All of them: a name that also stands for a private address is an attempt to get there.
        for address in addresses:
            if not is_public(ipaddress.ip_address(address.partition("%")[0])):
                raise FaultError(f"`{host}` is at a private address, which is not reached from here")
        return addresses


def is_public(address: Address) -> bool:
    """Whether an address is anybody's on the open internet, whatever it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved

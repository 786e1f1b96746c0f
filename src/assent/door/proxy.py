"""Proxies: what one in front of us says of the client, believed only where we were told to trust it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

from assent.errors import InputError


class Client(NamedTuple):
    """Who is at the other end, and whether the way to us is encrypted."""

    address: str
    secure: bool


@dataclass(frozen=True, slots=True)
class Proxies:
    """The networks whose word about others counts."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    def client(self, peer: str, *, secure: bool, chain: Sequence[str], scheme: str) -> Client:
        """Who is behind these proxies, by `X-Forwarded-For` and `-Proto`."""
        if not self.trusts(peer):
            return Client(peer, secure)
        address = peer
        # Each proxy writes at the end whom it heard from: what stands before an untrusted one is hearsay.
        for said in reversed([word.strip() for line in chain for word in line.split(",")]):
            if not _is_address(said):
                break
            address = said
            if not self.trusts(said):
                break
        return Client(address, scheme.strip().lower() == "https" if scheme else secure)

    def trusts(self, address: str) -> bool:
        """Whether an address is one of our proxies."""
        if not self.networks or not _is_address(address):
            return False
        found = ip_address(address)
        # A listener for both kinds of address shows the older kind inside the newer.
        plain = found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
        return any(plain in network for network in self.networks)


def proxies_of(words: Iterable[str]) -> Proxies:
    """The proxies that are named by addresses or networks."""
    try:
        return Proxies(tuple(ip_network(word) for word in words))
    except ValueError as error:
        raise InputError(f"a trusted proxy is an address or a network: {error}") from None


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True

"""Signing in with a provider, as the rest of the server sees it: somebody is sent away, and comes back."""

from typing import NamedTuple, Protocol

from assent.door.identity import Minted

COOKIE = "assent_signin"
LIFE = 600
"""Seconds that somebody has to sign in."""


class Started(NamedTuple):
    """Where a browser is sent, and what it keeps in a cookie meanwhile."""

    url: str
    cookie: str


class SignIn(Protocol):
    """Lets people in whom a provider vouches for; what speaks to providers is loaded only where one is."""

    async def begin(self) -> Started:
        """Send somebody to the provider."""
        ...

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> Minted:
        """A session for whoever comes back; `LoginError` for anybody who did not start here."""
        ...

"""An OpenID Connect provider: where it is reached, and the keys it signs with, which it may change."""

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import cast
from urllib.parse import urlsplit

import httpx2
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry, OKPKey, RSAKey

from assent.errors import LoginError

TIMEOUT = 10.0
"""Seconds in which a provider must reply."""
KEY_REFRESH = 10.0
"""Seconds between two requests for unknown keys: forged tokens must not cause many requests."""
_LARGEST = 1_000_000
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
PublicKey = RSAKey | ECKey | OKPKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """The addresses of a provider."""

    authorization: str
    token: str
    keys: str
    methods: tuple[str, ...]
    """How a client may authenticate at the token endpoint."""


class Provider:
    """A provider whose addresses and keys are cached; an unknown key causes a refresh."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.issuer = issuer
        self._clock = clock
        self._endpoints: Endpoints | None = None
        self._keys: Mapping[str, PublicKey] = {}
        self._refreshed_at: float | None = None
        self._lock = asyncio.Lock()

    async def endpoints(self) -> Endpoints:
        """The addresses that the provider publishes; its issuer must be the configured one."""
        if self._endpoints is None:
            said = await _fetch(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            if said.get("issuer") != self.issuer:
                raise LoginError(f"the provider at `{self.issuer}` names another issuer")
            self._endpoints = Endpoints(
                authorization=self._address(said, "authorization_endpoint"),
                token=self._address(said, "token_endpoint"),
                keys=self._address(said, "jwks_uri"),
                methods=_words(said.get("token_endpoint_auth_methods_supported")),
            )
        return self._endpoints

    async def key(self, id: str) -> PublicKey:
        """The public key of an id; an unknown id causes a refresh, but not too often."""
        async with self._lock:
            if id not in self._keys and self._may_refresh():
                self._refreshed_at = self._clock()
                self._keys = _keys(await _fetch((await self.endpoints()).keys))
        if id not in self._keys:
            raise LoginError("the provider's token is signed with an unknown key")
        return self._keys[id]

    def _may_refresh(self) -> bool:
        return self._refreshed_at is None or self._clock() - self._refreshed_at >= KEY_REFRESH

    def _address(self, said: Mapping[str, object], name: str) -> str:
        address = said.get(name)
        if not isinstance(address, str) or not _is_safe(address):
            raise LoginError(f"the provider names no usable `{name}`")
        return address


@cache
def ssl_context() -> ssl.SSLContext:
    """The trusted certificates, read once: that takes longer than the rest of a sign-in."""
    return httpx2.create_ssl_context()


def _keys(said: Mapping[str, object]) -> Mapping[str, PublicKey]:
    """The signing keys by id; symmetric, encryption and unreadable keys are left out."""
    found: dict[str, PublicKey] = {}
    listed = said.get("keys")
    for one in cast("list[object]", listed) if isinstance(listed, list) else []:
        key = _key(cast("dict[str, object]", one)) if isinstance(one, dict) else None
        if key is not None and key.kid is not None:
            found[key.kid] = key
    return found


def _key(said: Mapping[str, object]) -> PublicKey | None:
    if said.get("use", "sig") != "sig" or not isinstance(said.get("kid"), str):
        return None
    try:
        key = JWKRegistry.import_key(cast("dict[str, str | list[str]]", dict(said)))
    except (JoseError, ValueError, TypeError):
        return None
    return key if isinstance(key, RSAKey | ECKey | OKPKey) else None


async def _fetch(address: str) -> Mapping[str, object]:
    """A JSON object from the provider, without redirects, and limited in size and time."""
    if not _is_safe(address):
        raise LoginError(f"a provider must use https: `{address}`")
    try:
        async with (
            asyncio.timeout(TIMEOUT),
            httpx2.AsyncClient(timeout=TIMEOUT, verify=ssl_context()) as client,
            client.stream("GET", address) as response,
        ):
            response.raise_for_status()
            said: object = json.loads(await _body(response))
    except (httpx2.HTTPError, TimeoutError, ValueError, RecursionError) as error:
        raise LoginError(f"the provider is not available ({type(error).__name__})") from error
    if not isinstance(said, dict):
        raise LoginError("the provider's reply is not a JSON object")
    return cast("dict[str, object]", said)


async def _body(response: httpx2.Response) -> bytes:
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _LARGEST:
            raise ValueError("too large")
    return body


def _is_safe(address: str) -> bool:
    """Whether nobody on the network can reply in the provider's place."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _words(said: object) -> tuple[str, ...]:
    return tuple(map(str, cast("list[object]", said))) if isinstance(said, list) else ()

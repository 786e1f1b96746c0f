"""Signing in with an OpenID Connect provider: the authorization code with PKCE, a nonce and a state."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import logging
import re
import secrets
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import cast
from urllib.parse import urlsplit

import httpx2
from authlib.integrations.httpx_client import AsyncOAuth2Client, OAuthError
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry, OKPKey, RSAKey

from assent.config.settings import OidcSettings
from assent.door.authentication import (
    SIGN_IN_COOKIE,
    SIGN_IN_SECONDS,
    Authenticator,
    NewCredential,
    SignInStart,
)
from assent.errors import ConflictError, InputError, LoginError
from assent.gate.access import Kind, Principal
from assent.gate.people import Person, check_display_name

ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
)  # fmt: skip
"""INVARIANT: only what a public key verifies; with `none` or a shared secret anybody could sign."""
TIMEOUT = 10.0
"""Seconds in which a provider must reply."""
KEY_REFRESH = 10.0
"""Seconds between two requests for unknown keys: forged tokens must not cause many requests."""
_CLOCK_LEEWAY = 60
_MAX_TOKEN = 20_000
_MAX_SUBJECT = 255
_MAX_RESPONSE = 1_000_000
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
PublicKey = RSAKey | ECKey | OKPKey
_log = logging.getLogger("assent.door")


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
        self._parse_keys: Mapping[str, PublicKey] = {}
        self._refreshed_at: float | None = None
        self._lock = asyncio.Lock()

    async def endpoints(self) -> Endpoints:
        """The addresses that the provider publishes; its issuer must be the configured one."""
        if self._endpoints is None:
            document = await _fetch_json(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            if document.get("issuer") != self.issuer:
                raise LoginError(f"the provider at `{self.issuer}` names another issuer")
            self._endpoints = Endpoints(
                authorization=self._endpoint_address(document, "authorization_endpoint"),
                token=self._endpoint_address(document, "token_endpoint"),
                keys=self._endpoint_address(document, "jwks_uri"),
                methods=_read_words(document.get("token_endpoint_auth_methods_supported")),
            )
        return self._endpoints

    async def key(self, id: str) -> PublicKey:
        """The public key of an id; an unknown id causes a refresh, but not too often."""
        async with self._lock:
            if id not in self._parse_keys and self._may_refresh():
                self._refreshed_at = self._clock()
                self._parse_keys = _parse_keys(await _fetch_json((await self.endpoints()).keys))
        if id not in self._parse_keys:
            raise LoginError("the provider's token is signed with an unknown key")
        return self._parse_keys[id]

    def _may_refresh(self) -> bool:
        return self._refreshed_at is None or self._clock() - self._refreshed_at >= KEY_REFRESH

    def _endpoint_address(self, document: Mapping[str, object], name: str) -> str:
        address = document.get(name)
        if not isinstance(address, str) or not _is_safe_address(address):
            raise LoginError(f"the provider names no usable `{name}`")
        return address


class OpenIdConnect:
    """Signs people in with a provider."""

    def __init__(
        self,
        settings: OidcSettings,
        authenticator: Authenticator,
        *,
        secret: bytes,
        callback: str,
        provider: Provider | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._authenticator = authenticator
        self._secret = secret
        self._callback = callback
        self._provider = provider or Provider(settings.issuer)
        self._clock = clock

    async def begin(self) -> SignInStart:
        """Begin a sign-in: where to redirect the browser."""
        state_values = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "verifier")}
        endpoints = await self._provider.endpoints()
        async with self._oauth_client(endpoints) as client:
            url, _ = client.create_authorization_url(
                endpoints.authorization,
                state_values["state"],
                state_values["verifier"],
                nonce=state_values["nonce"],
            )
        return SignInStart(
            url, sign(self._secret, SIGN_IN_COOKIE, state_values, until=self._clock() + SIGN_IN_SECONDS)
        )

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> NewCredential:
        """A session for the person who returns; `LoginError` for a sign-in that did not begin here."""
        source = f"address {address}"
        self._authenticator.throttle.check(source)
        try:
            state_values = self._open_state(state, cookie)
            person = await self._find_or_add_person(await self._fetch_claims(code, state_values))
            return await self._authenticator.new_session(person.id)
        except LoginError as error:
            self._authenticator.throttle.count_failure(source)
            _log.warning("a sign-in failed: %s", error)
            raise

    def _open_state(self, state: str, cookie: str) -> Mapping[str, str]:
        """The state that this browser got when its sign-in began."""
        state_values = verify(self._secret, SIGN_IN_COOKIE, cookie, at=self._clock())
        if state_values is None or not hmac.compare_digest(state_values["state"].encode(), state.encode()):
            raise LoginError("this sign-in did not begin in this browser, or has expired: sign in again")
        return state_values

    async def _fetch_claims(self, code: str, state_values: Mapping[str, str]) -> Mapping[str, object]:
        """The verified claims of the provider about a person."""
        if not code:
            raise LoginError("the provider refused the sign-in")
        endpoints = await self._provider.endpoints()
        try:
            async with self._oauth_client(endpoints) as client:
                document = await client.fetch_token(
                    endpoints.token, code=code, code_verifier=state_values["verifier"]
                )
        except (OAuthError, httpx2.HTTPError, ValueError, RecursionError) as error:
            raise LoginError(f"the provider gave no token ({type(error).__name__})") from error
        token = document.get("id_token")
        if not isinstance(token, str) or len(token) > _MAX_TOKEN:
            raise LoginError("the provider gave no ID token")
        return await self._verify(token, state_values["nonce"])

    async def _verify(self, token: str, nonce: str) -> Mapping[str, object]:
        key = await self._provider.key(_key_id(token))
        own = {"essential": True, "value": self._settings.client_id}
        issuer = {"essential": True, "value": self._settings.issuer}
        try:
            read = jwt.decode(token, key, algorithms=ALGORITHMS)
            claims = CodeIDToken(
                read.claims,
                read.header,
                {"iss": issuer, "aud": own, "exp": {"essential": True}, "sub": {"essential": True}},
                {"nonce": nonce, "client_id": self._settings.client_id},
            )
            claims.validate(int(self._clock()), _CLOCK_LEEWAY)
        except (JoseError, ValueError, TypeError, RecursionError) as error:
            raise LoginError(f"the provider's token is not valid ({type(error).__name__})") from error
        subject = _text_claim(claims, "sub")
        if not subject.isascii() or not subject.isprintable() or not 0 < len(subject) <= _MAX_SUBJECT:
            raise LoginError("the provider's token has no usable subject")
        return claims

    async def _find_or_add_person(self, claims: Mapping[str, object]) -> Person:
        identity = f"{self._settings.issuer}|{claims['sub']}"
        person = await self._authenticator.people.person_by_identity(identity)
        if person is None and not self._settings.add_people:
            raise LoginError(
                f"no person has the identity `{identity}`:"
                " an administrator creates one with `assent user create`"
            )
        if person is None:
            return await self._add_person(identity, claims)
        if person.disabled_at is not None:
            raise LoginError("your account is disabled: ask an administrator")
        await self._update_rights(person, claims)
        return person

    async def _add_person(self, identity: str, claims: Mapping[str, object]) -> Person:
        # INVARIANT: a name at the provider never gives a person the id of another person here.
        mark = hashlib.sha256(identity.encode()).hexdigest()[:12]
        start = re.sub(
            r"[^a-z0-9]+", "-", _text_claim(claims, "preferred_username").partition("@")[0].lower()
        )
        person = Person(
            id=f"{start.strip('-')[:32] or 'person'}-{mark}",
            name=_display_name(claims),
            identity=identity,
            administrator=self._is_administrator(claims) is True,
        )
        try:
            return await self._authenticator.people.add_person(_provider(identity), person)
        except (ConflictError, InputError) as error:
            raise LoginError("you could not be added: try again") from error

    async def _update_rights(self, person: Person, claims: Mapping[str, object]) -> None:
        """Groups of the provider set the right to administer at every sign-in."""
        administers = self._is_administrator(claims)
        if administers is None or administers == person.administrator:
            return
        try:
            provider = _provider(self._settings.issuer)
            await self._authenticator.people.set_administrator(provider, person.id, administrator=administers)
        except ConflictError as error:
            _log.warning("%s stays an administrator: %s", person.id, error)

    def _is_administrator(self, claims: Mapping[str, object]) -> bool | None:
        """Whether the groups of a person make them an administrator; None where no groups are configured."""
        if not self._settings.administrator_groups:
            return None
        document = claims.get(self._settings.groups_claim)
        groups = cast("list[object]", document) if isinstance(document, list) else []
        return any(group in groups for group in self._settings.administrator_groups)

    def _oauth_client(self, endpoints: Endpoints) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            self._settings.client_id,
            self._settings.client_secret or None,
            token_endpoint_auth_method=self._auth_method(endpoints),
            scope=" ".join(self._settings.scopes),
            redirect_uri=self._callback,
            code_challenge_method="S256",
            timeout=TIMEOUT,
            follow_redirects=False,
            verify=ssl_context(),
        )

    def _auth_method(self, endpoints: Endpoints) -> str:
        if not self._settings.client_secret:
            return "none"
        only_post = endpoints.methods and "client_secret_basic" not in endpoints.methods
        return "client_secret_post" if only_post else "client_secret_basic"


def sign(secret: bytes, purpose: str, value: Mapping[str, str], *, until: float) -> str:
    """A signed text with the value, valid until a moment; it is readable, not encrypted."""
    written = json.dumps({**value, "until": str(int(until))}).encode()
    # Without padding: `=` would need quotes in a cookie.
    body = base64.urlsafe_b64encode(written).decode().rstrip("=")
    return f"{body}.{_signature(secret, purpose, body)}"


def verify(secret: bytes, purpose: str, text: str, *, at: float) -> Mapping[str, str] | None:
    """The value of a text that was signed for this purpose and has not expired; None for any other text."""
    body, _, signature = text.partition(".")
    if not text.isascii() or not hmac.compare_digest(signature, _signature(secret, purpose, body)):
        return None
    try:
        value: dict[str, str] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError):
        return None
    return value if at < int(value.pop("until")) else None


@cache
def ssl_context() -> ssl.SSLContext:
    """The trusted certificates, read once: that takes longer than the rest of a sign-in."""
    return httpx2.create_ssl_context()


def _parse_keys(document: Mapping[str, object]) -> Mapping[str, PublicKey]:
    """The signing keys by id; symmetric, encryption and unreadable keys are left out."""
    found: dict[str, PublicKey] = {}
    listed = document.get("keys")
    for one in cast("list[object]", listed) if isinstance(listed, list) else []:
        key = _parse_key(cast("dict[str, object]", one)) if isinstance(one, dict) else None
        if key is not None and key.kid is not None:
            found[key.kid] = key
    return found


def _parse_key(document: Mapping[str, object]) -> PublicKey | None:
    if document.get("use", "sig") != "sig" or not isinstance(document.get("kid"), str):
        return None
    try:
        key = JWKRegistry.import_key(cast("dict[str, str | list[str]]", dict(document)))
    except (JoseError, ValueError, TypeError):
        return None
    return key if isinstance(key, RSAKey | ECKey | OKPKey) else None


async def _fetch_json(address: str) -> Mapping[str, object]:
    """A JSON object from the provider, without redirects, and limited in size and time."""
    if not _is_safe_address(address):
        raise LoginError(f"a provider must use https: `{address}`")
    try:
        async with (
            asyncio.timeout(TIMEOUT),
            httpx2.AsyncClient(timeout=TIMEOUT, verify=ssl_context()) as client,
            client.stream("GET", address) as response,
        ):
            response.raise_for_status()
            document: object = json.loads(await _read_body(response))
    except (httpx2.HTTPError, TimeoutError, ValueError, RecursionError) as error:
        raise LoginError(f"the provider is not available ({type(error).__name__})") from error
    if not isinstance(document, dict):
        raise LoginError("the provider's reply is not a JSON object")
    return cast("dict[str, object]", document)


async def _read_body(response: httpx2.Response) -> bytes:
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MAX_RESPONSE:
            raise ValueError("too large")
    return body


def _is_safe_address(address: str) -> bool:
    """Whether nobody on the network can reply in the provider's place."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _read_words(value: object) -> tuple[str, ...]:
    return tuple(map(str, cast("list[object]", value))) if isinstance(value, list) else ()


def _provider(name: str) -> Principal:
    """The provider as a principal: the operator's settings let it add people and administrators."""
    return Principal(id=name, kind=Kind.SERVICE, administrator=True)


def _key_id(token: str) -> str:
    """The id of the key in the token's header; it is not trusted before that key verifies the token."""
    start = token.partition(".")[0]
    try:
        header: object = json.loads(base64.urlsafe_b64decode(start + "=" * (-len(start) % 4)))
    except (ValueError, RecursionError):
        header = None
    found = cast("dict[str, object]", header).get("kid") if isinstance(header, dict) else None
    if not isinstance(found, str):
        raise LoginError("the provider's token does not name its key")
    return found


def _display_name(claims: Mapping[str, object]) -> str:
    name = _text_claim(claims, "name").strip()
    try:
        check_display_name("name of a person", name)
    except InputError:
        return ""
    return name


def _text_claim(claims: Mapping[str, object], name: str) -> str:
    claim = claims.get(name)
    return claim if isinstance(claim, str) else ""


def _signature(secret: bytes, purpose: str, body: str) -> str:
    return hmac.new(secret, f"sealed {purpose} {body}".encode(), hashlib.sha256).hexdigest()

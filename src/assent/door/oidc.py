"""Sign-in with an OpenID Connect provider: authorization code flow with PKCE, nonce and state."""

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
"""INVARIANT: only algorithms with public keys; with `none` or a shared secret, tokens can be forged."""
PROVIDER_TIMEOUT = 10.0
"""Timeout of requests to the provider, in seconds."""
KEY_REFRESH_SECONDS = 10.0
"""Minimum seconds between two refreshes of keys, so that forged tokens do not cause many requests."""
_CLOCK_LEEWAY = 60
_MAX_TOKEN_CHARACTERS = 20_000
_MAX_SUBJECT_CHARACTERS = 255
_MAX_RESPONSE_BYTES = 1_000_000
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
PublicKey = RSAKey | ECKey | OKPKey
_log = logging.getLogger("assent.door")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """The URLs of a provider, from its configuration document."""

    authorization: str
    token: str
    keys: str
    methods: tuple[str, ...]
    """Authentication methods that the token endpoint supports."""


class Provider:
    """A provider with cached endpoints and keys; an unknown key id refreshes the keys."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.issuer = issuer
        self._clock = clock
        self._endpoints: Endpoints | None = None
        self._keys_by_id: Mapping[str, PublicKey] = {}
        self._refreshed_at: float | None = None
        self._lock = asyncio.Lock()

    async def endpoints(self) -> Endpoints:
        """The endpoints that the provider publishes; raises `LoginError` for a different issuer."""
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
        """The public key with an id; an unknown id refreshes the keys, but not too often."""
        async with self._lock:
            if id not in self._keys_by_id and self._may_refresh():
                self._refreshed_at = self._clock()
                self._keys_by_id = _parse_keys(await _fetch_json((await self.endpoints()).keys))
        if id not in self._keys_by_id:
            raise LoginError("the provider's token is signed with an unknown key")
        return self._keys_by_id[id]

    def _may_refresh(self) -> bool:
        return self._refreshed_at is None or self._clock() - self._refreshed_at >= KEY_REFRESH_SECONDS

    def _endpoint_address(self, document: Mapping[str, object], name: str) -> str:
        address = document.get(name)
        if not isinstance(address, str) or not _is_safe_address(address):
            raise LoginError(f"the provider names no usable `{name}`")
        return address


class OpenIdConnect:
    """Signs people in with an OpenID Connect provider."""

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
        """Begin a sign-in; returns the URL to redirect the browser to."""
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
            url, sign_value(self._secret, SIGN_IN_COOKIE, state_values, until=self._clock() + SIGN_IN_SECONDS)
        )

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> NewCredential:
        """Complete a sign-in, create a session; raises `LoginError` if it did not begin in this browser."""
        source = f"address {address}"
        self._authenticator.throttle.check(source)
        try:
            state_values = self._verify_state(state, cookie)
            person = await self._find_or_add_person(await self._fetch_claims(code, state_values))
            return await self._authenticator.new_session(person.id)
        except LoginError as error:
            self._authenticator.throttle.count_failure(source)
            _log.warning("a sign-in failed: %s", error)
            raise

    def _verify_state(self, state: str, cookie: str) -> Mapping[str, str]:
        """Verify the state cookie; raises `LoginError` if the sign-in did not begin in this browser."""
        state_values = verify_value(self._secret, SIGN_IN_COOKIE, cookie, at=self._clock())
        if state_values is None or not hmac.compare_digest(state_values["state"].encode(), state.encode()):
            raise LoginError("this sign-in did not begin in this browser, or has expired: sign in again")
        return state_values

    async def _fetch_claims(self, code: str, state_values: Mapping[str, str]) -> Mapping[str, object]:
        """Exchange the code for an ID token, and return its verified claims."""
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
        if not isinstance(token, str) or len(token) > _MAX_TOKEN_CHARACTERS:
            raise LoginError("the provider gave no ID token")
        return await self._verify_id_token(token, state_values["nonce"])

    async def _verify_id_token(self, token: str, nonce: str) -> Mapping[str, object]:
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
        if (
            not subject.isascii()
            or not subject.isprintable()
            or not 0 < len(subject) <= _MAX_SUBJECT_CHARACTERS
        ):
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
        # INVARIANT: a new person never gets the id of an existing person, whatever the provider's name is.
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
            return await self._authenticator.people.add_person(_provider_principal(identity), person)
        except (ConflictError, InputError) as error:
            raise LoginError("you could not be added: try again") from error

    async def _update_rights(self, person: Person, claims: Mapping[str, object]) -> None:
        """Make the person an administrator or not, by the provider's groups, at every sign-in."""
        administers = self._is_administrator(claims)
        if administers is None or administers == person.administrator:
            return
        try:
            provider = _provider_principal(self._settings.issuer)
            await self._authenticator.people.set_administrator(provider, person.id, administrator=administers)
        except ConflictError as error:
            _log.warning("%s stays an administrator: %s", person.id, error)

    def _is_administrator(self, claims: Mapping[str, object]) -> bool | None:
        """Whether a person's groups make them an administrator; None if no groups are configured."""
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
            timeout=PROVIDER_TIMEOUT,
            follow_redirects=False,
            verify=ssl_context(),
        )

    def _auth_method(self, endpoints: Endpoints) -> str:
        if not self._settings.client_secret:
            return "none"
        only_post = endpoints.methods and "client_secret_basic" not in endpoints.methods
        return "client_secret_post" if only_post else "client_secret_basic"


def sign_value(secret: bytes, purpose: str, value: Mapping[str, str], *, until: float) -> str:
    """Sign a value with an expiry time; the text is signed, not encrypted."""
    written = json.dumps({**value, "until": str(int(until))}).encode()
    # Without padding, because `=` needs quotes in a cookie.
    body = base64.urlsafe_b64encode(written).decode().rstrip("=")
    return f"{body}.{_compute_signature(secret, purpose, body)}"


def verify_value(secret: bytes, purpose: str, text: str, *, at: float) -> Mapping[str, str] | None:
    """The signed value; None if the signature or purpose is wrong, or the text has expired."""
    body, _, signature = text.partition(".")
    if not text.isascii() or not hmac.compare_digest(signature, _compute_signature(secret, purpose, body)):
        return None
    try:
        value: dict[str, str] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError):
        return None
    return value if at < int(value.pop("until")) else None


@cache
def ssl_context() -> ssl.SSLContext:
    """The TLS context; cached, because loading the trusted certificates is slow."""
    return httpx2.create_ssl_context()


def _parse_keys(document: Mapping[str, object]) -> Mapping[str, PublicKey]:
    """The signing keys by id; symmetric, encryption and invalid keys are omitted."""
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
    """Fetch a JSON object from the provider; follows no redirects, and limits size and time."""
    if not _is_safe_address(address):
        raise LoginError(f"a provider must use https: `{address}`")
    try:
        async with (
            asyncio.timeout(PROVIDER_TIMEOUT),
            httpx2.AsyncClient(timeout=PROVIDER_TIMEOUT, verify=ssl_context()) as client,
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
        if len(body) > _MAX_RESPONSE_BYTES:
            raise ValueError("too large")
    return body


def _is_safe_address(address: str) -> bool:
    """Whether an address uses https or is on this machine, so that nobody can impersonate the provider."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _read_words(value: object) -> tuple[str, ...]:
    return tuple(map(str, cast("list[object]", value))) if isinstance(value, list) else ()


def _provider_principal(name: str) -> Principal:
    """The provider as a principal with the right to add people and administrators."""
    return Principal(id=name, kind=Kind.SERVICE, administrator=True)


def _key_id(token: str) -> str:
    """The key id in a token's header; not trusted until the key has verified the token."""
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


def _compute_signature(secret: bytes, purpose: str, body: str) -> str:
    return hmac.new(secret, f"sealed {purpose} {body}".encode(), hashlib.sha256).hexdigest()

"""Signing in with an OpenID Connect provider: the authorization code with PKCE, a nonce and a state."""

import base64
import binascii
import hashlib
import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping
from typing import cast

import httpx2
from authlib.integrations.httpx_client import AsyncOAuth2Client, OAuthError
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError

from assent.config.settings import OidcSettings
from assent.door.authentication import (
    SIGN_IN_COOKIE,
    SIGN_IN_SECONDS,
    Authenticator,
    NewCredential,
    SignInStart,
)
from assent.door.provider import TIMEOUT, Endpoints, Provider, ssl_context
from assent.errors import ConflictError, InputError, LoginError
from assent.gate.access import Kind, Principal
from assent.gate.people import Person, check_display_name

ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
)  # fmt: skip
"""INVARIANT: only what a public key verifies; with `none` or a shared secret anybody could sign."""
_LEEWAY = 60
_LONGEST = 20_000
_LONGEST_SUBJECT = 255
_log = logging.getLogger("assent.door")


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
        kept = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "verifier")}
        endpoints = await self._provider.endpoints()
        async with self._client(endpoints) as client:
            url, _ = client.create_authorization_url(
                endpoints.authorization, kept["state"], kept["verifier"], nonce=kept["nonce"]
            )
        return SignInStart(
            url, sign(self._secret, SIGN_IN_COOKIE, kept, until=self._clock() + SIGN_IN_SECONDS)
        )

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> NewCredential:
        """A session for the person who returns; `LoginError` for a sign-in that did not begin here."""
        source = f"address {address}"
        self._authenticator.throttle.check(source)
        try:
            kept = self._state_of(state, cookie)
            person = await self._person(await self._claims(code, kept))
            return await self._authenticator.new_session(person.id)
        except LoginError as error:
            self._authenticator.throttle.count_failure(source)
            _log.warning("a sign-in failed: %s", error)
            raise

    def _state_of(self, state: str, cookie: str) -> Mapping[str, str]:
        """The state that this browser got when its sign-in began."""
        kept = verify(self._secret, SIGN_IN_COOKIE, cookie, at=self._clock())
        if kept is None or not hmac.compare_digest(kept["state"].encode(), state.encode()):
            raise LoginError("this sign-in did not begin in this browser, or has expired: sign in again")
        return kept

    async def _claims(self, code: str, kept: Mapping[str, str]) -> Mapping[str, object]:
        """The verified claims of the provider about a person."""
        if not code:
            raise LoginError("the provider refused the sign-in")
        endpoints = await self._provider.endpoints()
        try:
            async with self._client(endpoints) as client:
                said = await client.fetch_token(endpoints.token, code=code, code_verifier=kept["verifier"])
        except (OAuthError, httpx2.HTTPError, ValueError, RecursionError) as error:
            raise LoginError(f"the provider gave no token ({type(error).__name__})") from error
        token = said.get("id_token")
        if not isinstance(token, str) or len(token) > _LONGEST:
            raise LoginError("the provider gave no ID token")
        return await self._verify(token, kept["nonce"])

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
            claims.validate(int(self._clock()), _LEEWAY)
        except (JoseError, ValueError, TypeError, RecursionError) as error:
            raise LoginError(f"the provider's token is not valid ({type(error).__name__})") from error
        subject = _text(claims, "sub")
        if not subject.isascii() or not subject.isprintable() or not 0 < len(subject) <= _LONGEST_SUBJECT:
            raise LoginError("the provider's token has no usable subject")
        return claims

    async def _person(self, claims: Mapping[str, object]) -> Person:
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
        start = re.sub(r"[^a-z0-9]+", "-", _text(claims, "preferred_username").partition("@")[0].lower())
        person = Person(
            id=f"{start.strip('-')[:32] or 'person'}-{mark}",
            name=_shown_name(claims),
            identity=identity,
            administrator=self._administers(claims) is True,
        )
        try:
            return await self._authenticator.people.add_person(_provider(identity), person)
        except (ConflictError, InputError) as error:
            raise LoginError("you could not be added: try again") from error

    async def _update_rights(self, person: Person, claims: Mapping[str, object]) -> None:
        """Groups of the provider set the right to administer at every sign-in."""
        administers = self._administers(claims)
        if administers is None or administers == person.administrator:
            return
        try:
            provider = _provider(self._settings.issuer)
            await self._authenticator.people.set_administrator(provider, person.id, administrator=administers)
        except ConflictError as error:
            _log.warning("%s stays an administrator: %s", person.id, error)

    def _administers(self, claims: Mapping[str, object]) -> bool | None:
        """Whether the groups of a person make them an administrator; None where no groups are configured."""
        if not self._settings.administrator_groups:
            return None
        said = claims.get(self._settings.groups_claim)
        groups = cast("list[object]", said) if isinstance(said, list) else []
        return any(group in groups for group in self._settings.administrator_groups)

    def _client(self, endpoints: Endpoints) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            self._settings.client_id,
            self._settings.client_secret or None,
            token_endpoint_auth_method=self._method(endpoints),
            scope=" ".join(self._settings.scopes),
            redirect_uri=self._callback,
            code_challenge_method="S256",
            timeout=TIMEOUT,
            follow_redirects=False,
            verify=ssl_context(),
        )

    def _method(self, endpoints: Endpoints) -> str:
        if not self._settings.client_secret:
            return "none"
        only_post = endpoints.methods and "client_secret_basic" not in endpoints.methods
        return "client_secret_post" if only_post else "client_secret_basic"


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


def _shown_name(claims: Mapping[str, object]) -> str:
    name = _text(claims, "name").strip()
    try:
        check_display_name("name of a person", name)
    except InputError:
        return ""
    return name


def _text(claims: Mapping[str, object], name: str) -> str:
    said = claims.get(name)
    return said if isinstance(said, str) else ""


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


def _signature(secret: bytes, purpose: str, body: str) -> str:
    return hmac.new(secret, f"sealed {purpose} {body}".encode(), hashlib.sha256).hexdigest()

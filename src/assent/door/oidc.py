"""Signing in with an OpenID Connect provider: the authorization code with PKCE, a nonce and a state."""

import base64
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
from assent.door.identity import Doorkeeper, Minted
from assent.door.provider import PATIENCE, Endpoints, Provider, trusted
from assent.door.sealed import opened, sealed
from assent.door.signin import COOKIE, LIFE, Started
from assent.errors import ConflictError, InputError, LoginError
from assent.gate.register import Person, check_name

ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
)  # fmt: skip
"""INVARIANT: only what a public key verifies; with `none` or a shared secret anybody could sign."""
_LEEWAY = 60
_LONGEST = 20_000
_LONGEST_SUBJECT = 255
_log = logging.getLogger("assent.door")


class OpenIdConnect:
    """Lets people in whom a provider vouches for, as the people they are here."""

    def __init__(
        self,
        settings: OidcSettings,
        keeper: Doorkeeper,
        *,
        secret: bytes,
        callback: str,
        provider: Provider | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._keeper = keeper
        self._secret = secret
        self._callback = callback
        self._provider = provider or Provider(settings.issuer)
        self._clock = clock

    async def begin(self) -> Started:
        """Send somebody to the provider."""
        kept = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "verifier")}
        endpoints = await self._provider.endpoints()
        async with self._client(endpoints) as client:
            url, _ = client.create_authorization_url(
                endpoints.authorization, kept["state"], kept["verifier"], nonce=kept["nonce"]
            )
        return Started(url, sealed(self._secret, COOKIE, kept, until=self._clock() + LIFE))

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> Minted:
        """A session for whoever comes back; `LoginError` for anybody who did not start here."""
        source = f"address {address}"
        self._keeper.throttle.check(source)
        try:
            kept = self._begun(state, cookie)
            person = await self._person(await self._claims(code, kept))
            return await self._keeper.new_session(person.id)
        except LoginError as error:
            self._keeper.throttle.failed(source)
            _log.warning("somebody could not sign in: %s", error)
            raise

    def _begun(self, state: str, cookie: str) -> Mapping[str, str]:
        """What this very browser was sent away with."""
        kept = opened(self._secret, COOKIE, cookie, at=self._clock())
        if kept is None or not hmac.compare_digest(kept["state"].encode(), state.encode()):
            raise LoginError("this sign-in was not begun here, or too long ago: begin again")
        return kept

    async def _claims(self, code: str, kept: Mapping[str, str]) -> Mapping[str, object]:
        """What the provider says of somebody, once it is sure that it says so, here and now."""
        if not code:
            raise LoginError("the provider did not let you in")
        endpoints = await self._provider.endpoints()
        try:
            async with self._client(endpoints) as client:
                said = await client.fetch_token(endpoints.token, code=code, code_verifier=kept["verifier"])
        except (OAuthError, httpx2.HTTPError, ValueError, RecursionError) as error:
            raise LoginError(f"the provider gave no token ({type(error).__name__})") from error
        token = said.get("id_token")
        if not isinstance(token, str) or len(token) > _LONGEST:
            raise LoginError("the provider gave no ID token")
        return await self._verified(token, kept["nonce"])

    async def _verified(self, token: str, nonce: str) -> Mapping[str, object]:
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
            raise LoginError(f"the provider's token cannot be believed ({type(error).__name__})") from error
        subject = _text(claims, "sub")
        if not subject.isascii() or not subject.isprintable() or not 0 < len(subject) <= _LONGEST_SUBJECT:
            raise LoginError("the provider's token does not say who somebody is")
        return claims

    async def _person(self, claims: Mapping[str, object]) -> Person:
        register = self._keeper.register
        identity = f"{self._settings.issuer}|{claims['sub']}"
        person = await register.person_by_identity(identity)
        if person is None and not self._settings.add_people:
            raise LoginError(
                f"nobody here signs in as `{identity}`: an administrator adds you with `assent user create`"
            )
        if person is None:
            return await self._added(identity, claims)
        if person.disabled_at is not None:
            raise LoginError("you are shut out here: ask an administrator")
        await self._settle_rights(person, claims)
        return person

    async def _added(self, identity: str, claims: Mapping[str, object]) -> Person:
        # INVARIANT: whatever they are called at the provider, they never get a name that is another's here.
        mark = hashlib.sha256(identity.encode()).hexdigest()[:12]
        start = re.sub(r"[^a-z0-9]+", "-", _text(claims, "preferred_username").partition("@")[0].lower())
        person = Person(
            id=f"{start.strip('-')[:32] or 'person'}-{mark}",
            name=_shown_name(claims),
            identity=identity,
            administrator=self._administers(claims) is True,
        )
        try:
            return await self._keeper.register.add_person(person, by=identity)
        except (ConflictError, InputError) as error:
            raise LoginError("you could not be added: try again") from error

    async def _settle_rights(self, person: Person, claims: Mapping[str, object]) -> None:
        """Where groups decide who administers, they decide at every sign-in."""
        administers = self._administers(claims)
        if administers is None or administers == person.administrator:
            return
        try:
            await self._keeper.register.set_administrator(
                person.id, administrator=administers, by=self._settings.issuer
            )
        except ConflictError as error:
            _log.warning("%s stays an administrator: %s", person.id, error)

    def _administers(self, claims: Mapping[str, object]) -> bool | None:
        """Whether somebody's groups make them an administrator; None where groups say nothing about it."""
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
            timeout=PATIENCE,
            follow_redirects=False,
            verify=trusted(),
        )

    def _method(self, endpoints: Endpoints) -> str:
        if not self._settings.client_secret:
            return "none"
        only_post = endpoints.methods and "client_secret_basic" not in endpoints.methods
        return "client_secret_post" if only_post else "client_secret_basic"


def _key_id(token: str) -> str:
    """Which key a token says it was signed with; what it says is believed only after that key agrees."""
    start = token.partition(".")[0]
    try:
        header: object = json.loads(base64.urlsafe_b64decode(start + "=" * (-len(start) % 4)))
    except (ValueError, RecursionError):
        header = None
    found = cast("dict[str, object]", header).get("kid") if isinstance(header, dict) else None
    if not isinstance(found, str):
        raise LoginError("the provider's token does not say which key it was signed with")
    return found


def _shown_name(claims: Mapping[str, object]) -> str:
    name = _text(claims, "name").strip()
    try:
        check_name("name of a person", name)
    except InputError:
        return ""
    return name


def _text(claims: Mapping[str, object], name: str) -> str:
    said = claims.get(name)
    return said if isinstance(said, str) else ""

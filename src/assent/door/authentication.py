"""Authentication: find the principal of a secret, create credentials, log in, limit failed attempts."""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from assent.door.credentials import SecretPrefix, digest_of, is_secret, new_secret, prefix_of, visible_start
from assent.errors import LoginError, StoreError, ThrottledError
from assent.gate.access import Kind, Principal
from assent.gate.ids import new_id
from assent.gate.page_tokens import PageScope, check_scope_origins, find_owner, read_scope, save_scope
from assent.gate.people import ActiveCredential, Credential, PeopleAdmin, PeopleStore, Purpose

LINK_LIFETIME = timedelta(minutes=15)
SESSION_LIFETIME = timedelta(days=30)
"""How long a session is valid after its last use."""
_EXTEND_AFTER = timedelta(hours=1)
"""Minimum time between two extensions of a session."""
SIGN_IN_COOKIE = "assent_signin"
SIGN_IN_SECONDS = 600
"""Seconds to complete a sign-in with a provider."""
MAX_FAILURES = 10
FAILURE_WINDOW = 60.0
"""Seconds in which `MAX_FAILURES` attempts may fail."""
_MAX_SOURCES = 10_000
"""Maximum number of sources that are remembered; the oldest are dropped first."""


class Throttle:
    """Limits failed attempts per source; each process counts separately."""

    def __init__(
        self,
        *,
        tries: int = MAX_FAILURES,
        window: float = FAILURE_WINDOW,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tries = tries
        self._window = window
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, *sources: str) -> None:
        """Raise `ThrottledError` if a source has too many recent failures."""
        wait = max((self._wait_seconds(source) for source in sources if source), default=0.0)
        if wait > 0:
            raise ThrottledError(math.ceil(wait))

    def count_failure(self, *sources: str) -> None:
        """Count a failed attempt for each of its sources."""
        for source in filter(None, sources):
            self._failures.setdefault(source, deque(maxlen=self._tries)).append(self._clock())
            self._failures.move_to_end(source)
        while len(self._failures) > _MAX_SOURCES:
            self._failures.popitem(last=False)

    def _wait_seconds(self, source: str) -> float:
        """Seconds until the source may try again."""
        failures = self._failures.get(source)
        if failures is None or len(failures) < self._tries:
            return 0.0
        return failures[0] + self._window - self._clock()


class NewCredential(NamedTuple):
    """A new credential with its secret, which is shown once and not stored."""

    secret: str
    credential: Credential


class Authenticator:
    """Authenticates secrets and creates new ones; no other part of the server handles secrets."""

    def __init__(self, store: PeopleStore, *, throttle: Throttle | None = None) -> None:
        self.people = PeopleAdmin(store)
        self.throttle = throttle or Throttle()

    async def principal_of(self, secret: str, purpose: Purpose = Purpose.TOKEN) -> Principal | None:
        """The principal of a secret, or None; the secret must have been created for this purpose."""
        known = await self.authenticate(secret, purpose)
        return None if known is None else known.principal

    async def authenticate(self, secret: str, purpose: Purpose = Purpose.TOKEN) -> ActiveCredential | None:
        """The principal and the credential of a secret, or None; extends a session."""
        # Looked up by digest, never compared character by character, whose timing would leak the secret.
        known = await self.people.credential(digest_of(secret)) if is_secret(secret) else None
        if known is None or known.credential.purpose is not purpose:
            return None
        if purpose is Purpose.SESSION and _is_extension_due(known.credential, known.at):
            # Requests that only read still work while the store accepts no writes.
            with suppress(StoreError):
                await self.people.extend_session(known.credential, lives_for=SESSION_LIFETIME)
        return known

    def count_failure(self, secret: str, *, address: str) -> None:
        """Count a failed attempt; raises `ThrottledError` after too many failures."""
        sources = _throttle_sources(secret, address)
        self.throttle.check(*sources)
        self.throttle.count_failure(*sources)

    # ---- people ---------------------------------------------------------------------------------

    async def new_link(self, person: str, *, by: Principal) -> NewCredential:
        """Create a log-in link for a person, valid once within 15 minutes."""
        return await self._create_credential(
            Purpose.LINK, Kind.PERSON, person, by=by, lives_for=LINK_LIFETIME
        )

    async def log_in(self, link: str, *, address: str) -> NewCredential:
        """Create a session from a log-in link; raises `LoginError` if the link is invalid."""
        sources = _throttle_sources(link, address)
        self.throttle.check(*sources)
        known = await self.people.use_link(digest_of(link)) if is_secret(link) else None
        if known is None:
            self.throttle.count_failure(*sources)
            raise LoginError("this link is unknown, used or expired: ask for a new one")
        return await self.new_session(known.credential.principal_id)

    async def new_session(self, person: str) -> NewCredential:
        """Create a session for an authenticated person."""
        return await self._create_credential(
            Purpose.SESSION, Kind.PERSON, person, by=Principal(id=person), lives_for=SESSION_LIFETIME
        )

    async def log_out(self, secret: str) -> None:
        """End the session of a browser; ignores a session that has ended."""
        known = await self.authenticate(secret, Purpose.SESSION)
        if known is not None:
            await self.people.revoke_credential(known.principal, Purpose.SESSION, known.credential.id)

    # ---- tokens ---------------------------------------------------------------------------------

    async def new_token(
        self,
        kind: Kind,
        name: str,
        *,
        by: Principal,
        on_behalf: str = "",
        label: str = "",
        lives_for: timedelta | None = None,
    ) -> NewCredential:
        """Create a token for a person, or for an agent or service that works for a person."""
        return await self._create_credential(
            Purpose.TOKEN, kind, name, by=by, on_behalf=on_behalf, label=label, lives_for=lives_for
        )

    async def new_page_token(
        self,
        scope: PageScope,
        *,
        by: Principal,
        label: str = "",
        lives_for: timedelta | None = None,
    ) -> NewCredential:
        """Create a token with which pages of some origins serve tools of one conversation of its owner."""
        checked = scope._replace(origins=check_scope_origins(scope.origins))
        owner = await find_owner(self.people.store, by, scope.conversation)
        wanted = Credential(
            id=new_id(),
            purpose=Purpose.PAGE,
            kind=Kind.PERSON,
            principal_id=owner,
            label=label or f"{scope.conversation[:8]}, {checked.origins[0]}"[:128],
            made_by=by.id,
        )
        # INVARIANT: a token without a scope allows nothing, so the scope is saved first.
        await save_scope(self.people.store, wanted.id, checked, by=by.id)
        secret = new_secret(SecretPrefix.PAGE)
        made = await self.people.add_credential(by, wanted, digest_of(secret), lives_for=lives_for)
        return NewCredential(secret, made)

    async def page_scope(self, credential: Credential) -> PageScope | None:
        """The scope of a page token; None if it allows nothing."""
        return await read_scope(self.people.store, credential.id)

    async def _create_credential(
        self,
        purpose: Purpose,
        kind: Kind,
        name: str,
        *,
        by: Principal,
        on_behalf: str = "",
        label: str = "",
        lives_for: timedelta | None,
    ) -> NewCredential:
        secret = new_secret(_secret_prefix(purpose, kind))
        wanted = Credential(
            id=new_id(),
            purpose=purpose,
            kind=kind,
            principal_id=name,
            on_behalf=on_behalf,
            label=label,
            made_by=by.id,
        )
        created = await self.people.add_credential(by, wanted, digest_of(secret), lives_for=lives_for)
        return NewCredential(secret, created)


class SignInStart(NamedTuple):
    """The URL to redirect the browser to, and the cookie with the state of the sign-in."""

    url: str
    cookie: str


class SignIn(Protocol):
    """Sign-in with an OpenID Connect provider; the implementation is imported only if configured."""

    async def begin(self) -> SignInStart:
        """Begin a sign-in; returns the URL to redirect the browser to."""
        ...

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> NewCredential:
        """Complete a sign-in, create a session; raises `LoginError` if it did not begin in this browser."""
        ...


def login_url(url: str, link: str) -> str:
    """The URL of a log-in link; the secret is in the fragment, which browsers never send to servers."""
    return f"{url.rstrip('/')}/login#{link}"


def _throttle_sources(secret: str, address: str) -> tuple[str, str]:
    """The sources of an attempt: the client's address, and the first characters of the secret."""
    return f"address {address}", f"secret {visible_start(secret)}" if is_secret(secret) else ""


def _secret_prefix(purpose: Purpose, kind: Kind) -> SecretPrefix:
    match purpose:
        case Purpose.TOKEN:
            return prefix_of(kind)
        case Purpose.SESSION:
            return SecretPrefix.SESSION
        case Purpose.LINK:
            return SecretPrefix.LINK
        case Purpose.PAGE:
            return SecretPrefix.PAGE


def _is_extension_due(session: Credential, at: datetime) -> bool:
    return session.expires_at is not None and session.expires_at - at < SESSION_LIFETIME - _EXTEND_AFTER

"""Authentication: the principal of a secret, new credentials, log-in, and the limit of failed attempts."""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from assent.door.credentials import Prefix, digest_of, is_secret, new_secret, prefix_of, visible_start
from assent.errors import LoginError, StoreError, ThrottledError
from assent.gate.access import Kind, Principal
from assent.gate.ids import new_id
from assent.gate.people import ActiveCredential, Credential, PeopleAdmin, PeopleStore, Purpose

LINK_LIFE = timedelta(minutes=15)
SESSION_LIFE = timedelta(days=30)
"""The life of a session after its last use."""
_EXTEND_AFTER = timedelta(hours=1)
"""A session is extended at most this often, not at every request."""
SIGN_IN_COOKIE = "assent_signin"
SIGN_IN_SECONDS = 600
"""The seconds in which a sign-in with a provider must be completed."""
MAX_FAILURES = 10
FAILURE_WINDOW = 60.0
"""The seconds in which that many attempts may fail."""
_MAX_SOURCES = 10_000
"""Sources of failures that are remembered; the oldest are forgotten first."""


class Throttle:
    """Limits failed attempts by source; each process counts by itself."""

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
        """Refuse sources with too many recent failures."""
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
    """Authenticates secrets and makes new ones; no other part of the server sees a secret."""

    def __init__(self, store: PeopleStore, *, throttle: Throttle | None = None) -> None:
        self.people = PeopleAdmin(store)
        self.throttle = throttle or Throttle()

    async def principal_of(self, secret: str, purpose: Purpose = Purpose.TOKEN) -> Principal | None:
        """The principal of a secret, or None; a link or a session is not accepted as a token."""
        known = await self.authenticate(secret, purpose)
        return None if known is None else known.principal

    async def authenticate(self, secret: str, purpose: Purpose = Purpose.TOKEN) -> ActiveCredential | None:
        """The principal and the credential of a secret, or None; the use of a session extends it."""
        # The digest is looked up and never compared by character: the time of a comparison would leak it.
        known = await self.people.credential(digest_of(secret)) if is_secret(secret) else None
        if known is None or known.credential.purpose is not purpose:
            return None
        if purpose is Purpose.SESSION and _is_extension_due(known.credential, known.at):
            # Reading stays possible while the store takes no writes.
            with suppress(StoreError):
                await self.people.extend_session(known.credential, lives_for=SESSION_LIFE)
        return known

    def count_failure(self, secret: str, *, address: str) -> None:
        """Count a secret that was not accepted; `ThrottledError` once there were too many."""
        sources = _throttle_sources(secret, address)
        self.throttle.check(*sources)
        self.throttle.count_failure(*sources)

    # ---- people ---------------------------------------------------------------------------------

    async def new_link(self, person: str, *, by: Principal) -> NewCredential:
        """A log-in link for a person, for one use within a quarter of an hour."""
        return await self._create(Purpose.LINK, Kind.PERSON, person, by=by, lives_for=LINK_LIFE)

    async def log_in(self, link: str, *, address: str) -> NewCredential:
        """A session for the person of a log-in link; `LoginError` if the link is not valid."""
        sources = _throttle_sources(link, address)
        self.throttle.check(*sources)
        known = await self.people.use_link(digest_of(link)) if is_secret(link) else None
        if known is None:
            self.throttle.count_failure(*sources)
            raise LoginError("this link is unknown, used or expired: ask for a new one")
        return await self.new_session(known.credential.principal_id)

    async def new_session(self, person: str) -> NewCredential:
        """A session for an authenticated person."""
        return await self._create(
            Purpose.SESSION, Kind.PERSON, person, by=Principal(id=person), lives_for=SESSION_LIFE
        )

    async def log_out(self, secret: str) -> None:
        """End the session of a browser; does nothing if it has ended."""
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
        """A token for a person, or for an agent or service that works for one."""
        return await self._create(
            Purpose.TOKEN, kind, name, by=by, on_behalf=on_behalf, label=label, lives_for=lives_for
        )

    async def _create(
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
        secret = new_secret(_prefix(purpose, kind))
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
    """Where a browser is redirected, and the cookie that it keeps until it returns."""

    url: str
    cookie: str


class SignIn(Protocol):
    """Signs people in with a provider; its implementation is loaded only where one is configured."""

    async def begin(self) -> SignInStart:
        """Begin a sign-in: where to redirect the browser."""
        ...

    async def finish(self, code: str, state: str, cookie: str, *, address: str) -> NewCredential:
        """A session for the person who returns; `LoginError` for a sign-in that did not begin here."""
        ...


def login_url(url: str, link: str) -> str:
    """The address of a log-in link; the part behind the `#` never reaches a server's log."""
    return f"{url.rstrip('/')}/login#{link}"


def _throttle_sources(secret: str, address: str) -> tuple[str, str]:
    """What failed attempts are counted by: the client's address, and the start of the secret."""
    return f"address {address}", f"secret {visible_start(secret)}" if is_secret(secret) else ""


def _prefix(purpose: Purpose, kind: Kind) -> Prefix:
    match purpose:
        case Purpose.TOKEN:
            return prefix_of(kind)
        case Purpose.SESSION:
            return Prefix.SESSION
        case Purpose.LINK:
            return Prefix.LINK


def _is_extension_due(session: Credential, at: datetime) -> bool:
    return session.expires_at is not None and session.expires_at - at < SESSION_LIFE - _EXTEND_AFTER

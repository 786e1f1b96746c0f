"""The doorkeeper: knows whose secret this is, hands out new ones, and lets people in and out."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from assent.door.secret import Prefix, digest_of, is_secret, new_secret, prefix_of, start_of
from assent.door.throttle import Throttle
from assent.errors import LoginError, StoreError
from assent.gate.access import Kind, Principal
from assent.gate.ids import new_id
from assent.gate.people import ActiveCredential, Credential, Purpose
from assent.gate.people_admin import PeopleAdmin, PeopleStore

LINK_LIFE = timedelta(minutes=15)
SESSION_LIFE = timedelta(days=30)
"""How long a session lives after it was last used."""
_STRIDE = timedelta(hours=1)
"""A session is extended when this much of its life is gone, not at every request."""


class Minted(NamedTuple):
    """A new credential, and its secret, which is shown now and never again."""

    secret: str
    credential: Credential


class Doorkeeper:
    """Who is there. Secrets come in and go out here; nothing behind it ever sees one."""

    def __init__(self, store: PeopleStore, *, throttle: Throttle | None = None) -> None:
        self.people = PeopleAdmin(store)
        self.throttle = throttle or Throttle()

    async def principal_of(self, secret: str, purpose: Purpose = Purpose.TOKEN) -> Principal | None:
        """Whoever proves themselves with this, or None; a link or a session is no token."""
        known = await self.known(secret, purpose)
        return None if known is None else known.principal

    async def known(self, secret: str, purpose: Purpose = Purpose.TOKEN) -> ActiveCredential | None:
        """The same with the credential; a session that is used lives on."""
        # A digest is looked up, never compared character by character: how long that takes tells nothing.
        known = await self.people.credential(digest_of(secret)) if is_secret(secret) else None
        if known is None or known.credential.purpose is not purpose:
            return None
        if purpose is Purpose.SESSION and _is_due(known.credential, known.at):
            # Whoever may look still may while nothing can be written.
            with suppress(StoreError):
                await self.people.extend_session(known.credential, lives_for=SESSION_LIFE)
        return known

    def refused(self, secret: str, *, address: str) -> None:
        """Count a secret that was nobody's; `ThrottledError` once there were too many."""
        sources = _sources(secret, address)
        self.throttle.check(*sources)
        self.throttle.failed(*sources)

    # ---- letting people in ----------------------------------------------------------------------

    async def new_link(self, person: str, *, by: Principal) -> Minted:
        """A log-in link for a person: for a quarter of an hour, for one use."""
        return await self._minted(Purpose.LINK, Kind.PERSON, person, by=by, lives_for=LINK_LIFE)

    async def log_in(self, link: str, *, address: str) -> Minted:
        """A session for whoever follows a link; `LoginError` if it is not one that can be followed."""
        sources = _sources(link, address)
        self.throttle.check(*sources)
        known = await self.people.use_link(digest_of(link)) if is_secret(link) else None
        if known is None:
            self.throttle.failed(*sources)
            raise LoginError("this link was used, has expired or never was one: ask for a new one")
        return await self.new_session(known.credential.principal_id)

    async def new_session(self, person: str) -> Minted:
        """A session for somebody who has proven who they are."""
        return await self._minted(
            Purpose.SESSION, Kind.PERSON, person, by=Principal(id=person), lives_for=SESSION_LIFE
        )

    async def log_out(self, secret: str) -> None:
        """End the session of a browser; one that is over already stays so."""
        known = await self.known(secret, Purpose.SESSION)
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
    ) -> Minted:
        """A token for a person, or for an agent or service that works for one."""
        return await self._minted(
            Purpose.TOKEN, kind, name, by=by, on_behalf=on_behalf, label=label, lives_for=lives_for
        )

    async def _minted(
        self,
        purpose: Purpose,
        kind: Kind,
        name: str,
        *,
        by: Principal,
        on_behalf: str = "",
        label: str = "",
        lives_for: timedelta | None,
    ) -> Minted:
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
        made = await self.people.add_credential(by, wanted, digest_of(secret), lives_for=lives_for)
        return Minted(secret, made)


def login_url(url: str, link: str) -> str:
    """Where a link is followed; what stands behind the `#` never reaches a server's log."""
    return f"{url.rstrip('/')}/login#{link}"


def _sources(secret: str, address: str) -> tuple[str, str]:
    """What failed tries are counted by: where they come from, and what they try."""
    return f"address {address}", f"secret {start_of(secret)}" if is_secret(secret) else ""


def _prefix(purpose: Purpose, kind: Kind) -> Prefix:
    match purpose:
        case Purpose.TOKEN:
            return prefix_of(kind)
        case Purpose.SESSION:
            return Prefix.SESSION
        case Purpose.LINK:
            return Prefix.LINK


def _is_due(session: Credential, at: datetime) -> bool:
    return session.expires_at is not None and session.expires_at - at < SESSION_LIFE - _STRIDE

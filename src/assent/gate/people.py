"""People, roles and credentials: the store that keeps them, and the changes of administrators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.errors import InputError, NotFoundError
from assent.gate.access import (
    Kind,
    Principal,
    Role,
    check_administrator,
    check_can_act_for,
    check_role_resource,
)
from assent.gate.audit import Entry
from assent.gate.changes import ChangeKind, authorize, change_entry
from assent.gate.page_tokens import PageTokenStore
from assent.gate.unknown_tools import UnknownToolStore

MAX_NAME_LENGTH = 128
MAX_IDENTITY_LENGTH = 1024
REPLY_RETENTION = timedelta(hours=24)
"""How long the reply to a request is kept, to be returned to repeated requests."""
REQUEST_TIMEOUT = timedelta(minutes=2)
"""The time after which another request with the same key may run, because the first process is gone."""


class Purpose(StrEnum):
    """The purpose of a credential; a credential of one purpose is never accepted for another."""

    TOKEN = "token"
    """A token that programs send in a header."""
    SESSION = "session"
    """A session that a browser sends in a cookie."""
    LINK = "link"
    """A link for one log-in."""
    PAGE = "page"
    """A token with which a web page declares and serves tools of one conversation, and does nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person; `owner` of a conversation or approval is the id of a person."""

    id: str
    name: str = ""
    identity: str | None = None
    """The identity at the sign-in provider: `ISSUER|SUBJECT`."""
    administrator: bool = False
    disabled_at: datetime | None = None
    added_at: datetime | None = None
    """The time by the store's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A token, session or link, without its secret, which only the holder has."""

    id: str
    purpose: Purpose
    kind: Kind
    principal_id: str
    on_behalf: str = ""
    """The person that an agent or a service works for."""
    label: str = ""
    made_by: str = ""
    made_at: datetime | None = None
    expires_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def user(self) -> str:
        """The person that the credential identifies or acts for; empty for a service without a user."""
        return self.principal_id if self.kind is Kind.PERSON else self.on_behalf


class ActiveCredential(NamedTuple):
    """A valid credential, with its person and the person's roles."""

    credential: Credential
    person: Person | None
    roles: Mapping[str, Role]
    at: datetime
    """The store's time."""

    @property
    def principal(self) -> Principal:
        """The principal of the credential; only a person has administrator rights and roles."""
        held = self.credential
        if held.kind is not Kind.PERSON or self.person is None:
            return Principal(id=held.principal_id, kind=held.kind, on_behalf=held.on_behalf)
        return Principal(id=self.person.id, administrator=self.person.administrator, roles=self.roles)


class StoredReply(NamedTuple):
    """The reply to a request, kept for repeated requests."""

    status: int
    body: str


class RequestLog(Protocol):
    """Remembers requests with an idempotency key and their replies."""

    async def begin_request(self, principal: str, key: str, request_digest: str) -> StoredReply | None:
        """Begin a request with a key; returns the stored reply if the request was answered before.

        Raises `ConflictError` for a different request with that key, and while the first request runs.
        """
        ...

    async def save_reply(self, principal: str, key: str, reply: StoredReply | None) -> None:
        """Save the reply to a request; None deletes the key, so that the request can be tried again."""
        ...


class IdentityStore(RequestLog, Protocol):
    """The part of a store that keeps people and credentials.

    Only `PeopleAdmin` calls the methods that change something; it checks rights and records the change.
    INVARIANT: an identity store never gets a secret, only its SHA-256 in hexadecimal digits.
    """

    async def add_person(self, person: Person, *, by: str) -> Person:
        """Add a person; `ConflictError` where the id or the identity exists already."""
        ...

    async def people(self) -> Sequence[Person]:
        """All people by id, including disabled ones."""
        ...

    async def person(self, id: str) -> Person | None:
        """The person with this id."""
        ...

    async def person_by_identity(self, identity: str) -> Person | None:
        """The person with an identity at a sign-in provider."""
        ...

    async def set_administrator(self, id: str, *, administrator: bool, by: str) -> None:
        """Grant or revoke administrator rights; the last administrator keeps them."""
        ...

    async def disable_person(self, id: str, *, by: str) -> None:
        """Disable a person and revoke all credentials of theirs and of their agents.

        Raises `NotFoundError`, and `ConflictError` for the last administrator.
        """
        ...

    async def enable_person(self, id: str, *, by: str) -> None:
        """Enable a person again; revoked credentials stay revoked. Raises `NotFoundError`."""
        ...

    async def set_role(self, person: str, subject: str, role: Role | None, *, by: str) -> None:
        """Set the role of a person for a conversation or an agent; None removes it."""
        ...

    async def roles(self, person: str) -> Mapping[str, Role]:
        """The roles of a person by resource."""
        ...

    async def add_credential(
        self, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Add a credential that expires after `lives_for`.

        Raises `NotFoundError` where its person is unknown or disabled.
        """
        ...

    async def credential(self, digest: str) -> ActiveCredential | None:
        """The credential whose secret has this digest, if it is valid at the store's time."""
        ...

    async def use_link(self, digest: str) -> ActiveCredential | None:
        """The credential of a log-in link, which can be used once; of several requests one succeeds."""
        ...

    async def extend_credential(self, id: str, *, lives_for: timedelta) -> None:
        """Make a valid credential expire `lives_for` from now."""
        ...

    async def revoke_credential(self, id: str, *, by: str) -> bool:
        """Revoke a credential; False where it was revoked already. Raises `NotFoundError`."""
        ...

    async def credentials(self, person: str | None = None) -> Sequence[Credential]:
        """The valid credentials, oldest first: all, or those of one person and their agents."""
        ...


def is_active(credential: Credential, person: Person | None, *, at: datetime) -> bool:
    """Whether a credential is valid; never for an unknown or disabled person."""
    if credential.ended_at is not None or (credential.expires_at is not None and at >= credential.expires_at):
        return False
    if not credential.user:
        return credential.kind is Kind.SERVICE
    return person is not None and person.id == credential.user and person.disabled_at is None


def check_person(person: Person) -> None:
    """Raise `InputError` for a misleading name, an id with spaces, or an invalid identity."""
    check_display_name("name of a person", person.id)
    if len(person.id.split()) > 1:
        one_word = "-".join(person.id.lower().split())
        raise InputError(
            f"the id `{person.id}` contains a space: choose one word, such as `{one_word}`,"
            " and set the full name separately"
        )
    if person.name:
        check_display_name("name of a person", person.name)
    identity = person.identity
    if identity is not None and not (0 < len(identity) <= MAX_IDENTITY_LENGTH and identity.isprintable()):
        raise InputError(f"an identity has 1 to {MAX_IDENTITY_LENGTH} visible characters")


def check_credential(credential: Credential) -> None:
    """Raise `InputError` for a credential without a name, or of an agent that acts for no user."""
    check_display_name(f"name of a {credential.kind}", credential.principal_id)
    if credential.label:
        check_display_name("label", credential.label)
    if credential.kind is Kind.AGENT and not credential.on_behalf:
        raise InputError("an agent works for a person: `on_behalf` is required")
    if credential.purpose is not Purpose.TOKEN and credential.kind is not Kind.PERSON:
        raise InputError(f"only a person can log in, not a principal of kind `{credential.kind}`")


def check_display_name(what: str, name: str) -> None:
    """Raise `InputError` for a name that is too long or contains invisible characters."""
    if not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable() or name != name.strip():
        raise InputError(
            f"invalid {what}: expected 1 to {MAX_NAME_LENGTH} visible characters without spaces at the ends"
        )


class PeopleStore(IdentityStore, UnknownToolStore, PageTokenStore, Protocol):
    """An identity store that also takes audit entries and settings of agents, as every store does."""


class PeopleAdmin:
    """Reads and changes the people of a store; needs no policy, so it works while policy files are broken."""

    def __init__(self, store: PeopleStore) -> None:
        self.requests: RequestLog = store
        """Remembers the replies to requests with an idempotency key."""
        self.store = store

    # ---- reading ----------------------------------------------------------------------------

    async def is_empty(self) -> bool:
        """Whether no person was added yet."""
        return not await self.store.people()

    async def people(self, principal: Principal) -> Sequence[Person]:
        """All people by id, including disabled ones."""
        check_administrator(principal)
        return await self.store.people()

    async def active_person(self, id: str) -> Person:
        """The person with this id; `NotFoundError` for an unknown or disabled person."""
        person = await self.store.person(id)
        if person is None or person.disabled_at is not None:
            raise NotFoundError("person", id)
        return person

    async def person_by_identity(self, identity: str) -> Person | None:
        """The person with an identity at a sign-in provider."""
        return await self.store.person_by_identity(identity)

    async def roles(self, principal: Principal, person: str) -> Mapping[str, Role]:
        """The roles of a person."""
        check_administrator(principal)
        return await self.store.roles(person)

    async def credential(self, digest: str) -> ActiveCredential | None:
        """The active credential whose secret has this digest."""
        return await self.store.credential(digest)

    async def credentials(
        self, principal: Principal, purpose: Purpose | None = None, *, person: str | None = None
    ) -> Sequence[Credential]:
        """The active credentials, oldest first: all for administrators, for others their own."""
        found = await self.store.credentials(person if principal.administrator else principal.user)
        return [one for one in found if purpose in (None, one.purpose)]

    # ---- changes ----------------------------------------------------------------------------

    async def add_person(self, principal: Principal, person: Person) -> Person:
        """Add a person; `ConflictError` where the id or the identity exists already."""
        change = authorize(self.store, principal, check_administrator)
        added = await change.write(self.store.add_person(person, by=principal.id))
        # The identity at a sign-in provider is not recorded.
        about = f"{added.id}, administrator" if added.administrator else added.id
        change.record(change_entry(principal.id, ChangeKind.PERSON_ADDED, about))
        return added

    async def set_administrator(self, principal: Principal, id: str, *, administrator: bool) -> None:
        """Grant or revoke administrator rights; the last administrator keeps them."""
        change = authorize(self.store, principal, check_administrator)
        what = ChangeKind.ADMINISTRATOR_MADE if administrator else ChangeKind.ADMINISTRATOR_ENDED
        entry = change_entry(principal.id, what, id)
        await change.write(
            self.store.set_administrator(id, administrator=administrator, by=principal.id), entry
        )

    async def disable_person(self, principal: Principal, id: str) -> Person:
        """Disable a person and revoke all credentials of theirs and of their agents."""
        change = authorize(self.store, principal, check_administrator)
        entry = change_entry(principal.id, ChangeKind.PERSON_DISABLED, id)
        await change.write(self.store.disable_person(id, by=principal.id), entry)
        return await self._find_person(id)

    async def enable_person(self, principal: Principal, id: str) -> None:
        """Enable a person again; revoked credentials stay revoked."""
        change = authorize(self.store, principal, check_administrator)
        entry = change_entry(principal.id, ChangeKind.PERSON_ENABLED, id)
        await change.write(self.store.enable_person(id, by=principal.id), entry)

    async def set_role(self, principal: Principal, person: str, resource: str, role: Role | None) -> None:
        """Set the role of a person for `agent:NAME` or `conversation:ID`; None revokes it."""
        change = authorize(self.store, principal, check_administrator)
        check_role_resource(resource)
        entry = _role_entry(person, resource, role, principal.id)
        await change.write(self.store.set_role(person, resource, role, by=principal.id), entry)

    async def add_credential(
        self, principal: Principal, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Add a credential for the principal, or as an administrator for another person."""
        owner = credential.user or credential.principal_id
        change = authorize(self.store, principal, lambda one: check_can_act_for(one, owner))
        made = await change.write(self.store.add_credential(credential, digest, lives_for=lives_for))
        change.record(_credential_entry(made, "made", made.made_by))
        return made

    async def revoke_credential(self, principal: Principal, purpose: Purpose | None, id: str) -> None:
        """Revoke a credential that the principal may see."""
        found = next((one for one in await self.credentials(principal, purpose) if one.id == id), None)
        if found is None:
            raise NotFoundError("credential" if purpose is None else purpose.value, id)
        change = authorize(self.store, principal)
        if await change.write(self.store.revoke_credential(id, by=principal.id)):
            change.record(_credential_entry(found, "ended", principal.id))

    async def use_link(self, digest: str) -> ActiveCredential | None:
        """Use a log-in link, which is then invalid; of several requests with the same link, one succeeds."""
        return await self.store.use_link(digest)

    async def extend_session(self, session: Credential, *, lives_for: timedelta) -> None:
        """Make an active session expire `lives_for` from now."""
        await self.store.extend_credential(session.id, lives_for=lives_for)

    async def _find_person(self, id: str) -> Person:
        person = await self.store.person(id)
        if person is None:
            raise NotFoundError("person", id)
        return person


_SHORT_ID_LENGTH = 8
"""The number of characters of a credential's id that the audit shows."""


def _role_entry(person: str, subject: str, role: Role | None, by: str) -> Entry:
    """The audit row of a role for an agent or a conversation; None is a revoked role."""
    kind, _, name = subject.partition(":")
    what = ChangeKind.ROLE_TAKEN if role is None else ChangeKind.ROLE_GIVEN
    about = f"{person}, {subject}" if role is None else f"{person}, {subject}: {role.value}"
    return change_entry(
        by,
        what,
        about,
        agent=name if kind == "agent" else "",
        conversation=name if kind == "conversation" else "",
    )


def _credential_entry(credential: Credential, change: str, by: str) -> Entry:
    """The audit row of a credential that was created or revoked."""
    what = ChangeKind(f"{credential.purpose.value}_{change}")
    kind = "" if credential.kind is Kind.PERSON else f"{credential.kind.value} "
    work = f" for {credential.on_behalf}" if credential.on_behalf else ""
    label = f", {credential.label}" if credential.label else ""
    about = f"{credential.id[:_SHORT_ID_LENGTH]}: {kind}{credential.principal_id}{work}{label}"
    agent = credential.principal_id if credential.kind is Kind.AGENT else ""
    return change_entry(by, what, about, agent=agent)

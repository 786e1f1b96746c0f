"""The register: the people who are known, their roles, and what anybody proves themselves with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.errors import InputError
from assent.gate.access import Kind, Principal, Role

LONGEST_NAME = 128
LONGEST_IDENTITY = 1024
REPLIES_KEPT = timedelta(hours=24)
"""How long the reply to a request is kept for whoever sends it again."""
WORK_TIME = timedelta(minutes=2)
"""How long a request may be at work before another with its key may take over: its process is gone."""


class Purpose(StrEnum):
    """What a credential is for; one kind never stands in for another."""

    TOKEN = "token"
    """For programs, in a header."""
    SESSION = "session"
    """For a browser, in a cookie."""
    LINK = "link"
    """For one log-in, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who may answer, by the name under which they own things."""

    id: str
    name: str = ""
    identity: str | None = None
    """Who they are to the provider they sign in with: its issuer and subject, joined."""
    administrator: bool = False
    disabled_at: datetime | None = None
    added_at: datetime | None = None
    """When they were added, by the store's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What somebody proves themselves with, but for the secret, which only they have."""

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
        """The person behind it, empty for a service that works for nobody."""
        return self.principal_id if self.kind is Kind.PERSON else self.on_behalf


class Known(NamedTuple):
    """A credential that holds now, the person behind it, and what that person is to others' things."""

    credential: Credential
    person: Person | None
    roles: Mapping[str, Role]
    at: datetime
    """The store's time."""

    @property
    def principal(self) -> Principal:
        """Whoever holds it; only a person brings rights of their own."""
        held = self.credential
        if held.kind is not Kind.PERSON or self.person is None:
            return Principal(id=held.principal_id, kind=held.kind, on_behalf=held.on_behalf)
        return Principal(id=self.person.id, administrator=self.person.administrator, roles=self.roles)


class Reply(NamedTuple):
    """What a request was told, kept for whoever sends it again."""

    status: int
    body: str


class Register(Protocol):
    """Keeps people and credentials; a store is also one of these, and fails closed in the same way.

    Whatever is changed of them, by whomever, is a row of the audit.

    INVARIANT: no secret is ever handed in, only the SHA-256 of one in hexadecimal digits.
    """

    async def add_person(self, person: Person, *, by: str) -> Person:
        """Add somebody; `ConflictError` where the id or the identity is somebody's already."""
        ...

    async def people(self) -> Sequence[Person]:
        """Everybody, in the order of their ids, those who are disabled included."""
        ...

    async def person(self, id: str) -> Person | None:
        """The person of an id."""
        ...

    async def person_by_identity(self, identity: str) -> Person | None:
        """The person who signs in so."""
        ...

    async def set_administrator(self, id: str, *, administrator: bool, by: str) -> None:
        """Make somebody an administrator, or no longer; the last one stays."""
        ...

    async def disable_person(self, id: str, *, by: str) -> None:
        """Shut somebody out, and whoever acts for them: every credential of theirs ends.

        Raises `NotFoundError`, and `ConflictError` for the last administrator.
        """
        ...

    async def enable_person(self, id: str, *, by: str) -> None:
        """Let somebody in again; what ended stays ended, so they need a new link. Raises `NotFoundError`."""
        ...

    async def set_role(self, person: str, subject: str, role: Role | None, *, by: str) -> None:
        """Say what somebody is to a conversation or an agent; nothing, with None."""
        ...

    async def roles(self, person: str) -> Mapping[str, Role]:
        """What somebody is to others' conversations and agents."""
        ...

    async def add_credential(
        self, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Keep a credential, from now until it has lived for so long.

        Raises `NotFoundError` where the person behind it is unknown or disabled.
        """
        ...

    async def credential(self, digest: str) -> Known | None:
        """What is known of a secret with this digest, if it holds at the store's own time."""
        ...

    async def use_link(self, digest: str) -> Known | None:
        """The same for a log-in link, which ends with it: of several who come, one is let in."""
        ...

    async def extend_credential(self, id: str, *, lives_for: timedelta) -> None:
        """Let a credential that still holds live for so long from now."""
        ...

    async def end_credential(self, id: str, *, by: str) -> None:
        """End a credential; ending it twice is ending it once. Raises `NotFoundError`."""
        ...

    async def credentials(self, person: str | None = None) -> Sequence[Credential]:
        """The credentials that hold, oldest first; those of one person and of whatever works for them."""
        ...

    async def replay(self, principal: str, key: str, request_digest: str) -> Reply | None:
        """Begin a request that carries a key; where it was answered before, that reply.

        Raises `ConflictError` for another request with that key, and while the first is at work.
        """
        ...

    async def settle(self, principal: str, key: str, reply: Reply | None) -> None:
        """Keep what the request was told; None forgets the key, so that it may be tried again."""
        ...


def holds(credential: Credential, person: Person | None, *, at: datetime) -> bool:
    """Whether a credential counts at this moment; nobody's does who is unknown or disabled."""
    if credential.ended_at is not None or (credential.expires_at is not None and at >= credential.expires_at):
        return False
    if not credential.user:
        return credential.kind is Kind.SERVICE
    return person is not None and person.id == credential.user and person.disabled_at is None


def check_person(person: Person) -> None:
    """Refuse names that could pass for something else where they are shown, and ids in several words."""
    check_name("name of a person", person.id)
    if len(person.id.split()) > 1:
        one_word = "-".join(person.id.lower().split())
        raise InputError(
            f"the id `{person.id}` has a blank in it: choose one word, such as `{one_word}`,"
            " and give the rest as the name"
        )
    if person.name:
        check_name("name of a person", person.name)
    identity = person.identity
    if identity is not None and not (0 < len(identity) <= LONGEST_IDENTITY and identity.isprintable()):
        raise InputError(f"an identity has 1 to {LONGEST_IDENTITY} visible characters")


def check_credential(credential: Credential) -> None:
    """Refuse a credential that would stand for nobody, or for an agent that works for nobody."""
    check_name(f"name of a {credential.kind}", credential.principal_id)
    if credential.label:
        check_name("label", credential.label)
    if credential.kind is Kind.AGENT and not credential.on_behalf:
        raise InputError("an agent works for a person: say for whom")
    if credential.purpose is not Purpose.TOKEN and credential.kind is not Kind.PERSON:
        raise InputError(f"only a person logs in, not a {credential.kind}")


def check_name(what: str, name: str) -> None:
    """A name is short, and every character of it is seen."""
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InputError(
            f"this is no {what}: expected 1 to {LONGEST_NAME} visible characters, no blank at either end"
        )

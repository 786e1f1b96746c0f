"""The register in an SQL database: the part of a store that knows people and credentials."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Protocol, TypeVar, cast

from sqlalchemy import Connection

from assent.gate.access import Role
from assent.gate.audit import Entry
from assent.gate.people import ActiveCredential, Credential, Person, Reply, check_credential, check_person
from assent.gate.store import Moment
from assent.stores import credentials, people, replies
from assent.stores.batch import Edit, Piece
from assent.stores.clock import Clock
from assent.stores.policy import Edited

T = TypeVar("T")


class Keeping(Protocol):
    """What a register wants of a database."""

    def put(self, piece: Piece) -> Awaitable[object]:
        """Queue a piece of work; what comes of it, once it is committed."""
        ...

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read."""
        ...

    async def look(self, work: Callable[[Connection], T]) -> T:
        """Run a read of a few rows by their keys."""
        ...


class SqlRegister:
    """Keeps people and credentials in tables; see `gate.people.Register` for what each method promises."""

    def __init__(self, keeping: Keeping, clock: Clock | None) -> None:
        self._keeping = keeping
        self._register_clock = clock

    # ---- people ---------------------------------------------------------------------------------

    async def add_person(self, person: Person, *, by: str) -> Person:
        """Add somebody."""
        check_person(person)
        return cast("Person", await self._enter(partial(people.added, person=person, by=by)))

    async def people(self) -> Sequence[Person]:
        """Everybody, in the order of their ids."""
        return await self._keeping.read(people.everybody)

    async def person(self, id: str) -> Person | None:
        """The person of an id."""
        return await self._keeping.look(partial(people.person_by, id_=id))

    async def person_by_identity(self, identity: str) -> Person | None:
        """The person who signs in so."""
        return await self._keeping.look(partial(people.person_known_as, identity=identity))

    async def set_administrator(self, id: str, *, administrator: bool, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Make somebody an administrator, or no longer."""
        await self._enter(partial(people.made_administrator, id_=id, administrator=administrator))

    async def disable_person(self, id: str, *, by: str) -> None:
        """Shut somebody out, and whoever acts for them."""
        await self._enter(partial(people.disabled, id_=id, by=by))

    async def enable_person(self, id: str, *, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Let somebody in again."""
        await self._enter(partial(people.enabled, id_=id))

    async def set_role(self, person: str, subject: str, role: Role | None, *, by: str) -> None:
        """Say what somebody is to a conversation or an agent."""
        await self._enter(partial(people.given_role, person=person, subject=subject, role=role, by=by))

    async def roles(self, person: str) -> Mapping[str, Role]:
        """What somebody is to others' conversations and agents."""
        return await self._keeping.look(partial(people.roles_of, person=person))

    # ---- credentials ----------------------------------------------------------------------------

    async def add_credential(
        self, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Keep a credential, from now until it has lived for so long."""
        check_credential(credential)
        add = partial(credentials.added, credential=credential, digest=digest, lives_for=lives_for)
        return cast("Credential", await self._enter(add))

    async def credential(self, digest: str) -> ActiveCredential | None:
        """What is known of a secret with this digest, if it holds now."""
        known = partial(credentials.known_by, digest=digest, clock=self._register_clock)
        return await self._keeping.look(known)

    async def use_link(self, digest: str) -> ActiveCredential | None:
        """The same for a log-in link, which ends with it."""
        return cast("ActiveCredential | None", await self._enter(partial(credentials.used, digest=digest)))

    async def extend_credential(self, id: str, *, lives_for: timedelta) -> None:
        """Let a credential that still holds live for so long from now."""
        await self._enter(partial(credentials.extended, id_=id, lives_for=lives_for))

    async def revoke_credential(self, id: str, *, by: str) -> bool:
        """End a credential."""
        return isinstance(await self._enter(partial(credentials.ended, id_=id, by=by)), Credential)

    async def credentials(self, person: str | None = None) -> Sequence[Credential]:
        """The credentials that hold, oldest first."""
        living = partial(credentials.living, person=person, clock=self._register_clock)
        return await self._keeping.read(living)

    # ---- requests that come again ---------------------------------------------------------------

    async def begin_request(self, principal: str, key: str, request_digest: str) -> Reply | None:
        """Begin a request that carries a key, or find what it was told."""
        begin = partial(replies.begun, principal=principal, key=key, request_digest=request_digest)
        return cast("Reply | None", await self._enter(begin))

    async def save_reply(self, principal: str, key: str, reply: Reply | None) -> None:
        """Keep what the request was told, or forget its key."""
        await self._enter(partial(replies.settled, principal=principal, key=key, reply=reply))

    async def _enter(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._keeping.put(Edit(edit))

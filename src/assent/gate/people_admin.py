"""People administration: people, roles and credentials, read and changed with the caller's rights."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from assent.errors import NotFoundError
from assent.gate.access import Principal, Role, check_administrator, check_can_act_for, check_role_resource
from assent.gate.changes import (
    ChangeKind,
    Recorder,
    administrator_entry,
    authorize,
    change_entry,
    credential_created_entry,
    credential_revoked_entry,
    person_added_entry,
    role_entry,
)
from assent.gate.people import ActiveCredential, Credential, Person, Purpose, Register, RequestLog


class PeopleStore(Register, Recorder, Protocol):
    """A register that also takes audit entries, as every store does."""


class PeopleAdmin:
    """The people of one store; it needs no policy, so that it works while policy files are broken."""

    def __init__(self, store: PeopleStore) -> None:
        self.requests: RequestLog = store
        """Remembers the replies to requests with an idempotency key."""
        self.store = store

    # ---- reading ----------------------------------------------------------------------------

    async def is_empty(self) -> bool:
        """Whether nobody was added yet."""
        return not await self.store.people()

    async def people(self, principal: Principal) -> Sequence[Person]:
        """All people by id, including disabled ones."""
        check_administrator(principal)
        return await self.store.people()

    async def active_person(self, id: str) -> Person:
        """The person with an id; `NotFoundError` for an unknown or disabled one."""
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
        change.record(person_added_entry(added, principal.id))
        return added

    async def set_administrator(self, principal: Principal, id: str, *, administrator: bool) -> None:
        """Make a person an administrator, or end that; the last administrator stays."""
        change = authorize(self.store, principal, check_administrator)
        entry = administrator_entry(id, principal.id, administrator=administrator)
        await change.write(
            self.store.set_administrator(id, administrator=administrator, by=principal.id), entry
        )

    async def disable_person(self, principal: Principal, id: str) -> Person:
        """Disable a person and revoke all credentials of theirs and of their agents."""
        change = authorize(self.store, principal, check_administrator)
        entry = change_entry(principal.id, ChangeKind.PERSON_DISABLED, id)
        await change.write(self.store.disable_person(id, by=principal.id), entry)
        return await self._person(id)

    async def enable_person(self, principal: Principal, id: str) -> None:
        """Enable a person again; revoked credentials stay revoked."""
        change = authorize(self.store, principal, check_administrator)
        entry = change_entry(principal.id, ChangeKind.PERSON_ENABLED, id)
        await change.write(self.store.enable_person(id, by=principal.id), entry)

    async def set_role(self, principal: Principal, person: str, resource: str, role: Role | None) -> None:
        """Set the role of a person for `agent:NAME` or `conversation:ID`; None revokes it."""
        change = authorize(self.store, principal, check_administrator)
        check_role_resource(resource)
        entry = role_entry(person, resource, role, principal.id)
        await change.write(self.store.set_role(person, resource, role, by=principal.id), entry)

    async def add_credential(
        self, principal: Principal, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Add a credential for the principal, or as an administrator for somebody else."""
        owner = credential.user or credential.principal_id
        change = authorize(self.store, principal, lambda one: check_can_act_for(one, owner))
        made = await change.write(self.store.add_credential(credential, digest, lives_for=lives_for))
        change.record(credential_created_entry(made))
        return made

    async def revoke_credential(self, principal: Principal, purpose: Purpose | None, id: str) -> None:
        """Revoke a credential that the principal may see."""
        found = next((one for one in await self.credentials(principal, purpose) if one.id == id), None)
        if found is None:
            raise NotFoundError("credential" if purpose is None else purpose.value, id)
        change = authorize(self.store, principal)
        if await change.write(self.store.revoke_credential(id, by=principal.id)):
            change.record(credential_revoked_entry(found, principal.id))

    async def use_link(self, digest: str) -> ActiveCredential | None:
        """Use up a log-in link; of several requests with the same link, one succeeds."""
        return await self.store.use_link(digest)

    async def extend_session(self, session: Credential, *, lives_for: timedelta) -> None:
        """Extend a session that is in use."""
        await self.store.extend_credential(session.id, lives_for=lives_for)

    async def _person(self, id: str) -> Person:
        person = await self.store.person(id)
        if person is None:
            raise NotFoundError("person", id)
        return person

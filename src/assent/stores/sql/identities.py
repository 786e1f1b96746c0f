"""The people, credentials, idempotent requests and workspaces of an SQL store."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, cast

from sqlalchemy import bindparam, delete, select, update

from assent.errors import ConflictError
from assent.gate.access import Role
from assent.gate.audit import Entry
from assent.gate.people import (
    REPLY_RETENTION,
    REQUEST_TIMEOUT,
    ActiveCredential,
    Credential,
    Person,
    StoredReply,
    check_credential,
    check_person,
)
from assent.gate.policy import Moment
from assent.gate.workspaces import WORKSPACES_CHANGED_MESSAGE, RegisteredWorkspace
from assent.stores.sql import people
from assent.stores.sql.batch import Database, EditTables
from assent.stores.sql.policy import WORKSPACE_COLUMNS, workspace_from_row
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Clock, Connection, Statement, span_to_micros, to_micros, upsert_rows
from assent.stores.sql.tables import policy, replies, workspaces


class SqlPeople:
    """Implements `gate.people.IdentityStore` with SQL tables."""

    def __init__(self, database: Database, clock: Clock | None) -> None:
        self._people_database = database
        self._register_clock = clock

    # ---- people ---------------------------------------------------------------------------------

    async def add_person(self, person: Person, *, by: str) -> Person:
        """Add a person."""
        check_person(person)
        return cast("Person", await self._run_people_edit(partial(people.add_person, person=person, by=by)))

    async def people(self) -> Sequence[Person]:
        """Every person, ordered by id."""
        return await self._people_database.read(people.read_people)

    async def person(self, id: str) -> Person | None:
        """The person with this id."""
        return await self._people_database.read_quickly(partial(people.read_person, id_=id))

    async def person_by_identity(self, identity: str) -> Person | None:
        """The person with this identity at the sign-in provider."""
        return await self._people_database.read_quickly(
            partial(people.read_person_by_identity, identity=identity)
        )

    async def set_administrator(self, id: str, *, administrator: bool, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Give or revoke administrator rights."""
        await self._run_people_edit(partial(people.set_administrator, id_=id, administrator=administrator))

    async def disable_person(self, id: str, *, by: str) -> None:
        """Disable a person, and revoke the credentials of the person and of their agents."""
        await self._run_people_edit(partial(people.disable_person, id_=id, by=by))

    async def enable_person(self, id: str, *, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Enable a person again."""
        await self._run_people_edit(partial(people.enable_person, id_=id))

    async def set_role(self, person: str, subject: str, role: Role | None, *, by: str) -> None:
        """Set or remove a person's role for a conversation or an agent."""
        await self._run_people_edit(
            partial(people.set_role, person=person, subject=subject, role=role, by=by)
        )

    async def roles(self, person: str) -> Mapping[str, Role]:
        """The roles of a person, by conversation and agent."""
        return await self._people_database.read_quickly(partial(people.read_roles, person=person))

    # ---- credentials ----------------------------------------------------------------------------

    async def add_credential(
        self, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Store a credential that is valid from now on for `lives_for`."""
        check_credential(credential)
        add = partial(people.add_credential, credential=credential, digest=digest, lives_for=lives_for)
        return cast("Credential", await self._run_people_edit(add))

    async def credential(self, digest: str) -> ActiveCredential | None:
        """The credential with this digest and its person, if it is valid now."""
        known = partial(people.read_active_credential, digest=digest, clock=self._register_clock)
        return await self._people_database.read_quickly(known)

    async def use_link(self, digest: str) -> ActiveCredential | None:
        """The credential of a log-in link, which is valid only once."""
        return cast(
            "ActiveCredential | None", await self._run_people_edit(partial(people.use_link, digest=digest))
        )

    async def extend_credential(self, id: str, *, lives_for: timedelta) -> None:
        """Make a valid credential expire `lives_for` from now."""
        await self._run_people_edit(partial(people.extend_credential, id_=id, lives_for=lives_for))

    async def revoke_credential(self, id: str, *, by: str) -> bool:
        """Revoke a credential; returns whether it was active."""
        return isinstance(
            await self._run_people_edit(partial(people.end_credential, id_=id, by=by)), Credential
        )

    async def credentials(self, person: str | None = None) -> Sequence[Credential]:
        """The valid credentials, oldest first."""
        valid = partial(people.read_credentials, person=person, clock=self._register_clock)
        return await self._people_database.read(valid)

    # ---- repeated requests --------------------------------------------------------------------------

    async def begin_request(self, principal: str, key: str, request_digest: str) -> StoredReply | None:
        """Begin a request with an idempotency key, or return its stored reply."""
        begin = partial(begin_request, principal=principal, key=key, request_digest=request_digest)
        return cast("StoredReply | None", await self._run_people_edit(begin))

    async def save_reply(self, principal: str, key: str, reply: StoredReply | None) -> None:
        """Store the reply of a request, or delete its key."""
        await self._run_people_edit(partial(save_reply_edit, principal=principal, key=key, reply=reply))

    async def _run_people_edit(self, edit: Callable[[Connection, Moment], EditResult]) -> object:
        return await self._people_database.put(EditTables(edit))


def begin_request(
    connection: Connection, moment: Moment, principal: str, key: str, request_digest: str
) -> EditResult:
    """Reserve an idempotency key, or return the stored reply; of concurrent requests one gets the key."""
    now = to_micros(moment.at)
    _DELETE_OLD_REPLIES.run(connection, principal=principal, before=now - span_to_micros(REPLY_RETENTION))
    row = {"principal_id": principal, "key": key, "request_digest": request_digest, "began_at": now}
    if _RESERVE_KEY.run(connection, **row, status=None, body=None):
        return EditResult()
    ((digest, status, body),) = _FIND_REPLY.fetch(connection, principal=principal, key=key)
    if digest != request_digest:
        raise ConflictError(f"the key `{key}` belongs to another request: use a new one")
    if status is not None:
        return EditResult(StoredReply(status, body))
    left = _TAKE_OVER_KEY.run(
        connection, principal=principal, key=key, before=now - span_to_micros(REQUEST_TIMEOUT), now=now
    )
    if not left:
        raise ConflictError(f"the request with the key `{key}` is still running: try again in a moment")
    return EditResult()


def save_reply_edit(
    connection: Connection,
    moment: Moment,  # noqa: ARG001 - every edit has this shape
    principal: str,
    key: str,
    reply: StoredReply | None,
) -> EditResult:
    """Store the reply of a request, or delete its key."""
    if reply is None:
        _DELETE_KEY.run(connection, principal=principal, key=key)
    else:
        _SAVE_REPLY.run(connection, principal=principal, key=key, said=reply.status, text=reply.body)
    return EditResult()


_IS_REQUEST = (replies.c.principal_id == bindparam("principal"), replies.c.key == bindparam("key"))
_DELETE_OLD_REPLIES = Statement(
    delete(replies).where(
        replies.c.principal_id == bindparam("principal"), replies.c.began_at < bindparam("before")
    )
)
_RESERVE_KEY = upsert_rows(replies, "principal_id", "key", keep=True)
_FIND_REPLY = Statement(
    select(replies.c.request_digest, replies.c.status, replies.c.body).where(*_IS_REQUEST)
)
_TAKE_OVER_KEY = Statement(
    update(replies)
    .where(*_IS_REQUEST, replies.c.status.is_(None), replies.c.began_at < bindparam("before"))
    .values(began_at=bindparam("now"))
)
_DELETE_KEY = Statement(delete(replies).where(*_IS_REQUEST, replies.c.status.is_(None)))
_SAVE_REPLY = Statement(
    update(replies)
    .where(*_IS_REQUEST, replies.c.status.is_(None))
    .values(status=bindparam("said"), body=bindparam("text"))
)


class SqlWorkspaces:
    """The methods of `gate.store.Store` about workspaces, with SQL tables."""

    def __init__(self, database: Database) -> None:
        self._workspace_database = database

    async def workspaces(self) -> Sequence[RegisteredWorkspace]:
        """All registered workspaces, by agent and root."""
        return await self._workspace_database.read(read_workspaces)

    async def set_workspaces(
        self,
        agent: str,
        workspaces: Sequence[RegisteredWorkspace],
        *,
        known: frozenset[str],
        entries: Sequence[Entry],
    ) -> None:
        """Replace the workspaces of an agent, and write the audit entries, in one commit."""
        edit = partial(
            replace_workspaces, agent=agent, wanted=tuple(workspaces), known=known, entries=tuple(entries)
        )
        await self._workspace_database.put(EditTables(edit))


def read_workspaces(connection: Connection) -> Sequence[RegisteredWorkspace]:
    """All registered workspaces, by agent and root."""
    return tuple(map(workspace_from_row, _WORKSPACES.fetch(connection)))


def replace_workspaces(
    connection: Connection,
    moment: Moment,
    agent: str,
    wanted: Sequence[RegisteredWorkspace],
    known: frozenset[str],
    entries: tuple[Entry, ...],
) -> EditResult:
    """Replace the workspaces of an agent; a retry after an unknown outcome finds it done."""
    # Two processes must not both find the ids that they know.
    _LOCK_POLICY.fetch(connection)
    held = frozenset(str(id_) for (id_,) in _IDS_OF_AGENT.fetch(connection, agent=agent))
    if held == frozenset(one.id for one in wanted):
        return EditResult()
    if held != known:
        raise ConflictError(WORKSPACES_CHANGED_MESSAGE)
    _DELETE_OF_AGENT.run(connection, agent=agent)
    _ADD_WORKSPACES.run_many(connection, [_to_row(one, moment.at) for one in wanted])
    return EditResult(policy=True, entries=entries)


def _to_row(workspace: RegisteredWorkspace, at: datetime) -> dict[str, Any]:
    return {
        "agent_id": workspace.agent,
        "root": workspace.root,
        "id": workspace.id,
        "added_by": workspace.by,
        "remote": workspace.remote,
        "added_at": to_micros(workspace.at or at),
    }


_LOCK_POLICY = Statement(select(policy.c.version).with_for_update())
_WORKSPACES = Statement(select(*WORKSPACE_COLUMNS).order_by(workspaces.c.agent_id, workspaces.c.root))
_IDS_OF_AGENT = Statement(select(workspaces.c.id).where(workspaces.c.agent_id == bindparam("agent")))
_DELETE_OF_AGENT = Statement(delete(workspaces).where(workspaces.c.agent_id == bindparam("agent")))
_ADD_WORKSPACES = upsert_rows(workspaces, "agent_id", "root")

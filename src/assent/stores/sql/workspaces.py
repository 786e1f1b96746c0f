"""The workspaces of an SQL store: their rows, and how they are replaced."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import bindparam, delete, select

from assent.errors import ConflictError
from assent.gate.audit import Entry
from assent.gate.policy import Moment
from assent.gate.workspaces import WORKSPACES_CHANGED_MESSAGE, RegisteredWorkspace
from assent.stores.sql.batch import Database, EditTables
from assent.stores.sql.policy import WORKSPACE_COLUMNS, workspace_from_row
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection, Statement, to_micros, upsert_rows
from assent.stores.sql.tables import policy, workspaces


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

"""Which agents were heard of, and which tools each of them called."""

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, literal_column, or_, select, union

from assent.engine.verdict import Verdict
from assent.gate.ports import Called
from assent.stores.audit_rows import said, storable
from assent.stores.statements import Statement
from assent.stores.tables import approvals, audit, audit_outbox

_ABSENT = Verdict.ABSENT.word


def callers_of(connection: Connection, owner: str | None) -> frozenset[Called]:
    """The agents of an owner, or all; what is absent may be a name that its agent made up, and is none."""
    decided = _DECIDED.all(connection, owner=None if owner is None else storable(owner))
    asked = _ASKED.all(connection, owner=owner)
    found = {
        Called(said(agent), "" if verdict == _ABSENT else said(tool)) for agent, tool, verdict in decided
    }
    return frozenset(found | {Called(agent, tool) for agent, tool in asked})


def _is_of_owner(column: ColumnElement[str]) -> ColumnElement[bool]:
    owner = bindparam("owner", type_=column.type)
    return or_(owner.is_(None), column == owner)


def _decided(table: Table) -> Select[tuple[str, str, str]]:
    c = table.c
    rows = select(c.agent_id, c.tool_name, c.verdict)
    return rows.where(c.verdict != literal_column("''"), _is_of_owner(c.user_id)).distinct()


# What waits to be moved to the audit was decided, too.
_DECIDED = Statement(union(_decided(audit), _decided(audit_outbox)))
# The audit may have been archived; questions stay.
_ASKED = Statement(
    select(approvals.c.agent_id, approvals.c.tool_name).where(_is_of_owner(approvals.c.owner)).distinct()
)

"""Which agents were heard of, and which tools each of them called."""

from sqlalchemy import ColumnElement, Connection, bindparam, literal_column, or_, select

from assent.engine.verdict import Verdict
from assent.gate.store import ToolUse
from assent.stores.audit_rows import said, storable
from assent.stores.statements import Statement
from assent.stores.tables import approvals, audit

_ABSENT = Verdict.ABSENT.word


def callers_of(connection: Connection, owner: str | None) -> frozenset[ToolUse]:
    """The agents of an owner, or all; what is absent may be a name that its agent made up, and is none."""
    decided = _DECIDED.all(connection, owner=None if owner is None else storable(owner))
    asked = _ASKED.all(connection, owner=owner)
    found = {
        ToolUse(said(agent), "" if verdict == _ABSENT else said(tool)) for agent, tool, verdict in decided
    }
    return frozenset(found | {ToolUse(agent, tool) for agent, tool in asked})


def _is_of_owner(column: ColumnElement[str]) -> ColumnElement[bool]:
    owner = bindparam("owner", type_=column.type)
    return or_(owner.is_(None), column == owner)


_DECIDED = Statement(
    select(audit.c.agent_id, audit.c.tool_name, audit.c.verdict)
    .where(audit.c.verdict != literal_column("''"), _is_of_owner(audit.c.user_id))
    .distinct()
)
# The audit may have been archived; questions stay.
_ASKED = Statement(
    select(approvals.c.agent_id, approvals.c.tool_name).where(_is_of_owner(approvals.c.owner)).distinct()
)

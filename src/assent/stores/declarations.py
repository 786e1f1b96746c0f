"""Tools that were declared to all processes, as rows."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, select, update

from assent.gate.catalog import DeclaredTool
from assent.gate.store import Moment
from assent.stores.live_tables import declarations
from assent.stores.policy import Edited
from assent.stores.statements import Statement, upserting
from assent.stores.tables import policy
from assent.stores.times import kept
from assent.wire.call import declared_from_json, declared_to_json


def declared(
    connection: Connection, moment: Moment, agent: str, origin: str, offered: Sequence[DeclaredTool], by: str
) -> Edited:
    """What an origin offers to an agent is this and nothing else; the same again changes nothing."""
    rows = {
        one.tool.name: {
            "agent_id": agent,
            "origin": origin,
            "tool_name": one.tool.name,
            "definition": json.dumps(declared_to_json(one), separators=(",", ":")),
            "trust": one.trust.value,
            "declared_by": by,
            "declared_at": kept(moment.at),
        }
        for one in offered
    }
    known: dict[str, str] = dict(_OFFERED.all(connection, agent=agent, origin=origin))
    if known == {name: row["definition"] for name, row in rows.items()}:
        return Edited(result=False)
    _DROP.run(connection, agent=agent, origin=origin)
    _DECLARE.many(connection, list(rows.values()))
    # The number that the version will have with this very change.
    _DECLARED.run(connection)
    return Edited(result=True, policy=True)


def declarations_of(connection: Connection) -> Sequence[DeclaredTool]:
    """Every tool that was declared, in the order of agent, origin and name."""
    return tuple(declared_from_json(json.loads(text)) for (text,) in _EVERY.all(connection))


_c = declarations.c
_OFFERED = Statement(
    select(_c.tool_name, _c.definition).where(
        _c.agent_id == bindparam("agent"), _c.origin == bindparam("origin")
    )
)
_DROP = Statement(
    delete(declarations).where(_c.agent_id == bindparam("agent"), _c.origin == bindparam("origin"))
)
_DECLARE = upserting(declarations, "agent_id", "origin", "tool_name")
_DECLARED = Statement(update(policy).values(declared=policy.c.version + 1))
_EVERY = Statement(select(_c.definition).order_by(_c.agent_id, _c.origin, _c.tool_name))

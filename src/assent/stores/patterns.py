"""What is allowed for longer, as rules spell it: for a look at a database without a gate."""

from sqlalchemy import Connection, bindparam, select

from assent.engine.policy.rule import RuleList
from assent.stores.statements import Statement
from assent.stores.tables import grants, rules


def allowed_patterns(connection: Connection) -> tuple[str, ...]:
    """Every allow rule and grant of a database that nobody revoked, each text once."""
    found = (*_RULES.all(connection, list=RuleList.ALLOW.value), *_GRANTS.all(connection))
    return tuple(dict.fromkeys(str(row[0]) for row in found))


_RULES = Statement(
    select(rules.c.rule)
    .where(rules.c.list == bindparam("list"), rules.c.revoked_at.is_(None))
    .order_by(rules.c.number)
)
_GRANTS = Statement(select(grants.c.pattern).where(grants.c.revoked_at.is_(None)).order_by(grants.c.number))

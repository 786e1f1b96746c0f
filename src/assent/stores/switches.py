"""The one switch and the settings, as rows."""

from sqlalchemy import Connection, bindparam, delete, literal_column, select, update

from assent.gate.approval import extend_after_pause
from assent.gate.events import EventKind
from assent.gate.store import Moment
from assent.stores.live_tables import settings
from assent.stores.policy import Edited
from assent.stores.questions import Questions
from assent.stores.rows import moved_row
from assent.stores.statements import Statement, updating, upserting
from assent.stores.tables import approvals, policy
from assent.stores.times import kept


def paused(connection: Connection, moment: Moment, by: str) -> Edited:
    """Let calls wait; who paused first is kept."""
    touched = _PAUSE.run(connection, by=by, at=kept(moment.at))
    return Edited(policy=True, told=EventKind.PAUSED) if touched else Edited()


def unpaused(connection: Connection, moment: Moment, questions: Questions) -> Edited:
    """Let calls go on; each yes that waited has its whole time from now on."""
    # Before the switch: whoever holds an approval may be about to change policy, never the other way round.
    approved = [row[0] for row in _APPROVED.all(connection)]
    if not _UNPAUSE.run(connection):
        return Edited()
    found = questions.found(connection, approved) if approved else {}
    fresh = [moved_row(extend_after_pause(one, at=moment.at)) for one in found.values()]
    _REVIVE.many(connection, [{"id": row["id"], "usable_for": row["usable_for"]} for row in fresh])
    return Edited(policy=True, told=EventKind.RESUMED)


def saved_setting(connection: Connection, moment: Moment, name: str, value: str | None, by: str) -> Edited:
    """Write a setting, or remove it."""
    if value is None:
        return Edited(policy=bool(_REMOVE.run(connection, name=name)))
    row = {"name": name, "value": value, "set_by": by, "set_at": kept(moment.at)}
    _SET.many(connection, [row])
    return Edited(policy=True)


def setting_of(connection: Connection, name: str) -> str | None:
    """What a setting says."""
    rows = _SETTING.all(connection, name=name)
    return rows[0][0] if rows else None


_PAUSE = Statement(
    update(policy)
    .where(policy.c.paused_at.is_(None))
    .values(paused_at=bindparam("at"), paused_by=bindparam("by"))
)
_UNPAUSE = Statement(
    update(policy)
    .where(policy.c.paused_at.is_not(None))
    .values(paused_at=literal_column("NULL"), paused_by=literal_column("NULL"))
)
# In one order, so that two who hold several never wait for each other.
_APPROVED = Statement(
    select(approvals.c.id)
    .where(approvals.c.state == literal_column("'approved'"), approvals.c.closed_at.is_(None))
    .order_by(approvals.c.id)
    .with_for_update()
)
_REVIVE = updating(approvals, "id", "usable_for")
_SET = upserting(settings, "name")
_REMOVE = Statement(delete(settings).where(settings.c.name == bindparam("name")))
_SETTING = Statement(select(settings.c.value).where(settings.c.name == bindparam("name")))

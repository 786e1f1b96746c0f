"""People and their roles as rows: what is read of them, and the edits that change them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, or_, select, update

from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Role
from assent.gate.people import Person
from assent.gate.store import Moment
from assent.stores.door_tables import credentials, people, roles
from assent.stores.policy import Edited
from assent.stores.statements import Statement, updating, upserting
from assent.stores.times import kept, maybe_moment

PERSON = (
    people.c.id,
    people.c.name,
    people.c.identity,
    people.c.administrator,
    people.c.disabled_at,
    people.c.added_at,
)


def person_of(row: Sequence[Any]) -> Person:
    """The person of a row of `PERSON`."""
    id_, name, identity, administrator, disabled_at, added_at = row
    return Person(
        id=id_,
        name=name,
        identity=identity,
        administrator=bool(administrator),
        disabled_at=maybe_moment(disabled_at),
        added_at=maybe_moment(added_at),
    )


def everybody(connection: Connection) -> Sequence[Person]:
    """Everybody, in the order of their ids."""
    return sorted(map(person_of, _EVERYBODY.all(connection)), key=lambda person: person.id)


def person_by(connection: Connection, id_: str) -> Person | None:
    """The person of an id."""
    rows = _BY_ID.all(connection, person=id_)
    return person_of(rows[0]) if rows else None


def person_known_as(connection: Connection, identity: str) -> Person | None:
    """The person who signs in so."""
    rows = _BY_IDENTITY.all(connection, identity=identity)
    return person_of(rows[0]) if rows else None


def roles_of(connection: Connection, person: str) -> Mapping[str, Role]:
    """What somebody is to others' conversations and agents, by `of_conversation` and `of_agent`."""
    return {subject: Role(role) for subject, role in _ROLES.all(connection, person=person)}


def added(connection: Connection, moment: Moment, person: Person, by: str) -> Edited:
    """Add somebody new."""
    row = {
        "id": person.id,
        "name": person.name,
        "identity": person.identity,
        "administrator": person.administrator,
        "added_by": by,
        "added_at": kept(moment.at),
        "disabled_at": None,
        "disabled_by": None,
    }
    if not _ADD.run(connection, **row):
        raise ConflictError(f"there is a person `{person.id}` already, or one who signs in the same way")
    return Edited(replace(person, added_at=moment.at, disabled_at=None))


def made_administrator(
    connection: Connection,
    moment: Moment,  # noqa: ARG001 - every edit has this shape
    id_: str,
    administrator: bool,  # noqa: FBT001
) -> Edited:
    """Make somebody an administrator, or no longer."""
    if not administrator:
        _check_not_last(connection, id_)
    if not _ADMINISTER.run(connection, id=id_, administrator=administrator):
        raise NotFoundError("person", id_)
    return Edited()


def disabled(connection: Connection, moment: Moment, id_: str, by: str) -> Edited:
    """Shut somebody out, and end what they and whoever acts for them prove themselves with."""
    _check_not_last(connection, id_)
    at = kept(moment.at)
    if not _DISABLE.run(connection, person=id_, at=at, by=by) and person_by(connection, id_) is None:
        raise NotFoundError("person", id_)
    _END_ALL.run(connection, person=id_, at=at, by=by)
    return Edited()


def enabled(connection: Connection, moment: Moment, id_: str) -> Edited:  # noqa: ARG001 - as every edit
    """Let somebody in again; what they proved themselves with stays ended."""
    if not _ENABLE.run(connection, id=id_, disabled_at=None, disabled_by=None):
        raise NotFoundError("person", id_)
    return Edited()


def given_role(
    connection: Connection, moment: Moment, person: str, subject: str, role: Role | None, by: str
) -> Edited:
    """Say what somebody is to a conversation or an agent."""
    if person_by(connection, person) is None:
        raise NotFoundError("person", person)
    if role is None:
        _TAKE.run(connection, person=person, subject=subject)
    else:
        row = {"person_id": person, "subject": subject, "role": role.value, "given_by": by}
        _GIVE.many(connection, [{**row, "given_at": kept(moment.at)}])
    return Edited()


def _check_not_last(connection: Connection, id_: str) -> None:
    """Refuse to leave nobody who could let others in; two who do this at once take their turns."""
    if [row[0] for row in _ADMINISTRATORS.all(connection)] == [id_]:
        raise ConflictError(f"`{id_}` is the last administrator: make somebody else one first")


_EVERYBODY = Statement(select(*PERSON))
_BY_ID = Statement(select(*PERSON).where(people.c.id == bindparam("person")))
_BY_IDENTITY = Statement(select(*PERSON).where(people.c.identity == bindparam("identity")))
_ROLES = Statement(select(roles.c.subject, roles.c.role).where(roles.c.person_id == bindparam("person")))
_ADD = upserting(people)
_ADMINISTER = updating(people, "id", "administrator")
_ADMINISTRATORS = Statement(
    select(people.c.id)
    .where(people.c.administrator, people.c.disabled_at.is_(None))
    .order_by(people.c.id)
    .with_for_update()
)
_ENABLE = updating(people, "id", "disabled_at", "disabled_by")
_DISABLE = Statement(
    update(people)
    .where(people.c.id == bindparam("person"), people.c.disabled_at.is_(None))
    .values(disabled_at=bindparam("at"), disabled_by=bindparam("by"))
)
_END_ALL = Statement(
    update(credentials)
    .where(
        or_(
            (credentials.c.kind == "person") & (credentials.c.principal_id == bindparam("person")),
            (credentials.c.kind != "person") & (credentials.c.on_behalf == bindparam("person")),
        ),
        credentials.c.ended_at.is_(None),
    )
    .values(ended_at=bindparam("at"), ended_by=bindparam("by"))
)
_GIVE = upserting(roles, "person_id", "subject")
_TAKE = Statement(
    delete(roles).where(roles.c.person_id == bindparam("person"), roles.c.subject == bindparam("subject"))
)

"""Rows of people, roles and credentials: functions that read them, and edits that change them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, bindparam, case, delete, or_, select, update

from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Kind, Role
from assent.gate.people import ActiveCredential, Credential, Person, Purpose, is_active
from assent.gate.policy import Moment
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import (
    Clock,
    Connection,
    ServerTime,
    Statement,
    from_micros,
    from_micros_or_none,
    read_moment,
    span_to_micros,
    to_micros,
    to_micros_or_none,
    update_rows,
    upsert_rows,
)
from assent.stores.sql.tables import credentials, people, roles

PERSON_COLUMNS = (
    people.c.id,
    people.c.name,
    people.c.identity,
    people.c.administrator,
    people.c.disabled_at,
    people.c.added_at,
)


def person_from_row(row: Sequence[Any]) -> Person:
    """The person of a row of `PERSON_COLUMNS`."""
    id_, name, identity, administrator, disabled_at, added_at = row
    return Person(
        id=id_,
        name=name,
        identity=identity,
        administrator=bool(administrator),
        disabled_at=from_micros_or_none(disabled_at),
        added_at=from_micros_or_none(added_at),
    )


def read_people(connection: Connection) -> Sequence[Person]:
    """Every person, ordered by id."""
    return sorted(map(person_from_row, _ALL_PEOPLE.fetch(connection)), key=lambda person: person.id)


def read_person(connection: Connection, id_: str) -> Person | None:
    """The person with this id."""
    rows = _PERSON_BY_ID.fetch(connection, person=id_)
    return person_from_row(rows[0]) if rows else None


def read_person_by_identity(connection: Connection, identity: str) -> Person | None:
    """The person with this identity at the sign-in provider."""
    rows = _PERSON_BY_IDENTITY.fetch(connection, identity=identity)
    return person_from_row(rows[0]) if rows else None


def read_roles(connection: Connection, person: str) -> Mapping[str, Role]:
    """The roles of a person, by conversation and agent."""
    return {subject: Role(role) for subject, role in _ROLES.fetch(connection, person=person)}


def add_person(connection: Connection, moment: Moment, person: Person, by: str) -> EditResult:
    """Add a person."""
    row = {
        "id": person.id,
        "name": person.name,
        "identity": person.identity,
        "administrator": person.administrator,
        "added_by": by,
        "added_at": to_micros(moment.at),
        "disabled_at": None,
        "disabled_by": None,
    }
    if not _ADD_PERSON.run(connection, **row):
        raise ConflictError(f"there is a person `{person.id}` already, or one with the same identity")
    return EditResult(replace(person, added_at=moment.at, disabled_at=None))


def set_administrator(
    connection: Connection,
    moment: Moment,  # noqa: ARG001 - every edit has this shape
    id_: str,
    administrator: bool,  # noqa: FBT001
) -> EditResult:
    """Give or revoke administrator rights."""
    if not administrator:
        _check_not_last_administrator(connection, id_)
    if not _SET_ADMINISTRATOR.run(connection, id=id_, administrator=administrator):
        raise NotFoundError("person", id_)
    return EditResult()


def disable_person(connection: Connection, moment: Moment, id_: str, by: str) -> EditResult:
    """Disable a person and revoke their credentials and those of agents that act for them."""
    _check_not_last_administrator(connection, id_)
    at = to_micros(moment.at)
    if not _DISABLE_PERSON.run(connection, person=id_, at=at, by=by) and read_person(connection, id_) is None:
        raise NotFoundError("person", id_)
    _REVOKE_ALL.run(connection, person=id_, at=at, by=by)
    return EditResult()


def enable_person(connection: Connection, moment: Moment, id_: str) -> EditResult:  # noqa: ARG001 - as every edit
    """Enable a person again; revoked credentials stay revoked."""
    if not _ENABLE_PERSON.run(connection, id=id_, disabled_at=None, disabled_by=None):
        raise NotFoundError("person", id_)
    return EditResult()


def set_role(
    connection: Connection, moment: Moment, person: str, subject: str, role: Role | None, by: str
) -> EditResult:
    """Set or remove a person's role for a conversation or an agent."""
    if read_person(connection, person) is None:
        raise NotFoundError("person", person)
    if role is None:
        _DELETE_ROLE.run(connection, person=person, subject=subject)
    else:
        row = {"person_id": person, "subject": subject, "role": role.value, "given_by": by}
        _SAVE_ROLE.run_many(connection, [{**row, "given_at": to_micros(moment.at)}])
    return EditResult()


_ALL_PEOPLE = Statement(select(*PERSON_COLUMNS))
_PERSON_BY_ID = Statement(select(*PERSON_COLUMNS).where(people.c.id == bindparam("person")))
_PERSON_BY_IDENTITY = Statement(select(*PERSON_COLUMNS).where(people.c.identity == bindparam("identity")))
_ROLES = Statement(select(roles.c.subject, roles.c.role).where(roles.c.person_id == bindparam("person")))
_ADD_PERSON = upsert_rows(people)
_SET_ADMINISTRATOR = update_rows(people, "id", "administrator")
_LOCK_ADMINISTRATORS = Statement(
    select(people.c.id)
    .where(people.c.administrator, people.c.disabled_at.is_(None))
    .order_by(people.c.id)
    .with_for_update()
)
_ENABLE_PERSON = update_rows(people, "id", "disabled_at", "disabled_by")
_DISABLE_PERSON = Statement(
    update(people)
    .where(people.c.id == bindparam("person"), people.c.disabled_at.is_(None))
    .values(disabled_at=bindparam("at"), disabled_by=bindparam("by"))
)
_REVOKE_ALL = Statement(
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
_SAVE_ROLE = upsert_rows(roles, "person_id", "subject")
_DELETE_ROLE = Statement(
    delete(roles).where(roles.c.person_id == bindparam("person"), roles.c.subject == bindparam("subject"))
)

EXPIRED_RETENTION = timedelta(days=7)
"""How long the row of an expired log-in link or session is kept."""
CREDENTIAL_COLUMNS = (
    credentials.c.id,
    credentials.c.purpose,
    credentials.c.kind,
    credentials.c.principal_id,
    credentials.c.on_behalf,
    credentials.c.label,
    credentials.c.made_by,
    credentials.c.made_at,
    credentials.c.expires_at,
    credentials.c.ended_at,
)


def credential_from_row(row: Sequence[Any]) -> Credential:
    """The credential of a row of `CREDENTIAL_COLUMNS`."""
    id_, purpose, kind, principal, on_behalf, label, made_by, made_at, expires_at, ended_at = row
    return Credential(
        id=id_,
        purpose=Purpose(purpose),
        kind=Kind(kind),
        principal_id=principal,
        on_behalf=on_behalf,
        label=label,
        made_by=made_by,
        made_at=from_micros(made_at),
        expires_at=from_micros_or_none(expires_at),
        ended_at=from_micros_or_none(ended_at),
    )


def read_active_credential(
    connection: Connection, digest: str, clock: Clock | None
) -> ActiveCredential | None:
    """The credential with this digest and its person, if it is valid now."""
    rows = _CREDENTIAL_BY_DIGEST.fetch(connection, digest=digest)
    if not rows:
        return None
    *row, now = rows[0]
    credential = credential_from_row(row[: len(CREDENTIAL_COLUMNS)])
    theirs = row[len(CREDENTIAL_COLUMNS) :]
    person = person_from_row(theirs) if theirs[0] is not None else None
    at = from_micros(now) if clock is None else clock()
    if not is_active(credential, person, at=at):
        return None
    return ActiveCredential(credential, person, _read_credential_roles(connection, credential), at)


def read_credentials(connection: Connection, person: str | None, clock: Clock | None) -> Sequence[Credential]:
    """The valid credentials, oldest first."""
    at = read_moment(connection, clock).at
    found = map(credential_from_row, _VALID_CREDENTIALS.fetch(connection, now=to_micros(at)))
    theirs = [one for one in found if person in (None, one.user)]
    return sorted(theirs, key=lambda one: (to_micros_or_none(one.made_at), one.id))


def add_credential(
    connection: Connection,
    moment: Moment,
    credential: Credential,
    digest: str,
    lives_for: timedelta | None,
) -> EditResult:
    """Store a new credential; credentials that expired long ago are deleted."""
    person = read_person(connection, credential.user) if credential.user else None
    made = replace(
        credential,
        made_at=moment.at,
        expires_at=None if lives_for is None else moment.at + lives_for,
        ended_at=None,
    )
    if credential.user and (person is None or person.disabled_at is not None):
        raise NotFoundError("person", credential.user)
    _DELETE_EXPIRED.run(connection, before=to_micros(moment.at) - span_to_micros(EXPIRED_RETENTION))
    if not _ADD_CREDENTIAL.run(connection, digest=digest, **_credential_to_row(made)):
        raise ConflictError(f"there is a credential `{credential.id}` already")
    return EditResult(made)


def use_link(connection: Connection, moment: Moment, digest: str) -> EditResult:
    """Use a log-in link, which is valid only once."""
    known = read_active_credential(connection, digest, lambda: moment.at)
    if known is None or known.credential.purpose is not Purpose.LINK:
        return EditResult()
    id_, by = known.credential.id, known.credential.principal_id
    first = _REVOKE_CREDENTIAL.run(connection, credential=id_, at=to_micros(moment.at), by=by)
    return EditResult(known if first else None)


def extend_credential(connection: Connection, moment: Moment, id_: str, lives_for: timedelta) -> EditResult:
    """Extend a credential that is still valid."""
    at = to_micros(moment.at)
    _EXTEND_CREDENTIAL.run(connection, credential=id_, now=at, expires=at + span_to_micros(lives_for))
    return EditResult()


def end_credential(connection: Connection, moment: Moment, id_: str, by: str) -> EditResult:
    """Revoke a credential; returns it unless it was revoked before."""
    rows = _CREDENTIAL_BY_ID.fetch(connection, credential=id_)
    if not rows:
        raise NotFoundError("credential", id_)
    first = _REVOKE_CREDENTIAL.run(connection, credential=id_, at=to_micros(moment.at), by=by)
    return EditResult(credential_from_row(rows[0]) if first else None)


def _check_not_last_administrator(connection: Connection, id_: str) -> None:
    """Raise an error for the last administrator; the rows are locked, so that two removals run in turn."""
    if [row[0] for row in _LOCK_ADMINISTRATORS.fetch(connection)] == [id_]:
        raise ConflictError(f"`{id_}` is the last administrator: make another person administrator first")


def _read_credential_roles(connection: Connection, credential: Credential) -> Mapping[str, Role]:
    return read_roles(connection, credential.principal_id) if credential.kind is Kind.PERSON else {}


def _credential_to_row(credential: Credential) -> dict[str, object]:
    return {
        "id": credential.id,
        "purpose": credential.purpose.value,
        "kind": credential.kind.value,
        "principal_id": credential.principal_id,
        "on_behalf": credential.on_behalf,
        "label": credential.label,
        "made_by": credential.made_by,
        "made_at": to_micros_or_none(credential.made_at),
        "expires_at": to_micros_or_none(credential.expires_at),
        "ended_at": None,
        "ended_by": None,
    }


_CREDENTIAL_USER = case(
    (credentials.c.kind == Kind.PERSON.value, credentials.c.principal_id), else_=credentials.c.on_behalf
)
_CREDENTIAL_BY_DIGEST = Statement(
    select(*CREDENTIAL_COLUMNS, *PERSON_COLUMNS, ServerTime())
    .select_from(credentials.outerjoin(people, people.c.id == _CREDENTIAL_USER))
    .where(credentials.c.digest == bindparam("digest"))
)
_VALID_CREDENTIALS = Statement(
    select(*CREDENTIAL_COLUMNS).where(
        credentials.c.ended_at.is_(None),
        or_(credentials.c.expires_at.is_(None), credentials.c.expires_at > bindparam("now")),
    )
)
_CREDENTIAL_BY_ID = Statement(select(*CREDENTIAL_COLUMNS).where(credentials.c.id == bindparam("credential")))
_ADD_CREDENTIAL = upsert_rows(credentials)
_REVOKE_CREDENTIAL = Statement(
    update(credentials)
    .where(credentials.c.id == bindparam("credential"), credentials.c.ended_at.is_(None))
    .values(ended_at=bindparam("at"), ended_by=bindparam("by"))
)
_EXTEND_CREDENTIAL = Statement(
    update(credentials)
    .where(
        credentials.c.id == bindparam("credential"),
        credentials.c.ended_at.is_(None),
        credentials.c.expires_at > bindparam("now"),
    )
    .values(expires_at=bindparam("expires"))
)
_DELETE_EXPIRED = Statement(
    delete(credentials).where(
        and_(
            credentials.c.purpose != Purpose.TOKEN.value,
            or_(
                credentials.c.expires_at < bindparam("before"),
                credentials.c.ended_at < bindparam("before"),
            ),
        )
    )
)

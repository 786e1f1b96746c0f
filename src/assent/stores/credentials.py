"""Credentials as rows: what is read of them, and the edits that make, use, extend and end them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, case, delete, or_, select, update

from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Kind, Role
from assent.gate.people import ActiveCredential, Credential, Purpose, is_active
from assent.gate.store import Moment
from assent.stores.clock import Clock
from assent.stores.door_tables import credentials, people
from assent.stores.people import PERSON, person_by, person_of, roles_of
from assent.stores.policy import Edited
from assent.stores.queries import moment_of
from assent.stores.statements import Now, Statement, upserting
from assent.stores.times import kept, kept_span, maybe_kept, maybe_moment, moment

LEFTOVERS = timedelta(days=7)
"""How long a link or session that no longer holds is kept on record."""

CREDENTIAL = (
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


def credential_of(row: Sequence[Any]) -> Credential:
    """The credential of a row of `CREDENTIAL`."""
    id_, purpose, kind, principal, on_behalf, label, made_by, made_at, expires_at, ended_at = row
    return Credential(
        id=id_,
        purpose=Purpose(purpose),
        kind=Kind(kind),
        principal_id=principal,
        on_behalf=on_behalf,
        label=label,
        made_by=made_by,
        made_at=moment(made_at),
        expires_at=maybe_moment(expires_at),
        ended_at=maybe_moment(ended_at),
    )


def known_by(connection: Connection, digest: str, clock: Clock | None) -> ActiveCredential | None:
    """What is known of a secret with this digest, if it holds now by the database's own time."""
    rows = _KNOWN.all(connection, digest=digest)
    if not rows:
        return None
    *row, now = rows[0]
    credential = credential_of(row[: len(CREDENTIAL)])
    theirs = row[len(CREDENTIAL) :]
    person = person_of(theirs) if theirs[0] is not None else None
    at = moment(now) if clock is None else clock()
    if not is_active(credential, person, at=at):
        return None
    return ActiveCredential(credential, person, _roles(connection, credential), at)


def living(connection: Connection, person: str | None, clock: Clock | None) -> Sequence[Credential]:
    """The credentials that hold, oldest first."""
    at = moment_of(connection, clock).at
    found = map(credential_of, _LIVING.all(connection, now=kept(at)))
    theirs = [one for one in found if person in (None, one.user)]
    return sorted(theirs, key=lambda one: (maybe_kept(one.made_at), one.id))


def added(
    connection: Connection,
    moment: Moment,
    credential: Credential,
    digest: str,
    lives_for: timedelta | None,
) -> Edited:
    """Keep a credential from now on; what ended long ago makes room for it."""
    person = person_by(connection, credential.user) if credential.user else None
    made = replace(
        credential,
        made_at=moment.at,
        expires_at=None if lives_for is None else moment.at + lives_for,
        ended_at=None,
    )
    if credential.user and (person is None or person.disabled_at is not None):
        raise NotFoundError("person", credential.user)
    _CLEAR.run(connection, before=kept(moment.at) - kept_span(LEFTOVERS))
    if not _ADD.run(connection, digest=digest, **_row(made)):
        raise ConflictError(f"there is a credential `{credential.id}` already")
    return Edited(made)


def used(connection: Connection, moment: Moment, digest: str) -> Edited:
    """Let in whoever comes first with a link, which ends with it."""
    known = known_by(connection, digest, lambda: moment.at)
    if known is None or known.credential.purpose is not Purpose.LINK:
        return Edited()
    id_, by = known.credential.id, known.credential.principal_id
    first = _END.run(connection, credential=id_, at=kept(moment.at), by=by)
    return Edited(known if first else None)


def extended(connection: Connection, moment: Moment, id_: str, lives_for: timedelta) -> Edited:
    """Let a credential live on; one that is over stays over."""
    at = kept(moment.at)
    _EXTEND.run(connection, credential=id_, now=at, expires=at + kept_span(lives_for))
    return Edited()


def ended(connection: Connection, moment: Moment, id_: str, by: str) -> Edited:
    """End a credential, and say which it was, if it had not ended before."""
    rows = _FIND.all(connection, credential=id_)
    if not rows:
        raise NotFoundError("credential", id_)
    first = _END.run(connection, credential=id_, at=kept(moment.at), by=by)
    return Edited(credential_of(rows[0]) if first else None)


def _roles(connection: Connection, credential: Credential) -> Mapping[str, Role]:
    return roles_of(connection, credential.principal_id) if credential.kind is Kind.PERSON else {}


def _row(credential: Credential) -> dict[str, object]:
    return {
        "id": credential.id,
        "purpose": credential.purpose.value,
        "kind": credential.kind.value,
        "principal_id": credential.principal_id,
        "on_behalf": credential.on_behalf,
        "label": credential.label,
        "made_by": credential.made_by,
        "made_at": maybe_kept(credential.made_at),
        "expires_at": maybe_kept(credential.expires_at),
        "ended_at": None,
        "ended_by": None,
    }


_USER = case(
    (credentials.c.kind == Kind.PERSON.value, credentials.c.principal_id), else_=credentials.c.on_behalf
)
_KNOWN = Statement(
    select(*CREDENTIAL, *PERSON, Now())
    .select_from(credentials.outerjoin(people, people.c.id == _USER))
    .where(credentials.c.digest == bindparam("digest"))
)
_LIVING = Statement(
    select(*CREDENTIAL).where(
        credentials.c.ended_at.is_(None),
        or_(credentials.c.expires_at.is_(None), credentials.c.expires_at > bindparam("now")),
    )
)
_FIND = Statement(select(*CREDENTIAL).where(credentials.c.id == bindparam("credential")))
_ADD = upserting(credentials)
_END = Statement(
    update(credentials)
    .where(credentials.c.id == bindparam("credential"), credentials.c.ended_at.is_(None))
    .values(ended_at=bindparam("at"), ended_by=bindparam("by"))
)
_EXTEND = Statement(
    update(credentials)
    .where(
        credentials.c.id == bindparam("credential"),
        credentials.c.ended_at.is_(None),
        credentials.c.expires_at > bindparam("now"),
    )
    .values(expires_at=bindparam("expires"))
)
_CLEAR = Statement(
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

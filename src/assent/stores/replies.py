"""What requests with a key were told, so that one that comes again changes nothing twice."""

from sqlalchemy import Connection, bindparam, delete, select, update

from assent.errors import ConflictError
from assent.gate.people import REPLY_RETENTION, REQUEST_TIMEOUT, Reply
from assent.gate.store import Moment
from assent.stores.door_tables import replies
from assent.stores.policy import Edited
from assent.stores.statements import Statement, upserting
from assent.stores.times import kept, kept_span


def begun(connection: Connection, moment: Moment, principal: str, key: str, request_digest: str) -> Edited:
    """Take a key, or find what it was told; of several who come at once, one takes it."""
    now = kept(moment.at)
    _FORGET.run(connection, principal=principal, before=now - kept_span(REPLY_RETENTION))
    row = {"principal_id": principal, "key": key, "request_digest": request_digest, "began_at": now}
    if _TAKE.run(connection, **row, status=None, body=None):
        return Edited()
    ((digest, status, body),) = _FIND.all(connection, principal=principal, key=key)
    if digest != request_digest:
        raise ConflictError(f"the key `{key}` belongs to another request: use a new one")
    if status is not None:
        return Edited(Reply(status, body))
    left = _TAKE_OVER.run(
        connection, principal=principal, key=key, before=now - kept_span(REQUEST_TIMEOUT), now=now
    )
    if not left:
        raise ConflictError(f"the request with the key `{key}` is still at work: try again in a moment")
    return Edited()


def settled(connection: Connection, moment: Moment, principal: str, key: str, reply: Reply | None) -> Edited:  # noqa: ARG001
    """Keep what the request was told, or forget its key."""
    if reply is None:
        _DROP.run(connection, principal=principal, key=key)
    else:
        _SETTLE.run(connection, principal=principal, key=key, said=reply.status, text=reply.body)
    return Edited()


_MEANT = (replies.c.principal_id == bindparam("principal"), replies.c.key == bindparam("key"))
_FORGET = Statement(
    delete(replies).where(
        replies.c.principal_id == bindparam("principal"), replies.c.began_at < bindparam("before")
    )
)
_TAKE = upserting(replies, "principal_id", "key", keep=True)
_FIND = Statement(select(replies.c.request_digest, replies.c.status, replies.c.body).where(*_MEANT))
_TAKE_OVER = Statement(
    update(replies)
    .where(*_MEANT, replies.c.status.is_(None), replies.c.began_at < bindparam("before"))
    .values(began_at=bindparam("now"))
)
_DROP = Statement(delete(replies).where(*_MEANT, replies.c.status.is_(None)))
_SETTLE = Statement(
    update(replies)
    .where(*_MEANT, replies.c.status.is_(None))
    .values(status=bindparam("said"), body=bindparam("text"))
)

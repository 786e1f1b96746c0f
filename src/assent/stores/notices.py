"""Notices by which the processes on one PostgreSQL database tell each other what is no longer pending."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from sqlalchemy import Connection, bindparam, func, select

from assent.stores.statements import Statement

CHANNEL = "assent_ended"
STIRRED = "assent_stirred"
"""Says only that something happened, and in which process."""
_LONGEST = 7900
"""Bytes of one notice; the server takes fewer than 8000."""
_NOTIFY = Statement(select(func.pg_notify(bindparam("channel"), bindparam("ids"))))


def notify(connection: Connection, ids: Sequence[str]) -> None:
    """Send word of these approvals when the transaction commits; never before, never without it."""
    for text in _texts(ids):
        _NOTIFY.all(connection, channel=CHANNEL, ids=text)


def heard(text: str) -> list[str]:
    """The approvals that a notice is about; what anybody else sends on our channel says nothing."""
    try:
        said: object = json.loads(text)
    except ValueError:
        return []
    ids = cast("list[object]", said) if isinstance(said, list) else []
    return [id_ for id_ in ids if isinstance(id_, str)]


def _texts(ids: Iterable[str]) -> Iterator[str]:
    """As few notices as hold all of them."""
    held: list[str] = []
    length = 2
    for id_ in ids:
        size = len(json.dumps(id_)) + 2
        if held and length + size > _LONGEST:
            yield json.dumps(held)
            held, length = [], 2
        held.append(id_)
        length += size
    if held:
        yield json.dumps(held)

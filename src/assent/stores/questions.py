"""Approvals as they are found: questions that were decoded once are not decoded again."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

from sqlalchemy import (
    ClauseElement,
    Column,
    ColumnElement,
    Connection,
    bindparam,
    literal_column,
    select,
    true,
)

from assent.gate.approval import MAX_WHOLE_BYTES, Approval, Excerpt, State
from assent.gate.store import Moment
from assent.stores.clock import Clock
from assent.stores.rows import ASKED, MOVED, SIZE, Question, asked, asked_in_short, moved
from assent.stores.statements import Now, Statement, listed
from assent.stores.tables import approvals, policy
from assent.stores.times import moment
from assent.wire.excerpt import excerpt_of, excerpt_of_clipped

_MOST = 4096
_MOST_BYTES = 64_000_000
"""Of all questions that are kept."""
_LARGE = 1_000_000
"""Bytes of one that is not worth keeping."""
_WIDTH = len(MOVED)
_STATE = 1
"""Where `MOVED` says how an approval stands."""


class _ById:
    """A statement about approvals by their ids; for one of them it is spelled plainly, which is quicker."""

    def __init__(self, about: Callable[[ColumnElement[bool]], ClauseElement]) -> None:
        self._one = Statement(about(approvals.c.id == bindparam("id")))
        self._many = Statement(about(listed(approvals.c.id, "ids")))

    def all(self, connection: Connection, ids: Collection[str]) -> Sequence[Any]:
        """The rows of those that there are."""
        if len(ids) == 1:
            return self._one.all(connection, id=next(iter(ids)))
        return self._many.all(connection, ids=json.dumps(list(ids)))


def _found(*columns: Column[Any]) -> _ById:
    return _ById(lambda meant: select(*columns).where(meant))


def _held(*columns: Column[Any]) -> _ById:
    """The time, the version and the rows of some approvals, all in one: each trip to a server counts."""

    def about(meant: ColumnElement[bool]) -> ClauseElement:
        # In one order, so that two who hold several never wait for each other.
        held = select(*columns).where(meant).order_by(approvals.c.id).with_for_update().cte("held")
        now = (policy.c.version, Now(), policy.c.paused_at)
        return select(*now, *held.c).select_from(policy.outerjoin(held, true()))

    return _ById(about)


_LOOKED_AT = _found(*MOVED)
_LOOKED_AT_WHOLE = _found(*MOVED, *ASKED[1:])
_ASKED = _found(*ASKED)
_IN_SHORT = _found(approvals.c.id, approvals.c.excerpt)
_SIZED = _ById(lambda meant: select(SIZE, *MOVED).where(meant))
_ENDED = _ById(lambda meant: select(*MOVED).where(meant, approvals.c.state != literal_column("'pending'")))
_HELD = _held(*MOVED)
_HELD_WHOLE = _held(*MOVED, *ASKED[1:])


class Questions:
    """Finds approvals by id.

    INVARIANT: what was asked never changes, so a question may be kept as long as one likes; only
    what became of it is read anew each time. One whose arguments were scrubbed is not kept.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Question] = {}
        self._bytes = 0
        self._keeping = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def held(
        self, connection: Connection, ids: Collection[str], clock: Clock | None
    ) -> tuple[Moment, dict[str, Approval]]:
        """The moment, and the approvals of these ids, which nobody else changes before the commit."""
        statement = _HELD if self._knows(ids) else _HELD_WHOLE
        rows = statement.all(connection, ids)
        version, at, paused_at = rows[0][:3]
        now = moment(at) if clock is None else clock()
        found = [row[3:] for row in rows if row[3] is not None]
        return Moment(now, version, paused_at is not None), self.joined(connection, self._learned(found))

    def found(self, connection: Connection, ids: Collection[str]) -> dict[str, Approval]:
        """The approvals of these ids as they are now."""
        statement = _LOOKED_AT if self._knows(ids) else _LOOKED_AT_WHOLE
        return self.joined(connection, self._learned(statement.all(connection, ids)))

    def ended(self, connection: Connection, ids: Collection[str]) -> list[Approval]:
        """Those of these approvals that are no longer pending."""
        return list(self.joined(connection, _ENDED.all(connection, ids)).values())

    def ends(self, connection: Connection, ids: Collection[str]) -> Mapping[str, Approval | None]:
        """What became of each of these approvals that there are; nothing, while it is pending."""
        rows = _LOOKED_AT.all(connection, ids)
        ended = self.joined(connection, [row for row in rows if row[_STATE] != State.PENDING])
        return {row[0]: ended.get(row[0]) for row in rows}

    def excerpts(self, connection: Connection, ids: Collection[str]) -> Mapping[str, Excerpt]:
        """The approvals of these ids in short."""
        return self.in_short(connection, [(row[0], row[1:]) for row in _SIZED.all(connection, ids)])

    def in_short(
        self, connection: Connection, rows: Sequence[tuple[int, Sequence[Any]]]
    ) -> dict[str, Excerpt]:
        """What lists show of the approvals that rows of `MOVED`, each with its size, are about."""
        sizes = {row[0]: size for size, row in rows}
        large = [id_ for id_, size in sizes.items() if size > MAX_WHOLE_BYTES]
        kept = {id_: text for id_, text in _IN_SHORT.all(connection, large) if text} if large else {}
        short = {row[0]: moved(asked_in_short(kept[row[0]]), row) for _, row in rows if row[0] in kept}
        whole = self.joined(connection, [row for _, row in rows if row[0] not in kept])
        return {
            id_: excerpt_of_clipped(short[id_], size) if id_ in short else excerpt_of(whole[id_], size)
            for id_, size in sizes.items()
            if id_ in short or id_ in whole
        }

    def joined(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> dict[str, Approval]:
        """The approvals that rows of `MOVED` are about, in their order."""
        known = {row[0]: self._kept.get(row[0]) if row[-1] is None else None for row in rows}
        missing = [id_ for id_, question in known.items() if question is None]
        if missing:
            known |= self._decoded(connection, missing)
        return {row[0]: moved(question, row) for row in rows if (question := known[row[0]]) is not None}

    def keep(self, questions: Iterable[Question]) -> None:
        """Hold on to questions that are committed; those that were kept longest make room."""
        # The loop, the writer and those who read all come here; two at once could trip over each other.
        with self._keeping:
            for question in questions:
                if question.size > _LARGE:
                    continue
                self._bytes += question.size - _size(self._kept.pop(question.approval.id, None))
                self._kept[question.approval.id] = question
                while len(self._kept) > _MOST or self._bytes > _MOST_BYTES:
                    self._bytes -= _size(self._kept.pop(next(iter(self._kept)), None))

    def _knows(self, ids: Iterable[str]) -> bool:
        return all(id_ in self._kept for id_ in ids)

    def _learned(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """Rows of `MOVED`; a question that they bring along is kept."""
        whole = [row for row in rows if len(row) > _WIDTH and row[0] not in self._kept]
        self.keep([asked((row[0], *row[_WIDTH:])) for row in whole])
        return [row[:_WIDTH] for row in rows]

    def _decoded(self, connection: Connection, ids: Sequence[str]) -> dict[str, Question | None]:
        decoded = [asked(row) for row in _ASKED.all(connection, ids)]
        self.keep(decoded)
        return {question.approval.id: question for question in decoded}


def _size(question: Question | None) -> int:
    return 0 if question is None else question.size

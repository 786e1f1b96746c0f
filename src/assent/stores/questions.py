"""Approvals as they are found: questions that were decoded once are not decoded again."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Connection, literal_column, select, true

from assent.gate.approval import Approval
from assent.gate.ports import Moment
from assent.stores.clock import Clock
from assent.stores.rows import ASKED, MOVED, Question, asked, moved
from assent.stores.statements import Now, Statement, listed
from assent.stores.tables import approvals, policy
from assent.stores.times import moment

_MOST = 4096
_WIDTH = len(MOVED)
_LOOKED_AT = Statement(select(*MOVED).where(listed(approvals.c.id, "ids")))
_LOOKED_AT_WHOLE = Statement(select(*MOVED, *ASKED[1:]).where(listed(approvals.c.id, "ids")))
_ENDED = Statement(
    select(*MOVED).where(listed(approvals.c.id, "ids"), approvals.c.state != literal_column("'pending'"))
)
_ASKED = Statement(select(*ASKED).where(listed(approvals.c.id, "ids")))


def _held(*columns: Column[Any]) -> Statement:
    """The time, the version and the rows of some approvals, all in one: each trip to a server counts."""
    held = (
        select(*columns)
        .where(listed(approvals.c.id, "ids"))
        # In one order, so that two who hold several never wait for each other.
        .order_by(approvals.c.id)
        .with_for_update()
        .cte("held")
    )
    return Statement(select(policy.c.version, Now(), *held.c).select_from(policy.outerjoin(held, true())))


_HELD = _held(*MOVED)
_HELD_WHOLE = _held(*MOVED, *ASKED[1:])


class Questions:
    """Finds approvals by id.

    INVARIANT: what was asked never changes, so a question may be kept as long as one likes; only
    what became of it is read anew each time. One whose arguments were scrubbed is not kept.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Question] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def held(
        self, connection: Connection, ids: Collection[str], clock: Clock | None
    ) -> tuple[Moment, dict[str, Approval]]:
        """The moment, and the approvals of these ids, which nobody else changes before the commit."""
        statement = _HELD if self._knows(ids) else _HELD_WHOLE
        rows = statement.all(connection, ids=json.dumps(list(ids)))
        version, at = rows[0][:2]
        now = moment(at) if clock is None else clock()
        found = [row[2:] for row in rows if row[2] is not None]
        return Moment(now, version), self.joined(connection, self._learned(found))

    def found(self, connection: Connection, ids: Collection[str]) -> dict[str, Approval]:
        """The approvals of these ids as they are now."""
        statement = _LOOKED_AT if self._knows(ids) else _LOOKED_AT_WHOLE
        return self.joined(connection, self._learned(statement.all(connection, ids=json.dumps(list(ids)))))

    def ended(self, connection: Connection, ids: Iterable[str]) -> list[Approval]:
        """Those of these approvals that are no longer pending."""
        return list(self.joined(connection, _ENDED.all(connection, ids=json.dumps(list(ids)))).values())

    def joined(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> dict[str, Approval]:
        """The approvals that rows of `MOVED` are about, in their order."""
        known = {row[0]: self._kept.get(row[0]) if row[-1] is None else None for row in rows}
        missing = [id_ for id_, question in known.items() if question is None]
        if missing:
            known |= self._decoded(connection, missing)
        return {row[0]: moved(question, row) for row in rows if (question := known[row[0]]) is not None}

    def keep(self, questions: Iterable[Question]) -> None:
        """Hold on to questions that are committed; those that were kept longest make room."""
        for question in questions:
            while len(self._kept) >= _MOST:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[question.approval.id] = question

    def _knows(self, ids: Iterable[str]) -> bool:
        return all(id_ in self._kept for id_ in ids)

    def _learned(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """Rows of `MOVED`; a question that they bring along is kept."""
        whole = [row for row in rows if len(row) > _WIDTH and row[0] not in self._kept]
        self.keep([asked((row[0], *row[_WIDTH:])) for row in whole])
        return [row[:_WIDTH] for row in rows]

    def _decoded(self, connection: Connection, ids: Sequence[str]) -> dict[str, Question | None]:
        decoded = [asked(row) for row in _ASKED.all(connection, ids=json.dumps(ids))]
        self.keep(decoded)
        return {question.approval.id: question for question in decoded}

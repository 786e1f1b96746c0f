"""Counts: what an agent has on people's desks, and how often it was told no."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    union_all,
)

from assent.gate.approval import Approval, State
from assent.gate.pending import PendingBytes
from assent.gate.ports import Limits, Load, Moment
from assent.stores.statements import Statement, listed
from assent.stores.tables import approvals
from assent.stores.times import kept

_BYTES = "bytes"
_ROWS = func.count()


class _Key(NamedTuple):
    """What is counted: always of one person, as two may each have an agent of the same name."""

    kind: str
    owner: str
    one: str
    other: str = ""


class Counts:
    """The counts that limits are held against, as of a transaction and of what was done in it so far."""

    def __init__(self) -> None:
        self._found: Counter[_Key] = Counter()

    def learn(self, connection: Connection, moment: Moment, new: Sequence[tuple[Approval, Limits]]) -> None:
        """Read what the limits of these questions are about."""
        lasting = [(one, limits.lasting) for one, limits in new if limits.lasting]
        since = moment.at - max((span for _, span in lasting), default=timedelta())
        rows = _COUNTS.all(
            connection,
            owners=json.dumps(list({one.owner for one, _ in new})),
            roots=json.dumps(list({one.root_agent for one, _ in new})),
            turns=json.dumps(list({one.turn for one, _ in new})),
            digests=json.dumps(list({one.call_digest for one, _ in lasting})),
            callers=json.dumps(list({one.call.agent for one, _ in lasting})),
            since=kept(since),
        )
        self._found.update({_Key(*key): count for *key, count in rows})

    def ask(self, question: Approval, limits: Limits, size: int) -> None:
        """Count a question of so many bytes that is to be put, or refuse it."""
        keys = (_pending(question), _in_turn(question), _of_call(question), _of_tool(question))
        pending, in_turn, of_late, of_tool = (self._found[key] for key in keys)
        limits.check(question, Load(pending, in_turn, of_late, of_tool, size, self._held(question)))
        self._found[_pending(question)] += 1
        self._found[_bytes(question)] += size

    def _held(self, question: Approval) -> PendingBytes:
        every = {key: size for key, size in self._found.items() if key.kind == _BYTES}
        users = [size for key, size in every.items() if key.owner == question.owner]
        return PendingBytes(self._found[_bytes(question)], sum(users), sum(every.values()))

    def move(self, before: Approval, after: Approval) -> None:
        """Count a step."""
        denied = (after.state is State.DENIED) - (before.state is State.DENIED)
        self._found[_pending(after)] += (after.state is State.PENDING) - (before.state is State.PENDING)
        self._found[_in_turn(after)] += denied
        self._found[_of_call(after)] += denied
        self._found[_of_tool(after)] += denied


def _pending(approval: Approval) -> _Key:
    return _Key("pending", approval.owner, approval.root_agent)


def _bytes(approval: Approval) -> _Key:
    return _Key(_BYTES, approval.owner, approval.root_agent)


def _in_turn(approval: Approval) -> _Key:
    return _Key("turn", approval.owner, approval.turn, approval.call_digest)


def _of_call(approval: Approval) -> _Key:
    # A digest is that of one agent in one conversation.
    return _Key("call", approval.owner, approval.call_digest)


def _of_tool(approval: Approval) -> _Key:
    return _Key("tool", approval.owner, approval.call.agent, approval.call.tool)


def _counted(
    kind: str, by: Sequence[Column[str]], *meant: ColumnElement[bool], what: ColumnElement[int] = _ROWS
) -> Select[*tuple[Any, ...]]:
    words = (literal_column(f"'{kind}'", Text), _c.owner, *by, *[_NONE] * (2 - len(by)))
    return select(*words, what).where(*meant).group_by(_c.owner, *by)


_c = approvals.c
_NONE = literal_column("''", Text)
# States are written out: SQLite looks into an index over some states only where the statement names them.
_IS_PENDING: ColumnElement[bool] = literal_column("state = 'pending'")
_IS_DENIED: ColumnElement[bool] = literal_column("state = 'denied'")
_IS_OF_ROOT = listed(_c.root_agent, "roots")
_OF_LATE = _c.answered_at > bindparam("since")
_COUNTS = Statement(
    union_all(
        # By owner and root, so that the index of pending bytes serves.
        _counted("pending", [_c.root_agent], _IS_PENDING, listed(_c.owner, "owners"), _IS_OF_ROOT),
        _counted(_BYTES, [_c.root_agent], _IS_PENDING, what=cast(func.sum(_c.size), BigInteger)),
        _counted("turn", [_c.turn, _c.digest], _IS_DENIED, listed(_c.turn, "turns")),
        _counted("call", [_c.digest], _IS_DENIED, listed(_c.digest, "digests"), _OF_LATE),
        _counted("tool", [_c.agent_id, _c.tool_name], _IS_DENIED, listed(_c.agent_id, "callers"), _OF_LATE),
    )
)

"""Counts for limits: pending approvals, recent denials, and budgets of calls."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Select,
    Text,
    bindparam,
    cast,
    delete,
    func,
    literal_column,
    select,
    true,
    union_all,
)

from assent.gate.approval import Approval, State
from assent.gate.policy import Moment
from assent.gate.question import Limits, PendingBytes, PendingLoad
from assent.gate.store import BudgetResult
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import (
    Connection,
    Statement,
    in_json_list,
    span_to_micros,
    to_micros,
    upsert_rows,
)
from assent.stores.sql.tables import approvals, spending

_PENDING = "pending"
_MAX_TURNS = 1000
"""The number of turns whose denials are kept."""


class _CountKey(NamedTuple):
    """The key of a count; it includes the owner, because two owners may have agents with the same name."""

    kind: str
    owner: str
    name: str
    second_name: str = ""


class LimitCounts:
    """The counts that limits are checked against, including those of the open transaction.

    What was read once is counted on, for as long as the store keeps this value.
    """

    def __init__(self) -> None:
        self._pending = _PendingCounts()
        self._is_complete = False
        """Whether all pending approvals are counted."""
        self._denials: Counter[_CountKey] = Counter()
        self._turns: set[str] = set()
        """The turns whose denials are counted."""

    def load_counts(
        self, connection: Connection, moment: Moment, new: Sequence[tuple[Approval, Limits]]
    ) -> None:
        """Read the counts for the limits of these questions, unless they are known."""
        if len(self._turns) > _MAX_TURNS:
            self._denials.clear()
            self._turns.clear()
        turns = {one.turn for one, _ in new} - self._turns
        # How many denials are recent depends on the time, so these are read each time.
        lasting = [(one, limits.denial_window) for one, limits in new if limits.denial_window]
        if turns or lasting or not self._is_complete:
            self._read_counts(connection, moment, turns, lasting)

    def _read_counts(
        self,
        connection: Connection,
        moment: Moment,
        turns: set[str],
        lasting: Sequence[tuple[Approval, timedelta]],
    ) -> None:
        pending = None if self._is_complete else _PendingCounts()
        for one, _ in lasting:
            self._denials[_call_key(one)] = self._denials[_tool_key(one)] = 0
        rows = _LIMIT_COUNTS.fetch(
            connection,
            pending=pending is not None,
            turns=json.dumps(list(turns)),
            digests=json.dumps(list({one.call_digest for one, _ in lasting})),
            callers=json.dumps(list({one.call.agent for one, _ in lasting})),
            since=to_micros(moment.at - max((span for _, span in lasting), default=timedelta())),
        )
        for kind, owner, name, second_name, count, size in rows:
            if pending is not None and kind == _PENDING:
                pending.add(owner, name, count, size)
            else:
                self._denials[_CountKey(kind, owner, name, second_name)] = count
        self._pending, self._is_complete = pending or self._pending, True
        self._turns |= turns

    def add(self, question: Approval, limits: Limits, size: int) -> None:
        """Count a new question of this size; raises `LimitError` if it would exceed a limit."""
        keys = (_turn_key(question), _call_key(question), _tool_key(question))
        in_turn, recently, of_tool = [self._denials[key] for key in keys]
        number = self._pending.number(question)
        held = self._pending.bytes(question)
        limits.check(question, PendingLoad(number, in_turn, recently, of_tool, size, held))
        self._pending.add(question.owner, question.root_agent, 1, size)

    def count_change(self, before: Approval, after: Approval, size: int | None) -> None:
        """Update the counts after a change of state; without its size, the bytes must be read again."""
        denied = (after.state is State.DENIED) - (before.state is State.DENIED)
        pending = (after.state is State.PENDING) - (before.state is State.PENDING)
        if pending:
            self._pending.add(after.owner, after.root_agent, pending, pending * (size or 0))
            self._is_complete = self._is_complete and size is not None
        if denied:
            for key in (_turn_key(after), _call_key(after), _tool_key(after)):
                self._denials[key] += denied


class _PendingCounts:
    """The number and bytes of pending approvals, by owner and root agent."""

    def __init__(self) -> None:
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._agents: Counter[tuple[str, str]] = Counter()
        self._users: Counter[str] = Counter()
        self._all = 0

    def add(self, owner: str, root: str, number: int, size: int) -> None:
        """Count approvals of an agent, or negative numbers for those that ended."""
        self._numbers[owner, root] += number
        self._agents[owner, root] += size
        self._users[owner] += size
        self._all += size

    def number(self, question: Approval) -> int:
        """The number of pending approvals of the agent and its sub-agents."""
        return self._numbers[question.owner, question.root_agent]

    def bytes(self, question: Approval) -> PendingBytes:
        """The bytes of this agent, of its user, and of all users."""
        owner = question.owner
        return PendingBytes(self._agents[owner, question.root_agent], self._users[owner], self._all)


def _select_count(
    kind: str,
    by: Sequence[Column[str]],
    *conditions: ColumnElement[bool],
    size: ColumnElement[int] = literal_column("0", BigInteger),  # noqa: B008 - a constant
) -> Select[*tuple[Any, ...]]:
    words = (literal_column(f"'{kind}'", Text), approvals.c.owner, *by, *[_EMPTY_TEXT] * (2 - len(by)))
    return select(*words, func.count(), size).where(*conditions).group_by(approvals.c.owner, *by)


_EMPTY_TEXT = literal_column("''", Text)
# Literals, because SQLite uses a partial index only if the statement contains its condition.
_IS_PENDING: ColumnElement[bool] = literal_column("state = 'pending'")
_IS_DENIED: ColumnElement[bool] = literal_column("state = 'denied'")
_IS_RECENT = approvals.c.answered_at > bindparam("since")
_LIMIT_COUNTS = Statement(
    union_all(
        # Grouped by owner and root agent, so that the index of pending bytes is used.
        _select_count(
            _PENDING,
            [approvals.c.root_agent],
            _IS_PENDING,
            bindparam("pending", type_=Boolean()).is_(true()),
            size=cast(func.sum(approvals.c.size), BigInteger),
        ),
        _select_count(
            "turn",
            [approvals.c.turn, approvals.c.digest],
            _IS_DENIED,
            in_json_list(approvals.c.turn, "turns"),
        ),
        _select_count(
            "call", [approvals.c.digest], _IS_DENIED, in_json_list(approvals.c.digest, "digests"), _IS_RECENT
        ),
        _select_count(
            "tool",
            [approvals.c.agent_id, approvals.c.tool_name],
            _IS_DENIED,
            in_json_list(approvals.c.agent_id, "callers"),
            _IS_RECENT,
        ),
    )
)

SLOTS_PER_WINDOW = 60
"""The number of slots in a time window."""
COUNT_RETENTION = timedelta(days=2)
"""How long counts are kept; longer than any time window."""
_LOCK_SLOT = 0
"""The slot number of the row that is locked while calls of its principal are counted."""
_MICROS_PER_SECOND = 1_000_000
Slots = dict[int, int]
"""The number of calls by the start time of their slot."""


class CallWindow:
    """Counts the calls of one principal in short slots of time."""

    def __init__(self, slots: Slots | None = None) -> None:
        self.slots: Slots = slots or {}
        self.counted: set[int] = set()
        """The slots that this batch changed."""

    def drop_slots_before(self, before: int) -> None:
        """Drop slots that began before this time."""
        self.slots = {slot: count for slot, count in self.slots.items() if slot >= before}

    def count_call(self, at: int, calls: int, window: int) -> BudgetResult:
        """Count one call if the budget allows it; otherwise return how long to wait."""
        width = max(window // SLOTS_PER_WINDOW, 1)
        # INVARIANT: a slot counts until its end is too old, so that no window exceeds its budget.
        counting = {slot: count for slot, count in self.slots.items() if slot + width > at - window}
        over = sum(counting.values()) - calls
        if over >= 0:
            free = _slot_to_wait_for(counting, over) + width + window
            return BudgetResult(allowed=False, retry_after=(free - at) / _MICROS_PER_SECOND)
        slot = at - at % width
        self.slots[slot] = self.slots.get(slot, 0) + 1
        self.counted.add(slot)
        return BudgetResult(allowed=True)


class Budgets:
    """The budgets of the principals in one batch, locked until the commit."""

    def __init__(self, connection: Connection, moment: Moment) -> None:
        self._connection = connection
        self._at = to_micros(moment.at)
        self._windows: dict[str, CallWindow] = {}

    def lock(self, windows: Iterable[tuple[str, timedelta]]) -> None:
        """Lock and read the budget of each principal, as far back as the longest window."""
        wanted = list(windows)
        if wanted:
            # A slot that begins before a window may overlap the window.
            longest = 2 * max(span_to_micros(window) for _, window in wanted)
            self._windows = self._read_windows(
                sorted({principal for principal, _ in wanted}), self._at - longest
            )

    def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call of a principal."""
        return self._windows[principal].count_call(self._at, calls, span_to_micros(window))

    def write(self) -> None:
        """Write the counts of this batch."""
        rows = [
            {"principal_id": principal, "slot": slot, "calls": window.slots[slot]}
            for principal, window in self._windows.items()
            for slot in window.counted
        ]
        _SAVE_COUNTS.run_many(self._connection, rows)

    def _read_windows(self, names: Sequence[str], since: int) -> dict[str, CallWindow]:
        principals = json.dumps(names)
        if self._connection.dialect.name == "postgresql":
            # Locked in one order, so that two transactions never deadlock.
            lock_rows = [{"principal_id": one, "slot": _LOCK_SLOT, "calls": 0} for one in names]
            _ADD_LOCK_ROWS.run_many(self._connection, lock_rows)
            _LOCK_BUDGETS.fetch(self._connection, principals=principals)
        found: dict[str, Slots] = {name: {} for name in names}
        for principal, slot, count in _CALL_COUNTS.fetch(
            self._connection, principals=principals, since=since
        ):
            found[principal][slot] = count
        return {name: CallWindow(slots) for name, slots in found.items()}


def delete_old_counts(connection: Connection, moment: Moment) -> EditResult:
    """Delete counts that are older than every window."""
    _DELETE_OLD_COUNTS.run(connection, before=to_micros(moment.at - COUNT_RETENTION))
    return EditResult()


def _turn_key(approval: Approval) -> _CountKey:
    return _CountKey("turn", approval.owner, approval.turn, approval.call_digest)


def _call_key(approval: Approval) -> _CountKey:
    # The digest of a call already includes the agent and the conversation.
    return _CountKey("call", approval.owner, approval.call_digest)


def _tool_key(approval: Approval) -> _CountKey:
    return _CountKey("tool", approval.owner, approval.call.agent, approval.call.tool)


def _slot_to_wait_for(counting: Mapping[int, int], over: int) -> int:
    """The start of the slot after whose end the next call is allowed."""
    for slot, count in sorted(counting.items()):
        over -= count
        if over < 0:
            return slot
    return max(counting, default=0)


_is_slot = spending.c.slot != literal_column(str(_LOCK_SLOT))
_ADD_LOCK_ROWS = upsert_rows(spending, "principal_id", "slot", keep=True)
_LOCK_BUDGETS = Statement(
    select(spending.c.principal_id)
    .where(in_json_list(spending.c.principal_id, "principals"), ~_is_slot)
    .order_by(spending.c.principal_id)
    .with_for_update()
)
_CALL_COUNTS = Statement(
    select(spending.c.principal_id, spending.c.slot, spending.c.calls).where(
        in_json_list(spending.c.principal_id, "principals"), spending.c.slot > bindparam("since"), _is_slot
    )
)
_SAVE_COUNTS = upsert_rows(spending, "principal_id", "slot")
_DELETE_OLD_COUNTS = Statement(delete(spending).where(spending.c.slot < bindparam("before"), _is_slot))

"""What was spent of budgets: calls counted in short slots, so that any stretch of time can be looked at."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from sqlalchemy import Connection, bindparam, delete, literal_column, select

from assent.gate.store import BudgetResult, Moment
from assent.stores.live_tables import spending
from assent.stores.policy import Edited
from assent.stores.statements import Statement, listed, upserting
from assent.stores.times import kept, kept_span

SLOTS = 60
"""Into how many slots a window is cut."""
KEPT = timedelta(days=2)
"""Longer than any window."""
_HELD_SLOT = 0
"""The slot of a row that only stands for its principal: whoever counts holds it."""
_SECOND = 1_000_000
Slots = dict[int, int]
"""Calls by the start of their slot."""


class Purse:
    """What one principal spent."""

    def __init__(self, slots: Slots | None = None) -> None:
        self.slots: Slots = slots or {}
        self.counted: set[int] = set()
        """The slots that were counted in here."""

    def forget(self, before: int) -> None:
        """Forget what began earlier."""
        self.slots = {slot: count for slot, count in self.slots.items() if slot >= before}

    def spent(self, at: int, calls: int, window: int) -> BudgetResult:
        """Count one call at a moment, if there is room for it."""
        width = max(window // SLOTS, 1)
        # INVARIANT: a slot counts until all of it is too old, so that no window ever holds more than it may.
        counting = {slot: count for slot, count in self.slots.items() if slot + width > at - window}
        over = sum(counting.values()) - calls
        if over >= 0:
            free = _freed(counting, over) + width + window
            return BudgetResult(allowed=False, retry_after=(free - at) / _SECOND)
        slot = at - at % width
        self.slots[slot] = self.slots.get(slot, 0) + 1
        self.counted.add(slot)
        return BudgetResult(allowed=True)


def _freed(counting: Mapping[int, int], over: int) -> int:
    """The slot after whose end there is room again."""
    for slot, count in sorted(counting.items()):
        over -= count
        if over < 0:
            return slot
    return max(counting, default=0)


class Purses:
    """The purses that one batch counts in; nobody else counts in them before the commit."""

    def __init__(self, connection: Connection, moment: Moment) -> None:
        self._connection = connection
        self._at = kept(moment.at)
        self._purses: dict[str, Purse] = {}

    def hold(self, windows: Iterable[tuple[str, timedelta]]) -> None:
        """Hold the purse of each principal, as far back as anybody looks."""
        wanted = list(windows)
        if wanted:
            # A slot that begins before a window may reach into it.
            longest = 2 * max(kept_span(window) for _, window in wanted)
            self._purses = self._held(sorted({principal for principal, _ in wanted}), self._at - longest)

    def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call of somebody."""
        return self._purses[principal].spent(self._at, calls, kept_span(window))

    def write(self) -> None:
        """Write what was counted."""
        rows = [
            {"principal_id": principal, "slot": slot, "calls": purse.slots[slot]}
            for principal, purse in self._purses.items()
            for slot in purse.counted
        ]
        _COUNT.many(self._connection, rows)

    def _held(self, names: Sequence[str], since: int) -> dict[str, Purse]:
        principals = json.dumps(names)
        if self._connection.dialect.name == "postgresql":
            # In one order, so that two who hold several never wait for each other.
            held = [{"principal_id": one, "slot": _HELD_SLOT, "calls": 0} for one in names]
            _STAND.many(self._connection, held)
            _HOLD.all(self._connection, principals=principals)
        found: dict[str, Slots] = {name: {} for name in names}
        for principal, slot, count in _SPENT.all(self._connection, principals=principals, since=since):
            found[principal][slot] = count
        return {name: Purse(slots) for name, slots in found.items()}


def forget(connection: Connection, moment: Moment) -> Edited:
    """Forget what no window can reach any more."""
    _FORGET.run(connection, before=kept(moment.at - KEPT))
    return Edited()


_c = spending.c
_is_slot = _c.slot != literal_column(str(_HELD_SLOT))
_STAND = upserting(spending, "principal_id", "slot", keep=True)
_HOLD = Statement(
    select(_c.principal_id)
    .where(listed(_c.principal_id, "principals"), ~_is_slot)
    .order_by(_c.principal_id)
    .with_for_update()
)
_SPENT = Statement(
    select(_c.principal_id, _c.slot, _c.calls).where(
        listed(_c.principal_id, "principals"), _c.slot > bindparam("since"), _is_slot
    )
)
_COUNT = upserting(spending, "principal_id", "slot")
_FORGET = Statement(delete(spending).where(_c.slot < bindparam("before"), _is_slot))

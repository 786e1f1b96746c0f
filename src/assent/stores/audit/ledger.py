"""The audit chain of a process: links and writes entries, and closes the chains of dead processes."""

import glob
import json
import logging
import os
import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice

from sqlalchemy import bindparam, select, update

from assent.errors import AssentError
from assent.gate.audit import CHAIN_START_HASH, Entry, Link, current_version, link_entry
from assent.gate.changes import ChangeKind, change_entry
from assent.gate.policy import Moment
from assent.stores.audit import outbox
from assent.stores.audit.outbox import ChainEnd, unescape_text
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import (
    Clock,
    Connection,
    Statement,
    from_micros,
    read_moment,
    span_to_micros,
    to_micros,
    upsert_rows,
)
from assent.stores.sql.tables import processes
from assent.wire.audit import link_from_json, link_to_json

_log = logging.getLogger("assent.audit")
MAX_QUEUED_ENTRIES = 100_000
"""The maximum number of entries in memory while the outbox cannot be written; more are lost and counted."""
IDLE_DELAY = 0.01
"""Seconds without another write after which queued entries are written."""
MAX_DELAY = 0.05
"""The maximum number of seconds that an entry is queued."""
RETRY_DELAY = 1.0
"""Seconds before a failed write, or a failed move to the audit, is retried."""


class Ledger:
    """The audit chain of one process.

    The entries of a change are linked in its transaction. Other entries, such as those of calls that ran
    without asking, are linked in the next transaction, or in their own after a short delay. Entries that
    could not be written are left in a spool file for the next process that opens the store.
    """

    def __init__(self, writer: str, spool: str = "") -> None:
        self._writer = writer
        self._spool = spool
        self._head = self._next = ChainEnd(0, CHAIN_START_HASH)
        self._waiting: deque[Entry] = deque()
        self._taken = 0
        """How many waiting entries are in the open transaction."""
        self._new = 0
        """How many rows the open transaction adds to the outbox."""
        self._outboxed = 0
        self._old: list[Link] = []
        """Links from a spool file of an earlier version, which linked its spooled entries."""
        self._since = 0.0
        self._has_failed = False
        self._files: list[str] = []
        self.lost = 0
        """Entries that were lost because too many were waiting."""

    def __len__(self) -> int:
        """The number of entries of this process that are not in the audit yet."""
        return self.unwritten_count + self._outboxed

    @property
    def unwritten_count(self) -> int:
        """The number of entries that are not in the outbox yet."""
        return len(self._waiting) + len(self._old)

    @property
    def spooled_count(self) -> int:
        """The number of entries that wait because a write or a move failed."""
        return len(self) if self._has_failed else 0

    def add(self, entry: Entry) -> None:
        """Queue an entry; never waits and never fails."""
        if self.unwritten_count >= MAX_QUEUED_ENTRIES:
            self.lost += 1
            return
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(entry)

    def is_due(self, *, idle: bool) -> bool:
        """Whether queued entries should be written now: `idle`, or they have waited long enough."""
        waited = time.monotonic() - self._since
        return bool(len(self)) and (waited > RETRY_DELAY if self._has_failed else idle or waited > MAX_DELAY)

    def wait_timeout(self) -> float | None:
        """Seconds until queued entries should be written; None if there are none."""
        return (RETRY_DELAY if self._has_failed else IDLE_DELAY) if len(self) else None

    def write(self, connection: Connection, at: datetime, entries: Sequence[Entry] = ()) -> None:
        """Link queued and new entries in the open transaction; the caller then calls a `mark` method."""
        self._taken = len(self._waiting)
        new = [*islice(self._waiting, self._taken), *entries]
        self._next = self._head
        if self._old:
            self._write_spooled_links(connection)
        if new:
            self._link_entries(connection, at, new)

    def mark_committed(self) -> None:
        """Record that the transaction of `write` was committed."""
        self._head = self._next
        if self._new and not self._outboxed:
            self._since = time.monotonic()
        self._outboxed += self._new
        for _ in range(self._taken):
            self._waiting.popleft()
        self._old.clear()
        self._taken = self._new = 0
        while self._files:
            with suppress(FileNotFoundError):
                os.unlink(self._files.pop())

    def mark_rolled_back(self) -> None:
        """Record that the transaction of `write` failed; the next `write` checks what was committed."""
        self._taken = self._new = 0

    def mark_moved(self) -> None:
        """Record that all rows were moved from the outbox to the audit."""
        self._outboxed = 0
        self._has_failed = False

    def mark_failed(self, error: Exception) -> None:
        """Record a failed write or move, which is retried; the error is only logged."""
        if not self._has_failed:
            # Only the type is logged, because the message of a database may quote the row.
            kind = type(error).__name__
            _log.warning("the audit cannot be written now; its entries are kept in memory (%s)", kind)
        self._has_failed = True
        self._since = time.monotonic()

    def close_chain(self, connection: Connection) -> None:
        """Mark the chain of this process as complete in the database."""
        _CLOSE_CHAIN.run(connection, writer=self._writer, start=self._head.number)

    def load_spool(self) -> None:
        """Load entries that earlier processes left in the spool file; invalid lines count as lost."""
        if self._spool and os.path.exists(self._spool):
            # Renamed first, so that a process that spools in the meantime writes to a new file.
            os.rename(self._spool, f"{self._spool}.{self._writer}")
        self._files = glob.glob(f"{glob.escape(self._spool)}.*") if self._spool else []
        for path in self._files:
            with open(path, encoding="ascii") as lines:
                for link in filter(None, map(self._parse_spool_line, lines)):
                    if link.number:
                        self._old.append(link)
                    else:
                        self._waiting.append(link.entry)

    def write_spool(self) -> None:
        """Write entries that could not be stored to the spool file; the next process links them."""
        left = [*self._old, *map(_to_unlinked, self._waiting)]
        if not left:
            return
        try:
            _append_links(self._spool, left)
        except OSError:
            self.lost += len(left)

    def _link_entries(self, connection: Connection, at: datetime, new: Sequence[Entry]) -> None:
        start = self._head
        if not _ADVANCE_CHAIN.run(
            connection, writer=self._writer, start=start.number, end=start.number + len(new)
        ):
            start, new = self._find_chain_end(connection, at, new)
        self._next = outbox.add_entries(connection, new, writer=self._writer, after=start, at=at)
        self._new += len(new)

    def _find_chain_end(
        self, connection: Connection, at: datetime, new: Sequence[Entry]
    ) -> tuple[ChainEnd, Sequence[Entry]]:
        """The end of the chain in the database, and the entries that are not in it yet.

        Needed if the outcome of a commit was unknown, or if another process closed this chain because the
        process seemed dead.
        """
        if not _LOCK_PROCESS.fetch(connection, writer=self._writer):
            row = {"started_at": to_micros(at), "seen_at": to_micros(at), "audited": 0, "chain": "open"}
            _ADD_PROCESS.run_many(connection, [{"boot": self._writer, **row}])
        head = outbox.read_chain_end(connection, self._writer)
        known = {
            unescape_text(id_) for id_ in outbox.read_ids_after(connection, self._writer, self._head.number)
        }
        new = [entry for entry in new if entry.id not in known]
        _REOPEN_CHAIN.run(connection, writer=self._writer, end=head.number + len(new))
        return head, new

    def _write_spooled_links(self, connection: Connection) -> None:
        outbox.add_missing_links(connection, self._old)
        ends = {link.writer: link.number for link in self._old}
        _RAISE_CHAIN_END.run_many(
            connection, [{"writer": writer, "end": number} for writer, number in ends.items()]
        )
        self._new += len(self._old)

    def _parse_spool_line(self, line: str) -> Link | None:
        try:
            return link_from_json(json.loads(line))
        except (AssentError, ValueError):
            self.lost += 1
            return None


_process = processes.c
_IS_OWN = _process.boot == bindparam("writer")
# In the same transaction as the rows, so that a lost end of the chain is noticed. It changes no row
# if the chain ends elsewhere than this process expects.
_ADVANCE_CHAIN = Statement(
    update(processes)
    .where(_IS_OWN, _process.audited == bindparam("start"), _process.chain == "open")
    .values(audited=bindparam("end"))
)
_REOPEN_CHAIN = Statement(update(processes).where(_IS_OWN).values(audited=bindparam("end"), chain="open"))
_CLOSE_CHAIN = Statement(
    update(processes)
    .where(_IS_OWN, _process.audited == bindparam("start"), _process.chain == "open")
    .values(chain="closed")
)
_RAISE_CHAIN_END = Statement(
    update(processes).where(_IS_OWN, _process.audited < bindparam("end")).values(audited=bindparam("end"))
)
_LOCK_PROCESS = Statement(select(_process.audited).where(_IS_OWN).with_for_update())
_ADD_PROCESS = upsert_rows(processes, "boot", keep=True)

PROCESS_TIMEOUT = timedelta(minutes=1)
"""The time without a heartbeat after which a process counts as dead."""


def read_dead_open_chains(
    connection: Connection, clock: Clock | None, grace: timedelta = PROCESS_TIMEOUT
) -> list[str]:
    """The ids of dead processes whose chains are still open."""
    horizon = to_micros(read_moment(connection, clock).at) - span_to_micros(grace)
    return [row[0] for row in _DEAD_PROCESSES.fetch(connection, horizon=horizon)]


def close_chains(connection: Connection, now: Moment, writers: Sequence[str]) -> EditResult:
    """Add a closing row to each of these chains; returns the number of closed chains.

    INVARIANT: a chain that lost rows is not closed: answers and claims are committed with their entries, so a
    crash never explains a missing one.
    """
    return EditResult(sum(_close_chain(connection, now.at, writer) for writer in writers))


def _to_unlinked(entry: Entry) -> Link:
    """A link for the spool file whose number and hash are not known yet."""
    return Link(entry=entry, writer="", number=0, at=datetime.now(UTC), hash="")


def _append_links(path: str, links: Iterable[Link]) -> None:
    text = "".join(json.dumps(link_to_json(link)) + "\n" for link in links)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, text.encode("ascii"))
        os.fsync(handle)
    finally:
        os.close(handle)


def _close_chain(connection: Connection, at: datetime, writer: str) -> bool:
    rows = _LOCK_OPEN_CHAIN.fetch(connection, writer=writer)
    head = outbox.read_chain_end(connection, writer)
    # A chain of a later version is not closed here: our row would have a lower version.
    if not rows or rows[0][0] != head.number or head.version > current_version():
        return False
    entry = change_entry("", ChangeKind.CHAIN_CLOSED, _closing_reason(from_micros(rows[0][1])))
    link = link_entry(entry, writer=writer, number=head.number + 1, at=at, previous=head.hash)
    outbox.add_links(connection, [link])
    _MARK_CHAIN_CUT.run(connection, writer=writer, end=link.number)
    return True


def _closing_reason(seen: datetime) -> str:
    return (
        f"this process was last seen at {seen:%Y-%m-%d %H:%M:%S} UTC and ended without closing its chain:"
        " rows of its last 50 ms may be missing, of calls that ran or asked and of changes;"
        " never of an answer or a claim"
    )


_process = processes.c
_IS_CHAIN_OPEN = _process.chain == "open"
_DEAD_PROCESSES = Statement(
    select(_process.boot)
    .where(_IS_CHAIN_OPEN, _process.seen_at < bindparam("horizon"))
    .order_by(_process.boot)
)
_LOCK_OPEN_CHAIN = Statement(
    select(_process.audited, _process.seen_at)
    .where(_process.boot == bindparam("writer"), _IS_CHAIN_OPEN)
    .with_for_update()
)
_MARK_CHAIN_CUT = Statement(
    update(processes)
    .where(_process.boot == bindparam("writer"))
    .values(audited=bindparam("end"), chain="cut")
)

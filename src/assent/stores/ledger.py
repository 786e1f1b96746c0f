"""The audit on its way to its table: linked into this process's chain, kept until it is written."""

import glob
import json
import logging
import os
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, update

from assent.errors import AssentError
from assent.gate.audit import START, Entry, Link, linked
from assent.stores.audit_rows import link_row
from assent.stores.statements import Statement, upserting
from assent.stores.tables import audit, processes
from assent.wire.audit import link_from_json, link_to_json

_log = logging.getLogger("assent.audit")

MOST = 100_000
"""Entries that are kept while the table cannot be written; more are lost, and counted."""
LULL = 0.01
"""Seconds without other work after which the audit is written."""
LONGEST = 0.05
"""Seconds that an entry waits for such a lull."""
AGAIN = 1.0
"""Seconds after which what could not be written is tried again."""


class Ledger:
    """Entries of one process in their order; what could not be written is written later, or spooled.

    The file is read by whichever process opens the store next; a link that is written twice is there once.
    """

    def __init__(self, writer: str, spool: str = "") -> None:
        self._writer = writer
        self._spool = spool
        self._number = 0
        self._previous = START
        self._waiting: deque[Entry] = deque()
        self._links: list[Link] = []
        self._since = 0.0
        self._failed = 0
        self._taken: list[str] = []
        self.lost = 0
        """Entries that are nowhere, because there was no room left to keep them."""

    def __len__(self) -> int:
        return len(self._waiting) + len(self._links)

    @property
    def spooled(self) -> int:
        """Entries that could not be written when they should have been, and are kept."""
        return self._failed

    def add(self, entry: Entry) -> None:
        """Take an entry; never waits, never fails."""
        if len(self) >= MOST:
            self.lost += 1
            return
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(entry)

    def is_due(self, *, idle: bool) -> bool:
        """Whether it should be written now: in a lull, or because it has waited long enough."""
        waited = time.monotonic() - self._since
        return bool(len(self)) and (waited > AGAIN if self._failed else idle or waited > LONGEST)

    def patience(self) -> float | None:
        """Seconds until it should be looked after; None when there is nothing to write."""
        return (AGAIN if self._failed else LULL) if len(self) else None

    def write(self, connection: Connection, at: datetime) -> None:
        """Write everything there is; whoever calls commits, then says `written` or `failed`."""
        while self._waiting:
            self._links.append(self._linked(self._waiting[0], at))
            self._waiting.popleft()
        _LINK.many(connection, [link_row(link) for link in self._links])
        ends = {link.writer: link.number for link in self._links}
        _END.many(connection, [{"writer": writer, "end": number} for writer, number in ends.items()])

    def written(self) -> None:
        """What `write` wrote is safe."""
        self._links.clear()
        self._failed = 0
        while self._taken:
            with suppress(FileNotFoundError):
                os.unlink(self._taken.pop())

    def failed(self, error: Exception) -> None:
        """What `write` wrote may be lost; it is kept and written again. Nobody but the log hears of it."""
        if not self._failed:
            # Only its kind: what a database says may quote the row.
            _log.warning("the audit cannot be written now and is kept (%s)", type(error).__name__)
        self._failed = len(self._links)
        self._since = time.monotonic()

    def load(self) -> None:
        """Take back what other processes had to leave in the file; a line that is none counts as lost."""
        if self._spool and os.path.exists(self._spool):
            # Under a name of our own first: what somebody leaves meanwhile goes to a new file.
            os.rename(self._spool, f"{self._spool}.{self._writer}")
        self._taken = glob.glob(f"{glob.escape(self._spool)}.*") if self._spool else []
        for path in self._taken:
            with open(path, encoding="ascii") as lines:
                self._links.extend(link for line in lines if (link := self._link(line)) is not None)

    def unload(self) -> None:
        """Leave in the file what could not be written before the end."""
        links = [*self._links, *(self._linked(entry, datetime.now(UTC)) for entry in self._waiting)]
        if not links:
            return
        try:
            _append(self._spool, links)
        except OSError:
            self.lost += len(links)

    def _linked(self, entry: Entry, at: datetime) -> Link:
        number, previous = self._number + 1, self._previous
        link = linked(entry, writer=self._writer, number=number, at=at, previous=previous)
        self._number, self._previous = number, link.hash
        return link

    def _link(self, line: str) -> Link | None:
        try:
            return link_from_json(json.loads(line))
        except (AssentError, ValueError):
            self.lost += 1
            return None


def _append(path: str, links: Iterable[Link]) -> None:
    text = "".join(json.dumps(link_to_json(link)) + "\n" for link in links)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, text.encode("ascii"))
        os.fsync(handle)
    finally:
        os.close(handle)


_LINK = upserting(audit, "writer", "place", keep=True)
# In the same transaction as the rows: how far a chain goes is known even when its end is gone.
_END = Statement(
    update(processes)
    .where(processes.c.boot == bindparam("writer"), processes.c.audited < bindparam("end"))
    .values(audited=bindparam("end"))
)

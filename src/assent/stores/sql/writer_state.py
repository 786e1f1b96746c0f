"""What the only writer of a file knows to be committed, so that its next batch need not read it."""

from collections.abc import Iterable
from typing import NamedTuple

from assent.gate.approval import Approval
from assent.gate.ids import is_canonical_json
from assent.stores.sql.limits import LimitCounts

_MAX_APPROVALS = 4096
_MAX_BYTES = 64_000
"""The maximum size of a question that is kept here."""


class PolicyState(NamedTuple):
    """The policy version, and whether all agents are paused."""

    version: int
    paused: bool


class KeptApproval(NamedTuple):
    """An open approval as it was committed, its arguments as they are stored, and the size of its row."""

    approval: Approval
    args: str
    size: int


class WriterState:
    """The committed policy version, open approvals and limit counts of one writer.

    INVARIANT: it is used only while no other connection has written since it was read: after another write,
    an error or an edit of tables it is dropped. A store with several writers uses a new one for each batch.
    """

    def __init__(self) -> None:
        self._data_version: int | None = None
        self.policy: PolicyState | None = None
        self.counts = LimitCounts()
        self._approvals: dict[str, KeptApproval] = {}

    def forget(self) -> None:
        """Drop everything, so that the next batch reads it again."""
        self._data_version, self.policy, self.counts = None, None, LimitCounts()
        self._approvals.clear()

    def forget_unless(self, data_version: int) -> None:
        """Drop everything if another connection wrote since the last call."""
        if data_version != self._data_version:
            self.forget()
            self._data_version = data_version

    def find(self, ids: Iterable[str]) -> dict[str, KeptApproval]:
        """Those of these approvals that are kept."""
        found = ((id_, self._approvals.get(id_)) for id_ in ids)
        # INVARIANT: callers hold the same objects, and one of them may have changed the arguments.
        return {
            id_: kept
            for id_, kept in found
            if kept is not None and is_canonical_json(kept.approval.call.args, kept.args)
        }

    def keep(self, kept: KeptApproval) -> None:
        """Keep an approval while it is open."""
        id_ = kept.approval.id
        self._approvals.pop(id_, None)
        if kept.approval.state.is_open and kept.size <= _MAX_BYTES:
            self._approvals[id_] = kept
            if len(self._approvals) > _MAX_APPROVALS:
                del self._approvals[next(iter(self._approvals))]

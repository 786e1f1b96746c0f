"""The pods of one database: each writes down what it is, and reads what the others are."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, select

from assent.gate.pods import Pod
from assent.gate.store import Moment
from assent.stores.live_tables import pods
from assent.stores.policy import Edited
from assent.stores.statements import Statement, upserting
from assent.stores.tables import processes
from assent.stores.times import kept, kept_span

ALIVE = timedelta(seconds=60)
"""A process that has shown no sign of life for so long is not compared with."""


def joined(connection: Connection, moment: Moment, boot: str, pod: Pod) -> Edited:
    """Write down what this process is; what the others are that live."""
    now = kept(moment.at)
    horizon = now - kept_span(ALIVE)
    _FORGET.run(connection, horizon=horizon)
    row = {"boot": boot, "workspace": pod.workspace, "policy_digest": pod.policy_digest}
    _JOIN.many(connection, [{**row, "version": pod.version, "joined_at": now}])
    rows = _LIVING.all(connection, horizon=horizon)
    return Edited(tuple(_pod(row) for row in rows if row[0] != boot))


def left(connection: Connection, moment: Moment, boot: str) -> Edited:  # noqa: ARG001
    """Forget a process that ends."""
    _LEAVE.run(connection, boot=boot)
    return Edited()


def pods_of(connection: Connection, at: datetime) -> tuple[Pod, ...]:
    """Every pod that lives, in the order in which they joined."""
    horizon = kept(at - ALIVE)
    return tuple(_pod(row) for row in _LIVING.all(connection, horizon=horizon))


def _pod(row: Sequence[str]) -> Pod:
    _, workspace, policy_digest, version = row
    return Pod(workspace=workspace, policy_digest=policy_digest, version=version)


_LIVES = processes.c.seen_at >= bindparam("horizon")
_JOIN = upserting(pods, "boot")
_LEAVE = Statement(delete(pods).where(pods.c.boot == bindparam("boot")))
_FORGET = Statement(delete(pods).where(pods.c.boot.not_in(select(processes.c.boot).where(_LIVES))))
_LIVING = Statement(
    select(pods.c.boot, pods.c.workspace, pods.c.policy_digest, pods.c.version)
    .join(processes, processes.c.boot == pods.c.boot)
    .where(_LIVES)
    .order_by(pods.c.joined_at, pods.c.boot)
)

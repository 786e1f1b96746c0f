"""Descriptors: how many connections this process can hold and still open files and its database."""

import resource
from typing import NamedTuple

MOST = 65_536
"""Descriptors that are asked for, where the system allows that many."""
RESERVE = 128
"""Descriptors for the database, policy files, the audit's spool and connections that are being refused."""


class Capacity(NamedTuple):
    """How many connections a server takes, and how many of them may wait for long."""

    connections: int
    waiting: int
    """Long polls and streams; the rest is for health checks, decisions and answers."""


def raise_limit() -> int:
    """Raise the soft limit of open files as far as is useful; the limit that holds then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


def capacity_of(limit: int, most: int) -> Capacity:
    """What a process with this many descriptors can take, and at most what its settings allow."""
    connections = min(max(limit - RESERVE, limit // 2), most)
    return Capacity(connections, max(connections * 3 // 4, 1))

"""Mishaps: what happens to a server while visitors use it."""

import asyncio
import random
import resource
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

import asyncpg

from assent.stores import maintenance
from chaos.proxy import Proxy
from chaos.restores import Restore
from chaos.server import Server
from chaos.serving import DESCRIPTORS, Serving
from chaos.site import Site

_HELD = 1.5
"""Seconds for which something is held, stopped, full or away."""
_LONG = 5.0
"""Seconds of the same, longer than visitors wait for a reply, and than the server waits for a lock."""
_SILENT = DESCRIPTORS + 200
"""Connections of a storm, which are more than the server has descriptors."""


def set_event() -> threading.Event:
    """An event that has happened."""
    event = threading.Event()
    event.set()
    return event


@dataclass
class World:
    """What a mishap can happen to."""

    site: Site
    serving: Serving
    database: Server | None = None
    """The PostgreSQL that is served; None where it is a file."""
    proxy: Proxy | None = None
    """Between the server and its PostgreSQL."""
    clusters: list[Server] = field(default_factory=list[Server])
    """Those that were made on the way; whoever made the world stops them."""
    kills: list[float] = field(default_factory=list[float])
    """When the server was killed."""
    restores: list[Restore] = field(default_factory=list[Restore])
    """When the database was moved."""
    may_take: threading.Event = field(default_factory=set_event)
    """Whether agents come for their answers, and report."""


def kill(world: World) -> None:
    """Kill -9 of the server, which is started again."""
    world.kills.append(time.monotonic())
    world.serving.kill()
    world.serving.start()


def hold(world: World) -> None:
    """SIGSTOP: the server stands still, and goes on as if nothing had been."""
    world.serving.hold(_HELD)


def hold_long(world: World) -> None:
    """The same, for so long that visitors give up and send their requests again, on top of the first ones."""
    world.serving.hold(_LONG)


def fill_disk(world: World) -> None:
    """No file of the server may grow, as on a full disk or at a quota."""
    pid = world.serving.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        time.sleep(_HELD)
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def storm_descriptors(world: World) -> None:
    """More connections than the server may have descriptors, all of them silent."""
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with ExitStack() as opened:
            for _ in range(_SILENT):
                with suppress(OSError):  # A server that refuses is what we want to see.
                    opened.enter_context(socket.create_connection(("127.0.0.1", world.serving.port), _HELD))
            time.sleep(_HELD)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def restart_database(world: World) -> None:
    """PostgreSQL crashes, is away for a while, and comes back."""
    assert world.database is not None
    world.database.restart(_HELD)


def lock_tables(world: World) -> None:
    """Somebody holds a lock on the tables of questions and of the audit."""
    assert world.database is not None
    asyncio.run(_locked(world.database.address))


def part(world: World) -> None:
    """Nothing goes through between the server and PostgreSQL, and nothing says so."""
    assert world.proxy is not None
    world.proxy.part(_HELD)


def part_long(world: World) -> None:
    """The same, for so long that visitors give up and send their requests again."""
    assert world.proxy is not None
    world.proxy.part(_LONG)


def move(world: World) -> None:
    """The database is backed up and restored elsewhere: a new file, or a new cluster of PostgreSQL.

    Agents leave their answers where they are for a while before it, so that calls are approved, running and
    pending in the backup. Every second time the server is killed instead of drained.
    """
    number = len(world.restores)
    backup = str(world.site.directory / f"backup-{number}")
    if world.database is None or world.proxy is None:
        before, new = world.serving.address, str(world.site.directory / f"restored-{number}.db")
        served = new
    else:
        before = world.database.address
        cluster = Server(world.site.directory / f"server-{number}")
        world.clusters.append(cluster)
        world.database, new = cluster, cluster.address
        served = world.proxy.before(new)
    world.may_take.clear()
    time.sleep(_HELD)
    if number % 2:
        world.serving.kill()
    else:
        world.serving.end()
    dumped = time.monotonic()
    world.may_take.set()
    asyncio.run(maintenance.backup(before, backup))
    asyncio.run(maintenance.restore(new, backup))
    if world.database is not None and world.proxy is not None:
        world.proxy.socket = world.database.socket
    world.serving.start(served)
    world.restores.append(Restore(dumped, time.monotonic()))


async def _locked(address: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE approvals, audit IN ACCESS EXCLUSIVE MODE")
            await asyncio.sleep(_LONG)
    finally:
        await connection.close()


Mishap = Callable[[World], None]
EVERYWHERE: dict[str, Mishap] = {
    "kill -9": kill,
    "SIGSTOP": hold,
    "long SIGSTOP": hold_long,
    "full disk": fill_disk,
    "descriptors": storm_descriptors,
}
ON_POSTGRES: dict[str, Mishap] = {
    "PostgreSQL crash": restart_database,
    "table lock": lock_tables,
    "partition": part,
    "long partition": part_long,
}
LAST: dict[str, Mishap] = {"restore elsewhere": move}


def mishaps(world: World, kills: int, chance: random.Random) -> list[tuple[str, Mishap]]:
    """What happens here in one round, by chance in this order or another; a restore is last."""
    once = {**EVERYWHERE, **({} if world.database is None else ON_POSTGRES)}
    found = [*once.items(), *[("kill -9", kill)] * (kills - 1)]
    chance.shuffle(found)
    return [*found, *LAST.items()]

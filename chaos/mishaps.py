"""Mishaps: what happens to a server while visitors use it."""

import asyncio
import resource
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

import asyncpg

from assent.stores.admin import maintenance
from chaos.proxy import Proxy
from chaos.server import Server
from chaos.serving import DESCRIPTORS, Serving
from chaos.site import Site

_HELD = 1.5
"""Seconds for which something is held, stopped, full or away."""
_SILENT = DESCRIPTORS + 200
"""Connections of a storm, which are more than the server has descriptors."""


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
    moves: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """When the database was moved, from when to when."""


def kill(world: World) -> None:
    """Kill -9 of the server, which is started again."""
    world.serving.kill()
    world.serving.start()


def hold(world: World) -> None:
    """SIGSTOP: the server stands still, and goes on as if nothing had been."""
    world.serving.hold(_HELD)


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


def move(world: World) -> None:
    """The database is backed up and restored elsewhere: a new file, or a new cluster of PostgreSQL."""
    began, number = time.monotonic(), len(world.moves)
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
    world.serving.end()
    asyncio.run(maintenance.backup(before, backup))
    asyncio.run(maintenance.restore(new, backup))
    if world.database is not None and world.proxy is not None:
        world.proxy.socket = world.database.socket
    world.serving.start(served)
    world.moves.append((began, time.monotonic()))


async def _locked(address: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE approvals, audit IN ACCESS EXCLUSIVE MODE")
            await asyncio.sleep(_HELD)
    finally:
        await connection.close()


Mishap = Callable[[World], None]
EVERYWHERE: dict[str, Mishap] = {
    "kill -9": kill,
    "SIGSTOP": hold,
    "full disk": fill_disk,
    "descriptors": storm_descriptors,
}
ON_POSTGRES: dict[str, Mishap] = {
    "PostgreSQL crash": restart_database,
    "table lock": lock_tables,
    "partition": part,
}
LAST: dict[str, Mishap] = {"restore elsewhere": move}


def mishaps(world: World) -> dict[str, Mishap]:
    """What can happen here, in its order."""
    return {**EVERYWHERE, **({} if world.database is None else ON_POSTGRES), **LAST}

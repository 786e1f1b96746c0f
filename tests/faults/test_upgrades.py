"""A server that starts on an older database upgrades all of it, with a backup, or changes nothing."""

import asyncio
import os
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, make_url

from assent.stores.admin.connections import write_any_schema
from assent.stores.admin.maintenance import database_status, upgrade_database
from assent.stores.migrations import HEAD
from chaos.postgres import create_database, drop_database
from tests.serving import run_command, server, start_server
from tests.stores.fixtures.make import HERE
from tests.stores.migrations.test_migrate import restore_fixture

OLD_SCHEMA = HERE / "schema-1.5.sql"
_MIDDLE = 3
"""The number of a statement in the middle of the upgrade."""


def kill_during_upgrade() -> None:
    """Kill this process while it upgrades a database."""
    _call_at_middle_statement(lambda: os.kill(os.getpid(), signal.SIGKILL))


def fail_during_upgrade() -> None:
    """Make a migration fail while it upgrades a database."""

    def fail() -> None:
        raise RuntimeError("a migration with a bug")

    _call_at_middle_statement(fail)


def _call_at_middle_statement(action: Callable[[], None]) -> None:
    numbers = count(1)

    def watch_statement(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        # Only statements that change tables are counted, because the number of reads may change.
        if statement.lstrip().upper().startswith(("CREATE", "ALTER")) and next(numbers) == _MIDDLE:
            action()

    event.listen(Engine, "after_cursor_execute", watch_statement)


def read_rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def read_schema(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


@pytest.mark.proves("R-38")
@pytest.mark.parametrize("fault", [kill_during_upgrade, fail_during_upgrade], ids=["killed", "failed"])
def test_an_interrupted_upgrade_leaves_a_backup_and_the_old_schema(
    tmp_path: Path, fault: Callable[[], None]
) -> None:
    path = tmp_path / "assent.db"
    restore_fixture(OLD_SCHEMA, path)
    before = read_rows(path)

    for _ in range(2):
        with pytest.raises(AssertionError, match="the server did not start"):
            start_server(tmp_path, "--database", str(path), change=fault)

    backups = sorted(tmp_path.glob("assent.db.schema-*"))
    assert (read_schema(path), read_rows(path)) == ("1.5", before)
    # A server that is started again and again does not fill the disk with copies.
    assert [backup.name for backup in backups] == ["assent.db.schema-1.5"]
    assert read_rows(backups[0]) == before
    assert stat.S_IMODE(backups[0].stat().st_mode) == 0o600


@pytest.mark.proves("R-38")
def test_a_server_that_cannot_listen_upgrades_nothing(tmp_path: Path) -> None:
    path = tmp_path / "assent.db"
    restore_fixture(OLD_SCHEMA, path)
    before = read_rows(path)

    exit_status, _, told = run_command(
        tmp_path, "serve", "--host", "0.0.0.0", "--port", "0", "--database", str(path)
    )

    assert (exit_status, "set `public_url`" in told) == (2, True)
    assert (read_rows(path), list(tmp_path.glob("assent.db.schema-*"))) == (before, [])


@pytest.mark.proves("R-38")
def test_a_server_backs_an_older_file_up_before_it_upgrades_it(tmp_path: Path) -> None:
    path = tmp_path / "assent.db"
    restore_fixture(OLD_SCHEMA, path)
    before = read_rows(path)

    with server(tmp_path, "--database", str(path)) as running:
        logged = running.read_log()
    backup = tmp_path / "assent.db.schema-1.5"

    assert (read_schema(path), read_rows(backup)) == (HEAD, before)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert f"as it was with 1.5: {backup}" in logged


@pytest.mark.proves("R-38")
async def test_on_postgresql_a_server_changes_nothing_and_says_how_to_back_up(
    postgres_server: str, tmp_path: Path
) -> None:
    name = f"upgrades_{os.getpid()}"
    address = await asyncio.to_thread(create_database, postgres_server, name)
    try:
        await upgrade_database(address)
        await write_any_schema(
            address,
            lambda connection: connection.core.exec_driver_sql(
                "UPDATE alembic_version SET version_num = '1.5'"
            ),
        )
        exit_status, out, told = run_command(tmp_path, "serve", "--port", "0", "--database", address)
        found = (await database_status(address)).schema
    finally:
        await asyncio.to_thread(drop_database, postgres_server, name)

    where = make_url(address).render_as_string(hide_password=True)
    assert (exit_status, out, found) == (2, "", "1.5")
    assert told == (
        f"assent: {where} has schema 1.5, and this version needs {HEAD}: back it up with"
        f" `assent db backup FILE --database {where}`, then run `assent db upgrade`\n"
    )

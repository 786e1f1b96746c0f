"""A piece of work on a database is one transaction, and its errors name the database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import AssentError, SchemaError, StoreError
from assent.stores.admin.connections import describe_address, open_file, query, read, update, write
from assent.stores.sql.statement import CoreConnection
from tests.stores.audited import audited

COUNT = "SELECT count(*) FROM tiers"
ADD = (
    "INSERT INTO tiers (agent_id, tool_name, provider_key, status, source, set_by, set_at)"
    " VALUES ('a', 't', 'operations', 'blocked', 'explicit', 'ana', 1)"
)


def count(connection: CoreConnection) -> int:
    return int(connection.core.exec_driver_sql(COUNT).scalar_one())


def add_then_fail(connection: CoreConnection) -> None:
    connection.core.exec_driver_sql(ADD)
    raise ZeroDivisionError


async def test_a_change_that_fails_changes_nothing(address: str) -> None:
    await audited(address, [])

    with pytest.raises(AssentError):
        await update(address, add_then_fail)

    assert await query(address, count) == 0


async def test_who_only_looks_cannot_change(address: str) -> None:
    await audited(address, [])

    with pytest.raises(AssentError):
        await query(address, lambda connection: connection.core.exec_driver_sql(ADD))

    assert await query(address, count) == 0


async def test_a_look_is_as_of_one_moment_and_holds_nobody_up(tmp_path: Path) -> None:
    path = str(tmp_path / "assent.db")
    await audited(path, [])

    with open_file(path, writing=False) as connection:
        before = count(connection)
        with closing(sqlite3.connect(path)) as other:
            other.execute(ADD)
            other.commit()
        during = count(connection)

    assert (before, during) == (0, 0)
    assert await read(path, count) == 1


@pytest.mark.parametrize("work", [query, update])
async def test_tables_that_this_version_does_not_know_are_left_alone(tmp_path: Path, work: object) -> None:
    path = str(tmp_path / "assent.db")
    await audited(path, [])
    await write(
        path,
        lambda connection: connection.core.exec_driver_sql("UPDATE alembic_version SET version_num = '0.9'"),
    )

    with pytest.raises(SchemaError) as raised:
        await work(path, count)  # type: ignore[operator]

    assert str(raised.value) == f"{path} has schema 0.9, and this version needs 1.7: run `assent db upgrade`"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("assent.db", "assent.db"),
        ("postgresql://ana:hunter2@db.internal/assent", "postgresql://ana:***@db.internal/assent"),
        ("postgres://ana@db.internal/assent", "postgresql://ana@db.internal/assent"),
    ],
)
@pytest.mark.proves("T-39")
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert describe_address(address) == shown


async def test_a_server_that_is_not_there_is_named_and_so_is_what_to_do() -> None:
    with pytest.raises(StoreError) as raised:
        await read("postgresql://ana:hunter2@127.0.0.1:1/assent", count)

    said = str(raised.value)
    assert said.startswith(
        "cannot use postgresql://ana:***@127.0.0.1:1/assent: the server cannot be reached: check"
    )
    assert "hunter2" not in said


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "assent.db"
    path.write_bytes(b"not a database, but long enough to be looked at" * 100)

    with pytest.raises(StoreError, match=f"cannot use {path}: it is not an SQLite database"):
        await read(str(path), count)


async def test_a_file_beside_the_database_that_cannot_be_written_is_told_apart(address: str) -> None:
    await audited(address, [])

    def work(connection: CoreConnection) -> None:
        connection.core.exec_driver_sql(ADD)
        Path("/nowhere/at/all").write_text("x")

    with pytest.raises(StoreError) as raised:
        await update(address, work)

    assert str(raised.value) == (
        "a file could not be read or written: no such file or directory; nothing was changed"
    )
    assert await query(address, count) == 0

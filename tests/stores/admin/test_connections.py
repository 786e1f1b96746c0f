"""A function on a database runs in one transaction, and its errors name the database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import AssentError, SchemaError, StoreError
from assent.gate.people import Person
from assent.stores.admin.connections import (
    describe_address,
    has_people,
    open_file,
    read_any_schema,
    read_current_schema,
    write_any_schema,
    write_current_schema,
)
from assent.stores.migrations import HEAD
from assent.stores.sql.statement import CoreConnection
from tests.stores.audited import open_store, record_entries
from tests.stores.test_restore import empty_database

COUNT_TIERS = "SELECT count(*) FROM tiers"
ADD_TIER = (
    "INSERT INTO tiers (agent_id, tool_name, provider_key, status, source, set_by, set_at)"
    " VALUES ('a', 't', 'operations', 'blocked', 'explicit', 'ana', 1)"
)


def count_rows(connection: CoreConnection) -> int:
    return int(connection.core.exec_driver_sql(COUNT_TIERS).scalar_one())


def add_then_fail(connection: CoreConnection) -> None:
    connection.core.exec_driver_sql(ADD_TIER)
    raise ZeroDivisionError


async def test_a_failed_change_changes_nothing(address: str) -> None:
    await record_entries(address, [])

    with pytest.raises(AssentError):
        await write_current_schema(address, add_then_fail)

    assert await read_current_schema(address, count_rows) == 0


async def test_a_read_cannot_change_the_database(address: str) -> None:
    await record_entries(address, [])

    with pytest.raises(AssentError):
        await read_current_schema(address, lambda connection: connection.core.exec_driver_sql(ADD_TIER))

    assert await read_current_schema(address, count_rows) == 0


async def test_a_read_sees_one_moment_and_blocks_no_writer(tmp_path: Path) -> None:
    path = str(tmp_path / "assent.db")
    await record_entries(path, [])

    with open_file(path, writing=False) as connection:
        before = count_rows(connection)
        with closing(sqlite3.connect(path)) as other:
            other.execute(ADD_TIER)
            other.commit()
        during = count_rows(connection)

    assert (before, during) == (0, 0)
    assert await read_any_schema(path, count_rows) == 1


@pytest.mark.parametrize("work", [read_current_schema, write_current_schema])
async def test_a_database_with_an_unknown_schema_is_refused(tmp_path: Path, work: object) -> None:
    path = str(tmp_path / "assent.db")
    await record_entries(path, [])
    await write_any_schema(
        path,
        lambda connection: connection.core.exec_driver_sql("UPDATE alembic_version SET version_num = '0.9'"),
    )

    with pytest.raises(SchemaError) as raised:
        await work(path, count_rows)  # type: ignore[operator]

    assert (
        str(raised.value) == f"{path} has schema 0.9, and this version needs {HEAD}: run `assent db upgrade`"
    )


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


async def test_the_error_for_an_unreachable_server_names_it_and_the_remedy() -> None:
    with pytest.raises(StoreError) as raised:
        await read_any_schema("postgresql://ana:hunter2@127.0.0.1:1/assent", count_rows)

    said = str(raised.value)
    assert said.startswith(
        "cannot use postgresql://ana:***@127.0.0.1:1/assent: the server cannot be reached: check"
    )
    assert "hunter2" not in said


async def test_the_error_for_a_file_that_is_no_database_names_it(tmp_path: Path) -> None:
    path = tmp_path / "assent.db"
    path.write_bytes(b"not a database, but long enough to be looked at" * 100)

    with pytest.raises(StoreError, match=f"cannot use {path}: it is not an SQLite database"):
        await read_any_schema(str(path), count_rows)


async def test_an_error_of_another_file_is_not_reported_as_one_of_the_database(address: str) -> None:
    await record_entries(address, [])

    def write_row(connection: CoreConnection) -> None:
        connection.core.exec_driver_sql(ADD_TIER)
        Path("/nowhere/at/all").write_text("x")

    with pytest.raises(StoreError) as raised:
        await write_current_schema(address, write_row)

    assert str(raised.value) == (
        "a file could not be read or written: no such file or directory; nothing was changed"
    )
    assert await read_current_schema(address, count_rows) == 0


FIXTURES = sorted((Path(__file__).parent.parent / "fixtures").glob("*.sql"))
ADA = Person(id="ada", administrator=True)


def read_files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


async def test_a_database_with_a_person_has_people(address: str) -> None:
    async with open_store(address) as store:
        before = await has_people(address)
        await store.add_person(ADA, by="ada")
        while_open = await has_people(address)

    assert (before, while_open, await has_people(address)) == (False, True, True)


@pytest.mark.parametrize("is_wal", [False, True], ids=["restored", "in use before"])
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.stem)
async def test_reading_a_file_of_any_schema_changes_nothing(
    fixture: Path, tmp_path: Path, *, is_wal: bool
) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(fixture.read_text("utf-8"))
        connection.execute(f"PRAGMA journal_mode = {'WAL' if is_wal else 'DELETE'}")
    before = read_files(tmp_path)

    assert await has_people(str(path)) is False
    assert read_files(tmp_path) == before


async def test_a_missing_or_empty_file_has_no_people_and_is_not_created(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()

    assert not await has_people(str(tmp_path / "none.db"))
    assert not await has_people(str(tmp_path / "empty.db"))
    assert read_files(tmp_path) == {"empty.db": b""}


async def test_a_database_without_tables_has_no_people(postgres_server: str) -> None:
    assert not await has_people(await empty_database(postgres_server))


async def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_bytes(b"no database at all, but long enough to be looked at" * 40)

    with pytest.raises(StoreError, match="not an SQLite database"):
        await has_people(str(tmp_path / "broken.db"))

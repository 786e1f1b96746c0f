"""A look at a database before it is opened says whether it knows anybody, and leaves everything as it was."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.gate.people import Person
from assent.stores.admin.peek import has_people
from tests.stores.audited import opened
from tests.stores.test_restore import empty_database

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures").glob("*.sql"))
ADA = Person(id="ada", administrator=True)


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


async def test_it_knows_who_was_added(address: str) -> None:
    async with opened(address) as store:
        before = await has_people(address)
        await store.add_person(ADA, by="ada")
        while_open = await has_people(address)

    assert (before, while_open, await has_people(address)) == (False, True, True)


@pytest.mark.parametrize("is_wal", [False, True], ids=["restored", "in use before"])
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.stem)
async def test_a_file_of_any_schema_is_looked_at_and_nothing_changes(
    fixture: Path, tmp_path: Path, *, is_wal: bool
) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(fixture.read_text("utf-8"))
        connection.execute(f"PRAGMA journal_mode = {'WAL' if is_wal else 'DELETE'}")
    before = files(tmp_path)

    assert await has_people(str(path)) is False
    assert files(tmp_path) == before


async def test_a_file_that_is_not_there_or_empty_knows_nobody_and_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()

    assert not await has_people(str(tmp_path / "none.db"))
    assert not await has_people(str(tmp_path / "empty.db"))
    assert files(tmp_path) == {"empty.db": b""}


async def test_a_database_without_tables_knows_nobody(postgres_server: str) -> None:
    assert not await has_people(await empty_database(postgres_server))


async def test_what_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_bytes(b"no database at all, but long enough to be looked at" * 40)

    with pytest.raises(StoreError, match="not an SQLite database"):
        await has_people(str(tmp_path / "broken.db"))

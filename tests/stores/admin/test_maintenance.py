"""An operator can inspect, check, back up, restore and upgrade a database."""

import asyncio
import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from assent.errors import SchemaError, StoreError
from assent.gate.approval import Approval, approval_after_restore
from assent.gate.audit import Link
from assent.gate.store import Store
from assent.stores.admin.maintenance import (
    back_up_database,
    check_database,
    database_status,
    restore_database,
    upgrade_database,
)
from assent.stores.migrations import HEAD
from assent.stores.postgres.database import open_postgres
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import make_question, sample_grant
from tests.postgres import clear_database
from tests.stores.promises.given import (
    MANY,
    POLICY_KEY,
    answer_change,
    list_all_approvals,
    list_all_links,
    sample_entry,
    sample_rule,
)


@pytest.fixture
def database_path(tmp_path: Path) -> str:
    return str(tmp_path / "assent.db")


async def fill_store(store: Store) -> tuple[object, ...]:
    """Store one thing of each kind; return the content."""
    await store.add_approval("q1", make_question(), MANY)
    await store.add_approval("q2", make_question("q2"), MANY)
    await store.change_approval("q2", answer_change())
    await store.add_policy([sample_grant()], [sample_rule()])
    for number in range(1, 4):
        store.record(sample_entry(number))
    await store.flush_audit()
    return await read_content(store)


async def read_content(store: Store) -> tuple[object, ...]:
    current = await store.stored_policy(POLICY_KEY)
    return (
        await list_all_approvals(store),
        await list_all_links(store),
        (current.version, current.grants, current.rules, store.secret),
    )


def after_restore(kept: tuple[object, ...]) -> tuple[object, ...]:
    """The content after a restore: the outcome of approved calls is unknown."""
    approvals, *others = kept
    return [approval_after_restore(one) for one in cast("list[Approval]", approvals)], *others


async def content_before_restore(store: Store) -> tuple[object, ...]:
    """The content without the audit row of the restore."""
    approvals, links, others = await read_content(store)
    *before, last = cast("list[Link]", links)
    assert (last.entry.decision, last.entry.reason) == (
        "database_restored",
        "1 approval(s) that were approved or running became unknown",
    )
    return approvals, before, others


async def create_filled_database(database_path: str) -> tuple[object, ...]:
    store = await open_sqlite(database_path)
    kept = await fill_store(store)
    await store.close()
    return kept


async def test_the_status_lists_the_content_of_a_database(database_path: str) -> None:
    await create_filled_database(database_path)

    found = await database_status(database_path)

    assert (found.where, found.schema, found.wanted, found.policy_version) == (database_path, HEAD, HEAD, 1)
    assert found.states == {"pending": 1, "approved": 1}
    assert {name: found.rows[name] for name in ("approvals", "audit", "grants", "rules", "tiers")} == {
        "approvals": 2, "audit": 4, "grants": 1, "rules": 1, "tiers": 0,
    }  # fmt: skip
    assert found.bytes > 4096
    assert found.newest is not None


async def test_an_undamaged_database_has_no_problems(database_path: str) -> None:
    await create_filled_database(database_path)

    assert await check_database(database_path) == []


@pytest.mark.proves("T-40")
async def test_an_altered_or_missing_audit_row_is_reported(database_path: str) -> None:
    await create_filled_database(database_path)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.executescript(
            "DROP TRIGGER audit_is_not_altered; DROP TRIGGER audit_is_not_deleted;"
            "UPDATE audit SET reason = 'x' WHERE place = 1; DELETE FROM audit WHERE place = 2"
        )

    problems = await check_database(database_path)

    assert [problem.partition(", ")[2] for problem in problems] == [
        "row 1: the row was altered",
        "row 2: rows 2 to 2 are missing",
    ]


async def test_an_approval_that_cannot_be_decoded_is_reported(database_path: str) -> None:
    await create_filled_database(database_path)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("UPDATE approvals SET state = 'perhaps' WHERE id = 'q1'")

    assert await check_database(database_path) == ["approval `q1` cannot be read: 'perhaps'"]


async def test_damaged_pages_are_reported(database_path: str) -> None:
    await create_filled_database(database_path)
    with open(database_path, "r+b") as file:
        file.seek(4096 * 3)
        file.write(bytes(4096))

    (problem, *_) = await check_database(database_path)
    assert "it is damaged" in problem or "in database main" in problem


@pytest.mark.proves("R-14")
async def test_a_backup_contains_everything_and_only_its_owner_can_read_it(
    database_path: str, tmp_path: Path
) -> None:
    kept = await create_filled_database(database_path)
    copy, again = tmp_path / "copy.db", tmp_path / "again.db"

    await back_up_database(database_path, str(copy))
    await restore_database(str(again), str(copy))

    store = await open_sqlite(str(again))
    assert await content_before_restore(store) == after_restore(kept)
    await store.close()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir() if "unfinished" in file.name] == []


async def test_a_backup_can_be_made_while_other_processes_write(database_path: str, tmp_path: Path) -> None:
    store = await open_sqlite(database_path)
    adding = [store.add_approval(f"q{number}", make_question(f"q{number}"), MANY) for number in range(200)]
    await asyncio.gather(*adding, back_up_database(database_path, str(tmp_path / "copy.db")))
    await store.close()

    assert await check_database(str(tmp_path / "copy.db")) == []


async def test_existing_files_are_never_overwritten(database_path: str, tmp_path: Path) -> None:
    await create_filled_database(database_path)
    await back_up_database(database_path, str(tmp_path / "copy.db"))

    with pytest.raises(StoreError, match="it exists already; name a new file"):
        await back_up_database(database_path, str(tmp_path / "copy.db"))
    with pytest.raises(StoreError, match="it exists already; move it away first"):
        await restore_database(database_path, str(tmp_path / "copy.db"))


@pytest.mark.parametrize(
    "use",
    [
        database_status,
        check_database,
        lambda database_path: back_up_database(database_path, f"{database_path}.copy"),
    ],
)
async def test_a_missing_database_is_not_created(database_path: str, use: object) -> None:
    with pytest.raises(StoreError, match="there is no such file"):
        await use(database_path)  # type: ignore[operator]
    with pytest.raises(StoreError, match="there is no such file"):
        await restore_database(database_path, f"{database_path}.copy")
    assert list(Path(database_path).parent.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "{}\n", "nothing\n", '{"assent":"1.1"}\n{"table":"users","row":{}}\n', '{"assent":"1.1"}\n']
)
async def test_an_invalid_backup_is_refused_and_nothing_is_created(
    database_path: str, tmp_path: Path, text: str
) -> None:
    source = tmp_path / "lines.jsonl"
    source.write_text(text)

    with pytest.raises(StoreError, match="cannot restore"):
        await restore_database(database_path, str(source))
    assert not Path(database_path).exists()


@pytest.mark.proves("R-14")
async def test_an_upgrade_keeps_a_backup_of_the_file(database_path: str) -> None:
    await create_filled_database(database_path)
    assert await upgrade_database(database_path) == ""
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '2.0'")

    with pytest.raises(SchemaError, match="newer"):
        await upgrade_database(database_path)


# ---- PostgreSQL -------------------------------------------------------------------------------------


async def test_postgresql_is_inspected_checked_backed_up_and_restored_in_the_same_way(
    postgres_url: str, tmp_path: Path
) -> None:
    await upgrade_database(postgres_url)
    store = await open_postgres(postgres_url)
    await clear_database(postgres_url)
    kept = await fill_store(store)
    await store.close()
    lines = tmp_path / "lines.jsonl"

    found = await database_status(postgres_url)
    problems = await check_database(postgres_url)
    await back_up_database(postgres_url, str(lines))

    assert (found.schema, found.states, found.rows["audit"]) == (HEAD, {"pending": 1, "approved": 1}, 4)
    assert problems == []
    with pytest.raises(StoreError, match="the database is not empty"):
        await restore_database(postgres_url, str(lines))
    await clear_database(postgres_url)
    await restore_database(postgres_url, str(lines))
    again = await open_postgres(postgres_url)
    assert await content_before_restore(again) == after_restore(kept)
    assert (await again.add_approval("q3", make_question("q3"), MANY)).id == "q3"
    await again.close()


async def test_a_backup_of_postgresql_can_be_restored_to_a_file(
    postgres_url: str, tmp_path: Path, database_path: str
) -> None:
    await upgrade_database(postgres_url)
    store = await open_postgres(postgres_url)
    await clear_database(postgres_url)
    kept = await fill_store(store)
    await store.close()

    await back_up_database(postgres_url, str(tmp_path / "lines.jsonl"))
    await restore_database(database_path, str(tmp_path / "lines.jsonl"))

    moved = await open_sqlite(database_path)
    assert await content_before_restore(moved) == after_restore(kept)
    await moved.close()


async def test_a_truncated_backup_restores_nothing(postgres_url: str, tmp_path: Path) -> None:
    await upgrade_database(postgres_url)
    store = await open_postgres(postgres_url)
    await clear_database(postgres_url)
    await fill_store(store)
    await store.close()
    lines = tmp_path / "lines.jsonl"
    await back_up_database(postgres_url, str(lines))
    whole = lines.read_text().splitlines(keepends=True)
    assert json.loads(whole[-1]) == {"rows": len(whole) - 2}
    lines.write_text("".join(whole[:-3]))
    await clear_database(postgres_url)

    with pytest.raises(StoreError, match="it is incomplete"):
        await restore_database(postgres_url, str(lines))
    assert (await database_status(postgres_url)).rows["approvals"] == 0

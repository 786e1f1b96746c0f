"""Rows are moved from the outbox to the audit unchanged and completely, and are found in both."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from assent.gate.audit import CHAIN_START_HASH, Link, current_version, link_entry
from assent.gate.store import ALL_ENTRIES
from assent.stores.admin.audit import verify_audit
from assent.stores.admin.connections import read_any_schema, write_any_schema
from assent.stores.audit import outbox
from assent.stores.audit.outbox import ChainEnd, add_links, move_to_audit, read_chain_end, read_ids_after
from assent.stores.audit.queries import audit_page
from assent.stores.sql.statement import CoreConnection
from tests.gate.samples import NOW
from tests.stores.audited import open_store, record_entries, tamper_with_rows
from tests.stores.promises.given import sample_entry


def make_chain(writer: str, count: int) -> list[Link]:
    links: list[Link] = []
    for number in range(1, count + 1):
        previous = links[-1].hash if links else CHAIN_START_HASH
        entry = sample_entry(number, id=f"{writer}{number}")
        links.append(link_entry(entry, writer=writer, number=number, at=NOW, previous=previous))
    return links


def count_rows(connection: CoreConnection, table: str) -> int:
    return int(connection.core.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


async def create_database(address: str) -> None:
    async with open_store(address):
        pass


async def test_rows_are_found_in_both_tables_and_keep_their_numbers(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await create_database(address)
    monkeypatch.setattr(outbox, "MAX_MOVED_ROWS", 3)
    links = make_chain("w", 5)

    def read_pages(connection: CoreConnection) -> list[str]:
        found, after = audit_page(connection, ALL_ENTRIES, 2, "")
        ids = [link.entry.id for link in found]
        while after:
            found, after = audit_page(connection, ALL_ENTRIES, 2, after)
            ids += [link.entry.id for link in found]
        return ids

    await write_any_schema(address, lambda connection: add_links(connection, links))
    before = await read_any_schema(address, read_pages)
    assert await write_any_schema(address, move_to_audit) == 3
    between = await read_any_schema(address, read_pages)
    newest = await read_any_schema(
        address, lambda connection: audit_page(connection, ALL_ENTRIES, 2, "", newest_first=True)[0]
    )
    assert await write_any_schema(address, move_to_audit) == 2
    after = await read_any_schema(address, read_pages)

    assert before == between == after == [link.entry.id for link in links]
    assert newest == (links[4], links[3])
    assert await read_any_schema(address, lambda connection: count_rows(connection, "audit_outbox")) == 0


async def test_the_end_of_a_chain_is_found_in_either_table(address: str) -> None:
    await create_database(address)
    links = make_chain("w", 3)
    await write_any_schema(address, lambda connection: add_links(connection, links[:2]))
    await write_any_schema(address, move_to_audit)
    moved = await read_any_schema(address, lambda connection: read_chain_end(connection, "w"))
    await write_any_schema(address, lambda connection: add_links(connection, links[2:]))

    assert moved == ChainEnd(2, links[1].hash, current_version())
    assert await read_any_schema(address, lambda connection: read_chain_end(connection, "w")) == ChainEnd(
        3, links[2].hash, current_version()
    )
    assert await read_any_schema(address, lambda connection: read_chain_end(connection, "other")) == ChainEnd(
        0, CHAIN_START_HASH
    )
    assert await read_any_schema(address, lambda connection: read_ids_after(connection, "w", 1)) == {
        "w2",
        "w3",
    }


@pytest.mark.proves("T-40")
@pytest.mark.parametrize("statement", ["UPDATE audit_outbox SET reason = 'x'", "DELETE FROM audit_outbox"])
async def test_the_database_refuses_to_alter_rows_in_the_outbox(address: str, statement: str) -> None:
    await create_database(address)
    await write_any_schema(address, lambda connection: add_links(connection, make_chain("w", 1)))

    def alter_row(connection: CoreConnection) -> None:
        with pytest.raises(DBAPIError, match="append-only"), connection.core.begin_nested():
            connection.core.exec_driver_sql(statement)

    await write_any_schema(address, alter_row)


@pytest.mark.proves("T-40")
async def test_a_different_row_in_the_audit_does_not_replace_one_in_the_outbox(address: str) -> None:
    writer = await record_entries(address)
    forged = link_entry(sample_entry(99), writer=writer, number=10, at=NOW, previous=CHAIN_START_HASH)
    await write_any_schema(address, lambda connection: add_links(connection, [forged]))

    await write_any_schema(address, move_to_audit)

    assert await read_any_schema(address, lambda connection: count_rows(connection, "audit_outbox")) == 1
    assert not (await verify_audit(address)).is_intact


@pytest.mark.proves("T-40", "R-31")
async def test_a_row_that_is_deleted_from_the_outbox_is_reported(address: str) -> None:
    async with open_store(address) as store:
        writer = store.boot
    await write_any_schema(address, lambda connection: add_links(connection, make_chain(writer, 3)))
    await tamper_with_rows(
        address,
        "DROP TRIGGER audit_outbox_is_moved" + (" ON audit_outbox" if "://" in address else ""),
        f"UPDATE processes SET audited = 3 WHERE boot = '{writer}'",
        "DELETE FROM audit_outbox WHERE place = 3",
    )

    (found,) = (await verify_audit(address)).breaks

    assert (found.writer, found.number, found.problem) == (writer, 3, "rows 3 to 3 are missing")


async def test_a_row_number_that_an_older_process_used_is_assigned_anew(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    address = str(tmp_path_factory.mktemp("mixed") / "assent.db")
    await create_database(address)
    links = make_chain("w", 2)
    columns = ", ".join(column.name for column in outbox.LINK_COLUMNS)
    await write_any_schema(address, lambda connection: add_links(connection, links))
    others = columns.replace("writer", "'old'", 1)
    taking = f"INSERT INTO audit (number, {columns}) SELECT 1, {others} FROM audit_outbox WHERE place = 1"
    await write_any_schema(address, lambda connection: connection.core.exec_driver_sql(taking))

    assert await write_any_schema(address, move_to_audit) == 2
    found = await read_any_schema(address, lambda connection: audit_page(connection, ALL_ENTRIES, 9, "")[0])
    assert sorted((link.writer, link.number) for link in found) == [("old", 1), ("w", 1), ("w", 2)]

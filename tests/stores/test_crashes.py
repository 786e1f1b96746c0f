"""Every acknowledged change has its audit row, despite crashes and a locked audit table."""

import asyncio
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from assent.gate.store import AuditFilter
from assent.stores.admin.audit import verify_audit
from assent.stores.admin.connections import read_any_schema, write_any_schema
from assent.stores.admin.maintenance import back_up_database, restore_database
from assent.stores.audit.ledger import PROCESS_TIMEOUT
from assent.stores.postgres.database import is_postgres
from assent.stores.sql.statement import CoreConnection
from tests.contracts.tree import ROOT
from tests.gate.samples import make_question
from tests.postgres import clear_database
from tests.stores.audited import open_store, tamper_with_rows
from tests.stores.promises.given import MANY, answer_change, claim_change, list_all_links, sample_entry

ANSWERS = 150
"""The number of acknowledged changes after which each process is killed."""


async def kill_during_answers(address: str, prefix: str) -> set[str]:
    """Kill a process with SIGKILL; return what it had acknowledged."""
    words = ("-m", "tests.stores.answerer", address, prefix)
    process = await asyncio.create_subprocess_exec(sys.executable, *words, cwd=ROOT, stdout=PIPE)
    assert process.stdout is not None
    heard = [await process.stdout.readline() for _ in range(ANSWERS)]
    process.send_signal(signal.SIGKILL)
    rest, _ = await process.communicate()
    lines = [*heard, *rest.splitlines(keepends=True)]
    # An incomplete last line was being written when the process was killed.
    return {line.decode().strip() for line in lines if line.endswith(b"\n")}


async def recorded_decisions(address: str) -> set[str]:
    async with open_store(address) as store:
        found = await list_all_links(store)
    return {f"{link.entry.decision} {link.entry.approval}" for link in found}


def make_processes_old(connection: CoreConnection) -> None:
    """Make every earlier process count as dead."""
    span = int(2 * PROCESS_TIMEOUT.total_seconds() * 1_000_000)
    connection.core.execute(text("UPDATE processes SET seen_at = seen_at - :span"), {"span": span})


@pytest.mark.proves("R-31")
async def test_every_acknowledged_answer_and_claim_has_its_audit_row_after_a_kill(address: str) -> None:
    async with open_store(address):
        pass
    acknowledged = await kill_during_answers(address, "a") | await kill_during_answers(address, "b")

    assert (await verify_audit(address)).is_intact
    assert acknowledged <= await recorded_decisions(address)
    assert (await verify_audit(address)).is_intact


@pytest.mark.proves("R-31")
async def test_the_next_start_closes_the_chain_of_a_crashed_process(address: str) -> None:
    async with open_store(address):
        pass
    await kill_during_answers(address, "a")
    await write_any_schema(address, make_processes_old)

    async with open_store(address) as store:
        rows, _ = await store.audit(AuditFilter(changes=True))
        (said,) = [link for link in rows if link.entry.decision == "chain_closed"]

    found = await verify_audit(address)
    assert (found.is_intact, found.cut) == (True, 1)
    assert said.entry.reason.endswith("never of an answer or a claim")
    chain = [link for link in await read_all_links(address) if link.writer == said.writer]
    assert chain[-1] == said


async def read_all_links(address: str) -> list[object]:
    async with open_store(address) as store:
        return list(await list_all_links(store))


@pytest.mark.proves("R-31", "T-40")
@pytest.mark.parametrize("word", ["approved", "claimed"])
async def test_a_missing_audit_row_is_reported_even_after_a_crash(address: str, word: str) -> None:
    async with open_store(address) as store:
        boot = store.boot
        await store.add_approval("q1", make_question(boot=boot), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("k1", boot))
        await store.flush_audit()
    gone = f"DELETE FROM audit WHERE place >= {1 if word == 'approved' else 2}"
    end = 0 if word == "approved" else 1
    await tamper_with_rows(
        address, gone, f"UPDATE processes SET audited = {end}, chain = 'open' WHERE boot = '{boot}'"
    )
    await write_any_schema(address, make_processes_old)

    async with open_store(address):
        found = await verify_audit(address)

    assert not found.is_intact
    assert "q1" in (*found.unrecorded, *found.unclaimed)


@pytest.mark.proves("R-31")
async def test_a_backup_that_is_made_during_answers_is_intact(address: str, tmp_path: Path) -> None:
    async with open_store(address) as store:
        await store.add_approval("q0", make_question("q0"), MANY)

        async def answer_calls(number: int) -> None:
            for turn in range(15):
                id_ = f"q{number}-{turn}"
                await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
                await store.change_approval(id_, answer_change())
                await store.change_approval(id_, claim_change("k", store.boot))
                store.record(sample_entry(turn, id=f"e{id_}"))

        answering_on = asyncio.gather(*map(answer_calls, range(1, 9)))
        copies = []
        while not answering_on.done():
            copies.append(str(tmp_path / f"backup-{len(copies)}"))
            await back_up_database(address, copies[-1])
        await answering_on
    for number, copy in enumerate(copies[-2:]):
        target = str(tmp_path / f"restored-{number}.db")
        await restore_database(target, copy)
        assert (await verify_audit(target)).is_intact


# ---- an audit that cannot be written ----------------------------------------------------------------


@asynccontextmanager
async def lock_audit(address: str) -> AsyncGenerator[None]:
    """Make the audit table unusable: PostgreSQL locks it, SQLite rejects every row."""
    if is_postgres(address):
        somebody = await asyncpg.connect(address)
        async with somebody.transaction():
            await somebody.execute("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE")
            yield
        await somebody.close()
        return
    _execute_sql(
        address, "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END"
    )
    yield
    _execute_sql(address, "DROP TRIGGER broken")


def _execute_sql(path: str, statement: str) -> None:
    with closing(sqlite3.connect(path, timeout=60)) as connection, connection:
        connection.execute(statement)


@pytest.mark.proves("R-32", "R-16")
async def test_a_locked_or_broken_audit_table_delays_no_answer(address: str) -> None:
    async with open_store(address) as store:
        async with lock_audit(address):
            for number in range(30):
                id_ = f"q{number}"
                await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
                await store.change_approval(id_, answer_change())
                await store.change_approval(id_, claim_change("k", store.boot))
                store.record(sample_entry(number))
            waiting = await read_any_schema(address, lambda one: one.core.execute(_COUNT_OUTBOX).scalar_one())

        await store.flush_audit()
        moved = await read_any_schema(address, lambda one: one.core.execute(_COUNT_OUTBOX).scalar_one())
        assert waiting >= 60
        assert (moved, store.audit_lost, store.audit_spooled) == (0, 0, 0)
    found = await verify_audit(address)
    assert (found.is_intact, found.rows) == (True, 90)


_COUNT_OUTBOX = text("SELECT count(*) FROM audit_outbox")


@pytest.mark.proves("R-32")
async def test_a_locked_approval_delays_only_its_own_answer(postgres_url: str) -> None:
    async with open_store(postgres_url):
        await clear_database(postgres_url)
    async with open_store(postgres_url) as store:
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.add_approval("q2", make_question("q2"), MANY)
        somebody = await asyncpg.connect(postgres_url)
        async with somebody.transaction():
            await somebody.execute("SELECT * FROM approvals WHERE id = 'q1' FOR UPDATE")
            outcomes = await asyncio.gather(
                store.change_approval("q1", answer_change()),
                store.change_approval("q2", answer_change()),
                return_exceptions=True,
            )
        await somebody.close()

    assert [type(one).__name__ for one in outcomes] == ["StoreError", "Approval"]
    assert "locked for too long" in str(outcomes[0])

"""On PostgreSQL whoever lives moves the audit's rows, also those that a dead process left in the outbox."""

import asyncio

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from assent.gate.audit import START, linked
from assent.stores.admin.connections import read, write
from assent.stores.admin.maintenance import upgrade
from assent.stores.audit.ledger import Ledger
from assent.stores.audit.outbox import add_links
from assent.stores.postgres.database import parse_address
from assent.stores.postgres.writer import OutboxMover
from tests.gate.samples import NOW
from tests.postgres import emptied
from tests.stores.promises.given import an_entry

WAITING = text("SELECT count(*) FROM audit_outbox")


async def prepared(url: str) -> None:
    """A database with a row in the outbox that nobody alive put there."""
    await upgrade(url)
    await emptied(url)
    link = linked(an_entry(1), writer="dead", number=1, at=NOW, previous=START)
    await write(url, lambda connection: add_links(connection, [link]))


async def waiting(url: str) -> int:
    return int(await read(url, lambda connection: connection.core.execute(WAITING).scalar_one()))


@pytest.mark.proves("R-31")
async def test_what_a_dead_process_left_is_moved_by_the_next(postgres_url: str) -> None:
    await prepared(postgres_url)
    engine = create_async_engine(parse_address(postgres_url), poolclass=NullPool)
    mover = OutboxMover(engine, Ledger("alive"))
    async with asyncio.timeout(60):
        while await waiting(postgres_url):
            await asyncio.sleep(0.01)
    await mover.close()
    await engine.dispose()


@pytest.mark.proves("R-32")
async def test_a_table_that_stays_locked_is_tried_again_and_told(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    await prepared(postgres_url)
    engine = create_async_engine(parse_address(postgres_url), poolclass=NullPool)
    ledger = Ledger("alive")
    ledger.add(an_entry(2))
    somebody = await asyncpg.connect(postgres_url)
    async with somebody.transaction():
        await somebody.execute("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE")
        mover = OutboxMover(engine, ledger)
        await mover.move_all()
        assert ledger.spooled == 1
    await mover.move_all()

    assert (ledger.spooled, await waiting(postgres_url)) == (0, 0)
    assert caplog.messages == [
        "the audit cannot be written now; its entries are kept in memory (LockNotAvailableError)"
    ]
    await mover.close()
    await engine.dispose()
    await somebody.close()

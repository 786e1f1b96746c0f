"""What was scrubbed is gone from the file, and not only from what is read of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assent.gate.approval import withdraw
from assent.gate.store import ChangeResult
from assent.stores.connections import look
from assent.stores.sqlite import open_sqlite
from tests.gate.samples import asking
from tests.stores.promises.given import HOUR, MANY

SECRET = "canary-7f3a9c"


@pytest.mark.proves("T-39")
@pytest.mark.parametrize("size", [1, 2000])
async def test_no_byte_of_a_scrubbed_argument_is_left_in_the_file(tmp_path: Path, size: int) -> None:
    path = tmp_path / "assent.db"
    store = await open_sqlite(str(path))
    for number in range(20):
        id_ = f"q{number}"
        await store.add_approval(id_, asking(id_, args={"token": SECRET * size}), MANY)
        await store.change_approval(
            id_, lambda one, moment: ChangeResult(withdraw(one, "it left", at=moment.at))
        )
    await store.close()
    before = path.read_bytes().count(SECRET.encode())

    store = await open_sqlite(str(path))
    await store.sweep(HOUR, keep=timedelta(0))
    await store.close()

    assert before > 10 * size
    assert path.read_bytes().count(SECRET.encode()) == 0
    assert sorted(found.name for found in tmp_path.iterdir()) == ["assent.db"]


async def test_when_it_was_scrubbed_stays_on_record(tmp_path: Path) -> None:
    path = str(tmp_path / "assent.db")
    store = await open_sqlite(path, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC))
    await store.add_approval("q1", asking(), MANY)
    await store.add_approval("q2", asking("q2", boot=store.boot), MANY)
    await store.change_approval(
        "q1", lambda one, moment: ChangeResult(withdraw(one, "it left", at=moment.at))
    )
    await store.sweep(HOUR, keep=timedelta(0))
    await store.close()

    rows = await look(
        path,
        lambda connection: connection.exec_driver_sql(
            "SELECT id, scrubbed_at FROM approvals ORDER BY id"
        ).all(),
    )

    assert [tuple(row) for row in rows] == [("q1", 1_772_323_200_000_000), ("q2", None)]

"""Questions are decoded once and cached; their states are always read from the database."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.gate.approval import State, withdraw
from assent.gate.store import ChangeResult
from assent.stores.admin.connections import read_current_schema
from assent.stores.sql import approvals as questions
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import AddApproval, ChangeApproval, run_batch
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import NOW, make_question
from tests.stores.database import transaction
from tests.stores.promises.given import HOUR, MANY, answer_change


def add_approvals(path: Path, *ids: str) -> None:
    with transaction(path) as connection:
        run_batch(
            connection,
            ApprovalReader(),
            lambda: NOW,
            [AddApproval(id_, make_question(id_), MANY) for id_ in ids],
        )


def test_the_state_of_an_approval_is_never_cached(tmp_path: Path) -> None:
    add_approvals(tmp_path / "a.db", "q1")
    kept = ApprovalReader()
    with transaction(tmp_path / "a.db") as connection:
        kept.read_approvals(connection, ["q1"])
    with transaction(tmp_path / "a.db") as connection:
        run_batch(connection, ApprovalReader(), lambda: NOW, [ChangeApproval("q1", answer_change())])

    with transaction(tmp_path / "a.db") as connection:
        assert kept.read_approvals(connection, ["q1"])["q1"].state is State.APPROVED
        assert [one.id for one in kept.read_ended(connection, ["q1", "q2"])] == ["q1"]


def test_a_pending_approval_has_no_outcome_and_an_unknown_id_is_left_out(tmp_path: Path) -> None:
    add_approvals(tmp_path / "a.db", "q1", "q2")
    with transaction(tmp_path / "a.db") as connection:
        run_batch(connection, ApprovalReader(), lambda: NOW, [ChangeApproval("q1", answer_change())])

    with transaction(tmp_path / "a.db") as connection:
        ends = ApprovalReader().read_outcomes(connection, ["q1", "q2", "q3"])
        alone = ApprovalReader().read_outcomes(connection, ["q1"])

    assert {id_: end and end.state for id_, end in ends.items()} == {"q1": State.APPROVED, "q2": None}
    assert alone == {"q1": ends["q1"]}


def test_a_batch_that_is_rolled_back_caches_nothing(tmp_path: Path) -> None:
    kept = ApprovalReader()
    with transaction(tmp_path / "a.db") as connection:
        run_batch(connection, kept, lambda: NOW, [AddApproval("q1", make_question(), MANY)])

    assert len(kept) == 0


def test_an_approval_without_arguments_is_not_cached(tmp_path: Path) -> None:
    add_approvals(tmp_path / "a.db", "q1")
    kept = ApprovalReader()
    with transaction(tmp_path / "a.db") as connection:
        kept.read_approvals(connection, ["q1"])
        connection.core.execute(text("UPDATE approvals SET args = '{}', scrubbed_at = 1"))

    with transaction(tmp_path / "a.db") as connection:
        assert kept.read_approvals(connection, ["q1"])["q1"].call.args == {}


def test_the_cache_has_a_maximum_size(tmp_path: Path, monkeypatch: object) -> None:
    monkeypatch.setattr(questions, "_MAX_CACHED", 3)  # type: ignore[attr-defined]
    ids = [f"q{number}" for number in range(10)]
    add_approvals(tmp_path / "a.db", *ids)
    kept = ApprovalReader()

    with transaction(tmp_path / "a.db") as connection:
        assert sorted(kept.read_approvals(connection, ids)) == ids
    assert len(kept) == 3


SECRET = "canary-7f3a9c"


@pytest.mark.proves("T-39")
@pytest.mark.parametrize("size", [1, 2000])
async def test_no_byte_of_deleted_arguments_is_left_in_the_file(tmp_path: Path, size: int) -> None:
    path = tmp_path / "assent.db"
    store = await open_sqlite(str(path))
    for number in range(20):
        id_ = f"q{number}"
        await store.add_approval(id_, make_question(id_, args={"token": SECRET * size}), MANY)
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


async def test_the_time_of_the_deletion_is_stored(tmp_path: Path) -> None:
    path = str(tmp_path / "assent.db")
    store = await open_sqlite(path, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC))
    await store.add_approval("q1", make_question(), MANY)
    await store.add_approval("q2", make_question("q2", boot=store.boot), MANY)
    await store.change_approval(
        "q1", lambda one, moment: ChangeResult(withdraw(one, "it left", at=moment.at))
    )
    await store.sweep(HOUR, keep=timedelta(0))
    await store.close()

    rows = await read_current_schema(
        path,
        lambda connection: connection.core.exec_driver_sql(
            "SELECT id, scrubbed_at FROM approvals ORDER BY id"
        ).all(),
    )

    assert [tuple(row) for row in rows] == [("q1", 1_772_323_200_000_000), ("q2", None)]

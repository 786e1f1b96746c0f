"""A batch runs its requests in order in one transaction; a refused request affects no other."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.errors import ConflictError, LimitError, NotFoundError
from assent.gate.approval import Approval, State
from assent.gate.policy import Moment
from assent.gate.question import Limits
from assent.gate.store import ChangeResult
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import (
    AddApproval,
    BatchResult,
    ChangeApproval,
    EditTables,
    WriteJob,
    WriteRequest,
    deliver_results,
    resolve_flushes,
    run_batch,
)
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection, read_moment
from tests.gate.samples import ALWAYS, ANA, NO, NOW, make_question, sample_grant
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, answer_change, refuse_change


def run_requests(database_path: Path, *pieces: WriteRequest) -> BatchResult:
    with transaction(database_path) as connection:
        return run_batch(connection, ApprovalReader(), lambda: NOW, pieces)


def outcome_types(finished: BatchResult) -> list[str]:
    return [one.state.value if isinstance(one, Approval) else type(one).__name__ for one in finished.outcomes]


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def test_later_requests_see_the_changes_of_earlier_ones(database_path: Path) -> None:
    finished = run_requests(
        database_path,
        ChangeApproval("q1", answer_change()),
        AddApproval("q1", make_question(), MANY),
        AddApproval("q1", make_question(), MANY),
        AddApproval("q1", make_question(args={"command": "another"}), MANY),
        ChangeApproval("q1", answer_change()),
        ChangeApproval("q1", answer_change(NO)),
    )

    assert outcome_types(finished) == [
        "NotFoundError", "pending", "pending", "ConflictError", "approved", "StateError",
    ]  # fmt: skip
    assert [one.state for one in finished.ended] == [State.APPROVED]
    with transaction(database_path) as connection:
        assert ApprovalReader().read_approvals(connection, ["q1"])["q1"].state is State.APPROVED


def test_a_failed_request_affects_no_other_request(database_path: Path) -> None:
    def raise_error(approval: Approval, moment: Moment) -> ChangeResult:
        raise ZeroDivisionError

    finished = run_requests(
        database_path,
        AddApproval("q1", make_question(), MANY),
        ChangeApproval("q1", refuse_change),
        ChangeApproval("q1", raise_error),
        AddApproval("q2", lambda moment: refuse_change(None, moment), MANY),  # type: ignore[arg-type, return-value]
        ChangeApproval("q1", answer_change()),
    )

    assert outcome_types(finished) == [
        "pending",
        "ConflictError",
        "ZeroDivisionError",
        "ConflictError",
        "approved",
    ]


@pytest.mark.proves("T-3")
def test_a_change_of_state_cannot_change_the_question(database_path: Path) -> None:
    def alter_approval(approval: Approval, moment: Moment) -> ChangeResult:
        return ChangeResult(replace(approval, call=replace(approval.call, args={"command": "rm -rf /"})))

    finished = run_requests(
        database_path, AddApproval("q1", make_question(), MANY), ChangeApproval("q1", alter_approval)
    )

    assert isinstance(finished.outcomes[1], ConflictError)


@pytest.mark.proves("T-41")
def test_limits_count_stored_approvals_and_those_of_the_same_batch(database_path: Path) -> None:
    two = Limits(pending=2)
    run_requests(database_path, AddApproval("q1", make_question("q1"), two))

    finished = run_requests(
        database_path,
        AddApproval("q2", make_question("q2"), two),
        AddApproval("q3", make_question("q3"), two),
        ChangeApproval("q1", answer_change()),
        AddApproval("q4", make_question("q4"), two),
        AddApproval("q5", make_question("q5"), two),
    )

    assert outcome_types(finished) == ["pending", "LimitError", "approved", "pending", "LimitError"]


def test_the_denials_of_a_call_in_a_turn_are_limited(database_path: Path) -> None:
    pieces: list[WriteRequest] = []
    for number in range(3):
        pieces += [
            AddApproval(f"q{number}", make_question(f"q{number}"), MANY),
            ChangeApproval(f"q{number}", answer_change(NO)),
        ]
    run_requests(database_path, *pieces)

    finished = run_requests(
        database_path,
        AddApproval("q3", make_question("q3"), MANY),
        AddApproval("q4", make_question("q4", turn="t2"), MANY),
    )

    assert [type(one) for one in finished.outcomes] == [LimitError, Approval]


def test_grants_are_written_with_their_change_and_increment_the_version_once(database_path: Path) -> None:
    run_requests(
        database_path,
        AddApproval("q1", make_question("q1"), MANY),
        AddApproval("q2", make_question("q2"), MANY),
    )

    run_requests(
        database_path,
        ChangeApproval("q1", answer_change(ALWAYS, ANA, sample_grant("g1"))),
        ChangeApproval("q2", answer_change(ALWAYS, ANA, sample_grant("g2"))),
    )

    with transaction(database_path) as connection:
        assert read_moment(connection, lambda: NOW).version == 1
        rows = connection.core.execute(text("SELECT id, given_at > 0 FROM grants ORDER BY id")).all()
    assert [tuple(row) for row in rows] == [("g1", 1), ("g2", 1)]


def test_an_edit_returns_whether_it_changed_policy(database_path: Path) -> None:
    def edit_tables(connection: Connection, moment: Moment) -> EditResult:
        return EditResult("done", policy=True)

    assert run_requests(
        database_path, EditTables(edit_tables), EditTables(lambda _, __: EditResult(7))
    ).outcomes == [
        "done",
        7,
    ]
    with transaction(database_path) as connection:
        assert read_moment(connection, lambda: NOW).version == 1


@pytest.mark.proves("R-12")
def test_a_database_error_ends_the_whole_batch(database_path: Path) -> None:
    def fail(connection: Connection, moment: Moment) -> EditResult:
        connection.fetch("SELECT * FROM nowhere", ())
        return EditResult()

    with pytest.raises(sqlite3.OperationalError):
        run_requests(database_path, AddApproval("q1", make_question(), MANY), EditTables(fail))
    with transaction(database_path) as connection:
        assert ApprovalReader().read_approvals(connection, ["q1"]) == {}
    assert (
        NotFoundError.__name__
        == outcome_types(run_requests(database_path, ChangeApproval("q1", answer_change())))[0]
    )


async def test_results_and_errors_reach_their_own_callers() -> None:
    loop = asyncio.get_running_loop()
    futures: list[asyncio.Future[object]] = [loop.create_future() for _ in range(3)]
    futures[2].cancel()
    jobs = [WriteJob(EditTables(lambda _, __: EditResult()), future) for future in futures]

    deliver_results(jobs, BatchResult(["done", ConflictError("no"), "too late"]))

    results = await asyncio.gather(*futures, return_exceptions=True)
    assert [type(result) for result in results] == [str, ConflictError, asyncio.CancelledError]


async def test_callers_that_wait_for_the_audit_are_resumed_once() -> None:
    loop = asyncio.get_running_loop()
    waiting, gone = loop.create_future(), loop.create_future()
    gone.cancel()

    resolve_flushes([waiting, gone])

    assert waiting.done()

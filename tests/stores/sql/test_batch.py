"""A batch does its pieces in order, in one transaction; one that is refused is refused alone."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.errors import ConflictError, LimitError, NotFoundError
from assent.gate.approval import Approval, State
from assent.gate.ports import Limits
from assent.gate.store import ChangeResult, Moment
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import (
    Add,
    BatchResult,
    Edit,
    Job,
    Move,
    WriteRequest,
    deliver_results,
    resolve_flushes,
    run_batch,
)
from assent.stores.sql.policy import read_moment
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection
from tests.gate.samples import ALWAYS, ANA, NO, NOW, a_grant, asking
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, answering, refusing


def done(path: Path, *pieces: WriteRequest) -> BatchResult:
    with transaction(path) as connection:
        return run_batch(connection, ApprovalReader(), lambda: NOW, pieces)


def kinds(finished: BatchResult) -> list[str]:
    return [one.state.value if isinstance(one, Approval) else type(one).__name__ for one in finished.outcomes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def test_later_pieces_see_what_earlier_ones_did(path: Path) -> None:
    finished = done(
        path,
        Move("q1", answering()),
        Add("q1", asking(), MANY),
        Add("q1", asking(), MANY),
        Add("q1", asking(args={"command": "another"}), MANY),
        Move("q1", answering()),
        Move("q1", answering(NO)),
    )

    assert kinds(finished) == [
        "NotFoundError", "pending", "pending", "ConflictError", "approved", "StateError",
    ]  # fmt: skip
    assert [one.state for one in finished.ended] == [State.APPROVED]
    with transaction(path) as connection:
        assert ApprovalReader().read(connection, ["q1"])["q1"].state is State.APPROVED


def test_a_piece_that_fails_fails_alone(path: Path) -> None:
    def broken(approval: Approval, moment: Moment) -> ChangeResult:
        raise ZeroDivisionError

    finished = done(
        path,
        Add("q1", asking(), MANY),
        Move("q1", refusing),
        Move("q1", broken),
        Add("q2", lambda moment: refusing(None, moment), MANY),  # type: ignore[arg-type, return-value]
        Move("q1", answering()),
    )

    assert kinds(finished) == ["pending", "ConflictError", "ZeroDivisionError", "ConflictError", "approved"]


@pytest.mark.proves("T-3")
def test_no_step_alters_what_was_asked(path: Path) -> None:
    def alter(approval: Approval, moment: Moment) -> ChangeResult:
        return ChangeResult(replace(approval, call=replace(approval.call, args={"command": "rm -rf /"})))

    finished = done(path, Add("q1", asking(), MANY), Move("q1", alter))

    assert isinstance(finished.outcomes[1], ConflictError)


@pytest.mark.proves("T-41")
def test_limits_count_what_is_kept_and_what_comes_in_the_same_batch(path: Path) -> None:
    two = Limits(pending=2)
    done(path, Add("q1", asking("q1"), two))

    finished = done(
        path,
        Add("q2", asking("q2"), two),
        Add("q3", asking("q3"), two),
        Move("q1", answering()),
        Add("q4", asking("q4"), two),
        Add("q5", asking("q5"), two),
    )

    assert kinds(finished) == ["pending", "LimitError", "approved", "pending", "LimitError"]


def test_the_same_call_is_denied_only_so_often_in_a_turn(path: Path) -> None:
    pieces: list[WriteRequest] = []
    for number in range(3):
        pieces += [Add(f"q{number}", asking(f"q{number}"), MANY), Move(f"q{number}", answering(NO))]
    done(path, *pieces)

    finished = done(path, Add("q3", asking("q3"), MANY), Add("q4", asking("q4", turn="t2"), MANY))

    assert [type(one) for one in finished.outcomes] == [LimitError, Approval]


def test_what_a_step_grants_is_written_with_it_and_raises_the_version_once(path: Path) -> None:
    done(path, Add("q1", asking("q1"), MANY), Add("q2", asking("q2"), MANY))

    done(
        path,
        Move("q1", answering(ALWAYS, ANA, a_grant("g1"))),
        Move("q2", answering(ALWAYS, ANA, a_grant("g2"))),
    )

    with transaction(path) as connection:
        assert read_moment(connection, lambda: NOW).version == 1
        rows = connection.core.execute(text("SELECT id, given_at > 0 FROM grants ORDER BY id")).all()
    assert [tuple(row) for row in rows] == [("g1", 1), ("g2", 1)]


def test_an_edit_says_whether_policy_changed(path: Path) -> None:
    def edit(connection: Connection, moment: Moment) -> EditResult:
        return EditResult("done", policy=True)

    assert done(path, Edit(edit), Edit(lambda _, __: EditResult(7))).outcomes == ["done", 7]
    with transaction(path) as connection:
        assert read_moment(connection, lambda: NOW).version == 1


@pytest.mark.proves("R-12")
def test_a_fault_of_the_database_ends_the_whole_batch(path: Path) -> None:
    def fail(connection: Connection, moment: Moment) -> EditResult:
        connection.fetch("SELECT * FROM nowhere", ())
        return EditResult()

    with pytest.raises(sqlite3.OperationalError):
        done(path, Add("q1", asking(), MANY), Edit(fail))
    with transaction(path) as connection:
        assert ApprovalReader().read(connection, ["q1"]) == {}
    assert NotFoundError.__name__ == kinds(done(path, Move("q1", answering())))[0]


async def test_results_and_errors_reach_their_own_callers() -> None:
    loop = asyncio.get_running_loop()
    futures: list[asyncio.Future[object]] = [loop.create_future() for _ in range(3)]
    futures[2].cancel()
    jobs = [Job(Edit(lambda _, __: EditResult()), future) for future in futures]

    deliver_results(jobs, BatchResult(["done", ConflictError("no"), "too late"]))

    results = await asyncio.gather(*futures, return_exceptions=True)
    assert [type(result) for result in results] == [str, ConflictError, asyncio.CancelledError]


async def test_those_who_wait_for_the_audit_are_told_once() -> None:
    loop = asyncio.get_running_loop()
    waiting, gone = loop.create_future(), loop.create_future()
    gone.cancel()

    resolve_flushes([waiting, gone])

    assert waiting.done()

"""Limits count the rows in the database and the changes of the same batch."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from assent.errors import LimitError
from assent.gate.approval import State
from assent.gate.policy import Moment
from assent.gate.question import Limits
from assent.gate.store import BudgetResult
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import AddApproval, CountCall, run_batch
from assent.stores.sql.limits import COUNT_RETENTION, CallWindow, LimitCounts, delete_old_counts
from tests.gate.samples import DAY, NOW, approval_in_state, sample_approval
from tests.stores.database import transaction
from tests.stores.promises.given import MANY
from tests.stores.sql.test_batch import run_requests

LIMITS_OF_TWO = Limits(pending=2, denials=2, denial_window=DAY)


def test_a_change_counts_for_later_requests_of_the_batch() -> None:
    counts = LimitCounts()
    asked = sample_approval()
    counts.add(asked, LIMITS_OF_TWO, 100)
    counts.add(asked, LIMITS_OF_TWO, 100)

    with pytest.raises(LimitError, match="agent `clerk`, with its sub-agents, already has 2 open questions"):
        counts.add(asked, LIMITS_OF_TWO, 100)
    counts.count_change(asked, approval_in_state(State.DENIED), 100)
    counts.count_change(asked, approval_in_state(State.DENIED), 100)
    with pytest.raises(LimitError, match="denied 2 times in this turn"):
        counts.add(asked, LIMITS_OF_TWO, 100)
    with pytest.raises(LimitError, match="this call was denied 2 times recently"):
        counts.add(replace(asked, turn="t2"), LIMITS_OF_TWO, 100)


@pytest.mark.proves("T-41")
def test_a_denial_counts_during_the_denial_window(tmp_path: Path) -> None:
    old = approval_in_state(State.DENIED, answered_at=NOW - DAY)
    run_requests(
        tmp_path / "a.db", *(AddApproval(id_, lambda _, id_=id_: replace(old, id=id_), MANY) for id_ in "ab")
    )

    with transaction(tmp_path / "a.db") as connection:
        counts = LimitCounts()
        asked = sample_approval(turn="t2")
        counts.load_counts(connection, Moment(NOW, 1), [(asked, LIMITS_OF_TWO)])
        counts.add(asked, LIMITS_OF_TWO, 100)
        longer = LIMITS_OF_TWO._replace(denial_window=2 * DAY)
        counts = LimitCounts()
        counts.load_counts(connection, Moment(NOW, 1), [(asked, longer)])
        with pytest.raises(LimitError, match="recently"):
            counts.add(asked, longer, 100)


SECOND = 1_000_000
MINUTE = timedelta(minutes=1)


@pytest.mark.proves("R001-34")
@pytest.mark.parametrize("seed", range(5))
def test_no_time_window_contains_more_calls_than_allowed(seed: int) -> None:
    random, purse, at = Random(seed), CallWindow(), 10**15
    made: list[int] = []
    for _ in range(2000):
        at += random.randrange(0, 3 * SECOND)
        if purse.count_call(at, 7, 30 * SECOND).allowed:
            made.append(at)

    assert len(made) > 100
    assert all(made[index + 7] - made[index] > 30 * SECOND for index in range(len(made) - 7))


def test_after_the_returned_waiting_time_a_call_is_allowed() -> None:
    random, purse, at = Random(1), CallWindow(), 10**15
    for _ in range(500):
        at += random.randrange(0, 2 * SECOND)
        spent = purse.count_call(at, 5, 20 * SECOND)
        if not spent.allowed:
            assert 0 < spent.retry_after <= 21
            at += round(spent.retry_after * SECOND)
            assert purse.count_call(at, 5, 20 * SECOND) == BudgetResult(allowed=True)


def test_a_smaller_budget_counts_calls_under_the_larger_one() -> None:
    purse, at = CallWindow(), 10**15
    spent = [purse.count_call(at + number * SECOND, 10, 60 * SECOND).allowed for number in range(10)]

    assert spent == [True] * 10
    assert not purse.count_call(at + 11 * SECOND, 5, 30 * SECOND).allowed


def test_a_batch_counts_each_of_its_calls(tmp_path: Path) -> None:
    pieces = [CountCall(who, 3, MINUTE) for who in ("ana", "ben") for _ in range(5)]

    with transaction(tmp_path / "a.db") as connection:
        done = run_batch(connection, ApprovalReader(), lambda: NOW, pieces)
    with transaction(tmp_path / "a.db") as connection:
        again = run_batch(connection, ApprovalReader(), lambda: NOW, pieces[:1])

    allowed = [isinstance(one, BudgetResult) and one.allowed for one in done.outcomes]
    assert allowed == [True, True, True, False, False] * 2
    assert [isinstance(one, BudgetResult) and one.allowed for one in again.outcomes] == [False]
    assert not done.has_events


def test_counts_older_than_every_window_are_deleted(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        run_batch(connection, ApprovalReader(), lambda: NOW, [CountCall("ana", 3, MINUTE)])
        delete_old_counts(connection, Moment(NOW + COUNT_RETENTION - MINUTE, 0))
        kept = connection.core.exec_driver_sql("SELECT count(*) FROM spending").scalar()
        delete_old_counts(connection, Moment(NOW + COUNT_RETENTION + MINUTE, 0))

        assert (kept, connection.core.exec_driver_sql("SELECT count(*) FROM spending").scalar()) == (1, 0)

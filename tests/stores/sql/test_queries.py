"""Tests of pages, of overdue approvals, and of the indexes that queries use."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.errors import InputError
from assent.gate.approval import OPEN_STATES, State
from assent.gate.policy import Moment
from assent.gate.store import ALL_ENTRIES, ApprovalFilter
from assent.stores.audit import queries as audit_pages
from assent.stores.sql import approvals, listing
from assent.stores.sql import limits as counts
from assent.stores.sql.approvals import ApprovalReader, DueApproval, newest_timestamp, read_due_approvals
from assent.stores.sql.batch import AddApproval, ChangeApproval, run_batch
from assent.stores.sql.policy_edits import record_heartbeat
from assent.stores.sql.statement import Statement
from tests.gate.samples import NOW, make_question
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, answer_change

HOUR = timedelta(hours=1)
PENDING = frozenset({State.PENDING})


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    database_path = tmp_path / "a.db"
    with transaction(database_path) as connection:
        record_heartbeat(connection, Moment(NOW, 0), "alive")
        run_batch(
            connection,
            ApprovalReader(),
            lambda: NOW,
            [
                AddApproval("late", make_question("late", boot="alive", expires_in=HOUR), MANY),
                AddApproval("orphan", make_question("orphan", boot="gone"), MANY),
                AddApproval("mine", make_question("mine", boot="alive"), MANY),
                AddApproval("yes", make_question("yes", boot="alive"), MANY),
                ChangeApproval("yes", answer_change()),
            ],
        )
    return database_path


@pytest.mark.proves("R-8", "R-11")
@pytest.mark.parametrize(
    ("passed", "due"),
    [
        (timedelta(0), {DueApproval("orphan", "gone")}),
        (timedelta(minutes=20), {DueApproval("orphan", "gone"), DueApproval("yes", None)}),
        (HOUR, {DueApproval("orphan", "gone"), DueApproval("yes", None), DueApproval("late", None)}),
        (
            3 * HOUR,
            {
                DueApproval("orphan", "gone"),
                DueApproval("yes", "alive"),
                DueApproval("late", "alive"),
                DueApproval("mine", "alive"),
            },
        ),
    ],
)
def test_overdue_approvals_are_found_by_the_clock(
    database_path: Path, passed: timedelta, due: set[DueApproval]
) -> None:
    with transaction(database_path) as connection:
        assert set(read_due_approvals(connection, lambda: NOW + passed, 2 * HOUR)) == due


@pytest.mark.parametrize("after", ["x", "-1", "1.0", "٣", "9" * 30, "1; DROP TABLE approvals"])
def test_an_invalid_cursor_is_refused(database_path: Path, after: str) -> None:
    with transaction(database_path) as connection:
        with pytest.raises(InputError, match="is not a valid cursor"):
            listing.approval_page(connection, ApprovalReader(), ApprovalFilter(), 10, after)
        with pytest.raises(InputError, match="is not a valid cursor"):
            audit_pages.audit_page(connection, ALL_ENTRIES, 10, after)


def test_pages_continue_each_other(database_path: Path) -> None:
    with transaction(database_path) as connection:
        first = listing.approval_page(connection, ApprovalReader(), ApprovalFilter(), 3, "")
        second = listing.approval_page(connection, ApprovalReader(), ApprovalFilter(), 3, first.after)

    assert [one.id for one in first.approvals] == ["late", "orphan", "mine"]
    assert ([one.id for one in second.approvals], second.after) == (["yes"], "")


@pytest.mark.proves("R-15")
@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (listing._page_statement(frozenset(), PENDING, None, False, False), "approvals_open"),
        (listing._page_statement(frozenset(), frozenset(OPEN_STATES), None, False, False), "approvals_open"),
        (listing._page_statement(frozenset({"agent_id"}), PENDING, None, False, False), "approvals_"),
        (
            listing._page_statement(frozenset({"conversation_id"}), frozenset(), None, False, False),
            "approvals_conversation",
        ),
        (approvals._DUE_APPROVALS, "approvals_open"),
        (counts._LIMIT_COUNTS, "approvals_denied_call"),
    ],
)
def test_frequent_queries_never_scan_the_history(
    database_path: Path, statement: Statement, index: str
) -> None:
    with transaction(database_path) as connection:
        spelled = statement._compile(connection).text
        values = ("[]",) * spelled.count("?")
        plan = connection.core.exec_driver_sql(f"EXPLAIN QUERY PLAN {spelled}", values).all()

    assert index in str(plan)
    assert "SCAN approvals'" not in str(plan)
    assert "PRIMARY KEY" not in str(plan)


@pytest.mark.proves("T-43")
def test_the_newest_timestamp_is_found_in_every_table(database_path: Path) -> None:
    with transaction(database_path) as connection:
        assert newest_timestamp(connection) == NOW
        connection.core.execute(text("UPDATE processes SET seen_at = seen_at + 1000000"))
        assert newest_timestamp(connection) == NOW + timedelta(seconds=1)

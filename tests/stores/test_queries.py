"""Pages go on where the last one ended, and what is due is found by the clock."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.errors import InputError
from assent.gate.approval import OPEN, State
from assent.gate.store import ALL_ENTRIES, ApprovalFilter, Moment
from assent.stores import audit_pages, counts, listing, queries
from assent.stores.batch import Add, Move, written
from assent.stores.policy import beaten
from assent.stores.queries import Due, due_of, newest_of
from assent.stores.questions import Questions
from assent.stores.statements import Statement
from tests.gate.samples import NOW, asking
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, answering

HOUR = timedelta(hours=1)
PENDING = frozenset({State.PENDING})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with transaction(path) as connection:
        beaten(connection, Moment(NOW, 0), "alive")
        written(
            connection,
            Questions(),
            lambda: NOW,
            [
                Add("late", asking("late", boot="alive", expires_in=HOUR), MANY),
                Add("orphan", asking("orphan", boot="gone"), MANY),
                Add("mine", asking("mine", boot="alive"), MANY),
                Add("yes", asking("yes", boot="alive"), MANY),
                Move("yes", answering()),
            ],
        )
    return path


@pytest.mark.proves("R-8", "R-11")
@pytest.mark.parametrize(
    ("passed", "due"),
    [
        (timedelta(0), {Due("orphan", "gone")}),
        (timedelta(minutes=20), {Due("orphan", "gone"), Due("yes", None)}),
        (HOUR, {Due("orphan", "gone"), Due("yes", None), Due("late", None)}),
        (3 * HOUR, {Due("orphan", "gone"), Due("yes", "alive"), Due("late", "alive"), Due("mine", "alive")}),
    ],
)
def test_what_is_due_is_found_by_the_clock(path: Path, passed: timedelta, due: set[Due]) -> None:
    with transaction(path) as connection:
        assert set(due_of(connection, lambda: NOW + passed, 2 * HOUR)) == due


@pytest.mark.parametrize("after", ["x", "-1", "1.0", "٣", "9" * 30, "1; DROP TABLE approvals"])
def test_what_is_no_place_in_a_page_is_refused(path: Path, after: str) -> None:
    with transaction(path) as connection:
        with pytest.raises(InputError, match="is not where a page begins"):
            listing.page_of(connection, Questions(), ApprovalFilter(), 10, after)
        with pytest.raises(InputError, match="is not where a page begins"):
            audit_pages.page_of(connection, ALL_ENTRIES, 10, after)


def test_pages_follow_each_other(path: Path) -> None:
    with transaction(path) as connection:
        first = listing.page_of(connection, Questions(), ApprovalFilter(), 3, "")
        second = listing.page_of(connection, Questions(), ApprovalFilter(), 3, first.after)

    assert [one.id for one in first.approvals] == ["late", "orphan", "mine"]
    assert ([one.id for one in second.approvals], second.after) == (["yes"], "")


@pytest.mark.proves("R-15")
@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (listing._page(frozenset(), PENDING, None, False, False), "approvals_open"),
        (listing._page(frozenset(), frozenset(OPEN), None, False, False), "approvals_open"),
        (listing._page(frozenset({"agent_id"}), PENDING, None, False, False), "approvals_"),
        (
            listing._page(frozenset({"conversation_id"}), frozenset(), None, False, False),
            "approvals_conversation",
        ),
        (queries._DUE, "approvals_open"),
        (counts._COUNTS, "approvals_denied_call"),
    ],
)
def test_what_is_asked_often_never_reads_the_history(path: Path, statement: Statement, index: str) -> None:
    with transaction(path) as connection:
        spelled = statement._form(connection).text
        values = ("[]",) * spelled.count("?")
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {spelled}", values).all()

    assert index in str(plan)
    assert "SCAN approvals'" not in str(plan)
    assert "PRIMARY KEY" not in str(plan)


@pytest.mark.proves("T-43")
def test_the_newest_stamp_is_found_wherever_it_is(path: Path) -> None:
    with transaction(path) as connection:
        assert newest_of(connection) == NOW
        connection.execute(text("UPDATE processes SET seen_at = seen_at + 1000000"))
        assert newest_of(connection) == NOW + timedelta(seconds=1)

"""Calls are counted in slots, and a slot counts until all of it is too old."""

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from assent.gate.store import BudgetResult, Moment
from assent.stores.batch import Spend, written
from assent.stores.questions import Questions
from assent.stores.spending import KEPT, Purse, forget
from tests.gate.samples import NOW
from tests.stores.database import transaction

SECOND = 1_000_000
MINUTE = timedelta(minutes=1)


@pytest.mark.proves("R001-34")
@pytest.mark.parametrize("seed", range(5))
def test_no_window_ever_holds_more_than_it_may(seed: int) -> None:
    random, purse, at = Random(seed), Purse(), 10**15
    made: list[int] = []
    for _ in range(2000):
        at += random.randrange(0, 3 * SECOND)
        if purse.spent(at, 7, 30 * SECOND).allowed:
            made.append(at)

    assert len(made) > 100
    assert all(made[place + 7] - made[place] > 30 * SECOND for place in range(len(made) - 7))


def test_who_waits_as_long_as_they_were_told_has_room() -> None:
    random, purse, at = Random(1), Purse(), 10**15
    for _ in range(500):
        at += random.randrange(0, 2 * SECOND)
        spent = purse.spent(at, 5, 20 * SECOND)
        if not spent.allowed:
            assert 0 < spent.retry_after <= 21
            at += round(spent.retry_after * SECOND)
            assert purse.spent(at, 5, 20 * SECOND) == BudgetResult(allowed=True)


def test_a_smaller_budget_counts_what_was_spent_under_the_larger_one() -> None:
    purse, at = Purse(), 10**15
    spent = [purse.spent(at + number * SECOND, 10, 60 * SECOND).allowed for number in range(10)]

    assert spent == [True] * 10
    assert not purse.spent(at + 11 * SECOND, 5, 30 * SECOND).allowed


def test_one_batch_counts_each_of_its_calls(tmp_path: Path) -> None:
    pieces = [Spend(who, 3, MINUTE) for who in ("ana", "ben") for _ in range(5)]

    with transaction(tmp_path / "a.db") as connection:
        done = written(connection, Questions(), lambda: NOW, pieces)
    with transaction(tmp_path / "a.db") as connection:
        again = written(connection, Questions(), lambda: NOW, pieces[:1])

    allowed = [isinstance(one, BudgetResult) and one.allowed for one in done.outcomes]
    assert allowed == [True, True, True, False, False] * 2
    assert [isinstance(one, BudgetResult) and one.allowed for one in again.outcomes] == [False]
    assert not done.told


def test_what_no_window_reaches_is_forgotten(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        written(connection, Questions(), lambda: NOW, [Spend("ana", 3, MINUTE)])
        forget(connection, Moment(NOW + KEPT - MINUTE, 0))
        kept = connection.exec_driver_sql("SELECT count(*) FROM spending").scalar()
        forget(connection, Moment(NOW + KEPT + MINUTE, 0))

        assert (kept, connection.exec_driver_sql("SELECT count(*) FROM spending").scalar()) == (1, 0)

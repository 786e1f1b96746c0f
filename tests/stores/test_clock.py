"""The clock starts no earlier than what was written before, and nobody sets it back."""

from datetime import UTC, datetime, timedelta

import pytest

from assent.stores.sql.times import MAX_SKEW, HostClock

SLACK = timedelta(seconds=30)


def test_it_starts_at_the_hosts_time() -> None:
    assert abs(HostClock()() - datetime.now(UTC)) < SLACK


@pytest.mark.proves("T-43", "R-9")
def test_it_starts_no_earlier_than_the_newest_stamp() -> None:
    newest = datetime.now(UTC) + timedelta(days=1)

    assert timedelta(0) <= HostClock(newest)() - newest < SLACK


def test_an_old_stamp_does_not_hold_it_back() -> None:
    assert abs(HostClock(datetime(2020, 1, 1, tzinfo=UTC))() - datetime.now(UTC)) < SLACK


@pytest.mark.proves("T-43")
def test_a_stamp_from_a_far_future_is_not_believed() -> None:
    absurd = datetime.now(UTC) + MAX_SKEW + timedelta(days=1)

    assert abs(HostClock(absurd)() - datetime.now(UTC)) < SLACK


def test_it_never_goes_back() -> None:
    clock = HostClock()
    read = [clock() for _ in range(100)]

    assert read == sorted(read)

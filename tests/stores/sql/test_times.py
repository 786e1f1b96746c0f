"""The clock starts no earlier than what was written before, and nobody sets it back."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis.strategies import datetimes, timedeltas

from assent.stores.sql.times import (
    MAX_SKEW,
    HostClock,
    from_micros,
    from_micros_or_none,
    span_from_micros,
    span_to_micros,
    to_micros,
    to_micros_or_none,
)

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


@given(datetimes(timezones=None))
def test_a_moment_comes_back_as_it_was(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)

    assert from_micros(to_micros(at)) == at


@given(timedeltas())
def test_a_span_comes_back_as_it_was(length: timedelta) -> None:
    assert span_from_micros(span_to_micros(length)) == length


def test_numbers_sort_as_moments_do() -> None:
    early, late = datetime(1969, 12, 31, tzinfo=UTC), datetime(2026, 3, 1, 0, 0, 0, 1, tzinfo=UTC)

    assert to_micros(early) < 0 < to_micros(late)


def test_nothing_stays_nothing() -> None:
    assert (to_micros_or_none(None), from_micros_or_none(None)) == (None, None)

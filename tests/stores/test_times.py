"""A moment survives its way into a table and back to the microsecond."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis.strategies import datetimes, timedeltas

from assent.stores.sql.times import (
    from_micros,
    from_micros_or_none,
    span_from_micros,
    span_to_micros,
    to_micros,
    to_micros_or_none,
)


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

"""A moment survives its way into a table and back to the microsecond."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis.strategies import datetimes, timedeltas

from assent.stores.sql.times import kept, kept_span, maybe_kept, maybe_moment, moment, span


@given(datetimes(timezones=None))
def test_a_moment_comes_back_as_it_was(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)

    assert moment(kept(at)) == at


@given(timedeltas())
def test_a_span_comes_back_as_it_was(length: timedelta) -> None:
    assert span(kept_span(length)) == length


def test_numbers_sort_as_moments_do() -> None:
    early, late = datetime(1969, 12, 31, tzinfo=UTC), datetime(2026, 3, 1, 0, 0, 0, 1, tzinfo=UTC)

    assert kept(early) < 0 < kept(late)


def test_nothing_stays_nothing() -> None:
    assert (maybe_kept(None), maybe_moment(None)) == (None, None)

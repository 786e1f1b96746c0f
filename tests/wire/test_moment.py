"""A moment has one spelling, and the spellings sort as the moments do."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.errors import InputError
from assent.wire.fields import Fields, maybe_moment, maybe_moment_to_json, moment_from_json, moment_to_json

MOMENTS = st.timedeltas(min_value=timedelta(), max_value=timedelta(days=3_650_000)).map(
    lambda span: datetime(1, 1, 2, tzinfo=UTC) + span
)


@given(MOMENTS)
def test_a_moment_comes_back_as_it_was(moment: datetime) -> None:
    assert moment_from_json(moment_to_json(moment)) == moment


@given(MOMENTS, MOMENTS)
def test_the_texts_sort_as_the_moments_do(one: datetime, other: datetime) -> None:
    assert (moment_to_json(one) < moment_to_json(other)) == (one < other)


def test_it_is_in_utc_with_microseconds_whatever_the_zone_was() -> None:
    there = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))

    assert moment_to_json(there) == "2026-03-01T10:00:00.000000+00:00"
    assert moment_from_json("2026-03-01T12:00:00+02:00").tzinfo is UTC
    assert moment_from_json("2026-03-01T10:00:00Z") == there


def test_nothing_stays_nothing() -> None:
    assert maybe_moment_to_json(None) is None
    assert maybe_moment(Fields({"at": None}, "x"), "at") is None
    assert maybe_moment(Fields({}, "x"), "at") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-03-01T12:00:00",
        "2026-13-01T12:00:00Z",
        "0001-01-01T00:00:00+14:00",
        7,
        None,
        True,
        ["x"],
    ],
)
def test_what_is_no_moment_or_names_no_zone_is_refused(text: object) -> None:
    with pytest.raises(InputError, match=r"field `answer\.until` must be an ISO 8601 time with a time zone"):
        moment_from_json(text, "answer.until")


def test_a_moment_without_a_zone_is_not_written() -> None:
    with pytest.raises(InputError, match="has no time zone"):
        moment_to_json(datetime(2026, 3, 1))  # noqa: DTZ001

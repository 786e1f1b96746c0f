"""Each field is read with its type, and an error names the field."""

from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.errors import InputError
from assent.wire.fields import Fields, maybe_moment, maybe_moment_to_json, moment_from_json, moment_to_json


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


FIELDS = Fields(
    {"text": "a", "texts": ["a", "b"], "flag": True, "whole": 3, "number": 1.5, "word": "red", "table": {"x": 1},
     "null": None},
    "thing",
)  # fmt: skip


def test_a_field_of_each_type_is_read() -> None:
    assert FIELDS.text("text") == "a"
    assert FIELDS.texts("texts") == ("a", "b")
    assert FIELDS.flag("flag") is True
    assert (FIELDS.integer("whole"), FIELDS.number("number"), FIELDS.number("whole")) == (3, 1.5, 3)
    assert FIELDS.word("word", Colour) is Colour.RED
    assert FIELDS.table("table") == {"x": 1}


def test_a_missing_field_gets_its_default_but_a_null_does_not() -> None:
    assert FIELDS.text("none", "b") == "b"
    assert FIELDS.flag("none", default=False) is False
    assert FIELDS.integer("none", 0) == 0
    assert FIELDS.word("none", Colour, Colour.BLUE) is Colour.BLUE
    with pytest.raises(InputError, match=r"field `thing\.null` must be a string"):
        FIELDS.text("null", "b")


def test_optional_fields_may_be_null_or_missing() -> None:
    assert FIELDS.maybe_text("null") is FIELDS.maybe_text("none") is None
    assert (
        FIELDS.maybe_table("null")
        is FIELDS.maybe_integer("null")
        is FIELDS.maybe_word("null", Colour)
        is None
    )
    assert (FIELDS.maybe_text("text"), FIELDS.maybe_integer("whole")) == ("a", 3)


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: FIELDS.text("none"), "field `thing.none` is missing"),
        (lambda: FIELDS.text("whole"), "field `thing.whole` must be a string"),
        (lambda: FIELDS.texts("text"), "field `thing.text` must be a list"),
        (lambda: Fields({"a": ["x", 1]}, "t").texts("a"), "field `t.a` must be a list of strings"),
        (lambda: FIELDS.flag("whole"), "field `thing.whole` must be true or false"),
        (lambda: FIELDS.integer("flag"), "field `thing.flag` must be a whole number"),
        (lambda: FIELDS.integer("number"), "field `thing.number` must be a whole number"),
        (lambda: FIELDS.number("flag"), "field `thing.flag` must be a number"),
        (lambda: FIELDS.word("text", Colour), "field `thing.text` must be one of red, blue"),
        (lambda: FIELDS.table("texts"), "field `thing.texts` must be an object"),
        (lambda: Fields([], "thing"), "`thing` must be an object"),
        (lambda: FIELDS.check_known("text"), "unknown field `thing.texts`: expected text"),
    ],
)
def test_an_error_names_the_field_and_the_expected_type(read: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read()  # type: ignore[operator]

    assert str(caught.value) == said


MOMENTS = st.timedeltas(min_value=timedelta(), max_value=timedelta(days=3_650_000)).map(
    lambda span: datetime(1, 1, 2, tzinfo=UTC) + span
)


@given(MOMENTS)
def test_a_time_is_parsed_to_the_original(moment: datetime) -> None:
    assert moment_from_json(moment_to_json(moment)) == moment


@given(MOMENTS, MOMENTS)
def test_the_texts_sort_like_the_times(one: datetime, other: datetime) -> None:
    assert (moment_to_json(one) < moment_to_json(other)) == (one < other)


def test_a_time_is_written_in_utc_with_microseconds() -> None:
    there = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))

    assert moment_to_json(there) == "2026-03-01T10:00:00.000000+00:00"
    assert moment_from_json("2026-03-01T12:00:00+02:00").tzinfo is UTC
    assert moment_from_json("2026-03-01T10:00:00Z") == there


def test_none_is_converted_to_none() -> None:
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
def test_an_invalid_time_or_one_without_a_zone_is_refused(text: object) -> None:
    with pytest.raises(InputError, match=r"field `answer\.until` must be an ISO 8601 time with a time zone"):
        moment_from_json(text, "answer.until")


def test_a_time_without_a_zone_is_not_written() -> None:
    with pytest.raises(InputError, match="has no time zone"):
        moment_to_json(datetime(2026, 3, 1))  # noqa: DTZ001

"""Fields of requests accept exactly their types."""

from datetime import UTC, datetime
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from assent.surfaces.http.api.fields import ACCEPT_WHOLE_FLOAT, Id, Moment, Paging, StrictBody, Text, ToolName


class Sample(StrictBody):
    text: Text = ""
    id: Id = ""
    tool: ToolName = "x"
    at: Moment | None = None
    number: Annotated[int, Field(ge=1, le=5), ACCEPT_WHOLE_FLOAT] | None = None
    flag: bool = False


@pytest.mark.parametrize(
    "said",
    [
        {"text": "a\0b"},
        {"text": 5},
        {"text": None},
        {"id": "a\nb"},
        {"id": "x" * 257},
        {"tool": "two words"},
        {"tool": ""},
        {"tool": "x" * 129},
        {"tool": "ñ"},
        {"at": 5},
        {"at": "2026-01-01"},
        {"at": "2026-01-01T00:00:00"},
        {"at": "0001-01-01T00:00:00+14:00"},
        {"number": "1"},
        {"number": True},
        {"number": 1.5},
        {"number": 0},
        {"number": 6},
        {"flag": 1},
        {"flag": "true"},
        {"unknown": 1},
    ],
)
def test_a_value_of_another_type_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Sample.model_validate(said)


def test_a_time_is_converted_to_utc_and_a_whole_number_may_be_a_float() -> None:
    found = Sample.model_validate({"at": "2026-01-01T02:00:00+02:00", "number": 2.0})

    assert (found.at, found.number) == (datetime(2026, 1, 1, tzinfo=UTC), 2)


def test_the_size_of_a_page_is_limited() -> None:
    with pytest.raises(ValidationError):
        Paging.model_validate({"limit": 201})

    assert Paging().limit == 50

"""Fields of the API take what they say, and nothing that only looks like it."""

from datetime import UTC, datetime
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from assent.surfaces.http.api.fields import WHOLE, Body, Id, Moment, Paging, Text, ToolName


class Sample(Body):
    text: Text = ""
    id: Id = ""
    tool: ToolName = "x"
    at: Moment | None = None
    number: Annotated[int, Field(ge=1, le=5), WHOLE] | None = None
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
def test_what_is_not_of_its_very_kind_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Sample.model_validate(said)


def test_a_moment_is_told_in_utc_and_a_whole_number_may_have_a_point() -> None:
    found = Sample.model_validate({"at": "2026-01-01T02:00:00+02:00", "number": 2.0})

    assert (found.at, found.number) == (datetime(2026, 1, 1, tzinfo=UTC), 2)


def test_a_page_is_never_everything() -> None:
    with pytest.raises(ValidationError):
        Paging.model_validate({"limit": 201})

    assert Paging().limit == 50

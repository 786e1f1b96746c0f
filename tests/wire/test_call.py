"""A call as JSON."""

import pytest

from assent.engine.model import Call
from assent.wire.call import call_from_json, call_to_json
from tests.gate.samples import CALL
from tests.wire.spoiling import demanded, through_json, unnoticed

DATA = call_to_json(CALL)


@pytest.mark.parametrize(
    "call",
    [CALL, Call(tool="t", args={}, cwd="/tmp/x"), Call(tool="t", args={"a": [1, {"b": None}], "\0": "ñ\0"})],
)
def test_a_call_comes_back_as_it_was(call: Call) -> None:
    assert call_from_json(through_json(call_to_json(call))) == call


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(DATA) == list(Call.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(DATA, "call", call_from_json) == []


def test_a_call_needs_a_tool_and_arguments() -> None:
    assert demanded(DATA, "call", call_from_json) == {"tool", "args"}

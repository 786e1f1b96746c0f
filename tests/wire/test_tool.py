"""A tool as JSON."""

import pytest

from assent.engine.model import Dialect, Effect, PathKind, Tool
from assent.wire.call import tool_from_json, tool_to_json
from tests.gate.samples import TOOL
from tests.wire.spoiling import demanded, through_json, unnoticed

WHOLE = Tool(
    name="page.edit",
    effect=Effect.EDIT,
    dialect=Dialect.PATH,
    template="{path}",
    paths=PathKind.ANCHORED,
    description="Edits.",
    parameters={"type": "object"},
    origin="page:1",
    group="pages",
    reads=True,
)
DATA = tool_to_json(WHOLE)


@pytest.mark.parametrize("tool", [WHOLE, TOOL, Tool(name="t")])
def test_a_tool_comes_back_as_it_was(tool: Tool) -> None:
    assert tool_from_json(through_json(tool_to_json(tool))) == tool


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(DATA) == list(Tool.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed({**DATA, "template": None}, "tool", tool_from_json) == []


def test_a_tool_that_names_no_effect_asks() -> None:
    assert demanded(DATA, "tool", tool_from_json) == {"name"}
    assert tool_from_json({"name": "t"}).effect is Effect.EXTERNAL

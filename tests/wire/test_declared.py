"""A declaration of a tool as JSON."""

import pytest

from assent.engine.model import Effect, Tool
from assent.gate.catalog import DeclaredTool, Trust
from assent.wire.call import declared_from_json, declared_to_json
from tests.wire.spoiling import demanded, refusal, through_json, unnoticed

WHOLE = DeclaredTool(
    tool=Tool(name="shop.buy", effect=Effect.WRITE, origin="shop", parameters={"type": "object"}),
    trust=Trust.TRUSTED,
    provider="mcp",
    agent="clerk",
)


@pytest.mark.parametrize(
    "declared", [WHOLE, *(DeclaredTool(tool=Tool(name="t"), trust=trust) for trust in Trust)]
)
def test_a_declaration_comes_back_as_it_was(declared: DeclaredTool) -> None:
    assert declared_from_json(through_json(declared_to_json(declared))) == declared


def test_one_that_names_no_trust_is_a_strangers() -> None:
    assert declared_from_json({"tool": {"name": "t"}}).trust is Trust.CLIENT


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    data = declared_to_json(WHOLE)

    assert unnoticed(data, "declared", declared_from_json) == []
    assert "`declared.trust`" in refusal(declared_from_json, {**data, "trust": "blind"})
    assert demanded(data, "declared", declared_from_json) == {"tool"}

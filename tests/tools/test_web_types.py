"""The types of the web app are generated from the API; an unknown schema is an error."""

import json

import pytest

from tools import web_types


def test_the_generated_types_are_up_to_date() -> None:
    assert web_types.main("check") == 0


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer"}, "number"),
        ({"enum": ["a", "b"]}, '"a" | "b"'),
        ({"const": "run"}, '"run"'),
        ({"$ref": "#/components/schemas/State"}, "State"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"type": "array", "items": {"type": "number"}}, "Array<number>"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "Record<string, boolean>"),
        (
            {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "null"}, "b": {"type": "string"}},
            },
            "{\n  a: null;\n  b?: string;\n}",
        ),
    ],
)
def test_a_schema_becomes_a_type(schema: dict[str, object], expected: str) -> None:
    written = web_types.types_text({"components": {"schemas": {"Found": schema}}})

    assert written == web_types.TYPES_HEAD + f"\nexport type Found = {expected};\n"


def test_a_schema_without_a_type_is_refused() -> None:
    with pytest.raises(ValueError, match="has no type here"):
        web_types.types_text({"components": {"schemas": {"Odd": {"not": {}}}}})


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((web_types.ROOT / "web/package-lock.json").read_text(encoding="utf-8"))

    assert [name for name, one in lock["packages"].items() if "resolved" in one] == []

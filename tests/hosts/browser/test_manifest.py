"""Manifests: complete, bounded and free of disguises, or refused as a whole."""

import hashlib
import json
from typing import Any

import pytest

from assent.errors import InputError
from assent.hosts.browser.manifest import (
    MAX_TOOLS,
    ManifestError,
    ManifestReader,
    TextParts,
    ToolKind,
    parse_manifest,
)
from assent.wire.fields import Fields

SET_VALUE: dict[str, Any] = {
    "name": "stub.setValue",
    "description": "Sets the value.",
    "params": {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]},
    "sideEffect": True,
    "specifierTemplate": "{value}",
    "kind": "agentTool",
}


def parse(*tools: object) -> Any:
    return parse_manifest(json.dumps(tools))


def part(text: str, number: int = 1, count: int = 1, *, whole: str | None = None, id: str = "m1") -> Fields:
    digest = hashlib.sha256((text if whole is None else whole).encode()).hexdigest()
    frame = {"type": "manifest", "id": id, "part": number, "parts": count, "digest": digest, "text": text}
    return Fields(frame, "message")


@pytest.mark.proves("R003-10")
def test_a_declaration_has_six_fields_and_no_handler() -> None:
    (tool,) = parse(SET_VALUE)

    assert tool == (
        "stub.setValue",
        "Sets the value.",
        SET_VALUE["params"],
        True,
        "{value}",
        ToolKind.AGENT_TOOL,
    )
    with pytest.raises(InputError, match="handler"):
        parse({**SET_VALUE, "handler": "() => {}"})


def test_a_tool_without_arguments_or_side_effect_needs_few_fields() -> None:
    (tool,) = parse({"name": "ping", "kind": "command"})

    assert (tool.side_effect, tool.template, tool.arguments) == (False, None, frozenset())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": "a b"}, "`name`"),
        ({"name": "x" * 65}, "`name`"),
        ({"name": "stub\N{CYRILLIC SMALL LETTER A}"}, "`name`"),
        ({"name": ""}, "`name`"),
        ({"kind": "tool"}, "agentTool, command, layout"),
        ({"sideEffect": 0}, "true or false"),
        ({"sideEffect": "false"}, "true or false"),
        ({"description": "x" * 4001}, "4000"),
        ({"description": "Reads\N{RIGHT-TO-LEFT OVERRIDE} only"}, "U+202E"),
        ({"description": "a\N{ZERO WIDTH SPACE}b"}, "U+200B"),
        ({"params": []}, "object"),
        ({"params": {"type": "array"}}, "object"),
        ({"params": {"properties": 3}}, "properties"),
        ({"params": {"properties": {"a\u202e": {}}}}, "U+202E"),
        ({"params": {"description": "x" * 50_001}}, "50000"),
        ({"specifierTemplate": "{other}"}, "other"),
        ({"specifierTemplate": "value"}, "must name 1 to 20"),
        ({"specifierTemplate": "{value} {"}, "brace"),
        ({"specifierTemplate": "{value}\n"}, "line break"),
        ({"specifierTemplate": "{value}" * 21}, "20"),
        ({"specifierTemplate": "{value}\N{NO-BREAK SPACE}"}, "U+00A0"),
        ({"effect": "read"}, "effect"),
    ],
)
@pytest.mark.proves("T-36")
def test_a_tool_that_is_not_valid_refuses_the_manifest_with_its_number(
    change: dict[str, object], problem: str
) -> None:
    with pytest.raises(InputError) as refused:
        parse({"name": "fine", "kind": "command"}, {**SET_VALUE, **change})

    assert "tool 2: " in str(refused.value)
    assert problem in str(refused.value)


def test_a_deep_schema_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(30):
        schema = {"properties": {"a": schema}}

    with pytest.raises(InputError, match="nested"):
        parse({**SET_VALUE, "params": {"properties": {"value": schema}}})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "list of tools"),
        ("[", "not JSON"),
        ('[{"name": "a", "name": "b", "kind": "command"}]', "name"),
        ("[NaN]", "NaN"),
        ('["a"]', "object"),
    ],
)
def test_a_text_that_is_no_list_of_tools_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_manifest(text)


def test_the_number_of_tools_is_limited_and_no_name_comes_twice() -> None:
    tools = [{"name": f"t.{number}", "kind": "command"} for number in range(MAX_TOOLS + 1)]

    assert len(parse(*tools[:-1])) == MAX_TOOLS
    with pytest.raises(InputError, match="more than 1000"):
        parse(*tools)
    with pytest.raises(InputError, match="declared twice"):
        parse(tools[0], tools[0])


def test_a_manifest_is_complete_after_its_last_part() -> None:
    reader = ManifestReader()

    assert reader.read_frame(part("[1", 1, 2, whole="[1,2]")) is None
    assert reader.read_frame(part(",2]", 2, 2, whole="[1,2]")) == ("m1", "[1,2]")


def test_a_new_manifest_discards_the_unfinished_one() -> None:
    reader = ManifestReader()
    reader.read_frame(part("[1", 1, 2, whole="[1,2]"))

    assert reader.read_frame(part("[]", id="m2")) == ("m2", "[]")
    with pytest.raises(InputError, match="not the next"):
        reader.read_frame(part(",2]", 2, 2, whole="[1,2]"))


def test_a_manifest_with_another_digest_is_refused() -> None:
    with pytest.raises(ManifestError) as refused:
        ManifestReader().read_frame(part("[]", whole="[1]"))

    assert refused.value.id == "m1"


@pytest.mark.parametrize(
    "frame",
    [
        part("[]", 0, 1),
        part("[]", 2, 2),
        part("[]", 1, 0),
        part("[]", 1, 201),
        part("[]", id=""),
        Fields({"type": "manifest", "id": "m", "part": 1, "parts": 1, "digest": "0", "text": ""}, "message"),
        Fields({"type": "manifest", "id": "m"}, "message"),
    ],
)
def test_a_part_that_does_not_fit_is_an_error(frame: Fields) -> None:
    with pytest.raises(InputError):
        ManifestReader().read_frame(frame)


def test_parts_have_a_common_limit_and_a_fixed_number() -> None:
    parts = TextParts("the value", 5)

    assert parts.add(1, 2, "abc") is None
    with pytest.raises(InputError, match="more than 5"):
        parts.add(2, 2, "def")
    with pytest.raises(InputError, match="began with"):
        parts.add(2, 3, "d")

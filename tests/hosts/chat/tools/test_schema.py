"""Validation of arguments: fetches no references, runs no regular expressions, and always ends."""

import socket
from typing import NoReturn

import pytest

from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.schema import BASE_CHECK_BUDGET, CHECK_BUDGET_PER_VALUE, find_issues


def issue_messages(of: dict[str, object], value: object) -> list[str]:
    return [f"{issue.path} {issue.message}" for issue in find_issues(of, value)]


SCHEMA = schema.object_schema(
    {"name": schema.string_schema("", minLength=1)},
    {
        "count": schema.integer_schema("", least=1, most=3),
        "on": schema.boolean_schema(""),
        "items": schema.array_schema("", schema.object_schema({"of": {"type": "number"}}), maxItems=1),
        "any": schema.any_value_schema(""),
        "kind": schema.string_schema("", enum=["a", "b"]),
    },
)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"name": "x", "count": 3, "on": True, "items": [{"of": 1.5}], "any": None, "kind": "a"}, []),
        ({"name": "x", "count": 2.0}, []),
        ({}, ["name is missing"]),
        ({"name": ""}, ["name must be at least 1"]),
        ({"name": "x", "count": 0}, ["count must be at least 1"]),
        ({"name": "x", "count": 4}, ["count must be at most 3"]),
        ({"name": "x", "count": True}, ["count must be a whole number"]),
        ({"name": "x", "count": 1.5}, ["count must be a whole number"]),
        ({"name": "x", "on": 1}, ["on must be true or false"]),
        ({"name": "x", "items": [{"of": "1"}]}, ["items[0].of must be a number"]),
        ({"name": "x", "items": [{"of": float("nan")}]}, ["items[0].of must be a number"]),
        ({"name": "x", "items": [{"of": 1}, {"of": 2}]}, ["items must be at most 1"]),
        ({"name": "x", "kind": "c"}, ['kind must be one of "a", "b"']),
        ({"name": "x", "more": 1}, ["more is not a parameter"]),
        ({"name": None}, ["name must be a text"]),
        ([], ["arguments must be an object"]),
        ({"name": "x", **{str(n): n for n in range(50)}}, [f"{n} is not a parameter" for n in range(10)]),
    ],
)
def test_each_error_in_the_arguments_is_reported(value: object, wrong: list[str]) -> None:
    assert issue_messages(SCHEMA, value) == wrong


@pytest.mark.parametrize(
    ("of", "value", "wrong"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, ["arguments does not satisfy `anyOf`"]),
        ({"type": ["string", "null"]}, 1, ["arguments must be a text or null"]),
        ({"properties": {"a": {"const": 1}}}, {"a": 2}, ["a does not satisfy `const`"]),
        (
            {"$defs": {"n": {"type": "number"}}, "properties": {"a": {"$ref": "#/$defs/n"}}},
            {"a": "x"},
            ["a must be a number"],
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
            [1],
            ["[0] must be a text"],
        ),
        ({"additionalProperties": {"type": "number"}}, {"a": "x"}, ["a must be a number"]),
        ({"minProperties": 1}, {}, ["arguments must be at least 1"]),
    ],
)
def test_schemas_of_mcp_servers_are_validated_as_in_the_standard(
    of: dict[str, object], value: object, wrong: list[str]
) -> None:
    assert issue_messages(of, value) == wrong


@pytest.mark.proves("T-37")
@pytest.mark.parametrize(
    "of",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"$schema": "http://127.0.0.1:9/draft", "$id": "http://127.0.0.1:9/", "$ref": "other.json"},
        {"$dynamicRef": "https://example.org/schema#meta"},
    ],
)
def test_a_reference_is_never_fetched_and_refuses_the_call(
    of: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    def refuse_to_connect(*args: object, **kwargs: object) -> NoReturn:
        opened.append(args)
        raise OSError

    monkeypatch.setattr(socket.socket, "connect", refuse_to_connect)
    monkeypatch.setattr(socket, "create_connection", refuse_to_connect)
    monkeypatch.setattr("urllib.request.urlopen", refuse_to_connect)

    assert len(find_issues(of, {})) == 1
    assert opened == []
    assert "cannot be checked: the tool's schema is not usable" in issue_messages(of, {})[0]


SLOW = "^(a|a)*$"
LONG = "a" * 200 + "!"


@pytest.mark.parametrize(
    "of",
    [
        {"properties": {"a": {"type": "string", "pattern": SLOW}}},
        {"patternProperties": {SLOW: {"type": "number"}}},
        {"patternProperties": {SLOW: {}}, "additionalProperties": False},
        {"patternProperties": {SLOW: {}}, "unevaluatedProperties": False},
        {"propertyNames": {"pattern": SLOW}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"pattern": SLOW}}},
        {"properties": {"a": {"format": "regex"}}},
    ],
)
def test_a_regular_expression_of_a_schema_is_never_run(
    of: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_to_connect(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError("a regular expression was run")

    monkeypatch.setattr("re.search", refuse_to_connect)
    monkeypatch.setattr("re.match", refuse_to_connect)

    assert issue_messages(of, {"a": LONG, LONG: LONG}) == []


def test_a_schema_that_takes_exponential_time_is_refused_after_a_bounded_number_of_checks() -> None:
    definitions: dict[str, object] = {"d0": {"type": "string"}}
    for n in range(1, 40):
        definitions[f"d{n}"] = {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}, {"$ref": f"#/$defs/d{n - 1}"}]}
    of: dict[str, object] = {"$defs": definitions, "$ref": "#/$defs/d39"}

    assert BASE_CHECK_BUDGET + CHECK_BUDGET_PER_VALUE < 2**39
    assert issue_messages(of, "x") == [
        "arguments cannot be checked: the tool's schema is not usable (too many checks)"
    ]


def test_large_arguments_get_as_many_checks_as_they_need() -> None:
    of = schema.object_schema(
        {"rows": schema.array_schema("", schema.object_schema({"name": schema.string_schema("")}))}
    )

    assert issue_messages(of, {"rows": [{"name": "reed"}] * 20_000}) == []


@pytest.mark.parametrize(
    "of",
    [{"$ref": "#"}, {"type": "strange"}, {"minimum": "x"}, {"properties": 7}, {"allOf": 7}, {"enum": 7}],
)
def test_a_schema_that_crashes_the_library_refuses_the_call(of: dict[str, object]) -> None:
    assert "cannot be checked" in issue_messages(of, {"a": 1} if "minimum" not in of else 1)[0]


def test_no_validation_error_contains_a_value() -> None:
    of: dict[str, object] = {
        "properties": {"a": {"const": 1}, "b": {"not": {}}, "c": {"enum": [1]}, "d": {"multipleOf": 2}},
        "maxProperties": 1,
    }

    found = issue_messages(of, {"a": "canary", "b": "canary", "c": "canary", "d": 3, "e": "canary"})

    assert found
    assert not any("canary" in reason for reason in found)

"""Ids and digests: each call has one canonical form, and ambiguous values are refused."""

import hashlib
import json
import re
import uuid
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config.strictjson import read_object
from assent.engine.base.tool import Call, Dialect, Effect, PathKind, Tool
from assent.errors import InputError
from assent.gate.ids import (
    MAX_ARGUMENT_CHARACTERS,
    MAX_NESTING_DEPTH,
    canonical_json,
    check_directory,
    check_id,
    check_name,
    definition_digest,
    digest_of_call,
    keyed_id,
    new_id,
    time_ordered_id,
    validate_call,
)
from tests.gate.payloads import KEPT, REFUSED, TEXTS, nested_value
from tests.gate.samples import CALL, TOOL

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


# ---- one spelling -------------------------------------------------------------------------------


@given(VALUES)
def test_canonical_json_can_be_parsed_to_the_same_value(value: object) -> None:
    text = canonical_json(value)

    assert text.isascii()
    assert canonical_json(json.loads(text)) == text
    assert json.loads(text) == value


@given(st.dictionaries(TEXT, SCALARS, min_size=2))
def test_the_order_of_keys_does_not_matter(value: dict[str, object]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@pytest.mark.proves("T-35")
def test_similar_values_have_different_canonical_json() -> None:
    alike: list[object] = [
        1,
        1.0,
        True,
        "1",
        [1],
        {"1": 1},
        None,
        "null",
        "",
        [],
        {},
        0,
        -0.0,
        False,
        "\xe9",
        "e\u0301",
    ]

    assert len({canonical_json(value) for value in alike}) == len(alike)


@pytest.mark.proves("T-35", "R-18")
@pytest.mark.parametrize(("name", "payload"), REFUSED, ids=[name for name, _ in REFUSED])
def test_ambiguous_payloads_are_refused(name: str, payload: object) -> None:
    with pytest.raises(InputError):
        validate_call(replace(CALL, args={"x": payload}))


@pytest.mark.proves("R-18")
@pytest.mark.parametrize(("name", "payload"), KEPT, ids=[name for name, _ in KEPT])
def test_unusual_but_valid_payloads_are_kept_unchanged(name: str, payload: object) -> None:
    validate_call(replace(CALL, args={"x": payload}))

    assert canonical_json(json.loads(canonical_json(payload))) == canonical_json(payload)
    assert canonical_json(payload).isascii()
    assert "\x00" not in canonical_json(payload)


@pytest.mark.proves("T-35", "R-18")
@pytest.mark.parametrize(("name", "text"), TEXTS, ids=[name for name, _ in TEXTS])
def test_ambiguous_json_texts_are_refused(name: str, text: bytes) -> None:
    with pytest.raises(InputError):
        read_object(text)


def test_there_are_at_least_sixty_payloads() -> None:
    assert len(REFUSED) + len(KEPT) + len(TEXTS) >= 60


def test_the_limits_are_exact() -> None:
    assert len(canonical_json("x" * (MAX_ARGUMENT_CHARACTERS - 2))) == MAX_ARGUMENT_CHARACTERS
    assert (
        canonical_json(nested_value(MAX_NESTING_DEPTH))
        == "[" * MAX_NESTING_DEPTH + "1" + "]" * MAX_NESTING_DEPTH
    )
    with pytest.raises(InputError, match="larger than 10000000 characters"):
        canonical_json("x" * (MAX_ARGUMENT_CHARACTERS - 1))
    with pytest.raises(InputError, match="deeper than 64 levels"):
        canonical_json(nested_value(MAX_NESTING_DEPTH + 1))


def test_a_value_that_contains_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(InputError, match="deeper than 64 levels"):
        canonical_json(endless)


# ---- digests ------------------------------------------------------------------------------------


@pytest.mark.proves("T-3")
@pytest.mark.parametrize(
    "changed",
    [
        replace(CALL, tool="terminal.run"),
        replace(CALL, args={"command": "npm publish "}),
        replace(CALL, args={"command": "npm publish", "cwd": None}),
        replace(CALL, args={"Command": "npm publish"}),
        replace(CALL, args={}),
        replace(CALL, agent="cook"),
        replace(CALL, agent=""),
        replace(CALL, conversation="c2"),
    ],
)
def test_a_different_call_has_a_different_digest(changed: Call) -> None:
    assert digest_of_call(changed, "/project", TOOL) != digest_of_call(CALL, "/project", TOOL)


@pytest.mark.proves("T-3")
def test_the_same_call_in_another_directory_has_a_different_digest() -> None:
    assert digest_of_call(CALL, "/project/", TOOL) != digest_of_call(CALL, "/project", TOOL)


OTHER_TOOLS: dict[str, Tool] = {
    "name": replace(TOOL, name="terminal.run"),
    "description": replace(TOOL, description="Runs a command!"),
    "parameters": replace(TOOL, parameters={**TOOL.parameters, "additionalProperties": True}),
    "origin": replace(TOOL, origin="shop"),
    "effect": replace(TOOL, effect=Effect.READ),
    "dialect": replace(TOOL, dialect=Dialect.TEXT),
    "template": replace(TOOL, template="{command}"),
    "paths": replace(TOOL, paths=PathKind.ANCHORED),
}


@pytest.mark.proves("T-3", "T-7")
@pytest.mark.parametrize("field", OTHER_TOOLS)
def test_the_same_call_of_a_changed_tool_has_a_different_digest(field: str) -> None:
    changed = OTHER_TOOLS[field]

    assert definition_digest(changed) != definition_digest(TOOL)
    assert digest_of_call(CALL, "/project", changed) != digest_of_call(CALL, "/project", TOOL)


def test_every_field_that_defines_a_tools_behaviour_is_part_of_the_digest() -> None:
    assert {field.name for field in fields(Tool)} == OTHER_TOOLS.keys() | {"group", "reads"}


def test_the_group_and_policy_notes_of_a_tool_are_not_part_of_the_digest() -> None:
    assert definition_digest(replace(TOOL, group="shells", reads=True)) == definition_digest(TOOL)


@pytest.mark.parametrize("same", [replace(CALL, id="call-2"), replace(CALL, user="ben")])
def test_the_id_and_the_user_are_not_part_of_the_digest(same: Call) -> None:
    assert digest_of_call(same, "/project", TOOL) == digest_of_call(CALL, "/project", TOOL)


def test_a_digest_is_the_hash_of_the_canonical_json() -> None:
    bound = {
        "tool": "terminal.exec",
        "args": {"command": "npm publish"},
        "agent": "clerk",
        "conversation": "c1",
        "cwd": "/project",
        "definition": definition_digest(TOOL),
    }

    assert (
        digest_of_call(CALL, "/project", TOOL) == hashlib.sha256(canonical_json(bound).encode()).hexdigest()
    )


# ---- names and ids ------------------------------------------------------------------------------


@pytest.mark.proves("T-36")
@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "list_x; drop",
        "liѕt_issues",
        "list\u200b_x",
        "a b",
        "a/b",
        "a\n",
        "x" * 129,
        "é",
        "a(b)",
        "*",
        "\x00",
    ],
)
def test_an_unusual_tool_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"tool name `.*` must be 1 to 128 of A-Z a-z 0-9 _ . : -"):
        validate_call(replace(CALL, tool=name))


@pytest.mark.parametrize("name", ["a", "files.write", "mcp__github__create-issue", "x:y", "X" * 128])
def test_plain_tool_names_are_accepted(name: str) -> None:
    check_name("tool", name)


@pytest.mark.parametrize("field", ["id", "agent", "conversation"])
@pytest.mark.parametrize("text", ["\x00", "a\nb", "\u202e", "\ud800", "x" * 257, "\x1b[2J", "\u2028"])
def test_an_id_with_unprintable_characters_or_too_many_is_refused(field: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        validate_call(replace(CALL, **{field: text}))

    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["", "o'hara", "日本", 'say "hi"', "x" * 256])
def test_an_id_may_contain_letters_of_any_language(text: str) -> None:
    check_id("agent", text)


@pytest.mark.proves("T-3")
def test_a_caller_cannot_change_the_arguments_after_validation() -> None:
    args: dict[str, object] = {"command": "ls", "more": ["a"]}

    kept = validate_call(replace(CALL, args=args))
    args["command"] = "rm -rf /"
    args["more"] = None

    assert kept == replace(CALL, args={"command": "ls", "more": ["a"]})


@pytest.mark.parametrize("cwd", ["", "/", "/project/src", "C:\\work", "/ñ 🙂"])
def test_an_absolute_directory_is_accepted(cwd: str) -> None:
    check_directory(cwd)


@pytest.mark.parametrize("cwd", ["src", ".", "../x", "/a\0b", "/" + "x" * 4096, "~"])
def test_a_directory_that_is_not_an_absolute_path_is_refused(cwd: str) -> None:
    with pytest.raises(InputError, match="must be an absolute path"):
        check_directory(cwd)


SECRET = b"s" * 32


@pytest.mark.proves("T-38")
def test_a_new_id_has_128_random_bits() -> None:
    marks = {new_id() for _ in range(1000)}

    assert len(marks) == 1000
    assert all(re.fullmatch("[0-9a-f]{32}", mark) for mark in marks)


def test_the_same_words_give_the_same_keyed_id() -> None:
    assert keyed_id(SECRET, "c1", "clerk", "call-1") == keyed_id(SECRET, "c1", "clerk", "call-1")


@pytest.mark.parametrize(
    "words", [("c1", "clerkcall-1"), ("c1clerk", "call-1"), ("c1", "clerk", "call-1", ""), ("", "c1", "clerk", "call-1")]
)  # fmt: skip
def test_words_that_are_equal_only_when_joined_give_different_ids(words: tuple[str, ...]) -> None:
    assert keyed_id(SECRET, *words) != keyed_id(SECRET, "c1", "clerk", "call-1")


@pytest.mark.proves("R000-23")
def test_another_secret_gives_another_keyed_id() -> None:
    assert keyed_id(b"t" * 32, "c1", "clerk", "call-1") != keyed_id(SECRET, "c1", "clerk", "call-1")


def test_a_time_ordered_id_is_a_uuid_7_that_sorts_by_creation_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    for nanoseconds in (1, 2, 3_000, 1_900_000_000_000, 2_000_000_000_000):
        monkeypatch.setattr("time.time_ns", lambda at=nanoseconds: at * 1_000_000)
        made.append(time_ordered_id())

    assert [uuid.UUID(one).version for one in made] == [7] * 5
    assert [uuid.UUID(one).variant for one in made] == [uuid.RFC_4122] * 5
    assert made == sorted(made)

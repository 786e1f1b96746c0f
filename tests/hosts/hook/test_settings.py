"""The client's settings are changed by exactly our hook, and nothing else of them is lost."""

import json
import re
from pathlib import Path

import pytest

from assent.errors import AssentError
from assent.hosts.claude.solo import HOOK_SECONDS
from assent.hosts.hook import process
from assent.hosts.hook.process import ATTACH_SECONDS, LIMIT_SECONDS, SILENCE_SECONDS
from assent.hosts.hook.settings import (
    EVENT,
    SERVER_EVENTS,
    TIMEOUT_SECONDS,
    Settings,
    add_hook,
    blocking_command,
    blocks_on_failure,
    format_settings,
    keys_that_disable_hooks,
    our_hook_commands,
    parse_settings,
    remove_hook,
)

COMMAND = blocking_command("/usr/bin/python3 -IS /home/ana/.local/share/assent/hook/claude.py")
OTHER: Settings = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh"}]}
OURS: Settings = {"matcher": "*", "hooks": [{"type": "command", "command": COMMAND, "timeout": 36000}]}


def test_the_hook_is_added_beside_what_is_there() -> None:
    before: Settings = {"model": "opus", "hooks": {"PreToolUse": [OTHER], "Stop": []}}

    assert add_hook(before, {EVENT: COMMAND}) == {
        "model": "opus",
        "hooks": {"PreToolUse": [OTHER, OURS], "Stop": []},
    }


def test_adding_twice_is_adding_once() -> None:
    once = add_hook({}, {EVENT: COMMAND})

    assert add_hook(once, {EVENT: COMMAND}) is once
    assert our_hook_commands(once) == [COMMAND]


def test_results_of_reads_are_not_reported_and_every_call_is_decided() -> None:
    hooks = add_hook({}, dict.fromkeys(SERVER_EVENTS, COMMAND))["hooks"]
    matchers = {event: group.get("matcher") for event, (group,) in hooks.items()}  # type: ignore[attr-defined]

    assert [matchers[event] for event in ("PreToolUse", "PermissionRequest")] == ["*", "*"]
    results = re.compile(matchers["PostToolUse"])
    assert [results.search(name) is not None for name in ("Read", "Grep", "Bash", "ReadMe", "mcp__x__Read")] == [
        False, False, True, True, True,
    ]  # fmt: skip


def test_the_hook_gives_up_before_the_client_would_let_the_call_go_on() -> None:
    shell = Path(process.__file__).with_suffix(".sh").read_text("utf-8")
    (shell_limit,) = re.findall(r"limit=\$\{4-(\d+)\}", shell)

    # A hook that lost its server just before its limit still tries to reach it again.
    for limit in (LIMIT_SECONDS, float(shell_limit), float(HOOK_SECONDS)):
        assert limit + SILENCE_SECONDS + ATTACH_SECONDS < TIMEOUT_SECONDS


def test_an_older_matcher_of_ours_is_replaced() -> None:
    commands = dict.fromkeys(SERVER_EVENTS, COMMAND)
    older = json.loads(json.dumps(add_hook({}, commands)).replace("^(?!", "^(?!x"))

    assert add_hook(older, commands) == add_hook({}, commands)


def test_an_older_command_of_ours_is_replaced() -> None:
    older = add_hook({}, {EVENT: blocking_command("assent hook claude --local")})

    assert add_hook(older, {EVENT: COMMAND}) == {"hooks": {"PreToolUse": [OURS]}}


@pytest.mark.parametrize(
    "before",
    [{}, {"model": "opus"}, {"hooks": {"PreToolUse": [OTHER]}}, {"hooks": {"Stop": []}, "env": {"A": "1"}}],
)
def test_removing_gives_the_settings_from_before(before: Settings) -> None:
    assert remove_hook(add_hook(before, {EVENT: COMMAND})) == before


def test_a_hook_in_the_same_group_as_ours_stays() -> None:
    mixed: Settings = {"matcher": "*", "hooks": [{"command": "./lint.sh"}, {"command": COMMAND}]}

    assert remove_hook({"hooks": {"PreToolUse": [mixed]}}) == {
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": "./lint.sh"}]}]}
    }


def test_the_command_blocks_the_call_if_the_program_is_missing() -> None:
    assert COMMAND.endswith(
        "|| { echo 'assent: this call is blocked, because the hook did not work; see: assent hook status' >&2; exit 2; }"
    )
    assert blocks_on_failure(COMMAND)
    assert not blocks_on_failure("assent hook claude --local")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            '{\n "a": 1,\n}',
            "`settings.json` is not JSON: expecting property name enclosed in double quotes at line 3",
        ),
        ('{\n // mine\n "a": 1}', "at line 2, column 2"),
        ('{"a": 1, "a": 2}', "duplicate key `a`"),
        ("[]", "must be a JSON object"),
        ('{"hooks": []}', "`hooks` is not an object"),
        ('{"hooks": {"PreToolUse": {}}}', "`hooks.PreToolUse` is not a list of objects"),
        ('{"hooks": {"PreToolUse": ["x"]}}', "`hooks.PreToolUse` is not a list of objects"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_refused(text: str, reason: str) -> None:
    with pytest.raises(AssentError) as refused:
        parse_settings("settings.json", text.encode())

    assert reason in str(refused.value)


def test_an_empty_file_is_empty_settings() -> None:
    assert parse_settings("settings.json", b" \n") == {}


def test_strange_hooks_of_others_are_no_obstacle() -> None:
    strange = parse_settings(
        "x", b'{"hooks": {"PreToolUse": [{"hooks": "none"}, {"hooks": [7, {"command": 5}]}]}}'
    )

    assert our_hook_commands(strange) == []
    assert len(add_hook(strange, {EVENT: COMMAND})["hooks"]["PreToolUse"]) == 3  # type: ignore[index, call-overload]


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_the_indentation_of_the_file_stays(indent: str) -> None:
    before = f'{{\n{indent}"model": "über"\n}}\n'

    assert format_settings({"model": "über"}, before) == before


def test_what_disables_hooks_is_found() -> None:
    assert keys_that_disable_hooks({"disableAllHooks": True}) == ["disableAllHooks"]
    assert keys_that_disable_hooks({"disableAllHooks": False, "allowManagedHooksOnly": True}) == [
        "allowManagedHooksOnly"
    ]

"""One agent: our words come first, and words that would remove the gate are refused."""

import json
from dataclasses import replace

import pytest

from assent.errors import InputError
from assent.hosts.claude.solo import HOOK_SECONDS, SoloLaunch, Via, solo_command_line

LAUNCH = SoloLaunch(
    via=Via.HOOK,
    program="claude",
    address="127.0.0.1:9",
    mcp_config="/run/mcp.json",
    arguments=("-p", "hello"),
)


def without_settings(words: list[str]) -> list[str]:
    at = words.index("--settings")
    settings = json.loads(words[at + 1])
    assert settings["disableAllHooks"] is False
    assert "hook_program.py" in json.dumps(settings["hooks"])
    return [*words[:at], "--settings", *words[at + 2 :]]


def test_each_way_has_its_own_flags_and_always_the_hook() -> None:
    hook = solo_command_line(LAUNCH)
    assert without_settings(hook) == ["claude", "--permission-prompts", "none", "--settings", "-p", "hello"]
    assert f"127.0.0.1:9 {HOOK_SECONDS} ||" in hook[hook.index("--settings") + 1]
    assert without_settings(solo_command_line(replace(LAUNCH, arguments=()))) == ["claude", "--settings"]
    assert without_settings(solo_command_line(replace(LAUNCH, via=Via.PROMPT_TOOL))) == [
        "claude",
        "--mcp-config",
        "/run/mcp.json",
        "--permission-prompt-tool",
        "mcp__assent__handle_permission_request",
        "--settings",
        "-p",
        "hello",
    ]
    assert without_settings(
        solo_command_line(replace(LAUNCH, via=Via.CONTROL, arguments=("--model", "x")))
    ) == [
        "claude",
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompt-tool",
        "stdio",
        "--settings",
        "--model",
        "x",
    ]


@pytest.mark.parametrize(
    "word",
    [
        "--bare",
        "--safe-mode",
        "--settings={}",
        "--dangerously-skip-permissions",
        "--permission-mode=bypassPermissions",
    ],
)
def test_words_that_would_remove_the_gate_are_refused(word: str) -> None:
    with pytest.raises(InputError, match="cannot be used here"):
        solo_command_line(replace(LAUNCH, arguments=("-p", word)))


def test_the_prompt_tool_needs_a_headless_client() -> None:
    with pytest.raises(InputError, match="needs -p"):
        solo_command_line(replace(LAUNCH, via=Via.PROMPT_TOOL, arguments=()))

"""The command line of an agent: three layers of permissions, the hook, and a prompt that no option takes."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assent.config.fleet import Fleet, Transport, load_fleet
from assent.config.preset import load_preset
from assent.hosts.claude.command_line import (
    SECRET_VARIABLE,
    Launch,
    command_line,
    hook_settings,
    mcp_settings,
    prompt_tool_name,
)
from assent.hosts.hook.settings import blocks_on_failure, our_hook_commands

LAUNCH = Launch(
    server="arch",
    mcp_config="/run/mcp.json",
    allowed_tools=("Bash(git status)", "Bash(git log *)"),
    hook="python3 -IS /run/hook.py",
    persona="/work/personas/qa.md",
    session="00000000-0000-4000-8000-000000000000",
    prompt="Begin.",
)
ADDED = [
    "--verbose",
    "--strict-mcp-config",
    "--settings",
    json.dumps(hook_settings("python3 -IS /run/hook.py")),
    "--append-system-prompt-file",
    "/work/personas/qa.md",
    "--session-id",
    "00000000-0000-4000-8000-000000000000",
    "--",
]
"""What we add to the command line of the seed, before the prompt."""


@pytest.mark.proves("R002-2", "R002-6", "R002-36", "R002-37")
def test_the_command_line_has_the_flags_of_the_seed_in_order_and_ours_after_them() -> None:
    assert command_line(replace(LAUNCH, model="opus")) == [
        "claude",
        "--model",
        "opus",
        "--output-format",
        "stream-json",
        "--mcp-config",
        "/run/mcp.json",
        "--print",
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Bash(git status)",
        "Bash(git log *)",
        "--permission-prompt-tool",
        "mcp__arch__handle_permission_request",
        *ADDED,
        "Begin.",
    ]


def test_an_agent_without_a_model_gets_no_model_option() -> None:
    assert "--model" not in command_line(LAUNCH)


@pytest.mark.proves("R002-42")
def test_a_prefix_such_as_a_container_gets_the_same_flags() -> None:
    prefix = ("docker", "run", "--rm", "-i", "image")

    assert command_line(replace(LAUNCH, prefix=prefix)) == [*prefix, *command_line(LAUNCH)]


@pytest.mark.proves("R002-38")
def test_a_resumed_agent_gets_the_same_permission_flags() -> None:
    new, resumed = command_line(LAUNCH), command_line(replace(LAUNCH, is_resumed=True))

    assert [word if word != "--resume" else "--session-id" for word in resumed] == new


@pytest.mark.proves("R002-33")
def test_skipping_permissions_replaces_the_three_layers_and_the_hook_stays() -> None:
    words = command_line(replace(LAUNCH, skip_permissions=True))

    assert words[:9] == [
        "claude",
        "--output-format",
        "stream-json",
        "--mcp-config",
        "/run/mcp.json",
        "--print",
        "--dangerously-skip-permissions",
        "--permission-prompts",
        "none",
    ]
    assert words[9:] == [*ADDED, "Begin."]


@pytest.mark.parametrize("prompt", ["--help", "Bash", "", "-p"])
def test_the_prompt_is_the_last_word_after_the_end_of_options(prompt: str) -> None:
    for launch in (LAUNCH, replace(LAUNCH, skip_permissions=True), replace(LAUNCH, allowed_tools=())):
        assert command_line(replace(launch, prompt=prompt))[-2:] == ["--", prompt]


def test_the_mcp_configuration_names_the_variable_and_waits_for_days() -> None:
    settings = mcp_settings("arch", "http://127.0.0.1:4000/mcp")

    assert settings == {
        "mcpServers": {
            "arch": {
                "type": "http",
                "url": "http://127.0.0.1:4000/mcp",
                "headers": {"Authorization": f"Bearer ${{{SECRET_VARIABLE}}}"},
                "timeout": 604_800_000,
            }
        }
    }


def test_over_stdio_the_secret_is_in_the_environment_alone() -> None:
    server = mcp_settings("arch", "http://127.0.0.1:4000/mcp", Transport.STDIO)["mcpServers"]

    assert server == {
        "arch": {
            "type": "stdio",
            "command": sys.executable,
            "args": ["-I", "-m", "assent.hosts.claude.fleet_stdio", "http://127.0.0.1:4000/mcp"],
            "env": {SECRET_VARIABLE: f"${{{SECRET_VARIABLE}}}"},
            "timeout": 604_800_000,
        }
    }


def test_a_hook_that_fails_blocks_the_call_and_no_repository_can_disable_it() -> None:
    settings = hook_settings("python3 -IS '/run/assent/hook/claude.py'")

    assert settings["disableAllHooks"] is False
    assert settings["disableSkillShellExecution"] is True
    (command,) = our_hook_commands(dict(settings))
    assert blocks_on_failure(command)


EXAMPLE = Path(__file__).parents[2] / "config" / "arch.yaml"
ALL = [
    "mcp__arch__send_message",
    "mcp__arch__get_messages",
    "mcp__arch__update_status",
    "mcp__arch__save_progress",
    "mcp__arch__report_completion",
    "Bash(git status)",
    "Bash(git diff *)",
    "Bash(git add *)",
    "Bash(git commit *)",
    "Bash(git log *)",
    "Bash(git branch *)",
    "Bash(git checkout *)",
]
LEAD = [
    "mcp__arch__spawn_agent",
    "mcp__arch__teardown_agent",
    "mcp__arch__list_agents",
    "mcp__arch__escalate_to_user",
    "mcp__arch__request_merge",
    "mcp__arch__get_project_context",
    "mcp__arch__close_project",
    "mcp__arch__update_brief",
    "mcp__arch__gh_create_issue",
    "mcp__arch__gh_list_issues",
    "mcp__arch__gh_close_issue",
    "mcp__arch__gh_update_issue",
    "mcp__arch__gh_add_comment",
    "mcp__arch__gh_create_milestone",
    "mcp__arch__gh_list_milestones",
]
EXPECTED = {
    "archie": (["--model", "claude-opus-4-5"], [*ALL, *LEAD, "Bash(npm *)", "Bash(python *)"]),
    "frontend": ([], [*ALL, "Bash(npm *)", "Bash(npx *)", "Bash(node *)"]),
    "backend": ([], [*ALL, "Bash(python *)", "Bash(pip *)", "Bash(pytest *)"]),
    "qa": ([], [*ALL, "Bash(npm test *)", "Bash(pytest *)"]),
}


def launch_of(fleet: Fleet, id: str) -> Launch:
    agent = next(one for one in fleet.agents if one.id == id)
    tools = agent.all_allowed_tools(load_preset("fleet"))
    return replace(LAUNCH, model=agent.model, allowed_tools=tools)


@pytest.mark.proves("R002-3", "R002-4", "R002-6", "R002-7", "R002-8")
@pytest.mark.parametrize("id", EXPECTED)
def test_the_agents_of_the_seed_get_the_flags_that_it_lists(id: str) -> None:
    model, tools = EXPECTED[id]

    assert command_line(launch_of(load_fleet(str(EXAMPLE)), id)) == [
        "claude",
        *model,
        "--output-format",
        "stream-json",
        "--mcp-config",
        "/run/mcp.json",
        "--print",
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        *tools,
        "--permission-prompt-tool",
        prompt_tool_name("arch"),
        *ADDED,
        "Begin.",
    ]

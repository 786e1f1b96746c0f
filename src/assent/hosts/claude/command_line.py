"""The command line of a Claude Code agent, and the two JSON texts that it names; pure functions only.

Measured with client 2.1.325: `--allowedTools` and `--mcp-config` take every word up to the next option, so
the prompt comes last, after `--`.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from assent.config.fleet import Transport
from assent.hosts.hook.settings import EVENT, TIMEOUT_SECONDS, blocking_command

SECRET_VARIABLE = "ASSENT_FLEET_SECRET"
"""The variable in an agent's environment that proves which agent it is."""
PROMPT_TOOL = "handle_permission_request"
"""The tool that the client calls before a call that its own lists do not allow."""
PERMISSION_MODE = "acceptEdits"
_TIMEOUT_MILLISECONDS = 7 * 24 * 60 * 60 * 1000
"""How long the client waits for one tool; a person may answer the next day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Everything that the command line of one agent depends on."""

    program: str = "claude"
    prefix: tuple[str, ...] = ()
    """The words before the program, such as those that start a container."""
    model: str = ""
    server: str
    """The name of the fleet's MCP server."""
    mcp_config: str
    """The absolute path of the file that names the MCP server."""
    allowed_tools: tuple[str, ...] = ()
    hook: str
    """The shell words that start the hook."""
    persona: str
    """The absolute path of the file with the agent's instructions."""
    session: str
    """The id of the client's session."""
    is_resumed: bool = False
    skip_permissions: bool = False
    prompt: str


def command_line(launch: Launch) -> list[str]:
    """The words that start an agent; a resumed agent gets the same permissions as a new one."""
    return [
        *launch.prefix,
        launch.program,
        *(("--model", launch.model) if launch.model else ()),
        *("--output-format", "stream-json"),
        *("--mcp-config", launch.mcp_config),
        "--print",
        *_permission_words(launch),
        "--verbose",
        "--strict-mcp-config",
        *("--settings", json.dumps(hook_settings(launch.hook))),
        *("--append-system-prompt-file", launch.persona),
        *("--resume" if launch.is_resumed else "--session-id", launch.session),
        "--",
        launch.prompt,
    ]


def prompt_tool_name(server: str) -> str:
    """The prompt tool as the client names it."""
    return f"mcp__{server}__{PROMPT_TOOL}"


def mcp_settings(server: str, url: str, transport: Transport = Transport.HTTP) -> Mapping[str, object]:
    """The MCP configuration of an agent; it names the variable with the secret, never the secret."""
    variable = f"${{{SECRET_VARIABLE}}}"
    match transport:
        case Transport.HTTP:
            way = {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {variable}"}}
        case Transport.STDIO:
            command, *args = stdio_words(url)
            way = {"type": "stdio", "command": command, "args": args, "env": {SECRET_VARIABLE: variable}}
    return {"mcpServers": {server: {**way, "timeout": _TIMEOUT_MILLISECONDS}}}


def stdio_words(url: str) -> list[str]:
    """The words that start the MCP server of one agent over stdio; its directory is no place for modules."""
    return [sys.executable, "-I", "-m", "assent.hosts.claude.fleet_stdio", url]


def hook_settings(program: str, events: tuple[str, ...] = (EVENT,)) -> Mapping[str, object]:
    """The client's settings with our hook for these events; a repository cannot switch it off.

    The shell lines in the text of a skill are off, because the client runs them without asking a hook.
    """
    hook = {"type": "command", "command": blocking_command(program), "timeout": TIMEOUT_SECONDS}
    return {
        "disableAllHooks": False,
        "disableSkillShellExecution": True,
        "hooks": {event: [{"matcher": "*", "hooks": [hook]}] for event in events},
    }


def _permission_words(launch: Launch) -> tuple[str, ...]:
    """The three layers of permissions; or the client's own switch, with nobody to answer a prompt."""
    if launch.skip_permissions:
        return ("--dangerously-skip-permissions", "--permission-prompts", "none")
    return (
        *("--permission-mode", PERMISSION_MODE),
        *(("--allowedTools", *launch.allowed_tools) if launch.allowed_tools else ()),
        *("--permission-prompt-tool", prompt_tool_name(launch.server)),
    )

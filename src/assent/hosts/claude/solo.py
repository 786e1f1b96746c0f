"""One Claude Code agent behind the gate: its command line, its hook and its prompt tool."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assent.errors import AssentError, InputError, NotFoundError
from assent.hosts.claude.agent_calls import AgentCalls, CallingAgent
from assent.hosts.claude.command_line import PROMPT_TOOL, hook_settings, prompt_tool_name
from assent.hosts.claude.fleet_gate import FleetGate
from assent.hosts.claude.fleet_server import hook_words, is_same_secret
from assent.hosts.claude.fleet_tools import FLEET_TOOLS, Arguments, FleetTool, OnWaiting
from assent.hosts.hook.settings import EVENT, WAITING_EVENTS

AGENT_ID = "claude"
SERVER = "assent"
"""The name of the MCP server with the prompt tool."""
HOOK_SECONDS = 9 * 60 * 60
"""How long the hook waits for a person; the client's own limit is longer."""
_OURS = frozenset(
    {
        "--bare", "--safe-mode", "--settings", "--permission-prompt-tool", "--permission-prompts",
        "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--strict-mcp-config",
        "--input-format", "--output-format",
    }
)  # fmt: skip
"""Options that would remove the gate, or that we set."""


class Via(StrEnum):
    """How a question of the client reaches Assent."""

    HOOK = "hook"
    CONTROL = "control"
    PROMPT_TOOL = "prompt-tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloLaunch:
    """What the command line of one agent depends on."""

    via: Via
    program: str
    address: str
    """Where the hook reaches this process."""
    mcp_config: str = ""
    """The absolute path of the MCP configuration; only for the prompt tool."""
    arguments: tuple[str, ...] = ()
    """The user's own words for Claude Code."""


def solo_command_line(launch: SoloLaunch) -> list[str]:
    """The words that start the agent: our words first; none of them takes a word of the user as its value."""
    check_arguments(launch.arguments)
    seconds, events = (HOOK_SECONDS, WAITING_EVENTS) if launch.via is Via.HOOK else (None, (EVENT,))
    settings = ("--settings", json.dumps(hook_settings(hook_words(launch.address, seconds), events)))
    words: tuple[str, ...]
    is_headless = any(word in ("-p", "--print") for word in launch.arguments)
    match launch.via:
        case Via.HOOK:
            # In a terminal the client's own prompt answers what its own checks ask; elsewhere nobody could.
            words = ("--permission-prompts", "none") if is_headless else ()
        case Via.PROMPT_TOOL:
            if not is_headless:
                raise InputError("--via prompt-tool needs -p among the words for Claude Code")
            words = ("--mcp-config", launch.mcp_config, "--permission-prompt-tool", prompt_tool_name(SERVER))
        case Via.CONTROL:
            words = (
                "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
                "--permission-prompt-tool", "stdio",
            )  # fmt: skip
    return [launch.program, *words, *settings, *launch.arguments]


def check_arguments(arguments: Sequence[str]) -> None:
    """Raise `InputError` for words that would take the agent out of the gate."""
    for word in arguments:
        if word.partition("=")[0] in _OURS:
            raise InputError(
                f"`{word.partition('=')[0]}` cannot be used here: Assent sets it, or needs the hook"
            )
        if word.partition("=")[2] == "bypassPermissions" or word == "bypassPermissions":
            raise InputError("bypassPermissions cannot be used here")


class SoloAgent:
    """One registered agent; it answers the hook and the prompt tool."""

    def __init__(self, gate: FleetGate, via: Via) -> None:
        self._gate = gate
        self._waits = via is Via.HOOK
        self._calls = AgentCalls(gate, SERVER, lambda _agent, _rule: None)
        self._calling: CallingAgent | None = None
        self.secret = secrets.token_urlsafe(32)

    async def register(self, directory: str) -> None:
        """Register the agent at the server, under the server's own preset."""
        access = await self._gate.register(AGENT_ID, (), preset="")
        self._calling = CallingAgent(access=access, directory=directory)

    async def is_in_workspace(self) -> bool:
        """Whether the agent's directory is in one of its workspaces; elsewhere each read asks."""
        return await self._gate.is_in_workspace(self._registered.access, self._registered.directory)

    async def remove(self) -> None:
        """Withdraw the open questions and revoke the token."""
        if self._calling is not None:
            self._calling.forget_calls()
            await self._gate.remove(self._calling.access)

    def agent_with_secret(self, secret: str) -> str | None:
        """The agent, if the secret is its own."""
        return AGENT_ID if is_same_secret(secret, self.secret) else None

    def offered_to(self, agent: str) -> list[FleetTool]:  # noqa: ARG002 - there is one agent
        """Only the prompt tool."""
        return [tool for tool in FLEET_TOOLS if tool.name == PROMPT_TOOL]

    async def answer_hook(self, agent: str, data: bytes) -> str:  # noqa: ARG002
        """What the hook prints for an event."""
        return await self._calls.answer_hook(self._registered, data, waits=self._waits)

    async def answer_prompt(
        self,
        agent: str,  # noqa: ARG002
        arguments: Arguments,
        on_waiting: OnWaiting,
        caller_id: str,
    ) -> str:
        """The reply of the prompt tool, which is also the answer to a question of the control protocol."""
        return await self._calls.answer_prompt(self._registered, arguments, on_waiting, caller_id=caller_id)

    async def run_tool(self, agent: str, name: str, arguments: Arguments, on_waiting: OnWaiting) -> str:  # noqa: ARG002
        """There is no other tool."""
        raise NotFoundError("tool", name)

    @property
    def _registered(self) -> CallingAgent:
        if self._calling is None:
            raise AssentError("the agent is not registered")
        return self._calling

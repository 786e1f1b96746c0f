"""Claude Code's settings file: pure functions that add or remove our hook and find what would disable it."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from assent.config.strictjson import read_object
from assent.errors import ConfigError

EVENT = "PreToolUse"
"""The event that decides a call; the others need a server."""
SERVER_EVENTS = (
    EVENT, "PermissionRequest", "PostToolUse", "PostToolUseFailure",
    "SessionStart", "SubagentStart", "SessionEnd",
)  # fmt: skip
"""The events that a hook sends to a server."""
WAITING_EVENTS = (EVENT, "PermissionRequest")
"""The events whose answer may need a person."""
TIMEOUT_SECONDS = 10 * 60 * 60
"""After this time the client would let the call go on, so it is longer than the hook waits for a person."""
REPORT_TIMEOUT_SECONDS = 60
"""The time limit of an event that needs no person."""
VARIABLES_WITHOUT_HOOKS = ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE")
"""Environment variables because of which the client runs no hook; measured with client 2.1.325."""
_OFF = ("", "0", "false", "no", "off")
"""Values with which the client takes such a variable as not set."""
UNREPORTED_TOOLS = ("Glob", "Grep", "LS", "NotebookRead", "Read", "ToolSearch")
"""Tools that only read and are called often; a second process after each call would double the cost."""
_RESULT_EVENTS = ("PostToolUse", "PostToolUseFailure")
_RESULT_MATCHER = f"^(?!(?:{'|'.join(UNREPORTED_TOOLS)})$)"
_EVENTS_WITHOUT_TOOL = ("SessionStart", "SubagentStart", "SessionEnd")
_MARKS = ("assent hook claude", "/assent/hook/claude", "assent-hook")
SHARED_PROGRAM = "assent-hook"
"""The hook program of every user who has Assent on the path; it asks the server of that user."""
_INDENT = 2

Settings = dict[str, object]


def parse_settings(path: str, data: bytes) -> Settings:
    """Parse a settings file; a file that we cannot change safely is an error that names the line."""
    settings = read_object(data, f"`{path}`") if data.strip() else {}
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise ConfigError(path, "`hooks` is not an object")
    for event in SERVER_EVENTS:
        groups = cast("Settings", hooks).get(event, [])
        if not isinstance(groups, list) or not all(
            isinstance(group, dict) for group in cast("list[object]", groups)
        ):
            raise ConfigError(path, f"`hooks.{event}` is not a list of objects")
    return settings


def blocking_command(program: str) -> str:
    """The command of the hook: it blocks the call if the program is missing or fails.

    Without the part after the program, the client would let the call go on.
    """
    sentence = "assent: this call is blocked, because the hook did not work; see: assent hook status"
    return f"{program} || {{ echo '{sentence}' >&2; exit 2; }}"


def local_commands(program: str, socket: str) -> dict[str, str]:
    """The command of each event for a hook that decides by itself; `socket` is one word of the shell.

    Only a server does something with the other events, so the program is not started without one.
    """
    blocking = blocking_command(program)
    return {
        event: blocking if event == EVENT else f"[ ! -S {socket} ] || {blocking}" for event in SERVER_EVENTS
    }


def blocks_on_failure(command: str) -> bool:
    """Whether a command blocks the call when its program is missing."""
    return "||" in command and "exit 2" in command


def our_hook_commands(settings: Settings, event: str = EVENT) -> list[str]:
    """The commands of our hook for an event in a settings file."""
    groups = _hook_groups(settings, event)
    return [str(hook["command"]) for group in groups for hook in _hooks_of_group(group) if _is_our_hook(hook)]


def add_hook(settings: Settings, commands: Mapping[str, str]) -> Settings:
    """The settings with our hook exactly once for each of these events; other hooks and keys stay."""
    wanted: dict[str, list[Settings]] = {event: [] for event in SERVER_EVENTS}
    wanted |= {event: [_our_group(event, command)] for event, command in commands.items()}
    if {event: _groups_with_our_hook(settings, event) for event in SERVER_EVENTS} == wanted:
        return settings
    cleared = remove_hook(settings)
    hooks = dict(cast("Settings", cleared.get("hooks", {})))
    for event in commands:
        hooks[event] = [*_hook_groups(cleared, event), *wanted[event]]
    return {**cleared, "hooks": hooks}


def plugin_hooks() -> Settings:
    """The `hooks.json` of the Claude Code plugin: the same hooks as `install` writes for a project."""
    return add_hook({}, {event: blocking_command(SHARED_PROGRAM) for event in SERVER_EVENTS})


def remove_hook(settings: Settings) -> Settings:
    """The settings without our hook; lists that become empty are left out."""
    ours = [event for event in SERVER_EVENTS if our_hook_commands(settings, event)]
    if not ours:
        return settings
    hooks = dict(cast("Settings", settings["hooks"]))
    for event in ours:
        groups = [
            kept for group in _hook_groups(settings, event) if (kept := _without_our_hook(group)) is not None
        ]
        hooks[event] = groups
    kept_hooks = {name: value for name, value in hooks.items() if name not in ours or value}
    changed = {**settings, "hooks": kept_hooks}
    return {name: value for name, value in changed.items() if name != "hooks" or kept_hooks}


def keys_that_disable_hooks(settings: Mapping[str, object]) -> list[str]:
    """The keys of a settings file that stop the client from running our hook."""
    return [key for key in ("disableAllHooks", "allowManagedHooksOnly") if settings.get(key) is True]


def variables_that_disable_hooks(environ: Mapping[str, str]) -> list[str]:
    """The variables of an environment that stop the client from running any hook."""
    return [name for name in VARIABLES_WITHOUT_HOOKS if environ.get(name, "").strip().lower() not in _OFF]


def format_settings(settings: Settings, previous_text: str) -> str:
    """The text of a settings file, indented as it was before."""
    indent: int | str = next(_indents_of_lines(previous_text), _INDENT)
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"


def _indents_of_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank:
            yield blank


def _our_group(event: str, command: str) -> Settings:
    """The group of hooks that is ours for an event."""
    seconds = TIMEOUT_SECONDS if event in WAITING_EVENTS else REPORT_TIMEOUT_SECONDS
    ours = {"type": "command", "command": command, "timeout": seconds}
    if event in _EVENTS_WITHOUT_TOOL:
        return {"hooks": [ours]}
    return {"matcher": _RESULT_MATCHER if event in _RESULT_EVENTS else "*", "hooks": [ours]}


def _groups_with_our_hook(settings: Settings, event: str) -> list[Settings]:
    groups = _hook_groups(settings, event)
    return [group for group in groups if any(map(_is_our_hook, _hooks_of_group(group)))]


def _hook_groups(settings: Settings, event: str) -> list[Settings]:
    hooks = cast("Settings", settings.get("hooks", {}))
    return cast("list[Settings]", hooks.get(event, []))


def _hooks_of_group(group: Settings) -> list[Settings]:
    hooks = group.get("hooks")
    items = cast("list[object]", hooks) if isinstance(hooks, list) else []
    return [cast("Settings", item) for item in items if isinstance(item, dict)]


def _without_our_hook(group: Settings) -> Settings | None:
    """A group of hooks without ours; None if nothing is left of it."""
    if not any(map(_is_our_hook, _hooks_of_group(group))):
        return group
    kept = [hook for hook in _hooks_of_group(group) if not _is_our_hook(hook)]
    return {**group, "hooks": kept} if kept else None


def _is_our_hook(hook: Settings) -> bool:
    command = hook.get("command")
    return isinstance(command, str) and any(mark in command for mark in _MARKS)

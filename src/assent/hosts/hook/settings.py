"""Claude Code's settings file: adding and removing our hook, and finding what would disable it; pure."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from assent.config.strictjson import read_object
from assent.errors import ConfigError

EVENT = "PreToolUse"
TIMEOUT_SECONDS = 10 * 60 * 60
"""After this time the client would let the call go on, so it is far longer than any decision takes."""
_MARKS = ("assent hook claude", "/assent/hook/claude.py")
_INDENT = 2

Settings = dict[str, object]


def read_settings(path: str, data: bytes) -> Settings:
    """Parse a settings file; a file that we cannot change safely is an error that names the line."""
    settings = read_object(data, f"`{path}`") if data.strip() else {}
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise ConfigError(path, "`hooks` is not an object")
    groups = cast("Settings", hooks).get(EVENT, [])
    if not isinstance(groups, list) or not all(
        isinstance(group, dict) for group in cast("list[object]", groups)
    ):
        raise ConfigError(path, f"`hooks.{EVENT}` is not a list of objects")
    return settings


def blocking_command(program: str) -> str:
    """The command of the hook: it blocks the call if the program is missing or fails.

    Without the part after the program, the client would let the call go on.
    """
    sentence = "assent: this call is blocked, because the hook did not work; see: assent hook status"
    return f"{program} || {{ echo '{sentence}' >&2; exit 2; }}"


def blocks_on_failure(command: str) -> bool:
    """Whether a command blocks the call when its program is missing."""
    return "||" in command and "exit 2" in command


def our_commands(settings: Settings) -> list[str]:
    """The commands of our hook in a settings file."""
    return [str(hook["command"]) for group in _groups(settings) for hook in _hooks(group) if _is_ours(hook)]


def add_hook(settings: Settings, command: str) -> Settings:
    """The settings with our hook exactly once; other hooks and keys stay as they are."""
    if our_commands(settings) == [command]:
        return settings
    ours = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
    cleared = remove_hook(settings)
    hooks = dict(cast("Settings", cleared.get("hooks", {})))
    hooks[EVENT] = [*_groups(cleared), {"matcher": "*", "hooks": [ours]}]
    return {**cleared, "hooks": hooks}


def remove_hook(settings: Settings) -> Settings:
    """The settings without our hook; lists that become empty are left out."""
    if not our_commands(settings):
        return settings
    groups = [kept for group in _groups(settings) if (kept := _without_ours(group)) is not None]
    hooks = {**cast("Settings", settings["hooks"]), EVENT: groups}
    kept_hooks = {name: value for name, value in hooks.items() if name != EVENT or groups}
    changed = {**settings, "hooks": kept_hooks}
    return {name: value for name, value in changed.items() if name != "hooks" or kept_hooks}


def disabling_keys(settings: Mapping[str, object]) -> list[str]:
    """The keys of a settings file because of which the client does not run our hook."""
    return [key for key in ("disableAllHooks", "allowManagedHooksOnly") if settings.get(key) is True]


def format_settings(settings: Settings, before: str) -> str:
    """The text of a settings file, indented as it was before."""
    indent: int | str = next(_indents(before), _INDENT)
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"


def _indents(text: str) -> Iterator[str]:
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank:
            yield blank


def _groups(settings: Settings) -> list[Settings]:
    hooks = cast("Settings", settings.get("hooks", {}))
    return cast("list[Settings]", hooks.get(EVENT, []))


def _hooks(group: Settings) -> list[Settings]:
    hooks = group.get("hooks")
    items = cast("list[object]", hooks) if isinstance(hooks, list) else []
    return [cast("Settings", item) for item in items if isinstance(item, dict)]


def _without_ours(group: Settings) -> Settings | None:
    """A group of hooks without ours; None if nothing is left of it."""
    if not any(map(_is_ours, _hooks(group))):
        return group
    kept = [hook for hook in _hooks(group) if not _is_ours(hook)]
    return {**group, "hooks": kept} if kept else None


def _is_ours(hook: Settings) -> bool:
    command = hook.get("command")
    return isinstance(command, str) and any(mark in command for mark in _MARKS)

"""The state of the hook of Claude Code: where it is installed, and what prevents it from deciding."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from assent.cli.hook_files import (
    MANAGED_SETTINGS,
    project_settings_paths,
    read_settings_file,
    send_test_event,
    user_settings_path,
)
from assent.cli.hook_server import find_running_server, has_abandoned_socket
from assent.config.paths import ConfigPaths
from assent.errors import AssentError
from assent.hosts.hook.settings import (
    SERVER_EVENTS,
    Settings,
    blocks_on_failure,
    keys_that_disable_hooks,
    our_hook_commands,
    variables_that_disable_hooks,
)

_LOCAL_MARKS = ("assent hook claude", "/hook/claude.py")
"""In the commands of a hook that decides by itself while no server runs."""


class HookState(NamedTuple):
    """The settings files that have the hook, and everything that prevents it from deciding."""

    installed: list[str]
    problems: list[str]
    uses_server: bool


def inspect_hook(paths: ConfigPaths) -> HookState:
    """Read all settings files that apply, and send a test event to each of our hooks."""
    installed: list[str] = []
    problems: list[str] = []
    uses_server = False
    for path in (MANAGED_SETTINGS, user_settings_path(paths), *project_settings_paths(paths)):
        try:
            settings = read_settings_file(path).settings
        except AssentError as error:
            problems.append(str(error))
            continue
        commands = our_hook_commands(settings)
        installed += [path] * bool(commands)
        is_local = any(mark in one for one in commands for mark in _LOCAL_MARKS)
        uses_server |= is_local and find_running_server(paths) is not None
        uses_server |= any(not any(mark in one for mark in _LOCAL_MARKS) for one in commands)
        if is_local and has_abandoned_socket(paths.data):
            problems.append(
                "your server ended without being stopped, so each call asks; start `assent serve`, "
                "or decide without it: `assent hook install --local`"
            )
        problems += _hook_problems(path, settings, commands, paths)
    for name in variables_that_disable_hooks(os.environ):
        problems.append(f"the variable {name} is set, so Claude Code runs no hook; unset it")
    if not installed:
        problems.append("the hook is not installed; run `assent hook install`")
    return HookState(installed, problems, uses_server)


def _hook_problems(path: str, settings: Settings, commands: list[str], paths: ConfigPaths) -> Iterator[str]:
    for key in keys_that_disable_hooks(settings):
        yield f"{path} has `{key}`, so Claude Code does not run the hook in this project; remove that line"
    every = [one for event in SERVER_EVENTS for one in our_hook_commands(settings, event)]
    if not all(map(blocks_on_failure, every)):
        yield f"{path} lets calls run if the hook fails; run `assent hook install` again"
    for command in commands:
        try:
            send_test_event(command.partition(" || ")[0], paths.root)
        except AssentError as error:
            yield str(error)

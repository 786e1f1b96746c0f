"""The files of an installed hook: its program, its environment, the client's settings, and its state."""

import difflib
import json
import os
import shlex
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

from assent.cli.hook.claude import HookOptions
from assent.cli.hook.server import LOCAL_PROGRAM, find_running_server, has_abandoned_socket
from assent.config.files import make_private_directory, read_source
from assent.config.paths import ConfigPaths
from assent.engine.base.value import Value
from assent.errors import AssentError, ConfigError
from assent.hosts.hook.claude import SOCKET_FILE, TEST_SESSION
from assent.hosts.hook.settings import (
    SERVER_EVENTS,
    Settings,
    blocking_command,
    blocks_on_failure,
    format_settings,
    keys_that_disable_hooks,
    our_hook_commands,
    parse_settings,
    variables_that_disable_hooks,
)
from assent.version import __version__

MANAGED_SETTINGS = "/etc/claude-code/managed-settings.json"
_SECONDS_FOR_AN_ANSWER = 60
_TEMPORARY_DIRECTORIES = (".cache", "archive-v0", "environments-v2", "builds-v0")
"""Directories of environments that tools such as uvx and pipx make for one run and may remove."""
_REQUIRED = ("assent", "click", "pyahocorasick", "tree-sitter", "tree-sitter-bash", "tree-sitter-powershell")
_LAUNCHER = '''"""Decides the tool calls of Claude Code; written by `assent hook install`."""

import gc
import os
import sys

gc.disable()  # the process ends after one decision
sys.path.extend({path!r})

from assent.cli.hook.claude import HookOptions, run_hook

status = run_hook(HookOptions(
    home={home!r},
    config={config!r},
    data={data!r},
    ceiling={ceiling!r},
    record_commands={record_commands!r},
))
os._exit(status)  # all output is written; tidying up would take a tenth of the time
'''


class SettingsFile(Value):
    """A settings file of the client as it is on disk."""

    path: str
    text: str
    settings: Settings
    exists: bool

    def diff_lines(self, changed: Settings) -> list[str]:
        """The lines of a change of this file."""
        after = format_settings(changed, self.text)
        return list(
            difflib.unified_diff(
                self.text.splitlines(), after.splitlines(), self.path, self.path, lineterm="", n=2
            )
        )

    def save_with_backup(self, changed: Settings) -> str:
        """Write the changed settings; return the path of the backup, which is empty for a new file."""
        real = os.path.realpath(self.path)
        backup = f"{real}.backup-{time.strftime('%Y%m%d-%H%M%S')}" if self.exists else ""
        try:
            os.makedirs(os.path.dirname(real), mode=0o755, exist_ok=True)
            mode = os.stat(real).st_mode & 0o777 if self.exists else 0o600
            if self.path == MANAGED_SETTINGS:
                mode |= 0o644  # A client that cannot read the file would run without the hook.
            if backup:
                _write_file_with_mode(backup, self.text, mode)
            _write_file_with_mode(f"{real}.new", format_settings(changed, self.text), mode)
            os.replace(f"{real}.new", real)
        except OSError as error:
            raise ConfigError(real, f"cannot be written: {(error.strerror or 'it failed').lower()}") from None
        return backup


def write_for_root(paths: ConfigPaths, file: SettingsFile, changed: Settings) -> str:
    """Write managed settings into the data directory; return the command with which root installs them."""
    proposed = os.path.join(paths.data, "hook", "managed-settings.json")
    _write_file_with_mode(proposed, format_settings(changed, file.text), 0o644)
    return shlex.join(["install", "-D", "-m", "644", proposed, file.path])


def read_settings_file(path: str) -> SettingsFile:
    """Read a settings file; a missing one is empty, and one that is not valid JSON is an error."""
    if not os.path.lexists(path):
        return SettingsFile(path=path, text="", settings={}, exists=False)
    source = read_source(path)
    return SettingsFile(path=path, text=source.text, settings=parse_settings(path, source.data), exists=True)


def user_settings_path(paths: ConfigPaths) -> str:
    """The client's settings file for all projects of this user."""
    directory = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(paths.home, ".claude")
    return os.path.join(directory, "settings.json")


def project_settings_paths(paths: ConfigPaths) -> tuple[str, str]:
    """The client's settings files of this project: the committed one and the local one."""
    _, committed, local = paths.claude_files
    return committed, local


def user_hook_command(paths: ConfigPaths) -> str:
    """The shell words that start the hook of this user."""
    return f"{shlex.quote(_python_command(paths))} -IS {shlex.quote(_launcher_path(paths))}"


def user_socket_word(paths: ConfigPaths) -> str:
    """The path of the socket of this user's server, as a word of the shell."""
    return shlex.quote(os.path.join(paths.data, SOCKET_FILE))


PROJECT_SOCKET_WORD = f'"${{XDG_DATA_HOME:-$HOME/.local/share}}/assent/{SOCKET_FILE}"'
"""The path of the socket of each user's server, as a word of the shell."""


def project_hook_command(options: HookOptions) -> str:
    """The shell words that start the hook of a project, which every user must have on their path."""
    more = " --record-commands" if options.record_commands else ""
    return f"assent hook claude --local{more}"


def write_hook_program(paths: ConfigPaths, *, record_commands: bool) -> None:
    """Write the program of the hook; if the present environment is temporary, copy it first."""
    directory = make_private_directory(paths.data)
    os.makedirs(os.path.join(directory, "hook"), mode=0o700, exist_ok=True)
    permanent = _permanent_environment(paths)
    if permanent is not None:
        _make_environment(permanent)
    options = HookOptions()
    text = _LAUNCHER.format(
        path=_library_directories(permanent),
        home=paths.home,
        config=paths.user,
        data=paths.data,
        ceiling=options.ceiling,
        record_commands=record_commands,
    )
    _write_file_with_mode(f"{_launcher_path(paths)}.new", text, 0o600)
    os.replace(f"{_launcher_path(paths)}.new", _launcher_path(paths))


def send_test_event(program: str, project: str) -> None:
    """Send the hook an event as the client does; raises if no valid answer comes back."""
    event = {
        "session_id": TEST_SESSION,
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": TEST_SESSION,
    }
    try:
        run = subprocess.run(  # noqa: S602 - the client also starts the command in a shell
            blocking_command(program),
            shell=True,
            input=json.dumps(event),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS_FOR_AN_ANSWER,
            env={**os.environ, "CLAUDE_PROJECT_DIR": project},
        )
    except subprocess.TimeoutExpired:
        raise AssentError(f"the hook gives no answer within {_SECONDS_FOR_AN_ANSWER} s: {program}") from None
    if run.returncode or not _is_valid_answer(run.stdout):
        reason = run.stderr.strip().partition("\n")[0] or f"exit status {run.returncode}"
        raise AssentError(f"the hook gives no valid answer ({reason}): {program}")


def _is_valid_answer(output: str) -> bool:
    try:
        word = json.loads(output)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return word in ("allow", "ask", "deny")


def is_temporary_environment(prefix: str) -> bool:
    """Whether an environment was made for one run and may be removed at any time."""
    return any(word in _TEMPORARY_DIRECTORIES for word in prefix.split(os.sep))


def _launcher_path(paths: ConfigPaths) -> str:
    return os.path.join(paths.data, "hook", LOCAL_PROGRAM)


def _permanent_environment(paths: ConfigPaths) -> str | None:
    """The environment to create for the hook; None if the present environment is permanent."""
    return (
        os.path.join(paths.data, "hook", f"venv-{__version__}")
        if is_temporary_environment(sys.prefix)
        else None
    )


def _python_command(paths: ConfigPaths) -> str:
    permanent = _permanent_environment(paths)
    return sys.executable if permanent is None else os.path.join(permanent, "bin", "python")


def _library_directories(permanent: str | None) -> list[str]:
    """The directories that contain Assent and its dependencies, in the current search order."""
    if permanent is not None:
        return [_site_packages_directory(permanent)]
    found = {os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))}
    found |= {str(metadata.distribution(name).locate_file("")) for name in _REQUIRED[1:]}
    return sorted(os.path.realpath(path) for path in found)


def _site_packages_directory(environment: str) -> str:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return os.path.join(environment, "lib", version, "site-packages")


def _make_environment(directory: str) -> None:
    """Create an environment with copies of the installed files of Assent and its dependencies."""
    done = os.path.join(directory, "complete")
    if os.path.exists(done):
        return
    venv.create(directory, clear=True, symlinks=True, with_pip=False)
    target = _site_packages_directory(directory)
    for name in _REQUIRED:
        for relative, original in _installed_files(name):
            copy = os.path.join(target, relative)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(original, "rb") as source, open(copy, "wb") as file:
                file.write(source.read())
    _write_file_with_mode(done, "", 0o600)


def _installed_files(name: str) -> Iterator[tuple[str, str]]:
    """The files of a distribution inside its library directory, as relative and absolute paths."""
    distribution = metadata.distribution(name)
    for file in distribution.files or ():
        relative = os.path.normpath(str(file))
        if not relative.startswith(("..", os.sep)) and not relative.endswith(".pyc"):
            yield relative, str(distribution.locate_file(file))


def _write_file_with_mode(path: str, text: str, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)


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

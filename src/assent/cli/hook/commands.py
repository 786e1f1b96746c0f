"""`assent hook`: install, remove and check the hook with which Assent decides the calls of Claude Code."""

import os
import sys

import click

from assent.cli.base.command import CommandGroup, run_async
from assent.cli.base.decider import current_config_paths
from assent.cli.base.output import json_option, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.cli.hook.claude import HookOptions, load_hook_policy, run_hook, widest_allowed_mode
from assent.cli.hook.files import (
    MANAGED_SETTINGS,
    PROJECT_SOCKET_WORD,
    SettingsFile,
    inspect_hook,
    project_hook_command,
    project_settings_paths,
    read_settings_file,
    send_test_event,
    user_hook_command,
    user_settings_path,
    user_socket_word,
    write_for_root,
    write_hook_program,
)
from assent.cli.hook.server import (
    FALLBACKS,
    ServerHook,
    create_agent_token,
    find_running_server,
    remove_abandoned_socket,
    token_file,
    write_token,
)
from assent.cli.hook.workspace import WorkspacePlan, plan_workspace, register_workspace
from assent.client.local_server import LocalServer
from assent.config.paths import ConfigPaths
from assent.errors import AssentError, ConfigError, InputError
from assent.hosts.hook.claude import AGENT
from assent.hosts.hook.settings import Settings, add_hook, local_commands, remove_hook

_local = click.option(
    "--local", is_flag=True, help="decide in the hook itself while no server runs (the default without one)"
)
_user = click.option("--user", is_flag=True, help="for all your projects (the default)")
_project = click.option("--project", is_flag=True, help="for everybody who works on this project")
_managed = click.option("--managed", is_flag=True, help="for this machine; no repository can switch it off")
_yes = click.option("--yes", is_flag=True, help="do not ask for confirmation")


@click.group(name="hook", cls=CommandGroup)
def hook_commands() -> None:
    """Put Assent in front of Claude Code: it decides each tool call before the client does."""


@hook_commands.command(name="install")
@_local
@_user
@_project
@_managed
@_yes
@click.option("--record-commands", is_flag=True, help="keep the commands of calls in `assent history`")
@click.option("--shell", is_flag=True, help="use a shell script instead of Python")
@click.option(
    "--fallback",
    type=click.Choice(FALLBACKS),
    help="for calls while the server cannot be reached: deny them (the default), or let Claude Code ask",
)
@click.option(
    "--defer", is_flag=True, help="end `claude -p` while a person is asked; `--resume` continues the session"
)
def install_hook(
    *,
    local: bool,
    yes: bool,
    record_commands: bool,
    shell: bool,
    fallback: str | None,
    defer: bool,
    **where: bool,
) -> None:
    """Add the hook to Claude Code's settings; the change is shown first.

    If your server runs, each call is decided by it, and people answer its questions. Otherwise each call is
    decided by your policy files: it runs, is denied, or becomes Claude Code's own question.
    """
    if where["managed"] and os.environ.get("SUDO_UID", "0") != "0":
        raise InputError("run this without sudo: the files of the hook must be yours")
    paths = current_config_paths()
    file = read_settings_file(_settings_path(paths, **where))
    server = None if local else find_running_server(paths)
    options = {"--shell": shell, "--fallback": fallback is not None, "--defer": defer}
    unfit = [name for name, is_given in options.items() if is_given and server is None]
    if unfit:
        without = "leave out --local" if local else "start it with `assent serve`"
        raise InputError(f"{unfit[0]} is for a hook that asks a running server; {without}")
    if server is not None and record_commands:
        raise InputError("--record-commands is for a hook that decides by itself; add --local")
    if server is None:
        _install_local(paths, file, HookOptions(record_commands=record_commands), yes=yes, **where)
        return
    wanted = ServerHook(
        paths=paths,
        server=server,
        is_shell=shell,
        fallback=fallback or FALLBACKS[0],
        is_shared=where["project"],
        defers=defer,
    )
    _install_with_server(wanted, file, yes=yes)


@hook_commands.command(name="uninstall")
@_user
@_project
@_managed
@_yes
def uninstall_hook(*, yes: bool, **where: bool) -> None:
    """Remove the hook from Claude Code's settings; the change is shown first."""
    paths = current_config_paths()
    file = read_settings_file(_settings_path(paths, **where))
    changed = remove_hook(file.settings)
    if changed == file.settings:
        click.echo(f"there is no hook of Assent in {visible_text(file.path)}")
        return
    _print_settings_diff(file, changed)
    _require_consent(yes=yes)
    _save_settings(file, changed)
    click.echo("the hook is removed; sessions that run now may still use it")


@hook_commands.command(name="status")
@json_option
def show_hook_status(*, as_json: bool) -> int:
    """Show whether Assent decides the calls of Claude Code in this project; exit status 1 if not."""
    paths = current_config_paths()
    found = inspect_hook(paths)
    problems, ceiling = list(found.problems), None
    try:
        ceiling = widest_allowed_mode(load_hook_policy(paths), HookOptions())
    except AssentError as error:
        is_local = bool(found.installed) and not found.uses_server
        problems.insert(0, f"each call is blocked: {error}" if is_local else str(error))
    if as_json:
        print_json(
            {
                "installed": found.installed,
                "server": found.uses_server,
                "ceiling": None if ceiling is None else ceiling.value,
                "problems": problems,
            }
        )
        return 1 if problems else 0
    for path in found.installed:
        click.echo(f"installed in {visible_text(path)}")
    if found.uses_server:
        click.echo("the server decides, and people answer its questions")
    elif found.installed and ceiling is not None:
        click.echo(f"the mode chosen in Claude Code applies, up to {ceiling}")
    for problem in problems:
        click.echo(f"{with_style('problem', Style.BAD)}: {visible_text(problem)}")
    if not problems:
        click.echo("each tool call of Claude Code in this project is decided by Assent")
    return 1 if problems else 0


@hook_commands.command(name="claude")
@_local
@click.option("--record-commands", is_flag=True, help="keep the commands of calls in `assent history`")
def answer_claude_event(*, local: bool, record_commands: bool) -> int:  # noqa: ARG001
    """Answer one event of Claude Code on standard input; Claude Code runs this, people do not."""
    return run_hook(HookOptions(record_commands=record_commands))


def _install_local(
    paths: ConfigPaths, file: SettingsFile, options: HookOptions, *, yes: bool, project: bool, **_: bool
) -> None:
    program = project_hook_command(options) if project else user_hook_command(paths)
    socket = PROJECT_SOCKET_WORD if project else user_socket_word(paths)
    changed = add_hook(file.settings, local_commands(program, socket))
    ceiling = widest_allowed_mode(load_hook_policy(paths), options)
    if changed != file.settings:
        _print_settings_diff(file, changed)
        click.echo(f"The mode that you choose in Claude Code applies, up to {ceiling}.")
        click.echo("While a server of yours runs, it decides each call instead, and people answer it there.")
        _require_consent(yes=yes)
    if not project:
        write_hook_program(paths, record_commands=options.record_commands)
    remove_abandoned_socket(paths.data)
    server = find_running_server(paths)
    if server is None:
        send_test_event(program, paths.root)
    else:
        _test_with_token(paths, server, program)
    _save_and_report(paths, file, changed)


def _install_with_server(wanted: ServerHook, file: SettingsFile, *, yes: bool) -> None:
    changed = add_hook(file.settings, wanted.commands)
    workspace = run_async(plan_workspace(wanted.server, wanted.paths))
    if changed != file.settings:
        _print_settings_diff(file, changed)
        click.echo(
            f"The server at {visible_text(wanted.address)} decides each call, and people answer it there."
        )
        click.echo("Calls of tools that nobody declared are asked, not refused.")
    click.echo(visible_text(workspace.sentence))
    if changed != file.settings:
        _require_consent(yes=yes)
    elif workspace.is_needed:
        _require_consent("Register this workspace?", yes=yes)
    wanted.write_program()
    _test_with_token(wanted.paths, wanted.server, wanted.program)
    if workspace.is_needed:
        _register_project_workspace(wanted, workspace)
    _save_and_report(wanted.paths, file, changed)


def _test_with_token(paths: ConfigPaths, server: LocalServer, program: str) -> None:
    """Test a hook that asks a server; its token is created if it is missing or refused."""
    if not os.path.exists(token_file(paths)):
        write_token(paths.data, run_async(create_agent_token(server)))
    try:
        send_test_event(program, paths.root)
    except AssentError:
        # The token may be of an earlier database; a new one is the only other thing to try.
        write_token(paths.data, run_async(create_agent_token(server)))
        send_test_event(program, paths.root)


def _register_project_workspace(wanted: ServerHook, planned: WorkspacePlan) -> None:
    """Register the project; the hook works without it, so a refusal is only shown."""
    done = run_async(register_workspace(wanted.server, planned))
    if done.problem:
        click.echo(visible_text(done.sentence))
    else:
        click.echo(f"registered {visible_text(done.root)} as a workspace of the agent {AGENT}")


def _save_and_report(paths: ConfigPaths, file: SettingsFile, changed: Settings) -> None:
    """Save the settings, after the hook has answered."""
    if changed == file.settings:
        click.echo(f"the hook is installed already in {visible_text(file.path)}, and it answers")
        return
    try:
        _save_settings(file, changed)
    except ConfigError as error:
        if file.path != MANAGED_SETTINGS:
            raise
        command = write_for_root(paths, file, changed)
        raise AssentError(f"{error}; the hook answers, and root can install it with: {command}") from None
    click.echo("the hook answers; it takes effect in the next session of Claude Code")


def _settings_path(paths: ConfigPaths, *, user: bool, project: bool, managed: bool) -> str:
    if user + project + managed > 1:
        raise InputError("give one of --user, --project and --managed")
    if managed:
        return MANAGED_SETTINGS
    return project_settings_paths(paths)[0] if project else user_settings_path(paths)


def _print_settings_diff(file: SettingsFile, changed: Settings) -> None:
    for line in file.diff_lines(changed):
        style = {"+": Style.GOOD, "-": Style.BAD}.get(line[:1])
        click.echo(visible_text(line) if style is None else with_style(visible_text(line), style))


def _require_consent(question: str = "Change this file?", *, yes: bool) -> None:
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise AssentError("nothing was changed: confirm at a terminal, or add --yes")
    if not click.confirm(question, default=False):
        raise click.Abort


def _save_settings(file: SettingsFile, changed: Settings) -> None:
    backup = file.save_with_backup(changed)
    click.echo(
        f"wrote {visible_text(file.path)}"
        + (f"; the previous file is saved as {visible_text(backup)}" if backup else "")
    )

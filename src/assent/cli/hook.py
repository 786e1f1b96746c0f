"""`assent hook`: put Assent in front of Claude Code, take it away again, and check that it works."""

import sys
from collections.abc import Iterator

import click

from assent.cli.decider import current_paths
from assent.cli.hook_claude import HookOptions, load_hook_policy, mode_ceiling, run_hook
from assent.cli.hook_files import (
    MANAGED_SETTINGS,
    SettingsFile,
    hook_program,
    project_settings,
    read_settings_file,
    send_test_event,
    shared_program,
    user_settings,
    write_program,
)
from assent.cli.output import json_option, print_json
from assent.cli.root import Group
from assent.cli.terminal import Style, visible, with_style
from assent.config.paths import ConfigPaths
from assent.errors import AssentError, InputError
from assent.hosts.hook.settings import (
    Settings,
    add_hook,
    blocking_command,
    blocks_on_failure,
    disabling_keys,
    our_commands,
    remove_hook,
)

_local = click.option(
    "--local", is_flag=True, help="decide in the hook itself, without a server (the default)"
)
_user = click.option("--user", is_flag=True, help="for all your projects (the default)")
_project = click.option("--project", is_flag=True, help="for everybody who works on this project")
_yes = click.option("--yes", is_flag=True, help="do not ask for confirmation")


@click.group(cls=Group)
def hook() -> None:
    """Put Assent in front of Claude Code: it decides each tool call before the client does."""


@hook.command()
@_local
@_user
@_project
@_yes
@click.option("--record-commands", is_flag=True, help="keep the commands of calls in `assent history`")
def install(*, local: bool, user: bool, project: bool, yes: bool, record_commands: bool) -> None:  # noqa: ARG001
    """Add the hook to Claude Code's settings; the change is shown first.

    Each call is then decided by your policy files: it runs, is denied, or becomes Claude Code's own question.
    """
    paths = current_paths()
    file = read_settings_file(_chosen_file(paths, user=user, project=project))
    options = HookOptions(record_commands=record_commands)
    program = shared_program(options) if project else hook_program(paths)
    changed = add_hook(file.settings, blocking_command(program))
    ceiling = mode_ceiling(load_hook_policy(paths), options)
    if changed != file.settings:
        _show(file, changed)
        click.echo(f"The mode that you choose in Claude Code counts up to {ceiling}.")
        _confirm(yes=yes)
    if not project:
        write_program(paths, record_commands=record_commands)
    send_test_event(program, paths.root)
    if changed == file.settings:
        click.echo(f"the hook is installed already in {visible(file.path)}, and it answers")
        return
    _save(file, changed)
    click.echo("the hook answers; it takes effect in the next session of Claude Code")


@hook.command()
@_user
@_project
@_yes
def uninstall(*, user: bool, project: bool, yes: bool) -> None:
    """Remove the hook from Claude Code's settings; the change is shown first."""
    paths = current_paths()
    file = read_settings_file(_chosen_file(paths, user=user, project=project))
    changed = remove_hook(file.settings)
    if changed == file.settings:
        click.echo(f"there is no hook of Assent in {visible(file.path)}")
        return
    _show(file, changed)
    _confirm(yes=yes)
    _save(file, changed)
    click.echo("the hook is removed; sessions that run now may still use it")


@hook.command()
@json_option
def status(*, as_json: bool) -> int:
    """Tell whether Claude Code is behind the gate in this project; the exit status is 1 if it is not."""
    paths = current_paths()
    installed, problems = _inspect(paths)
    ceiling = mode_ceiling(load_hook_policy(paths), HookOptions())
    if as_json:
        print_json({"installed": installed, "ceiling": ceiling.value, "problems": problems})
        return 1 if problems else 0
    for path in installed:
        click.echo(f"installed in {visible(path)}")
    click.echo(f"the mode chosen in Claude Code counts up to {ceiling}")
    for problem in problems:
        click.echo(f"{with_style('problem', Style.BAD)}: {visible(problem)}")
    if not problems:
        click.echo("each tool call of Claude Code in this project is decided by Assent")
    return 1 if problems else 0


@hook.command()
@_local
@click.option("--record-commands", is_flag=True, help="keep the commands of calls in `assent history`")
def claude(*, local: bool, record_commands: bool) -> int:  # noqa: ARG001
    """Answer one event of Claude Code on standard input; Claude Code runs this, people do not."""
    return run_hook(HookOptions(record_commands=record_commands))


def _chosen_file(paths: ConfigPaths, *, user: bool, project: bool) -> str:
    if user and project:
        raise InputError("give --user or --project, not both")
    return project_settings(paths)[0] if project else user_settings(paths)


def _show(file: SettingsFile, changed: Settings) -> None:
    for line in file.diff(changed):
        style = {"+": Style.GOOD, "-": Style.BAD}.get(line[:1])
        click.echo(visible(line) if style is None else with_style(visible(line), style))


def _confirm(*, yes: bool) -> None:
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise AssentError("nothing was changed: confirm at a terminal, or add --yes")
    if not click.confirm("Change this file?", default=False):
        raise click.Abort


def _save(file: SettingsFile, changed: Settings) -> None:
    backup = file.save(changed)
    click.echo(f"wrote {visible(file.path)}" + (f"; the file before is {visible(backup)}" if backup else ""))


def _inspect(paths: ConfigPaths) -> tuple[list[str], list[str]]:
    """The settings files that have the hook, and everything that keeps it from deciding."""
    installed: list[str] = []
    problems: list[str] = []
    for path in (MANAGED_SETTINGS, user_settings(paths), *project_settings(paths)):
        try:
            settings = read_settings_file(path).settings
        except AssentError as error:
            problems.append(str(error))
            continue
        commands = our_commands(settings)
        installed += [path] * bool(commands)
        problems += _problems(path, settings, commands, paths)
    if not installed:
        problems.append("the hook is not installed; run `assent hook install`")
    return installed, problems


def _problems(path: str, settings: Settings, commands: list[str], paths: ConfigPaths) -> Iterator[str]:
    for key in disabling_keys(settings):
        yield f"{path} has `{key}`, so Claude Code does not run the hook in this project; remove that line"
    for command in commands:
        if not blocks_on_failure(command):
            yield f"{path} lets calls run if the hook fails; run `assent hook install` again"
        try:
            send_test_event(command.partition(" || ")[0], paths.root)
        except AssentError as error:
            yield str(error)

"""`assent workspace`: register, list and remove the directories that are workspaces of agents."""

import os

import click

from assent.cli.base.backend import add_local_root, add_root, open_command_backend
from assent.cli.base.command import CommandGroup, run_async
from assent.cli.base.database import database_option
from assent.cli.base.decider import current_config_paths
from assent.cli.base.output import age_in_largest_unit, json_option, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.config.workspace_roots import check_location
from assent.errors import InputError, NotFoundError
from assent.gate.workspaces import RegisteredWorkspace, WantedRoot, check_root_path
from assent.wire.policy import workspace_to_json


@click.group(name="workspace", cls=CommandGroup)
def workspace_commands() -> None:
    """Register, list and remove the directories that are workspaces of agents."""


@workspace_commands.command(name="add")
@click.argument("path", required=False)
@click.option("--agent", metavar="NAME", default="", help="only for the calls of this agent")
@click.option("--remote", is_flag=True, help="the directory is on another machine than the server")
@database_option
@json_option
def add_workspace(path: str | None, agent: str, remote: bool, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Register PATH, by default the current project, as a workspace."""
    if remote and path is None:
        raise click.UsageError("--remote requires the PATH of the directory on the other machine")
    root = check_root_path(path or "") if remote else _real_directory(path or current_config_paths().root)
    run_async(_add_workspace(root, agent, database, remote=remote, as_json=as_json))


@workspace_commands.command(name="list")
@click.option("--agent", metavar="NAME", help="only the workspaces that count for this agent")
@database_option
@json_option
def list_workspaces(agent: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the registered workspaces."""
    run_async(_print_workspaces(agent, database, as_json=as_json))


@workspace_commands.command(name="remove")
@click.argument("path")
@click.option("--agent", metavar="NAME", default="", help="the workspace of this agent")
@database_option
@json_option
def remove_workspace(path: str, agent: str, database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Remove the workspace PATH; this takes effect with the next decision."""
    run_async(_remove_workspace(path, agent, database, as_json=as_json))


async def _add_workspace(root: str, agent: str, database: str | None, *, remote: bool, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        if not remote and not backend.can_prove:
            raise InputError(
                "no server is running here that could read the proof of a local workspace:"
                " start the server, or add --remote if the agent runs on another machine"
            )
        added = await (
            add_root(backend, agent, WantedRoot(root)) if remote else add_local_root(backend, agent, root)
        )
    if as_json:
        print_json(workspace_to_json(added))
        return
    click.echo(f"registered {_workspace_text(added)}")
    note = (
        "its policy files are on the other machine: only your own files and stored rules count there"
        if added.remote
        else "the policy files in it count there, not those of the server's own directory"
    )
    click.echo(with_style(note, Style.FAINT), err=True)


async def _print_workspaces(agent: str | None, database: str | None, *, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        found = [one for one in await backend.workspaces() if agent is None or one.agent in ("", agent)]
    if as_json:
        print_json([workspace_to_json(one) for one in found])
        return
    for one in found:
        since = "" if one.at is None else f", {age_in_largest_unit(one.at)} ago"
        click.echo(f"{_workspace_text(one)}  {with_style(f'by {visible_text(one.by)}{since}', Style.FAINT)}")
    if not found:
        click.echo("there are no registered workspaces", err=True)


async def _remove_workspace(path: str, agent: str, database: str | None, *, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        before = [one for one in await backend.workspaces() if one.agent == agent]
        # A local root that no longer exists, or became a link, is found by the path as written.
        names = (path, os.path.abspath(path), os.path.realpath(path))
        gone = next((one for name in names for one in before if one.root == name), None)
        if gone is None:
            raise NotFoundError("workspace", path)
        kept = [WantedRoot(one.root) for one in before if one != gone]
        await backend.replace_workspaces(agent, kept, frozenset(one.id for one in before))
    if as_json:
        print_json({**workspace_to_json(gone), "removed": True})
    else:
        click.echo(f"removed {_workspace_text(gone)}")


def _real_directory(path: str) -> str:
    root = os.path.realpath(path)
    if not os.path.isdir(root):
        raise InputError(
            f"`{visible_text(path)}` is not a directory here; add --remote if it is on another machine"
        )
    # Checked before the proof is written; the server checks it again.
    check_location(root, current_config_paths())
    return root


def _workspace_text(workspace: RegisteredWorkspace) -> str:
    kind = "remote" if workspace.remote else "local"
    whose = f"agent {visible_text(workspace.agent)}" if workspace.agent else "all agents"
    return f"{with_style(visible_text(workspace.root), Style.STRONG)}, {kind}, for {whose}"

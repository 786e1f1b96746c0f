"""`assent serve`: run the server that agents, people and pages talk to."""

import getpass
import json
import logging
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib.util import find_spec

import click

from assent import __version__
from assent.cli.database import FILE_NAME
from assent.cli.decider import current_paths
from assent.cli.root import requires_extra, run_async
from assent.cli.rule_text import input_warnings, stored_rules_without_input
from assent.cli.terminal import visible
from assent.client.notice import without_password
from assent.compose import Shelf
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import ServerSettings, load_chat_settings, load_server_settings
from assent.door.identity import Doorkeeper, login_url
from assent.door.signin import SignIn
from assent.gate.gate import Gate
from assent.hosts.chat.tools.settings import load_tool_settings

with requires_extra("server"):
    from assent.surfaces.http.owner import Welcome
    from assent.surfaces.http.running import MakeChat, Plan
    from assent.surfaces.http.running import run as run_server
    from assent.surfaces.http.talk import Talk
    from assent.surfaces.http.watching import JsonLines, TextLines

LEVELS = ("debug", "info", "warning", "error")


@click.command()
@click.option("--host", metavar="ADDRESS", help="listen here instead of 127.0.0.1")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="the port; 0 takes a free one")
@click.option("--data-dir", metavar="DIRECTORY", help="what is kept; otherwise your own data directory")
@click.option(
    "--database",
    metavar="ADDRESS",
    help="an SQLite file or a postgresql:// address; otherwise $ASSENT_DATABASE, or a file in --data-dir",
)
@click.option("--preset", metavar="NAME", help="the preset of new conversations")
@click.option("--json", "as_json", is_flag=True, help="print where it is as one line of JSON")
@click.option(
    "--log", type=click.Choice(["text", "json"]), default="text", help="how lines of the log are written"
)
@click.option("--log-level", type=click.Choice(LEVELS), default="info", help="how much is logged")
def serve(
    host: str | None,
    port: int | None,
    data_dir: str | None,
    database: str | None,
    preset: str | None,
    as_json: bool,  # noqa: FBT001 - click gives flags by name
    **logs: str,
) -> None:
    """Run the server until it is told to stop; pending questions outlive it."""
    _set_up_logs(logs["log"], logs["log_level"])
    where = current_paths()
    files = PolicyLoader(where, os.environ, preset=preset)
    settings = load_server_settings(where, os.environ, host=host, port=port)
    # The server makes it, once nothing speaks against its start.
    directory = os.path.abspath(data_dir or where.data)
    address = _database(database, directory)
    plan = Plan(
        where=where,
        settings=settings,
        database=address,
        directory=directory,
        owner=_owner(),
        link=as_json,
        sign_in=_sign_in if settings.oidc is not None else None,
        chat=find_chat(where),
        upgraded=partial(_tell_of_open_rules, address),
    )
    run_async(run_server(plan, files, _announce_json if as_json else _announcer(plan)))


async def _tell_of_open_rules(address: str) -> None:
    """List the rules that cover less than they did with the version before."""
    for sentence in input_warnings(await stored_rules_without_input(address)):
        click.echo(f"note: {visible(sentence)}", err=True)


def _database(said: str | None, directory: str) -> str:
    """The database that is served: said, in the environment, or the one in the data directory."""
    address = said or os.environ.get("ASSENT_DATABASE") or os.path.join(directory, FILE_NAME)
    return address if "://" in address else os.path.abspath(address)


def _sign_in(settings: ServerSettings, keeper: Doorkeeper, secret: bytes) -> SignIn:
    """What speaks to providers takes a while to load, and few servers need it."""
    from assent.door.oidc import OpenIdConnect

    assert settings.oidc is not None  # noqa: S101 - for the type checker
    callback = f"{settings.url}{settings.base_path}/v1/oidc/callback"
    return OpenIdConnect(settings.oidc, keeper, secret=secret, callback=callback)


def find_chat(where: ConfigPaths) -> MakeChat | None:
    """What opens the chat of a server; None where that part is not installed."""
    if find_spec("pydantic_ai") is None:
        return None
    # It is opened late: a file that it cannot use stops the server before anybody is told of it.
    load_chat_settings(where, os.environ)
    load_tool_settings(where, os.environ)
    return _chat


def _chat(
    gate: Gate, store: Shelf, where: ConfigPaths, files: PolicyLoader
) -> AbstractAsyncContextManager[Talk]:
    """What speaks to models takes a while to load, and is an extra of its own."""
    from assent.hosts.chat.chat import open_chat

    return open_chat(gate, store, where, files)


def _owner() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # In a container nobody may have a name.
        return "owner"


def _announcer(plan: Plan) -> Callable[[str, Welcome], None]:
    def announce(url: str, welcome: Welcome) -> None:
        click.echo(f"assent {__version__} serves {visible(without_password(plan.database))}")
        click.echo(f"open     {url}")
        if welcome.link:
            click.echo(f"log in   {login_url(url, welcome.link)}  (once, within 15 minutes)")
        else:
            click.echo(f"log in   with `{_way_in(plan, url)}`, which prints a new link")

    return announce


def _way_in(plan: Plan, url: str) -> str:
    """The command that makes a link to this very server; one in its usual place is found without words."""
    if plan.directory == plan.where.data and "://" not in plan.database:
        return "assent login"
    database = shlex.quote(visible(without_password(plan.database)))
    return f"assent login --database {database} --url {url}"


def _announce_json(url: str, welcome: Welcome) -> None:
    login = login_url(url, welcome.link) if welcome.link else None
    print(json.dumps({"url": url, "login_url": login, "owner_token": welcome.token or None}), flush=True)


def _set_up_logs(form: str, level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("assent").setLevel(level.upper())

"""`assent serve`: run the server for agents, people and the web page."""

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

from assent.cli.base.command import requires_extra, run_async
from assent.cli.base.database import DATABASE_FILE_NAME
from assent.cli.base.decider import current_config_paths
from assent.cli.base.rule_text import missing_input_warnings, stored_rules_missing_input
from assent.cli.base.terminal import visible_text
from assent.cli.hook.server import connect_local_hook
from assent.client.local_server import without_password
from assent.compose import FullStore
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import ServerSettings, load_chat_settings, load_server_settings
from assent.door.authentication import Authenticator, SignIn, login_url
from assent.gate.access import Principal
from assent.gate.gate import Gate
from assent.hosts.browser.pages import Pages
from assent.hosts.chat.tools.settings import load_tool_settings
from assent.version import __version__

with requires_extra("server"):
    from assent.surfaces.http.api.service import ChatPort
    from assent.surfaces.http.bootstrap import OwnerAccess
    from assent.surfaces.http.observer import JsonLogFormatter, TextLogFormatter
    from assent.surfaces.http.server import MakeChat, ServerStartOptions, run_server

LOG_LEVELS = ("debug", "info", "warning", "error")


@click.command(name="serve")
@click.option("--host", metavar="ADDRESS", help="listen on this address instead of 127.0.0.1")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="the port; 0 chooses a free port")
@click.option(
    "--data-dir", metavar="DIRECTORY", help="the directory for stored data; default: your data directory"
)
@click.option(
    "--database",
    metavar="ADDRESS",
    help="an SQLite file or a postgresql:// address; default: $ASSENT_DATABASE, or a file in --data-dir",
)
@click.option("--preset", metavar="NAME", help="the preset of new conversations")
@click.option("--json", "as_json", is_flag=True, help="print the URL and the log-in link as one line of JSON")
@click.option("--log", type=click.Choice(["text", "json"]), default="text", help="the format of the log")
@click.option(
    "--log-level", type=click.Choice(LOG_LEVELS), default="info", help="the lowest level that is logged"
)
def serve(
    host: str | None,
    port: int | None,
    data_dir: str | None,
    database: str | None,
    preset: str | None,
    as_json: bool,  # noqa: FBT001 - click passes flags by name
    **logs: str,
) -> None:
    """Run the server until it is stopped; open questions stay in the database."""
    _configure_logging(logs["log"], logs["log_level"])
    where = current_config_paths()
    files = PolicyLoader(where, os.environ, preset=preset)
    settings = load_server_settings(where, os.environ, host=host, port=port)
    # The server creates the directory later, after all start-up checks have passed.
    directory = os.path.abspath(data_dir or where.data)
    address = _find_database_address(database, directory)
    plan = ServerStartOptions(
        where=where,
        settings=settings,
        database=address,
        directory=directory,
        owner=_find_owner_name(),
        always_link=as_json,
        sign_in=_make_sign_in if settings.oidc is not None else None,
        chat=find_chat_opener(where),
        on_upgraded=partial(_warn_about_narrower_rules, address),
        on_opened=partial(_connect_local_hook, where.data) if directory == where.data else None,
    )
    run_async(run_server(plan, files, _announce_json if as_json else _make_text_announcer(plan)))


async def _warn_about_narrower_rules(address: str) -> None:
    """Warn about stored rules that cover fewer calls after the database upgrade."""
    for sentence in missing_input_warnings(await stored_rules_missing_input(address)):
        click.echo(f"note: {visible_text(sentence)}", err=True)


async def _connect_local_hook(data: str, authenticator: Authenticator, access: OwnerAccess) -> None:
    """Give the hook of Claude Code a token, if the owner installed it without a server."""
    # Only an administrator's token is there; another owner installs the hook again.
    by = Principal(id=access.name, administrator=True)
    if access.token and await connect_local_hook(data, authenticator, by):
        click.echo("note: the hook of Claude Code on this machine asks this server from now on", err=True)


def _find_database_address(option: str | None, directory: str) -> str:
    """Find the database address: from the option, the environment, or the data directory."""
    address = option or os.environ.get("ASSENT_DATABASE") or os.path.join(directory, DATABASE_FILE_NAME)
    return address if "://" in address else os.path.abspath(address)


def _make_sign_in(settings: ServerSettings, authenticator: Authenticator, secret: bytes) -> SignIn:
    """Build the OpenID Connect sign-in; its modules are imported here, because few servers need them."""
    from assent.door.oidc import OpenIdConnect

    assert settings.oidc is not None  # noqa: S101 - for the type checker
    callback = f"{settings.url}{settings.base_path}/v1/oidc/callback"
    return OpenIdConnect(settings.oidc, authenticator, secret=secret, callback=callback)


def find_chat_opener(where: ConfigPaths) -> MakeChat | None:
    """Return the function that opens the chat; None if the `chat` extra is not installed."""
    if find_spec("pydantic_ai") is None:
        return None
    # The chat is opened later, but an invalid settings file must stop the server at its start.
    load_chat_settings(where, os.environ)
    load_tool_settings(where, os.environ)
    return _open_chat


def _open_chat(
    gate: Gate, store: FullStore, where: ConfigPaths, files: PolicyLoader, pages: Pages
) -> AbstractAsyncContextManager[ChatPort]:
    """Open the chat; its modules are imported here, because that takes long."""
    from assent.hosts.chat.chat import open_chat

    return open_chat(gate, store, where, files, pages)


def _find_owner_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # In a container, the user id may have no user name.
        return "owner"


def _make_text_announcer(server_plan: ServerStartOptions) -> Callable[[str, OwnerAccess], None]:
    def announce_server(url: str, welcome: OwnerAccess) -> None:
        click.echo(f"assent {__version__} serves {visible_text(without_password(server_plan.database))}")
        click.echo(f"open     {url}")
        if welcome.link:
            click.echo(f"log in   {login_url(url, welcome.link)}  (once, for 15 minutes)")
        else:
            click.echo(f"log in   with `{_login_command(server_plan, url)}`, which prints a new link")

    return announce_server


def _login_command(plan: ServerStartOptions, url: str) -> str:
    """The `assent login` command for this server; with options if the server uses another database."""
    if plan.directory == plan.where.data and "://" not in plan.database:
        return "assent login"
    database = shlex.quote(visible_text(without_password(plan.database)))
    return f"assent login --database {database} --url {url}"


def _announce_json(url: str, welcome: OwnerAccess) -> None:
    login = login_url(url, welcome.link) if welcome.link else None
    print(json.dumps({"url": url, "login_url": login, "owner_token": welcome.token or None}), flush=True)


def _configure_logging(style: str, level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLogFormatter() if style == "json" else TextLogFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("assent").setLevel(level.upper())

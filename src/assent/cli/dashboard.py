"""`assent dashboard`: read and answer questions at a terminal."""

import os
import sys

import click

from assent.cli.base.command import requires_extra
from assent.cli.base.database import database_option, find_database
from assent.cli.base.decider import current_config_paths
from assent.client.local_server import find_local_server, without_password
from assent.errors import InputError

THEMES = ("dark", "light", "16")


@click.command(name="dashboard")
@click.option("--url", metavar="ADDRESS", help="the server; default: the one that uses the database")
@click.option("--token", metavar="TOKEN", envvar="ASSENT_TOKEN", help="with --url: your token")
@click.option(
    "--theme", type=click.Choice(THEMES), help="colours; default: dark, or 16 where the terminal has no more"
)
@database_option
def run_dashboard(url: str | None, token: str | None, theme: str | None, database: str | None) -> None:
    """Read and answer questions at this terminal, through a running server.

    With ACCESSIBLE=1 it prints plain lines and reads words.
    """
    if url is not None and not token:
        raise InputError("--url requires a token: set $ASSENT_TOKEN, or add --token")
    address, secret = (
        (url, token or "") if url is not None else find_server_and_token(find_database(database))
    )
    if is_accessible():
        from assent.surfaces.tui.line_input import run_line_mode

        run_line_mode(address, secret)
        return
    with requires_extra("tui"):
        from assent.surfaces.tui.app import DashboardApp
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("the dashboard needs a terminal; ACCESSIBLE=1 prints plain lines instead")
    DashboardApp(address, secret, theme_name=theme).run()


def is_accessible() -> bool:
    """Whether the person asks for plain lines with ACCESSIBLE=1."""
    return os.environ.get("ACCESSIBLE", "0") not in ("", "0")


def find_server_and_token(address: str) -> tuple[str, str]:
    """The address and the owner's token of the server that uses this database, whether it replies or not."""
    is_path = "://" not in address
    database = os.path.abspath(address) if is_path else without_password(address)
    beside = [os.path.dirname(database)] if is_path else []
    for directory in dict.fromkeys([current_config_paths().data, *beside]):
        server = find_local_server(directory)
        if server is not None and server.database == database and server.token:
            return server.url, server.token
    raise InputError(f"no server uses {database}: start `assent serve`, or name a server with --url")

"""`assent demo`: a server with an example on it, to try everything without an agent or a key."""

import json
import logging
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from assent.cli.database import NAME, extra, run
from assent.cli.example import Example, furnish
from assent.cli.serve import chat_if_installed
from assent.client.client import Client
from assent.compose import local_person
from assent.config.ground import PolicyFiles
from assent.config.private import private_directory
from assent.config.server import ServerSettings
from assent.config.whereabouts import find_whereabouts
from assent.door.authentication import login_url

with extra("server"):
    from assent.surfaces.http.bootstrap import OwnerAccess
    from assent.surfaces.http.server import ServerPlan
    from assent.surfaces.http.server import run as run_server


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="the port; otherwise a free one"
)
@click.option("--no-browser", is_flag=True, help="only print the link")
@click.option("--json", "as_json", is_flag=True, help="print where it is as one line of JSON")
def demo(port: int, no_browser: bool, as_json: bool) -> None:  # noqa: FBT001 - click gives flags by name
    """Try the inbox with example agents; nothing of it is run, and nothing is kept."""
    # What it tells is on the page; a person who tries it out has no use for a log.
    logging.basicConfig(level=logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="assent-demo-", ignore_cleanup_errors=True) as directory:
        told = (
            _tell_json if as_json else _teller(opens=not no_browser and has_browser(sys.platform, os.environ))
        )
        _serve(Path(directory), port, told)


Told = Callable[[str, OwnerAccess], None]


def _serve(directory: Path, port: int, told: Told) -> None:
    # INVARIANT: no file of the person's own counts, or the example would not be the one that is described.
    where = find_whereabouts(
        str(furnish(directory)), {"XDG_CONFIG_HOME": str(directory), "XDG_DATA_HOME": str(directory)}
    )
    private = private_directory(str(directory / "data"))
    plan = ServerPlan(
        where=where,
        settings=ServerSettings(port=port),
        database=str(Path(private, NAME)),
        directory=private,
        owner=local_person().id,
        always_link=True,
        chat=chat_if_installed(where),
    )
    run(run_server(plan, PolicyFiles(where, {}), _announcer(told)))


def _announcer(told: Told) -> Told:
    """Play the example as soon as somebody listens, then tell where it is, and be its agents."""

    def announce(url: str, welcome: OwnerAccess) -> None:
        def play() -> None:
            with Client(url, welcome.token) as client:
                example = Example(client)
                example.play()
                told(url, welcome)
                example.follow()

        threading.Thread(target=play, name="assent example", daemon=True).start()

    return announce


def _teller(*, opens: bool) -> Told:
    def tell(url: str, welcome: OwnerAccess) -> None:
        link = login_url(url, welcome.link)
        print(
            f"An example is at {url}; log in, once, with\n\n  {link}\n\nCtrl-C ends it; nothing is kept.",
            flush=True,
        )
        if opens:
            webbrowser.open(link)

    return tell


def _tell_json(url: str, welcome: OwnerAccess) -> None:
    told = {"url": url, "login_url": login_url(url, welcome.link), "owner_token": welcome.token}
    print(json.dumps(told), flush=True)


def has_browser(platform: str, environ: Mapping[str, str]) -> bool:
    """Whether a window could open; a browser inside this terminal would only be in the way."""
    if platform in ("darwin", "win32"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))

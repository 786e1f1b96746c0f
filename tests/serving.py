"""Servers for tests: real processes on loopback, each with a home of its own.

They are forked from a process that has everything loaded, which a start of their own would spend a second on.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from assent.cli import main
from assent.client.client import Client

PATIENCE = 180.0
"""Seconds; machines that run tests are busy."""
NO_ENV: Mapping[str, str] = {}
Change = Callable[[], None]
"""Something done in the server's own process before it starts; importable by its name."""

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(
    ["tests.serving", "assent.cli.serve", "assent.stores.sqlite.database", "assent.stores.postgres.database"]
)


@dataclass
class Running:
    """A server's process, and how its owner reaches it."""

    process: ForkServerProcess
    url: str
    token: str
    login_url: str
    data: Path
    log: Path
    clients: list[Client] = field(default_factory=list[Client])

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def client(self, token: str | None = None) -> Client:
        """A connection in the owner's name, or in another's."""
        client = Client(self.url, self.token if token is None else token)
        self.clients.append(client)
        return client

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def stop(self) -> int | None:
        """Let it drain; its exit status."""
        self.send(signal.SIGTERM)
        return self.ended()

    def ended(self) -> int | None:
        """Its exit status, once it has ended."""
        self.process.join(PATIENCE)
        return self.process.exitcode

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.join(PATIENCE)

    def worked(self) -> float:
        """Seconds of the processor that it took so far, however long the machine let it wait for them."""
        spent = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")

    def logged(self) -> str:
        """Everything that it logged so far."""
        return self.log.read_text("utf-8")

    def close(self) -> None:
        """Make sure that nothing is left of it."""
        for client in self.clients:
            client.close()
        if self.process.is_alive():
            self.kill()


def environment(home: Path, **more: str) -> dict[str, str]:
    """A person's environment, with nobody's files in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "XDG_"))}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "NO_COLOR": "1",
        **more,
    }


def command(
    home: Path, *words: str, name: str = "server", env: Mapping[str, str] = NO_ENV
) -> subprocess.Popen[str]:
    """Start `assent` as a person would, in a project of this home; what it tells goes to a file."""
    with (home / f"{name}.log").open("a", encoding="utf-8") as log:
        return subprocess.Popen(
            [Path(sys.executable).with_name("assent"), *words],
            cwd=_project(home),
            env=environment(home, **env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )


def started(
    home: Path,
    *words: str,
    name: str = "server",
    env: Mapping[str, str] = NO_ENV,
    change: Change | None = None,
) -> Running:
    """A server that listens; `name` tells the pods of one home apart."""
    data, log, out = home / "data" / name, home / f"{name}.log", home / f"{name}.out"
    said = ["serve", "--port", "0", "--json", "--log", "json", "--data-dir", str(data), *words]
    process = _begun(home, said, (out, log), env, change)
    told = json.loads(_line(process, out, log))
    return Running(process, told["url"], told["owner_token"], told["login_url"], data, log)


def ran(home: Path, *words: str, **env: str) -> tuple[int | None, str, str]:
    """A command that ends by itself: its status, what it printed, and what it told."""
    out, log = home / "command.out", home / "command.log"
    log.unlink(missing_ok=True)
    process = _begun(home, list(words), (out, log), env, None)
    process.join(PATIENCE)
    return process.exitcode, out.read_text("utf-8"), log.read_text("utf-8")


def _begun(
    home: Path, words: list[str], files: tuple[Path, Path], env: Mapping[str, str], change: Change | None
) -> ForkServerProcess:
    files[0].unlink(missing_ok=True)
    place = (str(_project(home)), *map(str, files))
    process = _FORKING.Process(target=_live, args=(words, place, environment(home, **env), change))
    process.start()
    return process


@contextmanager
def server(
    home: Path,
    *words: str,
    name: str = "server",
    env: Mapping[str, str] = NO_ENV,
    change: Change | None = None,
) -> Iterator[Running]:
    """A server for as long as it is needed."""
    running = started(home, *words, name=name, env=env, change=change)
    try:
        yield running
    finally:
        running.close()


def _live(words: list[str], place: tuple[str, ...], environ: dict[str, str], change: Change | None) -> None:
    """In a process of its own: `assent`, with its output in files."""
    directory, out, log = place
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(directory)
    for number, path in ((1, out), (2, log)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", buffering=1), os.fdopen(2, "w", buffering=1)
    if change is not None:
        change()
    sys.exit(main(words))


def _project(home: Path) -> Path:
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    return project


def _line(process: ForkServerProcess, out: Path, log: Path) -> str:
    """The first line that it prints."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if out.exists() and "\n" in (text := out.read_text("utf-8")):
            return text
        if not process.is_alive():
            break
        time.sleep(0.01)
    process.kill()
    raise AssertionError(f"the server did not start:\n{log.read_text('utf-8') if log.exists() else ''}")

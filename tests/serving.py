"""Servers for tests: real processes on loopback, each with its own home directory.

They are forked from a process that has already imported all modules, because the imports take a second.
"""

import ctypes
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from assent.cli import main
from assent.client.client import Client
from tests.waiting import wait_until

MAX_WAIT_SECONDS = 180.0
"""Seconds to wait for a server; long, because machines that run tests are busy."""
NO_VARIABLES: Mapping[str, str] = {}
ServerPatch = Callable[[], None]
"""A function that the server process calls before it starts, to change its behaviour; must be importable."""

_PR_SET_PDEATHSIG = 1
_FORKSERVER_CONTEXT = multiprocessing.get_context("forkserver")
_FORKSERVER_CONTEXT.set_forkserver_preload(
    [
        "tests.serving",
        "assent.cli.serve",
        "assent.hosts.chat.chat",
        "assent.stores.sqlite.database",
        "assent.stores.postgres.database",
    ]
)


@dataclass
class RunningServer:
    """The process of a server, and the owner's access to it."""

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
        """Make a client with the owner's token, or with another token."""
        client = Client(self.url, self.token if token is None else token)
        self.clients.append(client)
        return client

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    def stop(self) -> int | None:
        """Stop the server gracefully; return its exit status."""
        self.send_signal(signal.SIGTERM)
        return self.wait_for_exit()

    def wait_for_exit(self) -> int | None:
        """Wait until the process has ended; return its exit status."""
        self.process.join(MAX_WAIT_SECONDS)
        return self.process.exitcode

    def kill(self) -> None:
        """Kill the process without a graceful shutdown."""
        self.process.kill()
        self.process.join(MAX_WAIT_SECONDS)

    def cpu_seconds(self) -> float:
        """CPU seconds that the process has used; they do not depend on the load of the machine."""
        spent = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")

    def read_log(self) -> str:
        """The whole log of the server."""
        return self.log.read_text("utf-8")

    def close(self) -> None:
        """Close the clients and kill the process if it still runs."""
        for client in self.clients:
            client.close()
        if self.process.is_alive():
            self.kill()


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user whose home directory is `home`, without any `ASSENT_` variable."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "XDG_"))}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "NO_COLOR": "1",
        **more,
    }


def start_command(
    home: Path, *words: str, name: str = "server", env: Mapping[str, str] = NO_VARIABLES
) -> subprocess.Popen[str]:
    """Start the program `assent` in a project below `home`, with standard error in a log file."""
    with (home / f"{name}.log").open("a", encoding="utf-8") as log:
        return subprocess.Popen(
            [Path(sys.executable).with_name("assent"), *words],
            cwd=_make_project(home),
            env=environment(home, **env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )


def start_server(
    home: Path,
    *words: str,
    name: str = "server",
    env: Mapping[str, str] = NO_VARIABLES,
    change: ServerPatch | None = None,
) -> RunningServer:
    """Start a server and wait until it listens; each pod below one home needs its own `name`."""
    data, log, out = home / "data" / name, home / f"{name}.log", home / f"{name}.out"
    said = ["serve", "--port", "0", "--json", "--log", "json", "--data-dir", str(data), *words]
    process = start_process(_make_project(home), said, (out, log), environment(home, **env), change)
    told = json.loads(wait_for_first_line(process, out, log))
    return RunningServer(process, told["url"], told["owner_token"], told["login_url"], data, log)


def run_command(home: Path, *words: str, **env: str) -> tuple[int | None, str, str]:
    """Run a command to its end; return its exit status, standard output and standard error."""
    out, log = home / "command.out", home / "command.log"
    log.unlink(missing_ok=True)
    process = start_process(_make_project(home), list(words), (out, log), environment(home, **env))
    process.join(MAX_WAIT_SECONDS)
    return process.exitcode, out.read_text("utf-8"), log.read_text("utf-8")


def start_process(
    directory: Path,
    words: list[str],
    files: tuple[Path, Path],
    environ: dict[str, str],
    change: ServerPatch | None = None,
) -> ForkServerProcess:
    """Start a command in a directory, with standard output and error in these two files."""
    files[0].unlink(missing_ok=True)
    paths = (str(directory), *map(str, files))
    process = _FORKSERVER_CONTEXT.Process(target=_run_in_process, args=(words, paths, environ, change))
    process.start()
    return process


def wait_for_first_line(process: ForkServerProcess, out: Path, log: Path) -> str:
    """Wait for the first line that the process prints."""

    def find_line() -> str | None:
        if out.exists() and "\n" in (text := out.read_text("utf-8")):
            return text
        logged = log.read_text("utf-8") if log.exists() else ""
        assert process.is_alive(), f"the server did not start:\n{logged}"
        return None

    try:
        return wait_until(find_line)
    except AssertionError:
        process.kill()
        raise


@contextmanager
def server(
    home: Path,
    *words: str,
    name: str = "server",
    env: Mapping[str, str] = NO_VARIABLES,
    change: ServerPatch | None = None,
) -> Iterator[RunningServer]:
    """Run a server until the end of the `with` block."""
    running = start_server(home, *words, name=name, env=env, change=change)
    try:
        yield running
    finally:
        running.close()


def _run_in_process(
    words: list[str], paths: tuple[str, ...], environ: dict[str, str], change: ServerPatch | None
) -> None:
    """Run `assent` in this process, with standard output and error in files."""
    directory, out, log = paths
    _end_with_parent()
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(directory)
    for number, path in ((1, out), (2, log)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", buffering=1), os.fdopen(2, "w", buffering=1)
    if change is not None:
        change()
    sys.exit(main(words))


def _end_with_parent() -> None:
    """Let the kernel kill this process when its parent has ended, for example because the test run was killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _make_project(home: Path) -> Path:
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    return project

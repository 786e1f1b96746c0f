"""A real `assent serve` process that chaos tests can kill, freeze and start again."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from chaos.site import Site

MAX_DESCRIPTORS = 1024
"""Limit of the server's file descriptors, the default of many systems."""
_START_TIMEOUT = 120.0
"""Seconds to wait until a server accepts connections."""


class ServerProcess:
    """One server process at one address."""

    def __init__(self, site: Site, address: str = "") -> None:
        self._site = site
        self.address = address or site.address
        self._process: subprocess.Popen[str] | None = None
        self.port = find_port()
        self.token = ""
        self.starts = 0
        self.start()

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    def start(self, address: str = "") -> None:
        """Start the server, optionally on another database, and wait until it listens."""
        self.address = address or self.address
        home = self._site.directory / "home"
        project = home / "project"
        project.mkdir(parents=True, exist_ok=True)
        words = ["serve", "--port", str(self.port), "--json", "--data-dir", str(home / "data")]
        with (self._site.directory / "server.log").open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [
                    *("sh", "-c", f'ulimit -n {MAX_DESCRIPTORS}; exec "$@"', "sh"),
                    *(Path(sys.executable).with_name("assent"), *words, "--database", self.address),
                ],
                cwd=project,
                env=_environment(home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: see {self._site.directory / 'server.log'}")
        self.token = json.loads(line)["owner_token"]
        self.starts += 1

    def kill(self) -> None:
        """Kill the server."""
        self._signal_and_wait(signal.SIGKILL)

    def stop(self) -> None:
        """Stop the server gracefully."""
        self._signal_and_wait(signal.SIGTERM)

    def freeze(self, seconds: float) -> None:
        """Freeze the process for a while."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def cpu_seconds(self) -> float:
        """CPU seconds that the process has used."""
        spent = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")

    def check(self) -> None:
        """Raise an error if the process ended unexpectedly."""
        if self._process is None or self._process.poll() is not None:
            raise RuntimeError(f"the server ended by itself: see {self._site.directory / 'server.log'}")

    def _signal_and_wait(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(_START_TIMEOUT)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None


def _environment(home: Path) -> dict[str, str]:
    """An environment with an empty home directory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "XDG_"))}
    return {**kept, "HOME": str(home), "NO_COLOR": "1"}


def find_port() -> int:
    """A free port below the ephemeral range, so that it is still free after a restart."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as trying:
            try:
                trying.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

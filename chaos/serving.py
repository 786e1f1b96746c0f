"""A real `assent serve` in a process of its own, to be killed, held and started again as a storm likes."""

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

DESCRIPTORS = 1024
"""Descriptors that the server may have, as on many systems."""
_PATIENCE = 120.0
"""Seconds in which a server should come up, however busy the machine is."""


class Serving:
    """One server at one address; whoever starts it ends it."""

    def __init__(self, site: Site, address: str = "") -> None:
        self._site = site
        self.address = address or site.address
        self._process: subprocess.Popen[str] | None = None
        self.port = steady_port()
        self.token = ""
        self.starts = 0
        self.start()

    @property
    def pid(self) -> int:
        """The process that serves."""
        assert self._process is not None
        return self._process.pid

    def start(self, address: str = "") -> None:
        """Start it, on another database if that is said, and wait until it listens."""
        self.address = address or self.address
        home = self._site.directory / "home"
        project = home / "project"
        project.mkdir(parents=True, exist_ok=True)
        words = ["serve", "--port", str(self.port), "--json", "--data-dir", str(home / "data")]
        with (self._site.directory / "server.log").open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [
                    *("sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh"),
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
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def end(self) -> None:
        """Let it drain."""
        self._end(signal.SIGTERM)

    def hold(self, seconds: float) -> None:
        """Let it stand still for a while."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def worked(self) -> float:
        """Seconds of the processor that it took so far, however long the machine let it wait for them."""
        spent = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")

    def check(self) -> None:
        """Nobody but us ends it."""
        if self._process is None or self._process.poll() is not None:
            raise RuntimeError(f"the server ended by itself: see {self._site.directory / 'server.log'}")

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(_PATIENCE)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None


def _environment(home: Path) -> dict[str, str]:
    """A person's environment, with nobody's files in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "XDG_"))}
    return {**kept, "HOME": str(home), "NO_COLOR": "1"}


def steady_port() -> int:
    """A free port below those that connections are given by chance, so that it is free after a restart."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as trying:
            try:
                trying.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

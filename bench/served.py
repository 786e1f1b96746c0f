"""A server process for benchmarks, and an HTTP client with little overhead."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.harness import WrongAnswerError


@dataclass(frozen=True, slots=True)
class RunningServer:
    """The address of a running server, and the token of its owner."""

    url: str
    token: str
    pid: int = 0

    async def connect(self) -> "HttpConnection":
        """Open a keep-alive connection."""
        parts = urlsplit(self.url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        return HttpConnection(reader, writer, self)


class HttpConnection:
    """A keep-alive connection that sends one request after another."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, served: RunningServer
    ) -> None:
        self._reader = reader
        self._writer = writer
        host = urlsplit(served.url).netloc
        self._head = f"Host: {host}\r\nAuthorization: Bearer {served.token}\r\n"

    async def request(self, method: str, path: str, body: object = None) -> Any:
        """Send a request and return the parsed JSON of the response."""
        data = b"" if body is None else json.dumps(body).encode()
        kind = "Content-Type: application/json\r\n" if data else ""
        head = f"{method} {path} HTTP/1.1\r\n{self._head}{kind}Content-Length: {len(data)}\r\n\r\n"
        self._writer.write(head.encode() + data)
        said = await self._reader.readuntil(b"\r\n\r\n")
        status = int(said.split(b" ", 2)[1])
        length = next(
            int(line.split(b":")[1])
            for line in said.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        reply = json.loads(await self._reader.readexactly(length))
        if status >= 300:
            raise WrongAnswerError(f"{method} {path}: {status} {reply}")
        return reply

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


@contextmanager
def start_server(
    directory: Path, *words: str, name: str = "server", config: str = ""
) -> Iterator[RunningServer]:
    """Run `assent serve` until the context ends."""
    home = directory / name
    home.mkdir()
    if config:
        (home / "assent").mkdir(mode=0o700)
        (home / "assent" / "config.toml").write_text(config)
        (home / "assent" / "config.toml").chmod(0o600)
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    command = [
        Path(sys.executable).with_name("assent"),
        "serve",
        "--port",
        "0",
        "--json",
        "--log-level",
        "error",
    ]
    process = subprocess.Popen(
        [*command, *words], cwd=home, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        yield RunningServer(said["url"], said["owner_token"], process.pid)
    finally:
        process.terminate()
        process.communicate()

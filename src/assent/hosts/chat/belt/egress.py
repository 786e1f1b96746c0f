"""A way out for a browser: a proxy on loopback that the guard stands in, so that no page goes around it."""

import asyncio
import base64
import hmac
import secrets
from contextlib import suppress

from assent.hosts.chat.belt.addresses import Guard, web
from assent.hosts.chat.belt.fault import FaultError

USER = "assent"
_PATIENCE = 30
_CHUNK = 65_536
_HOP = (b"proxy-", b"connection:", b"keep-alive:")
"""Headers that are meant for the proxy, not for whoever is behind it."""


class Egress:
    """Connects whoever knows its password to public addresses, each one looked at and then held on to."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.password = secrets.token_urlsafe(32)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        assert self._server is not None  # noqa: S101 - for the type checker
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        """Listen, on loopback only."""
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0, limit=_CHUNK)

    async def stop(self) -> None:
        """Let every connection go."""
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker
        self._open.add(task)
        try:
            await self._serve(reader, writer)
        except FaultError as fault:
            writer.write(_refusal(b"403 Forbidden", str(fault)))
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.write(_refusal(b"502 Bad Gateway", "the page could not be reached"))
        except asyncio.CancelledError:
            pass  # Nobody waits for this task but `stop`, which asked for it.
        finally:
            self._open.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_PATIENCE):
            head = await reader.readuntil(b"\r\n\r\n")
            line, *headers = head[:-4].split(b"\r\n")
            method, target, _ = line.decode("ascii").split(" ")
            if not self._knows_password(headers):
                writer.write(_challenge())
                return
            host, port, opening = _wanted(method, target, headers)
            addresses = await self._guard.addresses(host, port)
            there, back = await _connected(addresses, port)
        try:
            back.write(opening)
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            back.close()

    def _knows_password(self, headers: list[bytes]) -> bool:
        wanted = b"Basic " + base64.b64encode(f"{USER}:{self.password}".encode())
        given = (line.partition(b":") for line in headers)
        said = [value.strip() for name, _, value in given if name.lower() == b"proxy-authorization"]
        return len(said) == 1 and hmac.compare_digest(said[0], wanted)


def _wanted(method: str, target: str, headers: list[bytes]) -> tuple[str, int, bytes]:
    """The host and port that a request is for, and what to say there first."""
    if method == "CONNECT":
        host, _, port = target.rpartition(":")
        return host.strip("[]"), int(port), b""
    place = web(target)
    kept = [line for line in headers if not line.lower().startswith(_HOP)]
    first = f"{method} {place.target} HTTP/1.1".encode("ascii")
    return place.host, place.port, b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


async def _connected(
    addresses: tuple[str, ...], port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first address that takes us."""
    *others, last = addresses
    for address in others:
        with suppress(OSError):
            return await asyncio.open_connection(address, port, limit=_CHUNK)
    return await asyncio.open_connection(last, port, limit=_CHUNK)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


def _refusal(status: bytes, why: str) -> bytes:
    body = why.encode()
    head = b"HTTP/1.1 %b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n" % (
        status,
        len(body),
    )
    return head + b"Connection: close\r\n\r\n" + body


def _challenge() -> bytes:
    return _refusal(b'407 Who Are You\r\nProxy-Authenticate: Basic realm="assent"', "")

"""The proxy of the browser: on loopback, so that every connection of a page is checked."""

import asyncio
import base64
import hmac
import secrets
from contextlib import suppress

from assent.hosts.chat.tools.context import ToolError
from assent.hosts.chat.tools.fetch import AddressGuard, parse_address

USER = "assent"
_HEAD_TIMEOUT = 30
_CHUNK = 65_536
_HOP_HEADERS = (b"proxy-", b"connection:", b"keep-alive:")
"""Headers for the proxy itself, which are not forwarded."""


class BrowserProxy:
    """Connects clients that know its password to addresses that the guard allows."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.password = secrets.token_urlsafe(32)

    @property
    def address(self) -> str:
        """The address of the proxy."""
        assert self._server is not None  # noqa: S101 - for the type checker
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        """Listen on loopback."""
        self._server = await asyncio.start_server(self._handle, "127.0.0.1", 0, limit=_CHUNK)

    async def stop(self) -> None:
        """Close all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker
        self._open.add(task)
        try:
            await self._serve(reader, writer)
        except ToolError as error:
            writer.write(_refusal(b"403 Forbidden", str(error)))
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.write(_refusal(b"502 Bad Gateway", "the page could not be reached"))
        except asyncio.CancelledError:
            pass  # Only `stop` cancels this task, and it waits for the end.
        finally:
            self._open.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_TIMEOUT):
            head = await reader.readuntil(b"\r\n\r\n")
            line, *headers = head[:-4].split(b"\r\n")
            method, target, _ = line.decode("ascii").split(" ")
            if not self._is_authorized(headers):
                writer.write(_challenge())
                return
            host, port, first_bytes = _target(method, target, headers)
            addresses = await self._guard.resolve(host, port)
            upstream_reader, upstream_writer = await _connect(addresses, port)
        try:
            upstream_writer.write(first_bytes)
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await asyncio.gather(_copy(reader, upstream_writer), _copy(upstream_reader, writer))
        finally:
            upstream_writer.close()

    def _is_authorized(self, headers: list[bytes]) -> bool:
        wanted = b"Basic " + base64.b64encode(f"{USER}:{self.password}".encode())
        given = (line.partition(b":") for line in headers)
        passwords = [value.strip() for name, _, value in given if name.lower() == b"proxy-authorization"]
        return len(passwords) == 1 and hmac.compare_digest(passwords[0], wanted)


def _target(method: str, target: str, headers: list[bytes]) -> tuple[str, int, bytes]:
    """The host and port of a request, and the first bytes to send there."""
    if method == "CONNECT":
        host, _, port = target.rpartition(":")
        return host.strip("[]"), int(port), b""
    address = parse_address(target)
    kept = [line for line in headers if not line.lower().startswith(_HOP_HEADERS)]
    first = f"{method} {address.target} HTTP/1.1".encode("ascii")
    return address.host, address.port, b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


async def _connect(
    addresses: tuple[str, ...], port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first address that accepts."""
    *others, last = addresses
    for address in others:
        with suppress(OSError):
            return await asyncio.open_connection(address, port, limit=_CHUNK)
    return await asyncio.open_connection(last, port, limit=_CHUNK)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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

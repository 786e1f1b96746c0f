"""Fetching over HTTP: from the very address that was looked at, within limits of size and time."""

import asyncio
import http.client
import socket
import ssl
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin

from assent.hosts.chat.belt.addresses import Guard, Web, web
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.threads import WIRES

AGENT = "assent (a tool that fetches pages for a person's agent)"
_HOPS = 5
_CHUNK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a server."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server said."""

    url: str
    status: int
    kind: str
    """The media type, without its parameters."""
    charset: str
    body: bytes
    more: bool = False
    """There was more than was taken."""
    moved: str = ""
    """Where it is now, if that is another host: whoever asked decides whether to go there."""

    @property
    def text(self) -> str:
        """The body as text."""
        try:
            return self.body.decode(self.charset or "utf-8", errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")


class Fetcher:
    """Fetches through a guard: each connection is made to an address that the guard has seen."""

    def __init__(self, guard: Guard, *, most: int, seconds: float = 30) -> None:
        self.guard = guard
        self._most = most
        self._seconds = seconds

    async def fetch(self, request: Request) -> Answer:
        """Ask, following redirects on the same host only, each looked at anew."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._fetch(request)
        except TimeoutError:
            raise FaultError(f"`{request.url[:200]}` did not answer in {self._seconds:g} seconds") from None

    async def _fetch(self, request: Request) -> Answer:
        place = web(request.url)
        for _ in range(_HOPS):
            answer = await self._once(place, request)
            if not answer.moved:
                return answer
            there = web(urljoin(place.url, answer.moved))
            if there.host != place.host or request.method != "GET":
                # The gate decided on this host; another one is another decision.
                return _moved(answer, there)
            place = there
        raise FaultError(f"`{request.url[:200]}` redirects more than {_HOPS} times")

    async def _once(self, place: Web, request: Request) -> Answer:
        addresses = await self.guard.addresses(place.host, place.port)
        connection = _Pinned(place, addresses, self._seconds)
        try:
            return await WIRES.run(_ask, connection, place, request, self._most)
        except ssl.SSLError as error:
            raise FaultError(f"`{place.host}` has no valid certificate: {error.reason}") from None
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise FaultError(f"`{place.host}` could not be asked: {_said(error)}") from None
        finally:
            connection.cut()


class _Pinned(http.client.HTTPConnection):
    """A connection to addresses that were found before, whatever the name means by now."""

    def __init__(self, place: Web, addresses: tuple[str, ...], seconds: float) -> None:
        super().__init__(place.host, place.port, timeout=seconds)
        self._place = place
        self._addresses = addresses

    def connect(self) -> None:
        """Connect to the first address that takes us; for https with the name's own certificate."""
        plain = self._connected()
        if self._place.scheme == "https":
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(plain, server_hostname=self._place.host)
        else:
            self.sock = plain

    def cut(self) -> None:
        """End the connection at once; a thread that waits for it wakes up."""
        sock: socket.socket | None = self.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self.close()

    def _connected(self) -> socket.socket:
        last: OSError = ConnectionError("no address")
        for address in self._addresses:
            try:
                return socket.create_connection((address, self.port), self.timeout)
            except OSError as error:
                last = error
        raise last


def _ask(connection: _Pinned, place: Web, request: Request, most: int) -> Answer:
    headers = {
        "Host": place.authority,
        "User-Agent": AGENT,
        "Accept-Encoding": "gzip, identity",
        "Connection": "close",
        **request.headers,
    }
    connection.request(request.method, place.target, body=request.body, headers=headers)
    response = connection.getresponse()
    moved = response.headers.get("Location", "") if response.status in (301, 302, 303, 307, 308) else ""
    body, more = (b"", False) if moved else _body(response, most)
    return Answer(
        url=place.url,
        status=response.status,
        kind=response.headers.get_content_type(),
        charset=response.headers.get_content_charset("utf-8"),
        body=body,
        more=more,
        moved=moved,
    )


def _body(response: http.client.HTTPResponse, most: int) -> tuple[bytes, bool]:
    """At most so many bytes, unpacked while they come: what is small on the wire may be huge."""
    packed = response.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16) if packed else None
    body = bytearray()
    while len(body) <= most and (chunk := response.read1(_CHUNK)):
        body += chunk if unpacking is None else unpacking.decompress(chunk, most + 1 - len(body))
    return bytes(body[:most]), len(body) > most


def _moved(answer: Answer, there: Web) -> Answer:
    return Answer(
        url=answer.url,
        status=answer.status,
        kind=answer.kind,
        charset=answer.charset,
        body=b"",
        moved=there.url,
    )


def _said(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error) or type(error).__name__).lower()

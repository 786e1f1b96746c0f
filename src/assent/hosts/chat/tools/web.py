"""The `web_fetch` and `web_search` tools, and HTTP requests that cannot reach private networks."""

import asyncio
import http.client
import ipaddress
import json
import socket
import ssl
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode, urljoin, urlsplit

from assent.engine.base.lazy import regex
from assent.engine.base.tool import as_list, as_object
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.text import page_title_and_text
from assent.hosts.chat.tools.tool import (
    FILE_THREADS,
    NETWORK_THREADS,
    Arguments,
    ChatTool,
    ToolContext,
    ToolError,
    ToolResult,
    define_tool,
)

DEFAULT_RESULTS = 10
DEFAULT_PORTS = {"http": 80, "https": 443}
USER_AGENT = "assent (a tool that fetches pages for a person's agent)"
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_HOST_NAME = regex(r"[A-Za-z0-9._-]+")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_MAX_REDIRECTS = 5
_CHUNK_BYTES = 65_536
_TEXT_MEDIA_TYPES = (
    "text/",
    "application/json",
    "application/xml",
    "application/xhtml+xml",
    "application/javascript",
)
_RESULT_FIELDS = (("title", "title"), ("url", "url"), ("text", "content"))
"""Our names of the fields of a search result, and the names that the search service uses."""
_FETCH_PARAMETERS = schema.object_schema(
    {"url": schema.string_schema("The address: http:// or https://.", minLength=8, maxLength=4_000)}
)
_SEARCH_PARAMETERS = schema.object_schema(
    {"query": schema.string_schema("What to search for.", minLength=1, maxLength=500)},
    {"count": schema.integer_schema(f"How many results; {DEFAULT_RESULTS} by default.", least=1, most=30)},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """The parts of a URL; a URL that two parsers could read differently is refused."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def url(self) -> str:
        """The complete URL."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target}"

    @property
    def authority(self) -> str:
        """Host and port, as in the `Host` header."""
        return self.host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"


def parse_address(url: str) -> WebAddress:
    """Parse a URL; only `http` and `https` URLs without a user name are accepted."""
    if not url.isascii() or any(character <= " " or character in '\\"<>^`{|}\x7f' for character in url):
        raise ToolError(f"`{url[:200]}` is not a web address: write it in plain, escaped characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ToolError(f"`{url[:200]}` is not a web address") from None
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc or not _HOST_NAME.fullmatch(host):
        raise ToolError(f"`{url[:200]}` is not a web address: it must be http:// or https:// and a name")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebAddress(scheme=parts.scheme, host=host, port=port or DEFAULT_PORTS[parts.scheme], target=target)


class AddressGuard:
    """Allows connections to public addresses, and to private addresses that the operator listed."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        self._allowed = frozenset(one.lower() for one in allow_private)

    def with_allowed_endpoints(self, *endpoints: str) -> "AddressGuard":
        """A copy of this guard that also allows these private endpoints."""
        return AddressGuard((*self._allowed, *endpoints))

    async def resolve_host(self, host: str, port: int) -> tuple[str, ...]:
        """Resolve a host to IP addresses; raises `ToolError` if one of them is private."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise ToolError(f"there is no host `{host}`") from None
        addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
        if f"{host}:{port}".lower() in self._allowed:
            return addresses
        # One private address is enough to refuse: the other addresses may be there to hide it.
        for address in addresses:
            if not is_public_address(ipaddress.ip_address(address.partition("%")[0])):
                raise ToolError(f"`{host}` is at a private address, which is not reached from here")
        return addresses


def is_public_address(address: IpAddress) -> bool:
    """Whether an address is on the public internet; also checks an IPv4 address inside an IPv6 address."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public_address(inner)
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """An HTTP request."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResponse:
    """An HTTP response."""

    url: str
    status: int
    media_type: str
    """Media type without parameters such as the charset."""
    charset: str
    body: bytes
    is_truncated: bool = False
    redirect: str = ""
    """Target of a redirect to another host; it is not followed, because it needs its own decision."""

    @property
    def body_text(self) -> str:
        """The body as text."""
        try:
            return self.body.decode(self.charset or "utf-8", errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")


class Fetcher:
    """Sends HTTP requests, only to IP addresses that the guard allows."""

    def __init__(self, guard: AddressGuard, *, max_bytes: int, seconds: float = 30) -> None:
        self.guard = guard
        self._max_bytes = max_bytes
        self._seconds = seconds

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """Send a request; follows redirects on the same host, and checks each of them."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._fetch_with_redirects(request)
        except TimeoutError:
            raise ToolError(f"`{request.url[:200]}` did not answer in {self._seconds:g} seconds") from None

    async def _fetch_with_redirects(self, request: FetchRequest) -> FetchResponse:
        address = parse_address(request.url)
        for _ in range(_MAX_REDIRECTS):
            response = await self._fetch_once(address, request)
            if not response.redirect:
                return response
            target = parse_address(urljoin(address.url, response.redirect))
            if target.host != address.host or request.method != "GET":
                # The decision of the gate is about this host only.
                return _with_redirect(response, target)
            address = target
        raise ToolError(f"`{request.url[:200]}` redirects more than {_MAX_REDIRECTS} times")

    async def _fetch_once(self, address: WebAddress, request: FetchRequest) -> FetchResponse:
        addresses = await self.guard.resolve_host(address.host, address.port)
        connection = _PinnedConnection(address, addresses, self._seconds)
        try:
            return await NETWORK_THREADS.run_in_thread(
                _send_request, connection, address, request, self._max_bytes
            )
        except ssl.SSLError as error:
            raise ToolError(f"`{address.host}` has no valid certificate: {error.reason}") from None
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise ToolError(f"`{address.host}` could not be asked: {_error_text(error)}") from None
        finally:
            connection.abort_connection()


def web_fetch_tool(fetcher: Fetcher) -> ChatTool:
    """The tool that fetches a page."""

    async def fetch_page(args: Arguments, context: ToolContext) -> ToolResult:
        await context.progress(f"fetching {args.get_text('url')[:200]}")
        response = await fetcher.fetch(FetchRequest(url=args.get_text("url")))
        # In a thread: parsing a large page can take a second.
        return await FILE_THREADS.run_in_thread(_page_result, response)

    description = (
        "Fetch a page of the web as text. A redirect to another host is not followed: "
        "the result says where it leads, and you may fetch that. Private addresses are refused."
    )
    return ChatTool(tool=define_tool("web_fetch", description, _FETCH_PARAMETERS), work=fetch_page)


def web_search_tool(fetcher: Fetcher, endpoint: str) -> ChatTool:
    """The tool that uses the operator's search service, which has the API of SearXNG."""
    address = parse_address(endpoint)
    guard = fetcher.guard.with_allowed_endpoints(f"{address.host}:{address.port}")
    search_fetcher = Fetcher(guard, max_bytes=2_000_000)

    async def search_web(args: Arguments, _: ToolContext) -> ToolResult:
        query = args.get_text("query")
        url = f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode({'q': query, 'format': 'json'})}"
        response = await search_fetcher.fetch(FetchRequest(url=url, headers={"Accept": "application/json"}))
        if response.status != 200 or response.redirect:
            raise ToolError(f"the search service answered with status {response.status}")
        results = list(_search_results(response))[: args.get_number("count", DEFAULT_RESULTS)]
        text = "\n\n".join(f"{one['title']}\n{one['url']}\n{one['text']}".strip() for one in results)
        return ToolResult(text=text or f"nothing was found for `{query}`", data={"hits": results})

    return ChatTool(tool=define_tool("web_search", "Search the web.", _SEARCH_PARAMETERS), work=search_web)


def _page_result(response: FetchResponse) -> ToolResult:
    data = {
        "url": response.url,
        "status": response.status,
        "kind": response.media_type,
        "bytes": len(response.body),
    }
    if response.redirect:
        text = f"{response.url} has moved to another host: {response.redirect}"
        return ToolResult(text=text, data={**data, "moved": response.redirect})
    if not response.media_type.startswith(_TEXT_MEDIA_TYPES) or b"\0" in response.body[:8_192]:
        size = f"more than {len(response.body):,}" if response.is_truncated else f"{len(response.body):,}"
        raise ToolError(
            f"{response.url} is {response.media_type} of {size} bytes, which is not shown as text"
        )
    title, text = (
        page_title_and_text(response.body_text, response.url)
        if "html" in response.media_type
        else ("", response.body_text)
    )
    more = ["… there is more, which was not fetched"] if response.is_truncated else []
    status = [f"(status {response.status})"] if response.status != 200 else []
    lines = [*status, *([f"# {title}"] if title else []), text, *more]
    return ToolResult(text="\n\n".join(lines), data={**data, "title": title}, failed=response.status >= 400)


def _search_results(response: FetchResponse) -> Iterator[dict[str, str]]:
    try:
        found = as_object(json.loads(response.body_text))
    except ValueError:
        raise ToolError("the search service did not answer with JSON") from None
    for one in as_list((found or {}).get("results")) or ():
        result = as_object(one) or {}
        if isinstance(result.get("url"), str):
            yield {key: str(result.get(source) or "") for key, source in _RESULT_FIELDS}


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to IP addresses that were checked before; the name is not resolved again."""

    def __init__(self, address: WebAddress, addresses: tuple[str, ...], seconds: float) -> None:
        super().__init__(address.host, address.port, timeout=seconds)
        self._address = address
        self._addresses = addresses

    def connect(self) -> None:
        """Connect to the first address that accepts; https verifies the certificate for the host name."""
        plain = self._open_socket()
        if self._address.scheme == "https":
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(plain, server_hostname=self._address.host)
        else:
            self.sock = plain

    def abort_connection(self) -> None:
        """Close the connection immediately, also while another thread waits for data."""
        sock: socket.socket | None = self.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self.close()

    def _open_socket(self) -> socket.socket:
        last: OSError = ConnectionError("no address")
        for address in self._addresses:
            try:
                return socket.create_connection((address, self.port), self.timeout)
            except OSError as error:
                last = error
        raise last


def _send_request(
    connection: _PinnedConnection, address: WebAddress, request: FetchRequest, max_bytes: int
) -> FetchResponse:
    headers = {
        "Host": address.authority,
        "User-Agent": USER_AGENT,
        "Accept-Encoding": "gzip, identity",
        "Connection": "close",
        **request.headers,
    }
    connection.request(request.method, address.target, body=request.body, headers=headers)
    response = connection.getresponse()
    moved = response.headers.get("Location", "") if response.status in (301, 302, 303, 307, 308) else ""
    body, more = (b"", False) if moved else _read_body(response, max_bytes)
    return FetchResponse(
        url=address.url,
        status=response.status,
        media_type=response.headers.get_content_type(),
        charset=response.headers.get_content_charset("utf-8"),
        body=body,
        is_truncated=more,
        redirect=moved,
    )


def _read_body(response: http.client.HTTPResponse, max_bytes: int) -> tuple[bytes, bool]:
    """Read a body up to a size; decompresses in pieces, because a small body may expand to any size."""
    packed = response.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16) if packed else None
    body = bytearray()
    while len(body) <= max_bytes and (chunk := response.read1(_CHUNK_BYTES)):
        body += chunk if unpacking is None else unpacking.decompress(chunk, max_bytes + 1 - len(body))
    return bytes(body[:max_bytes]), len(body) > max_bytes


def _with_redirect(response: FetchResponse, target: WebAddress) -> FetchResponse:
    return FetchResponse(
        url=response.url,
        status=response.status,
        media_type=response.media_type,
        charset=response.charset,
        body=b"",
        redirect=target.url,
    )


def _error_text(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error) or type(error).__name__).lower()

"""The `browser` tool: one page per conversation, in a Chromium that can reach public addresses only."""

import asyncio
import base64
import hmac
import os
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Error, Page, Playwright, async_playwright

from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.command import clean_environment
from assent.hosts.chat.tools.media import save_media
from assent.hosts.chat.tools.tool import Arguments, ChatTool, ToolContext, ToolError, ToolResult, define_tool
from assent.hosts.chat.tools.web import AddressGuard, parse_address

MAX_CONTEXTS = 8
_TIMEOUT_MS = 15_000
_CHROMIUM_FLAGS = (
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
)
PROXY_USER = "assent"
_REQUEST_HEAD_SECONDS = 30
_CHUNK_BYTES = 65_536
_PROXY_HEADERS = (b"proxy-", b"connection:", b"keep-alive:")
"""Headers that are meant for the proxy and are not forwarded."""
_PARAMETERS = schema.object_schema(
    {
        "action": schema.string_schema(
            "What to do.",
            enum=["open", "read", "click", "type", "press", "select", "back", "screenshot", "close"],
        )
    },
    {
        "url": schema.string_schema("open: the address.", minLength=8, maxLength=4_000),
        "target": schema.string_schema(
            "click, type, select: an element's number from the last reading.", minLength=1
        ),
        "text": schema.string_schema("type: what to type; select: the option.", maxLength=10_000),
        "key": schema.string_schema("press: a key, such as Enter.", minLength=1, maxLength=30),
    },
)
_NUMBER_ELEMENTS_SCRIPT = """() => {
  const seen = 'a[href], button, input, select, textarea, [role=button], [role=link], [onclick]';
  const found = [...document.querySelectorAll(seen)].filter(one => one.getClientRects().length);
  document.querySelectorAll('[data-assent]').forEach(one => one.removeAttribute('data-assent'));
  return found.slice(0, 150).map((one, at) => {
    one.setAttribute('data-assent', at + 1);
    const kind = one.tagName.toLowerCase() + (one.type ? ' ' + one.type : '');
    const name = one.getAttribute('aria-label') || one.innerText || one.name || one.placeholder || '';
    return `[${at + 1}] ${kind}: ${name.trim().replace(/\\s+/g, ' ').slice(0, 80)}`;
  });
}"""


class Browser:
    """A Chromium that starts at its first use; each conversation has its own cookies and pages."""

    def __init__(self, executable: str, guard: AddressGuard) -> None:
        self._executable = executable
        self._guard = guard
        self._proxy = BrowserProxy(guard)
        self._start_lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._contexts: OrderedDict[str, BrowserContext] = OrderedDict()
        self._page_locks: dict[str, asyncio.Lock] = {}

    def page_lock(self, conversation: str) -> asyncio.Lock:
        """The lock of a conversation's page, so that two calls do not use the page at the same time."""
        return self._page_locks.setdefault(conversation, asyncio.Lock())

    async def check_address(self, url: str) -> None:
        """Raise `ToolError` for a private address; the proxy also checks each connection."""
        address = parse_address(url)
        await self._guard.resolve_host(address.host, address.port)

    async def open_page(self, conversation: str) -> Page:
        """The newest page of a conversation, which is opened if needed."""
        async with self._start_lock:
            chromium = await self._start_chromium()
            context = self._contexts.get(conversation)
            if context is None:
                context = await chromium.new_context(accept_downloads=False, service_workers="block")
                context.set_default_timeout(_TIMEOUT_MS)
                self._contexts[conversation] = context
            self._contexts.move_to_end(conversation)
            await self._close_oldest_contexts()
        return context.pages[-1] if context.pages else await context.new_page()

    async def close_pages(self, conversation: str) -> None:
        """Close the pages of a conversation and delete its cookies."""
        context = self._contexts.pop(conversation, None)
        self._page_locks.pop(conversation, None)
        if context is not None:
            await context.close()

    async def close(self) -> None:
        """Stop Chromium and the proxy."""
        if self._chromium is not None:
            await self._chromium.close()
        if self._playwright is not None:
            await self._playwright.stop()
        await self._proxy.stop_proxy()

    async def _start_chromium(self) -> Chromium:
        if self._chromium is not None and self._chromium.is_connected():
            return self._chromium
        self._contexts.clear()
        if self._playwright is None:
            await self._proxy.start_proxy()
            self._playwright = await async_playwright().start()
        self._chromium = await self._playwright.chromium.launch(
            executable_path=self._executable,
            args=list(_CHROMIUM_FLAGS),
            chromium_sandbox=os.geteuid() != 0,
            env=dict[str, str | float | bool](clean_environment(os.environ)),
            proxy={
                "server": self._proxy.proxy_address,
                "username": PROXY_USER,
                "password": self._proxy.password,
            },
        )
        return self._chromium

    async def _close_oldest_contexts(self) -> None:
        while len(self._contexts) > MAX_CONTEXTS:
            await self.close_pages(next(iter(self._contexts)))


class BrowserProxy:
    """HTTP proxy with a password; connects only to addresses that the guard allows."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._server: asyncio.Server | None = None
        self._connection_tasks: set[asyncio.Task[None]] = set()
        self.password = secrets.token_urlsafe(32)

    @property
    def proxy_address(self) -> str:
        """The URL of the proxy."""
        assert self._server is not None  # noqa: S101 - for the type checker
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start_proxy(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        self._server = await asyncio.start_server(self._handle_connection, "127.0.0.1", 0, limit=_CHUNK_BYTES)

    async def stop_proxy(self) -> None:
        """Stop listening and close all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._connection_tasks:
            task.cancel()
        await asyncio.gather(*self._connection_tasks, return_exceptions=True)

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker
        self._connection_tasks.add(task)
        try:
            await self._forward_connection(reader, writer)
        except ToolError as error:
            writer.write(_refusal_response(b"403 Forbidden", str(error)))
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.write(_refusal_response(b"502 Bad Gateway", "the page could not be reached"))
        except asyncio.CancelledError:
            pass  # Only `stop` cancels this task, and `stop` waits until the task ends.
        finally:
            self._connection_tasks.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _forward_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Check the password, connect to the requested host, and copy bytes in both directions."""
        async with asyncio.timeout(_REQUEST_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
            line, *headers = head[:-4].split(b"\r\n")
            method, target, _ = line.decode("ascii").split(" ")
            if not self._is_authorized(headers):
                writer.write(_password_required_response())
                return
            host, port, first_bytes = _parse_proxy_target(method, target, headers)
            addresses = await self._guard.resolve_host(host, port)
            upstream_reader, upstream_writer = await _connect_to_first_address(addresses, port)
        try:
            upstream_writer.write(first_bytes)
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await asyncio.gather(_copy_stream(reader, upstream_writer), _copy_stream(upstream_reader, writer))
        finally:
            upstream_writer.close()

    def _is_authorized(self, headers: list[bytes]) -> bool:
        wanted = b"Basic " + base64.b64encode(f"{PROXY_USER}:{self.password}".encode())
        given = (line.partition(b":") for line in headers)
        passwords = [value.strip() for name, _, value in given if name.lower() == b"proxy-authorization"]
        return len(passwords) == 1 and hmac.compare_digest(passwords[0], wanted)


def browser_tool(browser: Browser) -> ChatTool:
    """The tool that opens pages, clicks, types and takes screenshots."""

    async def use_browser(args: Arguments, context: ToolContext) -> ToolResult:
        action = args.get_text("action")
        if action == "close":
            await browser.close_pages(context.conversation)
            return ToolResult(text="closed")
        if action == "open":
            await browser.check_address(args.get_text("url"))
        async with browser.page_lock(context.conversation):
            try:
                page = await browser.open_page(context.conversation)
                if action == "screenshot":
                    return await save_media(await page.screenshot(), "png", "image/png", context)
                await _ACTIONS[action](page, args)
                return await _page_result(page)
            except Error as error:
                raise ToolError(f"the browser could not {action}: {error.message.splitlines()[0]}") from None

    description = (
        "Use a web browser. `open` an address; each answer is the page's text and its numbered elements; "
        "then `click`, `type` or `select` by number, `press` a key, go `back`, `read` again, "
        "take a `screenshot`, or `close`."
    )
    return ChatTool(tool=define_tool("browser", description, _PARAMETERS), work=use_browser)


async def _page_result(page: Page) -> ToolResult:
    title, url = await page.title(), page.url
    text = (await page.inner_text("body", timeout=_TIMEOUT_MS)).strip() if url != "about:blank" else ""
    elements: list[str] = await page.evaluate(_NUMBER_ELEMENTS_SCRIPT)
    lines = [f"# {title}", url, text, *elements]
    return ToolResult(text="\n".join(lines), data={"url": url, "title": title, "elements": elements})


async def _open_page(page: Page, args: Arguments) -> None:
    await page.goto(args.get_text("url"), wait_until="domcontentloaded")


async def _read_page(_page: Page, _args: Arguments) -> None:
    """Does nothing: every action returns the content of the page."""


async def _click_element(page: Page, args: Arguments) -> None:
    await _find_element(page, args).click()
    await page.wait_for_load_state("domcontentloaded")


async def _type_text(page: Page, args: Arguments) -> None:
    await _find_element(page, args).fill(args.get_text("text", ""))


async def _press_key(page: Page, args: Arguments) -> None:
    await page.keyboard.press(args.get_text("key"))
    await page.wait_for_load_state("domcontentloaded")


async def _select_option(page: Page, args: Arguments) -> None:
    await _find_element(page, args).select_option(label=args.get_text("text"))


async def _go_back(page: Page, _args: Arguments) -> None:
    await page.go_back(wait_until="domcontentloaded")


def _find_element(page: Page, args: Arguments) -> Any:
    target = args.get_text("target")
    if not target.isdecimal():
        raise ToolError("`target` is the number of an element, as the last reading gave it")
    return page.locator(f'[data-assent="{int(target)}"]')


_ACTIONS: dict[str, Callable[[Page, Arguments], Awaitable[None]]] = {
    "open": _open_page,
    "read": _read_page,
    "click": _click_element,
    "type": _type_text,
    "press": _press_key,
    "select": _select_option,
    "back": _go_back,
}


def _parse_proxy_target(method: str, target: str, headers: list[bytes]) -> tuple[str, int, bytes]:
    """The host and port of a proxy request, and the first bytes to send to that host."""
    if method == "CONNECT":
        host, _, port = target.rpartition(":")
        return host.strip("[]"), int(port), b""
    address = parse_address(target)
    kept = [line for line in headers if not line.lower().startswith(_PROXY_HEADERS)]
    first = f"{method} {address.target} HTTP/1.1".encode("ascii")
    return address.host, address.port, b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


async def _connect_to_first_address(
    addresses: tuple[str, ...], port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection to the first address that accepts it."""
    *others, last = addresses
    for address in others:
        with suppress(OSError):
            return await asyncio.open_connection(address, port, limit=_CHUNK_BYTES)
    return await asyncio.open_connection(last, port, limit=_CHUNK_BYTES)


async def _copy_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


def _refusal_response(status: bytes, why: str) -> bytes:
    body = why.encode()
    head = b"HTTP/1.1 %b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n" % (
        status,
        len(body),
    )
    return head + b"Connection: close\r\n\r\n" + body


def _password_required_response() -> bytes:
    return _refusal_response(
        b'407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="assent"', ""
    )

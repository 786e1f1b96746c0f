"""`browser`: one page per conversation, in a Chromium whose proxy reaches public addresses only."""

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
_FLAGS = (
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
)
USER = "assent"
_HEAD_TIMEOUT = 30
_CHUNK = 65_536
_HOP_HEADERS = (b"proxy-", b"connection:", b"keep-alive:")
"""Headers for the proxy itself, which are not forwarded."""
_PARAMETERS = schema.object_of(
    {
        "action": schema.string(
            "What to do.",
            enum=["open", "read", "click", "type", "press", "select", "back", "screenshot", "close"],
        )
    },
    {
        "url": schema.string("open: the address.", minLength=8, maxLength=4_000),
        "target": schema.string(
            "click, type, select: an element's number from the last reading.", minLength=1
        ),
        "text": schema.string("type: what to type; select: the option.", maxLength=10_000),
        "key": schema.string("press: a key, such as Enter.", minLength=1, maxLength=30),
    },
)
_NUMBER_ELEMENTS = """() => {
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
    """A Chromium that starts at its first use, with a separate browser context per conversation."""

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
        """The lock of a conversation's page: two calls at once would disturb each other."""
        return self._page_locks.setdefault(conversation, asyncio.Lock())

    async def check_address(self, url: str) -> None:
        """Refuse a private address with a clear message; the proxy checks each connection again."""
        address = parse_address(url)
        await self._guard.resolve(address.host, address.port)

    async def page(self, conversation: str) -> Page:
        """The newest page of a conversation."""
        async with self._start_lock:
            chromium = await self._start()
            context = self._contexts.get(conversation)
            if context is None:
                context = await chromium.new_context(accept_downloads=False, service_workers="block")
                context.set_default_timeout(_TIMEOUT_MS)
                self._contexts[conversation] = context
            self._contexts.move_to_end(conversation)
            await self._drop_oldest()
        return context.pages[-1] if context.pages else await context.new_page()

    async def close_pages(self, conversation: str) -> None:
        """Close the pages of a conversation and delete its cookies."""
        context = self._contexts.pop(conversation, None)
        self._page_locks.pop(conversation, None)
        if context is not None:
            await context.close()

    async def close(self) -> None:
        """Stop the browser and its proxy."""
        if self._chromium is not None:
            await self._chromium.close()
        if self._playwright is not None:
            await self._playwright.stop()
        await self._proxy.stop()

    async def _start(self) -> Chromium:
        if self._chromium is not None and self._chromium.is_connected():
            return self._chromium
        self._contexts.clear()
        if self._playwright is None:
            await self._proxy.start()
            self._playwright = await async_playwright().start()
        self._chromium = await self._playwright.chromium.launch(
            executable_path=self._executable,
            args=list(_FLAGS),
            chromium_sandbox=os.geteuid() != 0,
            env=dict[str, str | float | bool](clean_environment(os.environ)),
            proxy={"server": self._proxy.address, "username": USER, "password": self._proxy.password},
        )
        return self._chromium

    async def _drop_oldest(self) -> None:
        while len(self._contexts) > MAX_CONTEXTS:
            await self.close_pages(next(iter(self._contexts)))


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


def browser_tool(browser: Browser) -> ChatTool:
    """The tool for all actions in a browser."""

    async def work(args: Arguments, context: ToolContext) -> ToolResult:
        action = args.text("action")
        if action == "close":
            await browser.close_pages(context.conversation)
            return ToolResult(text="closed")
        if action == "open":
            await browser.check_address(args.text("url"))
        async with browser.page_lock(context.conversation):
            try:
                page = await browser.page(context.conversation)
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
    return ChatTool(tool=define_tool("browser", description, _PARAMETERS), work=work)


async def _page_result(page: Page) -> ToolResult:
    title, url = await page.title(), page.url
    text = (await page.inner_text("body", timeout=_TIMEOUT_MS)).strip() if url != "about:blank" else ""
    elements: list[str] = await page.evaluate(_NUMBER_ELEMENTS)
    lines = [f"# {title}", url, text, *elements]
    return ToolResult(text="\n".join(lines), data={"url": url, "title": title, "elements": elements})


async def _open(page: Page, args: Arguments) -> None:
    await page.goto(args.text("url"), wait_until="domcontentloaded")


async def _read(_page: Page, _args: Arguments) -> None:
    """Nothing to do: every action returns the content of the page."""


async def _click(page: Page, args: Arguments) -> None:
    await _element(page, args).click()
    await page.wait_for_load_state("domcontentloaded")


async def _type(page: Page, args: Arguments) -> None:
    await _element(page, args).fill(args.text("text", ""))


async def _press(page: Page, args: Arguments) -> None:
    await page.keyboard.press(args.text("key"))
    await page.wait_for_load_state("domcontentloaded")


async def _select(page: Page, args: Arguments) -> None:
    await _element(page, args).select_option(label=args.text("text"))


async def _back(page: Page, _args: Arguments) -> None:
    await page.go_back(wait_until="domcontentloaded")


def _element(page: Page, args: Arguments) -> Any:
    target = args.text("target")
    if not target.isdecimal():
        raise ToolError("`target` is the number of an element, as the last reading gave it")
    return page.locator(f'[data-assent="{int(target)}"]')


_ACTIONS: dict[str, Callable[[Page, Arguments], Awaitable[None]]] = {
    "open": _open,
    "read": _read,
    "click": _click,
    "type": _type,
    "press": _press,
    "select": _select,
    "back": _back,
}


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
    return _refusal(b'407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="assent"', "")

"""`browser`: one page for each conversation, in a Chromium that reaches public addresses only."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Error, Page, Playwright, async_playwright

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.addresses import Guard, web
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.command import scrubbed
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.egress import USER, Egress
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.media import kept
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

MOST_PAGES = 8
_PATIENCE = 15_000
_FLAGS = (
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
)

_PARAMETERS = schema.record(
    {
        "action": schema.text(
            "What to do.",
            enum=["open", "read", "click", "type", "press", "select", "back", "screenshot", "close"],
        )
    },
    {
        "url": schema.text("open: the address.", minLength=8, maxLength=4_000),
        "target": schema.text("click, type, select: an element's number from the last reading.", minLength=1),
        "text": schema.text("type: what to type; select: the option.", maxLength=10_000),
        "key": schema.text("press: a key, such as Enter.", minLength=1, maxLength=30),
    },
)
_NUMBERED = """() => {
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
    """A Chromium that starts when it is first needed, and a page of its own for each conversation."""

    def __init__(self, executable: str, guard: Guard) -> None:
        self._executable = executable
        self._guard = guard
        self._egress = Egress(guard)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._contexts: OrderedDict[str, BrowserContext] = OrderedDict()
        self._busy: dict[str, asyncio.Lock] = {}

    def busy(self, conversation: str) -> asyncio.Lock:
        """Held by whoever works on a conversation's page: two at once would click into each other's."""
        return self._busy.setdefault(conversation, asyncio.Lock())

    async def check(self, url: str) -> None:
        """Say clearly why a page will not open; its connections are looked at again as they are made."""
        place = web(url)
        await self._guard.addresses(place.host, place.port)

    async def page(self, conversation: str) -> Page:
        """The newest page of a conversation."""
        async with self._starting:
            chromium = await self._started()
            context = self._contexts.get(conversation)
            if context is None:
                context = await chromium.new_context(accept_downloads=False, service_workers="block")
                context.set_default_timeout(_PATIENCE)
                self._contexts[conversation] = context
            self._contexts.move_to_end(conversation)
            await self._drop_oldest()
        return context.pages[-1] if context.pages else await context.new_page()

    async def leave(self, conversation: str) -> None:
        """Close what a conversation had open, with its cookies."""
        context = self._contexts.pop(conversation, None)
        self._busy.pop(conversation, None)
        if context is not None:
            await context.close()

    async def close(self) -> None:
        """End the browser and its way out."""
        if self._chromium is not None:
            await self._chromium.close()
        if self._playwright is not None:
            await self._playwright.stop()
        await self._egress.stop()

    async def _started(self) -> Chromium:
        if self._chromium is not None and self._chromium.is_connected():
            return self._chromium
        self._contexts.clear()
        if self._playwright is None:
            await self._egress.start()
            self._playwright = await async_playwright().start()
        self._chromium = await self._playwright.chromium.launch(
            executable_path=self._executable,
            args=list(_FLAGS),
            chromium_sandbox=os.geteuid() != 0,
            env=dict[str, str | float | bool](scrubbed(os.environ)),
            proxy={"server": self._egress.address, "username": USER, "password": self._egress.password},
        )
        return self._chromium

    async def _drop_oldest(self) -> None:
        while len(self._contexts) > MOST_PAGES:
            await self.leave(next(iter(self._contexts)))


def browser(running: Browser) -> BeltTool:
    """The one tool for everything that is done with a browser."""

    async def work(args: Arguments, context: Context) -> Result:
        action = args.text("action")
        if action == "close":
            await running.leave(context.conversation)
            return Result(text="closed")
        if action == "open":
            await running.check(args.text("url"))
        async with running.busy(context.conversation):
            try:
                page = await running.page(context.conversation)
                if action == "screenshot":
                    return await kept(await page.screenshot(), "png", "image/png", context)
                await _ACTIONS[action](page, args)
                return await _seen(page)
            except Error as error:
                raise FaultError(f"the browser could not {action}: {error.message.splitlines()[0]}") from None

    description = (
        "Use a web browser. `open` an address; each answer is the page's text and its numbered elements; "
        "then `click`, `type` or `select` by number, `press` a key, go `back`, `read` again, "
        "take a `screenshot`, or `close`."
    )
    return BeltTool(tool=belt_tool("browser", description, _PARAMETERS), work=work)


async def _seen(page: Page) -> Result:
    title, url = await page.title(), page.url
    text = (await page.inner_text("body", timeout=_PATIENCE)).strip() if url != "about:blank" else ""
    elements: list[str] = await page.evaluate(_NUMBERED)
    lines = [f"# {title}", url, text, *elements]
    return Result(text="\n".join(lines), data={"url": url, "title": title, "elements": elements})


async def _open(page: Page, args: Arguments) -> None:
    await page.goto(args.text("url"), wait_until="domcontentloaded")


async def _read(_page: Page, _args: Arguments) -> None:
    """Nothing to do: every answer is a reading."""


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
        raise FaultError("`target` is the number of an element, as the last reading gave it")
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

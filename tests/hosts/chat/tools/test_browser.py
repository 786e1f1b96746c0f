"""The browser: a real one on a real page, which reaches no private address."""

import asyncio
import base64
import os
import shutil
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assent.hosts.chat.tools.browser import PROXY_USER, Browser, BrowserProxy, browser_tool
from assent.hosts.chat.tools.tool import ChatTool
from assent.hosts.chat.tools.web import AddressGuard
from tests.hosts.chat.tools.support import Site, make_context, run_site, succeeded_and_text, workspace

CHROMIUM = (
    os.environ.get("ASSENT_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("google-chrome")
    or "chromium"
)
FORM = """<html><head><title>Order</title></head><body><h1>Order</h1>
<form action="/done" method="get"><input name="what" aria-label="What">
<select name="size" aria-label="Size"><option>small</option><option>large</option></select>
<button>Send</button></form><a href="/more">More</a></body></html>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with run_site() as running:
        running.page("/", FORM)
        running.page("/more", "<title>More</title><p>There is more.</p>")
        running.page("/done", "<title>Done</title><p>Thank you.</p>")
        yield running


@asynccontextmanager
async def open_browser_tool(*allowed: str) -> AsyncGenerator[ChatTool]:
    running = Browser(CHROMIUM, AddressGuard(allowed))
    try:
        yield browser_tool(running)
    finally:
        await running.close()


@pytest.mark.supports("R000-9")
async def test_a_form_is_filled_in_and_sent(site: Site, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    context = make_context(root)
    async with open_browser_tool(site.endpoint) as tool:
        opened = await tool.run_call({"action": "open", "url": site.url()}, context)
        typed = await tool.run_call({"action": "type", "target": "1", "text": "two herons"}, context)
        chosen = await tool.run_call({"action": "select", "target": "2", "text": "large"}, context)
        sent = await tool.run_call({"action": "click", "target": "3"}, context)
        taken = await tool.run_call({"action": "screenshot"}, context)
        back = await tool.run_call({"action": "back"}, context)
        closed = await tool.run_call({"action": "close"}, context)

    assert opened.data["elements"] == [
        "[1] input text: What",
        "[2] select select-one: Size",
        "[3] button submit: Send",
        "[4] a: More",
    ]
    assert [one.failed for one in (opened, typed, chosen, sent, taken, back, closed)] == [False] * 7
    assert [one.path for one in site.asked if one.path.startswith("/done")] == [
        "/done?what=two+herons&size=large"
    ]
    assert sent.text.startswith("# Done\n")
    assert "Thank you." in sent.text
    assert (root / str(taken.data["path"])).read_bytes().startswith(b"\x89PNG")
    assert back.data["title"] == "Order"


@pytest.mark.proves("T-37")
async def test_a_private_address_is_refused_with_a_message_and_pages_cannot_reach_one(
    site: Site, tmp_path: Path
) -> None:
    with run_site() as inner:
        inner.page("/", "secret", "text/plain")
        site.page(
            "/attack",
            f"<title>A</title><img src='{inner.url('/i.png')}'><iframe src='{inner.url()}'></iframe>"
            f"<script>fetch('{inner.url()}', {{mode: 'no-cors'}}).catch(() => 0);"
            f"new WebSocket('ws://{inner.endpoint}/ws')</script><p>shown</p>",
        )
        site.redirect("/away", inner.url())
        context = make_context(workspace(tmp_path))
        async with open_browser_tool(site.endpoint) as tool:
            refused = await tool.run_call({"action": "open", "url": inner.url()}, context)
            attacked = await tool.run_call({"action": "open", "url": site.url("/attack")}, context)
            away = await tool.run_call({"action": "open", "url": site.url("/away")}, context)
            file = await tool.run_call({"action": "open", "url": "file:///etc/passwd"}, context)

        assert succeeded_and_text(refused) == (
            False,
            "`127.0.0.1` is at a private address, which is not reached from here",
        )
        assert "shown" in attacked.text
        assert "secret" not in attacked.text + away.text
        assert "is not a web address" in file.text
        assert inner.asked == []


async def test_two_conversations_share_no_page_and_no_cookie(site: Site, tmp_path: Path) -> None:
    site.pages["/cookie"] = lambda asked: (
        200,
        {"Content-Type": "text/html", "Set-Cookie": "who=ana"},
        f"<title>C</title><p>cookie: {asked.headers.get('Cookie', 'none')}</p>".encode(),
    )
    root = workspace(tmp_path)
    ana, bob = make_context(root), make_context(root, conversation="c2")
    async with open_browser_tool(site.endpoint) as tool:
        await tool.run_call({"action": "open", "url": site.url("/cookie")}, ana)
        again = await tool.run_call({"action": "open", "url": site.url("/cookie")}, ana)
        other = await tool.run_call({"action": "open", "url": site.url("/cookie")}, bob)

    assert "cookie: who=ana" in again.text
    assert "cookie: none" in other.text


async def test_a_browser_that_died_is_started_again(site: Site, tmp_path: Path) -> None:
    context = make_context(workspace(tmp_path))
    running = Browser(CHROMIUM, AddressGuard([site.endpoint]))
    tool = browser_tool(running)
    try:
        await tool.run_call({"action": "open", "url": site.url()}, context)
        dying = (await running.open_page("c1")).context.browser
        assert dying is not None
        await dying.close()
        again = await tool.run_call({"action": "open", "url": site.url("/more")}, context)
    finally:
        await running.close()

    assert "There is more." in again.text


async def test_a_failed_action_is_a_clear_result_and_the_page_stays_open(site: Site, tmp_path: Path) -> None:
    context = make_context(workspace(tmp_path))
    async with open_browser_tool(site.endpoint) as tool:
        await tool.run_call({"action": "open", "url": site.url()}, context)
        selector = await tool.run_call({"action": "click", "target": "body"}, context)
        unknown = await tool.run_call({"action": "fly"}, context)
        nothing = await tool.run_call({"action": "press", "key": "NoSuchKey"}, context)
        read = await tool.run_call({"action": "read"}, context)

    assert succeeded_and_text(selector) == (
        False,
        "`target` is the number of an element, as the last reading gave it",
    )
    assert unknown.failed
    assert nothing.text.startswith("the browser could not press:")
    assert read.data["title"] == "Order"


@pytest.fixture
def plain_site() -> Iterator[Site]:
    with run_site() as running:
        running.page("/", "hello", "text/plain")
        yield running


@asynccontextmanager
async def open_proxy(*allowed: str) -> AsyncGenerator[BrowserProxy]:
    egress = BrowserProxy(AddressGuard(allowed))
    await egress.start_proxy()
    try:
        yield egress
    finally:
        await egress.stop_proxy()


async def send_to_proxy(
    egress: BrowserProxy, first: str, *headers: str, password: str | None = None
) -> bytes:
    address = urlsplit(egress.proxy_address)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    key = base64.b64encode(f"{PROXY_USER}:{password or egress.password}".encode()).decode()
    lines = [first, f"Proxy-Authorization: Basic {key}", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    said = await reader.read()
    writer.close()
    return said


async def test_a_page_of_an_allowed_host_is_forwarded_without_the_proxy_password(plain_site: Site) -> None:
    async with open_proxy(plain_site.endpoint) as egress:
        said = await send_to_proxy(
            egress,
            f"GET {plain_site.url()} HTTP/1.1",
            f"Host: {plain_site.endpoint}",
            "Proxy-Connection: keep-alive",
        )

    assert said.startswith(b"HTTP/1.0 200")
    assert said.endswith(b"hello")
    assert not [name for name in plain_site.asked[0].headers if name.lower().startswith("proxy-")]


@pytest.mark.proves("T-37")
@pytest.mark.parametrize(
    "asked", ["GET {url} HTTP/1.1", "CONNECT {endpoint} HTTP/1.1", "CONNECT [::1]:80 HTTP/1.1"]
)
async def test_a_private_address_is_refused_by_every_method(plain_site: Site, asked: str) -> None:
    async with open_proxy() as egress:
        said = await send_to_proxy(egress, asked.format(url=plain_site.url(), endpoint=plain_site.endpoint))

    assert said.startswith(b"HTTP/1.1 403 Forbidden")
    assert b"private address" in said
    assert plain_site.asked == []


async def test_no_other_process_on_the_machine_can_use_the_proxy(plain_site: Site) -> None:
    async with open_proxy(plain_site.endpoint) as egress:
        said = await send_to_proxy(egress, f"GET {plain_site.url()} HTTP/1.1", password="guess")

    assert said.startswith(b"HTTP/1.1 407 ")
    assert plain_site.asked == []


@pytest.mark.parametrize(
    "line", ["GET", "GET ftp://x/ HTTP/1.1", "CONNECT nowhere HTTP/1.1", "\xff \xff \xff"]
)
async def test_an_invalid_request_closes_only_its_connection(plain_site: Site, line: str) -> None:
    async with open_proxy(plain_site.endpoint) as egress:
        said = await send_to_proxy(egress, line)
        after = await send_to_proxy(
            egress, f"GET {plain_site.url()} HTTP/1.1", f"Host: {plain_site.endpoint}"
        )

    assert said.startswith((b"HTTP/1.1 403", b"HTTP/1.1 502"))
    assert after.endswith(b"hello")

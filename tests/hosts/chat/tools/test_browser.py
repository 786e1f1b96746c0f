"""The browser: a real one on a real page, which reaches no private address."""

import os
import shutil
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent.hosts.chat.tools.browser import Browser, browser_tool
from assent.hosts.chat.tools.fetch import AddressGuard
from assent.hosts.chat.tools.tool import ChatTool
from tests.hosts.chat.tools.support import Site, a_context, a_site, told, workspace

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
    with a_site() as running:
        running.page("/", FORM)
        running.page("/more", "<title>More</title><p>There is more.</p>")
        running.page("/done", "<title>Done</title><p>Thank you.</p>")
        yield running


@asynccontextmanager
async def using(*allowed: str) -> AsyncGenerator[ChatTool]:
    running = Browser(CHROMIUM, AddressGuard(allowed))
    try:
        yield browser_tool(running)
    finally:
        await running.close()


@pytest.mark.proves("R000-9")
async def test_a_form_is_filled_in_and_sent(site: Site, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    context = a_context(root)
    async with using(site.endpoint) as tool:
        opened = await tool.run({"action": "open", "url": site.url()}, context)
        typed = await tool.run({"action": "type", "target": "1", "text": "two herons"}, context)
        chosen = await tool.run({"action": "select", "target": "2", "text": "large"}, context)
        sent = await tool.run({"action": "click", "target": "3"}, context)
        taken = await tool.run({"action": "screenshot"}, context)
        back = await tool.run({"action": "back"}, context)
        closed = await tool.run({"action": "close"}, context)

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
async def test_a_private_address_is_refused_in_words_and_a_page_cannot_reach_one_either(
    site: Site, tmp_path: Path
) -> None:
    with a_site() as inner:
        inner.page("/", "secret", "text/plain")
        site.page(
            "/attack",
            f"<title>A</title><img src='{inner.url('/i.png')}'><iframe src='{inner.url()}'></iframe>"
            f"<script>fetch('{inner.url()}', {{mode: 'no-cors'}}).catch(() => 0);"
            f"new WebSocket('ws://{inner.endpoint}/ws')</script><p>shown</p>",
        )
        site.redirect("/away", inner.url())
        context = a_context(workspace(tmp_path))
        async with using(site.endpoint) as tool:
            refused = await tool.run({"action": "open", "url": inner.url()}, context)
            attacked = await tool.run({"action": "open", "url": site.url("/attack")}, context)
            away = await tool.run({"action": "open", "url": site.url("/away")}, context)
            file = await tool.run({"action": "open", "url": "file:///etc/passwd"}, context)

        assert told(refused) == (False, "`127.0.0.1` is at a private address, which is not reached from here")
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
    ana, bob = a_context(root), a_context(root, conversation="c2")
    async with using(site.endpoint) as tool:
        await tool.run({"action": "open", "url": site.url("/cookie")}, ana)
        again = await tool.run({"action": "open", "url": site.url("/cookie")}, ana)
        other = await tool.run({"action": "open", "url": site.url("/cookie")}, bob)

    assert "cookie: who=ana" in again.text
    assert "cookie: none" in other.text


async def test_a_browser_that_died_is_started_again(site: Site, tmp_path: Path) -> None:
    context = a_context(workspace(tmp_path))
    running = Browser(CHROMIUM, AddressGuard([site.endpoint]))
    tool = browser_tool(running)
    try:
        await tool.run({"action": "open", "url": site.url()}, context)
        dying = (await running.page("c1")).context.browser
        assert dying is not None
        await dying.close()
        again = await tool.run({"action": "open", "url": site.url("/more")}, context)
    finally:
        await running.close()

    assert "There is more." in again.text


async def test_what_cannot_be_done_is_a_clear_result_and_the_page_stays(site: Site, tmp_path: Path) -> None:
    context = a_context(workspace(tmp_path))
    async with using(site.endpoint) as tool:
        await tool.run({"action": "open", "url": site.url()}, context)
        selector = await tool.run({"action": "click", "target": "body"}, context)
        unknown = await tool.run({"action": "fly"}, context)
        nothing = await tool.run({"action": "press", "key": "NoSuchKey"}, context)
        read = await tool.run({"action": "read"}, context)

    assert told(selector) == (False, "`target` is the number of an element, as the last reading gave it")
    assert unknown.failed
    assert nothing.text.startswith("the browser could not press:")
    assert read.data["title"] == "Order"

"""The proxy of the browser: it needs the password, and connects to public addresses only."""

import asyncio
import base64
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from assent.hosts.chat.tools.browser_proxy import USER, BrowserProxy
from assent.hosts.chat.tools.fetch import AddressGuard
from tests.hosts.chat.tools.support import Site, a_site


@pytest.fixture
def site() -> Iterator[Site]:
    with a_site() as running:
        running.page("/", "hello", "text/plain")
        yield running


@asynccontextmanager
async def standing(*allowed: str) -> AsyncGenerator[BrowserProxy]:
    egress = BrowserProxy(AddressGuard(allowed))
    await egress.start()
    try:
        yield egress
    finally:
        await egress.stop()


async def say(egress: BrowserProxy, first: str, *headers: str, password: str | None = None) -> bytes:
    place = urlsplit(egress.address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    key = base64.b64encode(f"{USER}:{password or egress.password}".encode()).decode()
    lines = [first, f"Proxy-Authorization: Basic {key}", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    said = await reader.read()
    writer.close()
    return said


async def test_a_page_of_a_named_host_comes_through_without_our_password(site: Site) -> None:
    async with standing(site.endpoint) as egress:
        said = await say(
            egress, f"GET {site.url()} HTTP/1.1", f"Host: {site.endpoint}", "Proxy-Connection: keep-alive"
        )

    assert said.startswith(b"HTTP/1.0 200")
    assert said.endswith(b"hello")
    assert not [name for name in site.asked[0].headers if name.lower().startswith("proxy-")]


@pytest.mark.proves("T-37")
@pytest.mark.parametrize(
    "asked", ["GET {url} HTTP/1.1", "CONNECT {endpoint} HTTP/1.1", "CONNECT [::1]:80 HTTP/1.1"]
)
async def test_a_private_address_is_refused_by_every_method(site: Site, asked: str) -> None:
    async with standing() as egress:
        said = await say(egress, asked.format(url=site.url(), endpoint=site.endpoint))

    assert said.startswith(b"HTTP/1.1 403 Forbidden")
    assert b"private address" in said
    assert site.asked == []


async def test_no_other_process_on_the_machine_can_use_the_proxy(site: Site) -> None:
    async with standing(site.endpoint) as egress:
        said = await say(egress, f"GET {site.url()} HTTP/1.1", password="guess")

    assert said.startswith(b"HTTP/1.1 407 ")
    assert site.asked == []


@pytest.mark.parametrize(
    "line", ["GET", "GET ftp://x/ HTTP/1.1", "CONNECT nowhere HTTP/1.1", "\xff \xff \xff"]
)
async def test_nonsense_closes_that_connection_only(site: Site, line: str) -> None:
    async with standing(site.endpoint) as egress:
        said = await say(egress, line)
        after = await say(egress, f"GET {site.url()} HTTP/1.1", f"Host: {site.endpoint}")

    assert said.startswith((b"HTTP/1.1 403", b"HTTP/1.1 502"))
    assert after.endswith(b"hello")

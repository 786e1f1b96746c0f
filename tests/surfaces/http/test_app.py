"""The web app: only its own files are served."""

import asyncio
import gzip
import os
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assent.errors import UnavailableError
from assent.surfaces.http.app import BackgroundResource, with_web_app
from tests.waiting import run_ready_tasks, wait_until_async

Reply = tuple[int, Mapping[str, str], bytes]


async def stub_routes(scope: Any, receive: Any, send: Any) -> None:
    """Replaces the routes; replies with status 299."""
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"routes"})


async def send_request(
    directory: Path, path: str, *, method: str = "GET", root: str = "", accept_encoding: str | None = None
) -> Reply:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    sent_headers = [] if accept_encoding is None else [(b"accept-encoding", accept_encoding.encode())]
    scope = {"type": "http", "method": method, "path": path, "root_path": root, "headers": sent_headers}
    await with_web_app(stub_routes, directory)(scope, None, send)  # type: ignore[arg-type]
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"]


@pytest.fixture
def web_directory(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "assets" / "app-1a2b.js").write_text("go()")
    (tmp_path / "manifest.webmanifest").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("path", ["/", "/login", "/index.html"])
async def test_index_html_is_served_at_the_paths_of_people_and_links(web_directory: Path, path: str) -> None:
    status, headers, body = await send_request(web_directory, path)

    assert (status, body, headers["cache-control"]) == (200, b"<!doctype html>", "no-cache")
    assert headers["content-type"] == "text/html; charset=utf-8"


async def test_a_file_with_a_digest_in_its_name_is_cached_forever(web_directory: Path) -> None:
    status, headers, _ = await send_request(web_directory, "/assets/app-1a2b.js")

    assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize("accept_encoding", ["gzip", "br, gzip", "deflate,GZIP;q=0.5"])
async def test_a_large_file_is_compressed_for_a_client_that_accepts_it(
    web_directory: Path, accept_encoding: str
) -> None:
    code = b"go();\n" * 1000
    (web_directory / "assets" / "app-1a2b.js").write_bytes(code)

    status, headers, body = await send_request(
        web_directory, "/assets/app-1a2b.js", accept_encoding=accept_encoding
    )

    assert (status, headers["content-encoding"], headers["vary"]) == (200, "gzip", "accept-encoding")
    assert (headers["content-type"], headers["content-length"]) == (
        "text/javascript; charset=utf-8",
        str(len(body)),
    )
    assert len(body) < len(code) / 10
    assert gzip.decompress(body) == code


@pytest.mark.parametrize("accept_encoding", [None, "", "br", "gzip;q=0", "gzip; q=0.000", "identity"])
async def test_a_client_that_does_not_accept_gzip_gets_the_file_as_it_is(
    web_directory: Path, accept_encoding: str | None
) -> None:
    (web_directory / "assets" / "app-1a2b.js").write_bytes(b"go();\n" * 1000)

    _, headers, body = await send_request(
        web_directory, "/assets/app-1a2b.js", accept_encoding=accept_encoding
    )

    assert ("content-encoding" in headers, body) == (False, b"go();\n" * 1000)


async def test_a_file_that_gzip_makes_larger_is_sent_as_it_is(web_directory: Path) -> None:
    picture = os.urandom(2000)
    (web_directory / "icon.png").write_bytes(picture)

    _, headers, body = await send_request(web_directory, "/icon.png", accept_encoding="gzip")

    assert ("content-encoding" in headers, body) == (False, picture)


async def test_the_page_is_also_served_under_a_base_path(web_directory: Path) -> None:
    assert (await send_request(web_directory, "/gate/", root="/gate"))[2] == b"<!doctype html>"
    assert (await send_request(web_directory, "/gate/assets/app-1a2b.js", root="/gate"))[2] == b"go()"


async def test_a_head_request_gets_no_body(web_directory: Path) -> None:
    status, headers, body = await send_request(web_directory, "/", method="HEAD")

    assert (status, body, headers["content-length"]) == (200, b"", "15")


@pytest.mark.parametrize(
    "path", ["/v1/me", "/assets/../index.html", "/assets", "/etc/passwd", "//index.html"]
)
async def test_other_paths_are_passed_to_the_routes(web_directory: Path, path: str) -> None:
    assert (await send_request(web_directory, path))[0] == 299


async def test_a_post_request_is_passed_to_the_routes(web_directory: Path) -> None:
    assert (await send_request(web_directory, "/", method="POST"))[0] == 299


async def test_a_missing_build_is_reported_with_the_build_command(tmp_path: Path) -> None:
    status, _, body = await send_request(tmp_path, "/")

    assert (status, body) == (503, b"the web app is not built: run `./dev web build`\n")


class SlowChat:
    """A resource whose loading the test controls."""

    def __init__(self, error: Exception | None = None) -> None:
        self.may_load = threading.Event()
        self.error = error
        self.steps: list[str] = []

    def load(self) -> AbstractAsyncContextManager[str]:
        assert self.may_load.wait(60)
        self.steps.append("loaded")
        if self.error is not None:
            raise self.error
        return self._open_slowly()

    @asynccontextmanager
    async def _open_slowly(self) -> AsyncGenerator[str]:
        self.steps.append("open")
        yield "chat"
        self.steps.append("closed")


async def test_a_user_waits_until_the_resource_is_loaded() -> None:
    slow = SlowChat()
    resource = BackgroundResource(slow.load)
    async with resource.load_in_background():
        waiting = asyncio.create_task(resource.get())
        await run_ready_tasks()
        before = waiting.done(), list(slow.steps)
        slow.may_load.set()
        found = await waiting, await resource.get()

    assert (before, found) == ((False, []), ("chat", "chat"))
    assert slow.steps == ["loaded", "open", "closed"]


@pytest.mark.proves("R-37")
async def test_a_failed_load_is_reported_to_users_and_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assent.surfaces.http.app.FIRST_RETRY_SECONDS", 0.01)
    slow = SlowChat(ImportError("too many open files"))
    resource = BackgroundResource(slow.load)
    slow.may_load.set()
    async with resource.load_in_background():
        with pytest.raises(UnavailableError, match="could not be loaded"):
            await resource.get()
        slow.error = None
        await wait_until_async(lambda: "open" in slow.steps)
        found = await resource.get()

    assert found == "chat"
    assert slow.steps[-2:] == ["open", "closed"]


async def test_an_error_while_closing_does_not_stop_the_server(caplog: pytest.LogCaptureFixture) -> None:
    @asynccontextmanager
    async def open_and_fail_to_close() -> AsyncGenerator[str]:
        yield "chat"
        raise RuntimeError("still busy")

    resource = BackgroundResource(open_and_fail_to_close)
    async with resource.load_in_background():
        await resource.get()

    assert "could not be closed" in caplog.text


async def test_a_stop_during_loading_never_opens_the_resource() -> None:
    slow = SlowChat()
    resource = BackgroundResource(slow.load)
    async with resource.load_in_background():
        await run_ready_tasks()
    slow.may_load.set()

    assert "open" not in slow.steps

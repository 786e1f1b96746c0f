"""The ASGI app: all routes, the files of the web app, and what loads in the background; it needs the door."""

import asyncio
import gzip
import logging
import mimetypes
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp

from assent.door.middleware import App, Receive, Scope, Send
from assent.errors import UnavailableError
from assent.surfaces.http.api.problems import UnexpectedErrorHandler
from assent.surfaces.http.api.routing import Dispatcher, Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.routes import (
    agents,
    approvals,
    audit,
    calls,
    conversations,
    files,
    health,
    hooks,
    live,
    packs,
    pages,
    people,
    policy,
    rules,
    terminals,
    workbench,
    workspaces,
)

_PACKAGED_WEB_DIRECTORY = Path(__file__).parents[2] / "_web"
_CHECKOUT_WEB_DIRECTORY = Path(__file__).parents[4] / "web" / "dist"
_INDEX_PATHS = ("/", "/login")
"""Paths that serve `index.html`; the web app itself routes by the URL fragment."""
_NOT_BUILT_MESSAGE = b"the web app is not built: run `./dev web build`\n"
_CONTENT_TYPES = {
    ".js": "text/javascript",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
}
ROUTERS: tuple[Router, ...] = (
    calls.router,
    calls.decisions,
    approvals.router,
    calls.proposals,
    hooks.router,
    rules.grants,
    rules.router,
    rules.settings,
    packs.router,
    conversations.router,
    conversations.chats,
    agents.router,
    agents.definitions,
    workspaces.router,
    workspaces.of_agents,
    audit.router,
    policy.switch,
    policy.router,
    policy.presets,
    people.login,
    people.oidc,
    people.router,
    people.credentials,
    health.router,
    health.pods,
    workbench.router,
    workbench.of_people,
    files.router,
    terminals.router,
    live.router,
    pages.router,
)
"""All routers, in the order of the API reference."""


def create_app(service: Service) -> ASGIApp:
    """Create the app of a service. It checks no Host, Origin or credentials: wrap it in a `Door`."""
    return UnexpectedErrorHandler(Dispatcher(ROUTERS, service))


@dataclass(frozen=True)
class StaticFile:
    """A static file of the web app, loaded into memory."""

    body: bytes
    content_type: str
    is_immutable: bool
    """Whether browsers may cache the file forever, because its name contains a digest of its content."""

    @cached_property
    def gzip_content(self) -> bytes | None:
        """The compressed file, made at its first request; None if it is no smaller (pictures, fonts)."""
        packed = gzip.compress(self.body, mtime=0)
        return packed if len(packed) < len(self.body) else None


def with_web_app(app: App, directory: Path | None = None) -> App:
    """Serve the files of the web app, without authentication, and pass other requests to the app."""
    files = load_static_files(web_build_directory() if directory is None else directory)

    async def serve_file_or_app(scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", "")).removeprefix(str(scope.get("root_path", ""))) or "/"
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await app(scope, receive, send)
        elif (file := files.get(path)) is not None:
            await _send_static_file(scope, send, 200, file)
        elif path in _INDEX_PATHS:
            await _send_static_file(
                scope,
                send,
                503,
                StaticFile(_NOT_BUILT_MESSAGE, "text/plain; charset=utf-8", is_immutable=False),
            )
        else:
            await app(scope, receive, send)

    return serve_file_or_app


def web_build_directory() -> Path:
    """Directory of the built web app: in the wheel, or in the checkout."""
    return (
        _PACKAGED_WEB_DIRECTORY
        if (_PACKAGED_WEB_DIRECTORY / "index.html").is_file()
        else _CHECKOUT_WEB_DIRECTORY
    )


def load_static_files(directory: Path) -> Mapping[str, StaticFile]:
    """Load every file by its URL path; empty if the web app is not built."""
    index = directory / "index.html"
    if not index.is_file():
        return {}
    found = {
        f"/{path.relative_to(directory).as_posix()}": path for path in directory.rglob("*") if path.is_file()
    }
    pages = dict.fromkeys(_INDEX_PATHS, _load_static_file("/index.html", index))
    return pages | {name: _load_static_file(name, path) for name, path in found.items()}


def _load_static_file(name: str, path: Path) -> StaticFile:
    content_type = (
        _CONTENT_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    )
    is_text = content_type.startswith("text/") or content_type.endswith(("json", "xml"))
    return StaticFile(
        path.read_bytes(),
        f"{content_type}; charset=utf-8" if is_text else content_type,
        is_immutable=name.startswith("/assets/"),
    )


async def _send_static_file(scope: Scope, send: Send, status: int, file: StaticFile) -> None:
    packed = file.gzip_content if _accepts_gzip(scope) else None
    body = packed or file.body
    cache = "public, max-age=31536000, immutable" if file.is_immutable else "no-cache"
    headers = [
        (b"content-type", file.content_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", cache.encode()),
        (b"vary", b"accept-encoding"),
    ]
    if packed is not None:
        headers.append((b"content-encoding", b"gzip"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _accepts_gzip(scope: Scope) -> bool:
    """Whether the client names `gzip` without forbidding it; `q=0` in any spelling forbids it."""
    accepted = Headers(scope=scope).get("accept-encoding", "")
    for part in accepted.lower().replace(" ", "").split(","):
        name, _, quality = part.partition(";q=")
        if name == "gzip":
            return quality.strip("0.") != "" or not quality
    return False


T = TypeVar("T")
_log = logging.getLogger("assent.server")
FIRST_RETRY_SECONDS = 5.0
"""Seconds before the first retry after an error; doubled with each retry."""
MAX_RETRY_SECONDS = 300.0


class BackgroundResource(Generic[T]):
    """A resource that takes long to load and then stays open while the server runs.

    INVARIANT: an error here never ends the server. It is logged, and loading is tried again.
    """

    def __init__(self, load: Callable[[], AbstractAsyncContextManager[T]], what: str = "chat") -> None:
        self._load = load
        self._what = what
        self._ready: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()

    async def get(self) -> T:
        """Wait for the resource; raises `UnavailableError` if the last attempt to load it failed."""
        return await asyncio.shield(self._ready)

    @asynccontextmanager
    async def load_in_background(self) -> AsyncGenerator[None]:
        """Load the resource in the background, and close it when the context ends."""
        task = asyncio.create_task(self._keep_resource_open(), name=f"assent {self._what}")
        try:
            yield
        finally:
            self._closing.set()
            if not self._is_resource_open():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _keep_resource_open(self) -> None:
        """Load the resource, and keep it open until the context ends; retries after an error."""
        pause = FIRST_RETRY_SECONDS
        while not self._closing.is_set():
            try:
                # In a thread, so that requests are served meanwhile.
                async with await asyncio.to_thread(self._load) as found:
                    self._pending_future().set_result(found)
                    await self._closing.wait()
            except Exception as error:  # noqa: BLE001 - the edge: the gate serves without it
                if self._closing.is_set():
                    _log.error("the %s could not be closed: %s", self._what, error)
                    return
                _log.error("the %s could not be loaded: %s; trying again in %.0f s", self._what, error, pause)
                failed = self._pending_future()
                why = f"the {self._what} could not be loaded (the log has the reason); everything else works"
                failed.set_exception(UnavailableError(why))
                failed.exception()  # Marks the exception as retrieved, so that asyncio does not warn.
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_RETRY_SECONDS)

    def _is_resource_open(self) -> bool:
        return self._ready.done() and not self._ready.cancelled() and self._ready.exception() is None

    def _pending_future(self) -> asyncio.Future[T]:
        """The future for the next result; replaces a future that has already failed."""
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        return self._ready

"""The app: all routes of a service, and the files of the web page; the server puts a door in front."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.types import ASGIApp

from assent.door.middleware import App, Receive, Scope, Send
from assent.surfaces.http.api.problems import UnexpectedErrors
from assent.surfaces.http.api.routing import Dispatcher, Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.routes import (
    agents,
    approvals,
    audit,
    calls,
    conversations,
    health,
    live,
    people,
    policy,
    rules,
)

_PACKAGED = Path(__file__).parents[2] / "_web"
_CHECKOUT = Path(__file__).parents[4] / "web" / "dist"
_INDEX_PATHS = ("/", "/login")
"""The paths that serve `index.html`; the app routes by the part behind the `#`."""
_MISSING = b"the web app is not built: run `./dev web build`\n"
_TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml"}
ROUTERS: tuple[Router, ...] = (
    calls.router,
    calls.decisions,
    approvals.router,
    calls.proposals,
    rules.grants,
    rules.router,
    rules.settings,
    conversations.router,
    conversations.chats,
    agents.router,
    agents.definitions,
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
    live.router,
)
"""All routes, in the order of the documents."""


def create_app(service: Service) -> ASGIApp:
    """The app of a service. It checks neither Host nor Origin nor credentials: put a `Door` in front."""
    return UnexpectedErrors(Dispatcher(ROUTERS, service))


class File(NamedTuple):
    """A file as it is sent."""

    body: bytes
    content_type: str
    is_immutable: bool
    """Its name contains a digest of its content, so that a browser may cache it for ever."""


def with_web_app(app: App, directory: Path | None = None) -> App:
    """The same app with the files of the web app in front; they need no authentication."""
    files = files_in(build_directory() if directory is None else directory)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", "")).removeprefix(str(scope.get("root_path", ""))) or "/"
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await app(scope, receive, send)
        elif (file := files.get(path)) is not None:
            await _send(send, 200, file, is_head=scope["method"] == "HEAD")
        elif path in _INDEX_PATHS:
            await _send(send, 503, File(_MISSING, "text/plain; charset=utf-8", is_immutable=False))
        else:
            await app(scope, receive, send)

    return serve


def build_directory() -> Path:
    """Where the built app is: in the wheel, or in the checkout."""
    return _PACKAGED if (_PACKAGED / "index.html").is_file() else _CHECKOUT


def files_in(directory: Path) -> Mapping[str, File]:
    """Every file by its path; none if the app was not built."""
    index = directory / "index.html"
    if not index.is_file():
        return {}
    found = {
        f"/{path.relative_to(directory).as_posix()}": path for path in directory.rglob("*") if path.is_file()
    }
    pages = dict.fromkeys(_INDEX_PATHS, _file("/index.html", index))
    return pages | {name: _file(name, path) for name, path in found.items()}


def _file(name: str, path: Path) -> File:
    content_type = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = content_type.startswith("text/") or content_type.endswith(("json", "xml"))
    return File(
        path.read_bytes(),
        f"{content_type}; charset=utf-8" if is_text else content_type,
        is_immutable=name.startswith("/assets/"),
    )


async def _send(send: Send, status: int, file: File, *, is_head: bool = False) -> None:
    cache = "public, max-age=31536000, immutable" if file.is_immutable else "no-cache"
    headers = [
        (b"content-type", file.content_type.encode()),
        (b"content-length", str(len(file.body)).encode()),
        (b"cache-control", cache.encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else file.body})

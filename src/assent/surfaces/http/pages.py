"""The web app as it was built: its few files, held in memory and handed out before the routes are asked."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assent.door.middleware import App, Receive, Scope, Send

_PACKAGED = Path(__file__).parents[2] / "_web"
_CHECKOUT = Path(__file__).parents[4] / "web" / "dist"
_DOORS = ("/", "/login")
"""Where the page itself is found; it finds its own way from there."""
_MISSING = b"the web app is not built: run `./dev web build`\n"
_TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml"}


class File(NamedTuple):
    """A file as it is sent."""

    body: bytes
    kind: str
    is_forever: bool
    """Its name holds a mark of what is in it, so that a browser need never ask again."""


def built() -> Path:
    """Where the app is: in the wheel, or in the checkout that this is run from."""
    return _PACKAGED if (_PACKAGED / "index.html").is_file() else _CHECKOUT


def files_in(directory: Path) -> Mapping[str, File]:
    """Every file by the path that asks for it; none if the app was not built."""
    index = directory / "index.html"
    if not index.is_file():
        return {}
    found = {
        f"/{path.relative_to(directory).as_posix()}": path for path in directory.rglob("*") if path.is_file()
    }
    pages = dict.fromkeys(_DOORS, _file("/index.html", index))
    return pages | {name: _file(name, path) for name, path in found.items()}


def with_pages(app: App, directory: Path | None = None) -> App:
    """The same app, with the files of the web app before it; they need nobody's name and change nothing."""
    files = files_in(built() if directory is None else directory)

    async def paged(scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", "")).removeprefix(str(scope.get("root_path", ""))) or "/"
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await app(scope, receive, send)
        elif (file := files.get(path)) is not None:
            await _send(send, 200, file, is_head=scope["method"] == "HEAD")
        elif path in _DOORS:
            await _send(send, 503, File(_MISSING, "text/plain; charset=utf-8", is_forever=False))
        else:
            await app(scope, receive, send)

    return paged


def _file(name: str, path: Path) -> File:
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = kind.startswith("text/") or kind.endswith(("json", "xml"))
    return File(
        path.read_bytes(),
        f"{kind}; charset=utf-8" if is_text else kind,
        is_forever=name.startswith("/assets/"),
    )


async def _send(send: Send, status: int, file: File, *, is_head: bool = False) -> None:
    cache = "public, max-age=31536000, immutable" if file.is_forever else "no-cache"
    headers = [
        (b"content-type", file.kind.encode()),
        (b"content-length", str(len(file.body)).encode()),
        (b"cache-control", cache.encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else file.body})

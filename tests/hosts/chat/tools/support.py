"""Helpers for the tests of the tools: a workspace, a context, and a small site on loopback."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from assent.config.workspace import directories_on_disk
from assent.gate.access import Principal
from assent.hosts.chat.tools.kernel_port import WorkflowKernel, open_kernel
from assent.hosts.chat.tools.tool import ChatTool, ToolContext, ToolLimits, ToolResult
from assent.hosts.chat.tools.web import AddressGuard, Fetcher

ANA = Principal(id="ana")


def workspace(base: Path) -> Path:
    """A new workspace, with a file outside of it."""
    root = base / "work"
    root.mkdir()
    (base / "outside.txt").write_text("nobody's business", "utf-8")
    return root.resolve()


def make_context(root: Path, **more: Any) -> ToolContext:
    directories = directories_on_disk(str(root), (str(root),), str(root.parent))
    return ToolContext(**{"directories": directories, "principal": ANA, "conversation": "c1", **more})


def make_limits(**more: Any) -> ToolLimits:
    return ToolLimits()._replace(**more)


def make_kernel(root: Path, *allowed: str) -> WorkflowKernel:
    kernel = open_kernel(str(root), Fetcher(AddressGuard(allowed), max_bytes=100_000, seconds=60))
    assert kernel is not None
    return kernel


class SiteRequest(NamedTuple):
    """A request that the site received."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


AnswerRequest = Callable[[SiteRequest], tuple[int, Mapping[str, str], bytes]]


class Site:
    """A web site on loopback, and the requests that it received."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[SiteRequest] = []
        self.pages: dict[str, AnswerRequest] = {}

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.endpoint}{path}"

    def page(self, path: str, body: str | bytes, kind: str = "text/html", status: int = 200) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.pages[path] = lambda asked: (status, {"Content-Type": kind}, content)

    def redirect(self, path: str, to: str) -> None:
        self.pages[path] = lambda asked: (302, {"Location": to}, b"")


@contextmanager
def run_site(certificate: Path | None = None) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = SiteRequest(self.command, self.path, dict(self.headers), body)
            site.asked.append(asked)
            page = site.pages.get(self.path.partition("?")[0])
            status, headers, content = page(asked) if page else (404, {}, b"no such page")
            try:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass

        do_GET = do_POST = _answer  # noqa: N815 - the names that the library calls

        def log_message(self, *said: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    site = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def succeeded_and_text(result: ToolResult) -> tuple[bool, str]:
    """Whether a call succeeded, and the text for the model."""
    return not result.failed, result.text


def find_tool(tools: tuple[ChatTool, ...], name: str) -> ChatTool:
    return next(tool for tool in tools if tool.name == name)

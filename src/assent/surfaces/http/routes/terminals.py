"""`/v1/terminals`: terminals on the server's machine, for people on the workbench page."""

import asyncio
from typing import TypedDict

from starlette.websockets import WebSocket

from assent.hosts.workbench.pty_process import Size
from assent.hosts.workbench.refusal import WorkbenchError
from assent.hosts.workbench.shapes import TerminalJson, terminal_to_json
from assent.hosts.workbench.terminal import Frame, Terminal, ViewerGoneError
from assent.surfaces.http.api.access import Page
from assent.surfaces.http.api.fields import GeneratedId
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.api.sockets import (
    HANDSHAKE_TIMEOUT,
    SocketClose,
    WorkbenchSocket,
    close_on_malformed_frame,
    serve_workbench_socket,
)
from assent.wire.fields import Fields

router = Router("/v1/terminals", "terminals")
MAX_INPUT_CHARACTERS = 16_000
_COLUMNS = range(2, 1001)
_ROWS = range(1, 501)


class TerminalsShown(TypedDict):
    """Your open terminals, oldest first."""

    items: list[TerminalJson]


@router.get(name="list")
async def list_terminals(principal: Page, service: Service) -> TerminalsShown:
    """List your open terminals."""
    workbench = service.require_workbench()
    await workbench.check_terminal(principal)
    return {"items": [terminal_to_json(one) for one in workbench.terminals.owned_by(principal.id)]}


@router.delete("/{id:generated}", name="end")
async def end_terminal(id: GeneratedId, principal: Page, service: Service) -> None:
    """End one of your terminals, with everything that runs in it."""
    workbench = service.require_workbench()
    await workbench.check_terminal(principal)
    terminals = workbench.terminals
    await terminals.end(terminals.find(principal.id, id))


@router.websocket("/stream")
async def stream_terminal(socket: WebSocket, service: Service) -> None:
    """Show one terminal on a page, and pass on what the person types."""
    await serve_workbench_socket(socket, service, service.require_workbench().check_terminal, _serve_terminal)


async def _serve_terminal(page: WorkbenchSocket) -> None:
    terminals = page.workbench.terminals

    async def show(frame: Frame) -> None:
        try:
            await page.send(frame)
        except (SocketClose, RuntimeError):
            raise ViewerGoneError from None

    try:
        terminal = await _find_or_open(page)
    except WorkbenchError as error:
        await page.send({"type": "error", "detail": str(error), "reason": error.reason.value})
        return
    try:
        try:
            await terminals.attach(terminal, show)
        except ViewerGoneError:
            return
        await page.run(_follow_shell(page, terminal), _receive_frames(page, terminal))
    finally:
        terminals.detach(terminal, show)


async def _find_or_open(page: WorkbenchSocket) -> Terminal:
    """The terminal that the first frame opens or names."""
    try:
        async with asyncio.timeout(HANDSHAKE_TIMEOUT):
            fields = await page.receive("open", "attach")
    except TimeoutError:
        raise SocketClose(SocketClose.MALFORMED, "expected `open` or `attach` in time") from None
    terminals = page.workbench.terminals
    id = root = path = ""
    with close_on_malformed_frame():
        size = _read_size(fields)
        if fields.text("type") == "attach":
            fields.check_known("type", "terminal", "columns", "rows")
            id = fields.text("terminal")
        else:
            fields.check_known("type", "root", "path", "columns", "rows")
            root, path = fields.text("root", ""), fields.text("path", "/")
    if id:
        terminal = terminals.find(page.principal.id, id)
        terminal.resize(size)
        return terminal
    found = await page.workbench.root_for_terminal(page.principal, root)
    return terminals.open(page.principal.id, found, path, size)


async def _follow_shell(page: WorkbenchSocket, terminal: Terminal) -> None:
    """Wait for the end of the shell, and tell the page."""
    shell = page.workbench.terminals.ensure_shell(terminal)
    try:
        status: int | None = await asyncio.shield(shell)
    except WorkbenchError as error:
        await page.send({"type": "error", "detail": str(error), "reason": error.reason.value})
        return
    except asyncio.CancelledError:
        if not shell.cancelled():
            raise
        status = None
    await page.send({"type": "exited", "status": status})


async def _receive_frames(page: WorkbenchSocket, terminal: Terminal) -> None:
    while True:
        fields = await page.receive("input", "resize", "share", "close")
        with close_on_malformed_frame():
            match fields.text("type"):
                case "input":
                    fields.check_known("type", "text")
                    text = fields.text("text")
                    if len(text) > MAX_INPUT_CHARACTERS:
                        raise SocketClose(
                            SocketClose.LARGE, f"an input has at most {MAX_INPUT_CHARACTERS} characters"
                        )
                    await terminal.type(text)
                case "resize":
                    fields.check_known("type", "columns", "rows")
                    terminal.resize(_read_size(fields))
                case "share":
                    fields.check_known("type", "shared")
                    terminal.shared = fields.flag("shared")
                case _:
                    await page.workbench.terminals.end(terminal)
                    return


def _read_size(fields: Fields) -> Size:
    columns, rows = fields.integer("columns", 80), fields.integer("rows", 24)
    if columns not in _COLUMNS or rows not in _ROWS:
        raise SocketClose(SocketClose.MALFORMED, "a terminal has 2 to 1000 columns and 1 to 500 rows")
    return Size(columns, rows)

"""`/v1/files`: the files of the roots, for people on the workbench page."""

import asyncio
from typing import Annotated, Literal

from pydantic import StringConstraints
from starlette.websockets import WebSocket

from assent.hosts.workbench import files
from assent.hosts.workbench.refusal import WorkbenchError
from assent.hosts.workbench.roots import find_root
from assent.hosts.workbench.shapes import (
    FileContentJson,
    FileVersionJson,
    ListingJson,
    content_to_json,
    file_to_json,
    listing_to_json,
    text_to_bytes,
)
from assent.hosts.workbench.watch import DirectoryWatch, WatchedDirectory
from assent.surfaces.http.api.access import Page
from assent.surfaces.http.api.fields import StrictBody, StrictQuery
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.api.sockets import WorkbenchSocket, close_on_malformed_frame, serve_workbench_socket
from assent.surfaces.http.routes.workbench import FileText, SeenDigest
from assent.wire.fields import Fields

router = Router("/v1/files", "files")
RootName = Annotated[str, StringConstraints(max_length=300)]
Path = Annotated[str, StringConstraints(max_length=4096)]


class PathQuery(StrictQuery):
    """A path of a root."""

    root: RootName = ""
    """The name of the root; the server's own by default."""
    path: Path = "/"


class CreateIn(StrictBody):
    """A file or directory to create."""

    root: RootName = ""
    path: Path
    kind: Literal["file", "directory"] = "file"
    content: FileText = ""


class WriteIn(StrictBody):
    """The new text of a file."""

    root: RootName = ""
    path: Path
    content: FileText
    digest: SeenDigest
    """The digest of the content that the person saw."""


class RenameIn(StrictBody):
    """A file or directory to move."""

    root: RootName = ""
    path: Path
    to: Path


class DeleteIn(StrictBody):
    """A file or directory to delete."""

    root: RootName = ""
    path: Path
    digest: SeenDigest | None = None


@router.get(name="list")
async def list_directory(query: PathQuery, principal: Page, service: Service) -> ListingJson:
    """List a directory, at most 5,000 entries."""
    root = await service.require_workbench().root_for_files(principal, query.root)
    return listing_to_json(root, await asyncio.to_thread(files.list_directory, root.directory, query.path))


@router.get("/content", name="read")
async def read_file(query: PathQuery, principal: Page, service: Service) -> FileContentJson:
    """Read a file of at most 1 MB."""
    root = await service.require_workbench().root_for_files(principal, query.root)
    return content_to_json(root, await asyncio.to_thread(files.read_file, root.directory, query.path))


@router.post("/create", status=201, name="create")
async def create(body: CreateIn, principal: Page, service: Service) -> FileVersionJson:
    """Create a file or a directory that does not exist yet."""
    root = await service.require_workbench().root_for_files(principal, body.root)
    if body.kind == "directory":
        made = await asyncio.to_thread(files.create_directory, root.directory, body.path)
    else:
        data = text_to_bytes(body.content)
        made = await asyncio.to_thread(files.create_file, root.directory, body.path, data)
    return file_to_json(root, made)


@router.post("/write", name="write")
async def write_file(body: WriteIn, principal: Page, service: Service) -> FileVersionJson:
    """Replace the text of a file, if it still has the digest that the person saw."""
    root = await service.require_workbench().root_for_files(principal, body.root)
    data = text_to_bytes(body.content)
    written = await asyncio.to_thread(files.write_file, root.directory, body.path, data, body.digest)
    return file_to_json(root, written)


@router.post("/rename", name="rename")
async def rename(body: RenameIn, principal: Page, service: Service) -> FileVersionJson:
    """Move a file or directory; never over an existing one."""
    root = await service.require_workbench().root_for_files(principal, body.root)
    moved = await asyncio.to_thread(files.rename, root.directory, body.path, body.to, links=True)
    return file_to_json(root, moved)


@router.post("/delete", name="delete")
async def delete(body: DeleteIn, principal: Page, service: Service) -> FileVersionJson:
    """Delete a file, a link, or a directory with at most 10,000 entries."""
    root = await service.require_workbench().root_for_files(principal, body.root)
    deleted = await asyncio.to_thread(files.delete, root.directory, body.path, body.digest)
    return file_to_json(root, deleted)


@router.websocket("/watch")
async def watch_directories(socket: WebSocket, service: Service) -> None:
    """Tell a page which of the directories that it shows have changed."""

    async def serve(page: WorkbenchSocket) -> None:
        watch = DirectoryWatch()
        await page.run(_send_changes(page, watch), _receive_lists(page, watch))

    await serve_workbench_socket(socket, service, service.require_workbench().check_files, serve)


async def _send_changes(page: WorkbenchSocket, watch: DirectoryWatch) -> None:
    async for change in watch.changes():
        root, path = change.directory
        await page.send({"type": "changed", "root": root.name, "path": path, "state": change.state.value})


async def _receive_lists(page: WorkbenchSocket, watch: DirectoryWatch) -> None:
    while True:
        fields = await page.receive("watch")
        with close_on_malformed_frame():
            fields.check_known("type", "directories")
            listed = [Fields(one, "message.directories") for one in fields.items("directories")]
            wanted = [(one.text("root"), one.text("path")) for one in listed]
        try:
            roots = await page.workbench.roots(page.principal)
            await watch.replace([WatchedDirectory(find_root(roots, name), path) for name, path in wanted])
        except WorkbenchError as error:
            await page.send({"type": "error", "detail": str(error), "reason": error.reason.value})
        else:
            await page.send({"type": "watching"})

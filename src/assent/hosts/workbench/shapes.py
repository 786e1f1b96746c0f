"""The JSON of the workbench's services, for pages and for the results of agents' calls."""

from typing import Annotated, TypedDict

from assent.hosts.workbench.files import Entry, EntryKind, FileShown, Listing
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.terminal import Terminal
from assent.wire.fields import maybe_moment_to_json, moment_to_json


class DirectoryEntryJson(TypedDict):
    """An entry of a directory."""

    name: str
    kind: Annotated[str, EntryKind]
    size: int
    modified: str
    target: str | None
    """Where a link leads, if that is inside the root."""


class ListingJson(TypedDict):
    """The entries of a directory."""

    root: str
    path: str
    entries: list[DirectoryEntryJson]
    truncated: bool


class FileVersionJson(TypedDict):
    """A file or directory after a change."""

    root: str
    path: str
    size: int
    modified: str | None
    digest: str
    """The SHA-256 of a file; empty for a directory, `absent` after a deletion."""


class FileContentJson(FileVersionJson):
    """A file with its content."""

    binary: bool
    text: str | None
    """Null for a binary file."""


class TerminalJson(TypedDict):
    """An open terminal."""

    id: str
    root: str
    path: str
    busy: bool
    """Whether a command of an agent or a program of the person runs in it."""
    shared: bool
    """Whether agents may read everything in it."""


def listing_to_json(root: Root, listing: Listing) -> ListingJson:
    """The JSON of a listing."""
    return {
        "root": root.name,
        "path": listing.path,
        "entries": [_entry_to_json(one) for one in listing.entries],
        "truncated": listing.truncated,
    }


def file_to_json(root: Root, file: FileShown) -> FileVersionJson:
    """The JSON of a file without its content."""
    return {
        "root": root.name,
        "path": file.path,
        "size": file.size,
        "modified": maybe_moment_to_json(file.modified),
        "digest": file.digest,
    }


def content_to_json(root: Root, file: FileShown) -> FileContentJson:
    """The JSON of a file with its content."""
    text = file.text
    return {**file_to_json(root, file), "binary": text is None, "text": text}


def terminal_to_json(terminal: Terminal) -> TerminalJson:
    """The JSON of a terminal."""
    return {
        "id": terminal.id,
        "root": terminal.root.name,
        "path": terminal.path,
        "busy": terminal.is_busy,
        "shared": terminal.shared,
    }


def text_to_bytes(text: str) -> bytes:
    """The bytes of a text for a file."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise WorkbenchError(Reason.UNFIT, "the text has characters that cannot be written") from None


def _entry_to_json(entry: Entry) -> DirectoryEntryJson:
    return {
        "name": entry.name,
        "kind": entry.kind.value,
        "size": entry.size,
        "modified": moment_to_json(entry.modified),
        "target": entry.target,
    }

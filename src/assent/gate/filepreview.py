"""A file preview: what a call would change of a file, on the file as it was when the question was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from assent.engine.facts import Place
from assent.errors import AssentError
from assent.gate.diff import diff_of, lines_of
from assent.gate.edits import Edit, Passages

MOST_BYTES = 1_000_000
"""The largest file that is compared."""
LONGEST_DIFF = 100_000
"""The most characters of a diff that are kept with a question."""
MOST_CHANGES = 3
"""How often a file may change under a yes before the call is refused."""


class Unread(StrEnum):
    """Why nothing of a file is shown."""

    ABSENT = "absent"
    OUTSIDE = "outside"
    SECRET = "secret"
    LARGE = "large"
    BINARY = "binary"
    UNREACHABLE = "unreachable"


class Content(NamedTuple):
    """The bytes of a file, read once, or why they were not read."""

    path: str
    """The real path, through no link."""
    data: bytes = b""
    unread: Unread | None = None


class FileState(StrEnum):
    """What a preview shows."""

    NEW = "new"
    CHANGED = "changed"
    UNFIT = "unfit"
    """The edit does not fit the file's text."""
    LONG = "long"
    """The diff is too long to be kept."""
    SECRET = "secret"
    BINARY = "binary"
    LARGE = "large"
    OUTSIDE = "outside"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePreview:
    """What a person is shown of the file behind a call; the answer is bound to the file's digest."""

    path: str
    """From the workspace's root where it is inside, else as it is."""
    state: FileState
    digest: str
    """The SHA-256 of the bytes that the diff was made of; the word of `Unread` where none were read."""
    diff: str = ""
    """A unified diff without file headings; of a new file it would repeat the arguments."""
    added: int = 0
    removed: int = 0
    lines: int = 0
    """Lines of the file before the change."""
    within: str = ""
    """The part of the file that lines are counted in, such as `cell 3`."""
    why: str = ""
    """Why there is no diff; empty where there is one."""
    changes: int = 0
    """How often the file changed after somebody had allowed the call."""

    @property
    def marks(self) -> tuple[str, str]:
        """What tells this state of this file from any other."""
        return self.path, self.digest


def preview_of(edit: Edit, content: Content, place: Place) -> FilePreview:
    """The preview of an edit, made of the very bytes that are digested."""
    path = _shown(content.path, place)
    if content.unread is Unread.ABSENT:
        return _made(edit, None, FilePreview(path=path, state=FileState.NEW, digest=Unread.ABSENT))
    if content.unread is not None:
        state = FileState(content.unread.value)
        return FilePreview(path=path, state=state, digest=content.unread.value, why=WHY[state])
    digest = sha256(content.data).hexdigest()
    text = _text(content.data)
    if text is None:
        return FilePreview(path=path, state=FileState.BINARY, digest=digest, why=WHY[FileState.BINARY])
    shown = FilePreview(path=path, state=FileState.CHANGED, digest=digest, lines=len(lines_of(text)))
    return _made(edit, text, shown)


def _made(edit: Edit, text: str | None, shown: FilePreview) -> FilePreview:
    try:
        passages = edit.make(text)
    except AssentError as error:
        return replace(shown, state=FileState.UNFIT, why=str(error))
    return _with_diff(passages, shown)


def _with_diff(passages: Passages, shown: FilePreview) -> FilePreview:
    if shown.state is FileState.NEW:
        return replace(shown, added=len(lines_of(passages.after)))
    diff = diff_of(passages.before, passages.after)
    counted = replace(shown, added=diff.added, removed=diff.removed, within=passages.within)
    if len(diff.text) > LONGEST_DIFF:
        return replace(counted, state=FileState.LONG, why=WHY[FileState.LONG])
    return replace(counted, diff=diff.text)


def _text(data: bytes) -> str | None:
    """The text that bytes are; None where they are none."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _shown(path: str, place: Place) -> str:
    for root in place.roots:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :] if root == place.roots[0] else path
    return path


WHY: Mapping[FileState, str] = {
    FileState.LONG: f"the change is longer than {LONGEST_DIFF:,} characters",
    FileState.SECRET: "the file is in a place for secrets",
    FileState.BINARY: "the file is not UTF-8 text",
    FileState.LARGE: f"the file is larger than {MOST_BYTES:,} bytes",
    FileState.OUTSIDE: "the file is outside of this server's workspace",
    FileState.UNREACHABLE: "the file cannot be read on this server",
}
"""Why there is no diff, in a sentence."""

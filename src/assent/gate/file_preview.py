"""File previews: the change that a call would make to a file, as shown to a person."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from assent.engine.base.facts import CallDirectories
from assent.engine.base.tool import Call, Dialect, Effect, Tool, as_list, as_object, specifier_values
from assent.errors import AssentError, InputError
from assent.gate.diff import split_lines, text_diff

MAX_FILE_BYTES = 1_000_000
"""Larger files are not compared."""


MAX_DIFF_CHARACTERS = 100_000
"""Longer diffs are not kept."""


MAX_FILE_CHANGES = 3
"""How often a file may change after an approval before the call is refused."""


MAX_REPLACEMENTS = 1000


_CONTENT_ARGUMENTS = ("content", "contents", "text")
"""The arguments that contain the whole new text of a file."""


class UnreadReason(StrEnum):
    """Why the content of a file was not read."""

    ABSENT = "absent"
    OUTSIDE = "outside"
    SECRET = "secret"
    LARGE = "large"
    BINARY = "binary"
    UNREACHABLE = "unreachable"


class FileContent(NamedTuple):
    """The bytes of a file, or why they were not read."""

    path: str
    """The real path, with symbolic links resolved."""
    data: bytes = b""
    unread: UnreadReason | None = None


class FileState(StrEnum):
    """What a preview shows, or why it shows nothing."""

    NEW = "new"
    CHANGED = "changed"
    UNFIT = "unfit"
    """The edit cannot be applied to the file's text."""
    LONG = "long"
    """The diff is too long to be kept."""
    SECRET = "secret"
    BINARY = "binary"
    LARGE = "large"
    OUTSIDE = "outside"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePreview:
    """The preview of a file change; an answer is valid only for the file with this digest."""

    path: str
    """The path relative to the workspace if the file is inside, otherwise absolute."""
    state: FileState
    digest: str
    """The SHA-256 of the file; the value of `UnreadReason` where it was not read."""
    diff: str = ""
    """A unified diff without file headers; empty for a new file, whose text is in the arguments."""
    added: int = 0
    removed: int = 0
    lines: int = 0
    """The number of lines before the change."""
    within: str = ""
    """The part of the file that the diff shows, such as `cell 3`."""
    why: str = ""
    """Why there is no diff; empty where there is one."""
    changes: int = 0
    """How often the file changed after the call was approved."""

    @property
    def fingerprint(self) -> tuple[str, str]:
        """The path and the digest, which identify this content of this file."""
        return self.path, self.digest


Rewrite = Callable[[Mapping[str, object], str, str], str]
"""Computes the new text of a file from the arguments, the path and the old text.

Raises `AssentError` where the call cannot be applied to the text.
"""


class TextChange(NamedTuple):
    """The text of a file before and after a change, or of the part that `within` names."""

    before: str
    after: str
    within: str = ""


class FileEdit(NamedTuple):
    """A file that a call would change, and the change."""

    path: str
    """The path as the call spells it."""
    compute_change: Callable[[str | None], TextChange]
    """Computes the change from the file's text (None without a file), or raises `AssentError`."""


def file_edit(call: Call, tool: Tool, rewrites: Mapping[str, Rewrite]) -> FileEdit | None:
    """The edit of one file that a call makes; None if its arguments are not understood."""
    if tool.dialect is not Dialect.PATH or tool.effect is Effect.READ or tool.reads:
        return None
    found = specifier_values(tool, call.args)
    if len(found) != 1 or not isinstance(found[0], str) or not found[0]:
        return None
    path, args = found[0], call.args
    if (rewrite := rewrites.get(tool.name)) is not None:
        return FileEdit(path, partial(_rewrite_change, rewrite, args, path))
    if isinstance(args.get("new_source"), str):
        return FileEdit(path, partial(_notebook_change, args))
    if (replaced := _parse_replacements(args)) is not None:
        return FileEdit(path, partial(_replacement_change, replaced))
    whole = next((value for name in _CONTENT_ARGUMENTS if isinstance(value := args.get(name), str)), None)
    return None if whole is None else FileEdit(path, partial(_overwrite_change, whole))


def preview_edit(edit: FileEdit, content: FileContent, directories: CallDirectories) -> FilePreview:
    """The preview of an edit; the digest and the diff are computed from the same bytes."""
    path = _display_path(content.path, directories)
    if content.unread is UnreadReason.ABSENT:
        return _build_preview(
            edit, None, FilePreview(path=path, state=FileState.NEW, digest=UnreadReason.ABSENT)
        )
    if content.unread is not None:
        state = FileState(content.unread.value)
        return FilePreview(path=path, state=state, digest=content.unread.value, why=NO_DIFF_REASONS[state])
    digest = sha256(content.data).hexdigest()
    text = _decode_text(content.data)
    if text is None:
        return FilePreview(
            path=path, state=FileState.BINARY, digest=digest, why=NO_DIFF_REASONS[FileState.BINARY]
        )
    shown = FilePreview(path=path, state=FileState.CHANGED, digest=digest, lines=len(split_lines(text)))
    return _build_preview(edit, text, shown)


def _build_preview(edit: FileEdit, text: str | None, shown: FilePreview) -> FilePreview:
    try:
        passages = edit.compute_change(text)
    except AssentError as error:
        return replace(shown, state=FileState.UNFIT, why=str(error))
    return _with_diff(passages, shown)


def _with_diff(passages: TextChange, shown: FilePreview) -> FilePreview:
    if shown.state is FileState.NEW:
        return replace(shown, added=len(split_lines(passages.after)))
    diff = text_diff(passages.before, passages.after)
    counted = replace(shown, added=diff.added, removed=diff.removed, within=passages.within)
    if len(diff.text) > MAX_DIFF_CHARACTERS:
        return replace(counted, state=FileState.LONG, why=NO_DIFF_REASONS[FileState.LONG])
    return replace(counted, diff=diff.text)


def _decode_text(data: bytes) -> str | None:
    """The text of UTF-8 bytes; None for binary data."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _display_path(path: str, directories: CallDirectories) -> str:
    for root in directories.roots:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :] if root == directories.roots[0] else path
    return path


NO_DIFF_REASONS: Mapping[FileState, str] = {
    FileState.LONG: f"the change is longer than {MAX_DIFF_CHARACTERS:,} characters",
    FileState.SECRET: "the file is in a directory for secrets",
    FileState.BINARY: "the file is not UTF-8 text",
    FileState.LARGE: f"the file is larger than {MAX_FILE_BYTES:,} bytes",
    FileState.OUTSIDE: "the file is outside this server's workspace",
    FileState.UNREACHABLE: "the file cannot be read on this server",
}
"""For each state without a diff, the reason as a sentence."""


class _TextReplacement(NamedTuple):
    old: str
    new: str
    all_occurrences: bool


def _parse_replacements(args: Mapping[str, object]) -> list[_TextReplacement] | None:
    """The replacements in the arguments of a call: a single one, or a list."""
    listed = as_list(args.get("edits"))
    if listed is None:
        one = _parse_replacement(args)
        return None if one is None else [one]
    found = [_parse_replacement(as_object(item) or {}) for item in listed]
    known = [one for one in found if one is not None]
    return known if known and len(known) == len(listed) <= MAX_REPLACEMENTS else None


def _parse_replacement(args: Mapping[str, object]) -> _TextReplacement | None:
    old, new = args.get("old_string"), args.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return _TextReplacement(old, new, args.get("replace_all") is True)


def _overwrite_change(whole: str, text: str | None) -> TextChange:
    return TextChange(text or "", whole)


def _replacement_change(replacements: Sequence[_TextReplacement], text: str | None) -> TextChange:
    return TextChange(text or "", _apply_replacements(replacements, text))


def _apply_replacements(replacements: Sequence[_TextReplacement], text: str | None) -> str:
    """The text after all replacements in order; raises an error if one cannot be applied."""
    for old, new, all_occurrences in replacements:
        if not old:
            # An empty old text creates a file; in an existing text its position would be unclear.
            if text:
                raise InputError("the text to replace is empty, but the file is not")
            text = new
            continue
        count = 0 if text is None else text.count(old)
        if text is None or count == 0:
            raise InputError("the text to replace is not in the file")
        if count > 1 and not all_occurrences:
            raise InputError(f"the text to replace is in the file {count} times")
        text = text.replace(old, new)
    return text or ""


def _rewrite_change(rewrite: Rewrite, args: Mapping[str, object], path: str, text: str | None) -> TextChange:
    if text is None:
        raise InputError("there is no such file")
    try:
        return TextChange(text, rewrite(args, path, text))
    except AssentError:
        raise
    except Exception as error:
        raise InputError(f"the change could not be computed ({type(error).__name__})") from error


def _notebook_change(args: Mapping[str, object], text: str | None) -> TextChange:
    """The change of one notebook cell that is replaced, added or removed."""
    cells = _parse_cells(text)
    mode, source = args.get("edit_mode") or "replace", str(args["new_source"])
    at = _cell_index(args, cells)
    if mode == "insert":
        return TextChange("", source, f"new cell {1 if at is None else at + 2}")
    if at is None:
        raise InputError("the cell is not in the notebook")
    before = _cell_source(cells[at])
    return TextChange(before, "" if mode == "delete" else source, f"cell {at + 1}")


def _parse_cells(text: str | None) -> Sequence[object]:
    try:
        cells = as_list((as_object(json.loads(text or "")) or {}).get("cells"))
    except (ValueError, RecursionError):
        cells = None
    if cells is None:
        raise InputError("the file is not a notebook")
    return cells


def _cell_index(args: Mapping[str, object], cells: Sequence[object]) -> int | None:
    """The index of the cell with the given id or number; None where there is none."""
    wanted, number = args.get("cell_id"), args.get("cell_number")
    if isinstance(wanted, str) and wanted:
        ids = [(as_object(cell) or {}).get("id") for cell in cells]
        return ids.index(wanted) if wanted in ids else None
    if isinstance(number, int) and 0 <= number < len(cells):
        return number
    return None


def _cell_source(cell: object) -> str:
    source = (as_object(cell) or {}).get("source")
    lines = as_list(source)
    return "".join(map(str, lines)) if lines is not None else str(source or "")

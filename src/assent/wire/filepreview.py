"""A file preview as JSON: what a person is shown of the file behind a call."""

from assent.gate.filepreview import FilePreview, FileState
from assent.wire import shapes
from assent.wire.fields import Fields


def file_to_json(file: FilePreview) -> dict[str, object]:
    """The whole preview."""
    return {**file_shown(file), "diff": file.diff}


def file_shown(file: FilePreview) -> shapes.FileShown:
    """A preview without its diff, as lists and live frames carry it."""
    return {
        "path": file.path,
        "state": file.state.value,
        "digest": file.digest,
        "added": file.added,
        "removed": file.removed,
        "lines": file.lines,
        "within": file.within,
        "why": file.why,
        "changes": file.changes,
    }


def file_from_json(data: object, within: str = "file") -> FilePreview:
    """The preview that such an object says."""
    fields = Fields(data, within)
    return FilePreview(
        path=fields.text("path"),
        state=fields.word("state", FileState),
        digest=fields.text("digest"),
        diff=fields.text("diff", ""),
        added=fields.whole("added", 0),
        removed=fields.whole("removed", 0),
        lines=fields.whole("lines", 0),
        within=fields.text("within", ""),
        why=fields.text("why", ""),
        changes=fields.whole("changes", 0),
    )

"""A change of a file as a terminal shows it."""

from assent.cli.terminal import Style, paint, visible
from assent.gate.file_preview import FilePreview, FileState

_STYLES = {"+": Style.GOOD, "-": Style.BAD, "@": Style.FAINT}


def file_lines(file: FilePreview | None) -> list[str]:
    """What would become of the file, in short; nothing where a call changes none."""
    if file is None:
        return []
    path = visible(file.path)
    changed = [paint("the file changed since somebody looked: asked again", Style.CAREFUL)]
    return [f"{path}: {_change(file)}", *(changed if file.changes else [])]


def diff_lines(file: FilePreview | None) -> list[str]:
    """The change itself, line by line."""
    if file is None or not file.diff:
        return []
    return [_painted(line) for line in file.diff.split("\n")]


def _change(file: FilePreview) -> str:
    if file.state is FileState.NEW:
        return f"new file, {file.added} line(s)"
    if file.state is FileState.CHANGED:
        within = f" in {visible(file.within)}" if file.within else ""
        return f"+{file.added} -{file.removed} line(s) of {file.lines}{within}"
    return f"not compared: {visible(file.why)}"


def _painted(line: str) -> str:
    style = _STYLES.get(line[:1])
    return visible(line) if style is None else paint(visible(line), style)

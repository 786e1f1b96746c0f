"""A change of a file as a terminal shows it."""

import pytest

from assent.cli.filechange import diff_lines, file_lines
from assent.gate.file_preview import FilePreview, FileState

CHANGED = FilePreview(
    path="a.txt",
    state=FileState.CHANGED,
    digest="d",
    diff="@@ -1,2 +1,2 @@\n a\n-b\n+\x1b[2Jc",
    added=1,
    removed=1,
    lines=2,
)


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        (None, []),
        (CHANGED, ["a.txt: +1 -1 line(s) of 2"]),
        (
            FilePreview(
                path="n.ipynb", state=FileState.CHANGED, digest="d", lines=9, within="cell 2", changes=1
            ),
            ["n.ipynb: +0 -0 line(s) of 9 in cell 2", "the file changed since somebody looked: asked again"],
        ),
        (
            FilePreview(path="a.txt", state=FileState.NEW, digest="absent", added=3),
            ["a.txt: new file, 3 line(s)"],
        ),
        (
            FilePreview(path=".env", state=FileState.SECRET, digest="secret", why="it is secret"),
            [".env: not compared: it is secret"],
        ),
    ],
)
def test_what_would_become_of_the_file(file: FilePreview | None, lines: list[str]) -> None:
    assert file_lines(file) == lines


@pytest.mark.proves("T-49")
def test_each_line_of_the_change_shows_what_it_holds() -> None:
    assert diff_lines(CHANGED)[:3] == ["@@ -1,2 +1,2 @@", " a", "-b"]
    assert "\x1b" not in diff_lines(CHANGED)[3]
    assert diff_lines(None) == []

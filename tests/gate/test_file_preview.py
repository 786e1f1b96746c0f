"""A file preview shows the change of the file with its digest, or the reason why there is none."""

from hashlib import sha256

import pytest

from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.facts import CallDirectories
from assent.engine.base.tool import Call
from assent.gate.file_preview import (
    MAX_DIFF_CHARACTERS,
    NO_DIFF_REASONS,
    FileContent,
    FileEdit,
    FilePreview,
    FileState,
    UnreadReason,
    file_edit,
    preview_edit,
)

DIRECTORIES = CallDirectories(roots=("/project", "/other"), cwd="/project")


def write_edit(content: str) -> FileEdit:
    edit = file_edit(
        Call(tool="Write", args={"file_path": "a.txt", "content": content}), KNOWN_TOOLS["Write"], {}
    )
    assert edit is not None
    return edit


@pytest.mark.proves("T-49")
def test_an_overwritten_file_shows_its_removed_lines() -> None:
    data = b"1\n2\n3\n4\n5\n"

    assert preview_edit(
        write_edit("a\nb\nc\n"), FileContent("/project/a.txt", data), DIRECTORIES
    ) == FilePreview(
        path="a.txt",
        state=FileState.CHANGED,
        digest=sha256(data).hexdigest(),
        diff="@@ -1,5 +1,3 @@\n-1\n-2\n-3\n-4\n-5\n+a\n+b\n+c",
        added=3,
        removed=5,
        lines=5,
    )


def test_a_missing_file_is_shown_as_new() -> None:
    content = FileContent("/project/sub/a.txt", unread=UnreadReason.ABSENT)

    assert preview_edit(write_edit("a\nb"), content, DIRECTORIES) == FilePreview(
        path="sub/a.txt", state=FileState.NEW, digest="absent", added=2
    )


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("unread", [one for one in UnreadReason if one is not UnreadReason.ABSENT])
def test_a_file_that_was_not_read_shows_the_reason(unread: UnreadReason) -> None:
    state = FileState(unread.value)

    assert preview_edit(
        write_edit("x"), FileContent("/other/a.txt", unread=unread), DIRECTORIES
    ) == FilePreview(path="/other/a.txt", state=state, digest=unread.value, why=NO_DIFF_REASONS[state])


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfe", b"caf\xe9\n"])
def test_a_binary_file_has_a_digest_but_no_diff(data: bytes) -> None:
    found = preview_edit(write_edit("x"), FileContent("/project/a.bin", data), DIRECTORIES)

    assert (found.state, found.diff, found.digest) == (FileState.BINARY, "", sha256(data).hexdigest())
    assert found.why == "the file is not UTF-8 text"


def test_a_diff_that_is_too_long_shows_only_its_line_counts() -> None:
    found = preview_edit(
        write_edit("x" * MAX_DIFF_CHARACTERS), FileContent("/project/a.txt", b"y\n"), DIRECTORIES
    )

    assert (found.state, found.added, found.removed, found.diff) == (FileState.LONG, 1, 1, "")
    assert found.why == "the change is longer than 100,000 characters"


@pytest.mark.proves("T-49")
def test_an_edit_that_cannot_be_applied_shows_the_reason_instead_of_a_diff() -> None:
    args = {"file_path": "a.txt", "old_string": "z", "new_string": "y"}
    edit = file_edit(Call(tool="Edit", args=args), KNOWN_TOOLS["Edit"], {})
    assert edit is not None

    found = preview_edit(edit, FileContent("/project/a.txt", b"x\n"), DIRECTORIES)

    assert (found.state, found.diff) == (FileState.UNFIT, "")
    assert found.why == "the text to replace is not in the file"

"""A tool opens a file by the exact path that was decided, and never through a link."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from assent.config.files import open_without_links
from assent.hosts.chat.tools.file_changes import replace_file, write_file_tool
from assent.hosts.chat.tools.file_reading import list_files_tool, read_file_tool, search_files_tool
from assent.hosts.chat.tools.files import resolve_path
from assent.hosts.chat.tools.tool import ToolError
from tests.hosts.chat.tools.support import make_context, succeeded_and_text, workspace

SECRET = "nobody's business"


@pytest.mark.proves("R003-52")
@pytest.mark.parametrize("path", ["../outside.txt", "a/../../outside.txt", "/etc/passwd", "~/outside.txt"])
async def test_a_path_outside_the_workspace_is_refused_without_details(tmp_path: Path, path: str) -> None:
    root = workspace(tmp_path)
    (root / "a").mkdir()

    for tool, more in (
        (read_file_tool(), {}),
        (list_files_tool(), {}),
        (search_files_tool(), {"text": "n"}),
        (write_file_tool(), {"content": "x"}),
    ):
        result = await tool.run_call({"path": path, **more}, make_context(root))

        assert result.failed
        assert "outside of the workspace" in result.text
        assert SECRET not in result.text
    assert (tmp_path / "outside.txt").read_text("utf-8") == SECRET


async def test_a_path_outside_the_workspace_works_if_the_call_was_approved(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    context = replace(make_context(root), may_leave_workspace=True)

    result = await read_file_tool().run_call({"path": str(tmp_path.resolve() / "outside.txt")}, context)

    assert succeeded_and_text(result) == (True, SECRET)


@pytest.mark.proves("T-27")
async def test_a_link_created_after_approval_is_not_followed(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    context = make_context(root)
    (root / "notes.txt").write_text("mine", "utf-8")
    before = await read_file_tool().run_call({"path": "notes.txt"}, context)
    (root / "notes.txt").unlink()
    (root / "notes.txt").symlink_to(tmp_path / "outside.txt")

    after = await read_file_tool().run_call({"path": "notes.txt"}, context)
    written = await write_file_tool().run_call({"path": "notes.txt", "content": "gone"}, context)

    assert succeeded_and_text(before) == (True, "mine")
    assert succeeded_and_text(after) == (False, "`notes.txt` is a link, and links are not followed")
    assert succeeded_and_text(written) == (False, "`notes.txt` is a link, and links are not followed")
    assert (tmp_path / "outside.txt").read_text("utf-8") == SECRET


@pytest.mark.proves("T-27")
async def test_a_directory_replaced_by_a_link_is_not_followed(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.txt").write_text(SECRET, "utf-8")
    (root / "sub").symlink_to(elsewhere)

    read = await read_file_tool().run_call({"path": "sub/a.txt"}, make_context(root))
    written = await write_file_tool().run_call({"path": "sub/new/b.txt", "content": "x"}, make_context(root))
    listed = await list_files_tool().run_call({"path": "sub"}, make_context(root))

    assert [read.failed, written.failed, listed.failed] == [True, True, True]
    assert SECRET not in read.text
    assert sorted(os.listdir(elsewhere)) == ["a.txt"]


@pytest.mark.proves("T-27")
def test_a_link_created_between_check_and_open_is_refused_by_the_system_call(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path)
    (root / "sub").mkdir()
    (root / "sub" / "a.txt").write_text("mine", "utf-8")
    path = resolve_path("sub/a.txt", make_context(root))
    os.close(open_without_links(path, os.O_RDONLY))
    (root / "sub" / "a.txt").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(tmp_path)
    (tmp_path / "a.txt").write_text(SECRET, "utf-8")

    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        open_without_links(path, os.O_RDONLY)
    with pytest.raises(ToolError):
        replace_file(path, "sub/a.txt", b"gone")

    assert (tmp_path / "a.txt").read_text("utf-8") == SECRET


async def test_the_refusal_of_an_inner_link_names_its_target(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "v2").mkdir()
    (root / "v2" / "a.txt").write_text("two", "utf-8")
    (root / "latest").symlink_to("v2")

    result = await read_file_tool().run_call({"path": "latest/a.txt"}, make_context(root))

    assert succeeded_and_text(result) == (
        False,
        "`latest` is a link, and links are not followed; it leads to `v2`",
    )


@pytest.mark.parametrize("path", ["a\0b", "C:\\x", "\ud800", "x" * 5000])
async def test_an_invalid_path_gives_a_clear_error(tmp_path: Path, path: str) -> None:
    result = await read_file_tool().run_call({"path": path}, make_context(workspace(tmp_path)))

    assert result.failed
    assert "crashed" not in result.text


async def test_a_named_pipe_blocks_no_call(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    os.mkfifo(root / "pipe")

    result = await read_file_tool().run_call({"path": "pipe"}, make_context(root))

    assert succeeded_and_text(result) == (False, "`pipe` is not a regular file")

"""Writing: the whole file or nothing, shown before it is done."""

import os
import resource
import signal
import stat
from pathlib import Path

import pytest

from assent.gate.ports import Preview
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.diff import ABSENT, fingerprint
from assent.hosts.chat.belt.tool import BeltTool
from assent.hosts.chat.belt.write import write_file
from tests.hosts.chat.belt.scene import a_context, limited, told, workspace


async def previewed(tool: BeltTool, args: dict[str, object], root: Path) -> Preview:
    assert tool.dry_run is not None
    return await tool.dry_run(Arguments(args), a_context(root))


async def test_a_file_is_written_and_its_directories_are_made(tmp_path: Path) -> None:
    root = workspace(tmp_path)

    result = await write_file().run({"path": "a/b/c.txt", "content": "häh\n"}, a_context(root))

    assert told(result) == (True, "done: create a/b/c.txt: +1 -0 lines")
    assert (root / "a/b/c.txt").read_bytes() == "häh\n".encode()
    assert os.listdir(root / "a/b") == ["c.txt"]


async def test_a_file_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "run.sh").write_text("echo 1\n", "utf-8")
    (root / "run.sh").chmod(0o754)

    await write_file().run({"path": "run.sh", "content": "echo 2\n"}, a_context(root))

    assert (root / "run.sh").read_text("utf-8") == "echo 2\n"
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o754


@pytest.mark.proves("R001-30")
async def test_a_dry_run_shows_before_and_after_and_changes_nothing(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("one\ntwo\n", "utf-8")

    preview = await previewed(write_file(), {"path": "a.txt", "content": "one\n2\n"}, root)

    assert preview.summary == "change a.txt: +1 -1 lines"
    assert preview.details == {
        "path": "a.txt",
        "before": "one\ntwo\n",
        "after": "one\n2\n",
        "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
    }
    assert preview.fingerprint == fingerprint("one\ntwo\n")
    assert (root / "a.txt").read_text("utf-8") == "one\ntwo\n"


async def test_the_fingerprint_tells_whether_the_file_is_still_the_same(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    args: dict[str, object] = {"path": "a.txt", "content": "new"}
    absent = await previewed(write_file(), args, root)
    (root / "a.txt").write_bytes(b"caf\xe9")
    latin = await previewed(write_file(), args, root)
    (root / "a.txt").write_bytes(b"caf\xe8")
    other = await previewed(write_file(), args, root)

    assert absent.fingerprint == ABSENT
    assert len({absent.fingerprint, latin.fingerprint, other.fingerprint}) == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"path": "sub", "content": ""}, "`sub` is a directory"),
        ({"path": "a.txt", "content": "\ud800"}, "`content` holds characters that cannot be written"),
        ({"path": "a.txt", "content": "x" * 101}, "`content` is larger than 100 bytes"),
        ({"path": "a.txt"}, "the arguments are not valid: content is missing"),
        ({"path": "a.txt", "content": "", "mode": 7}, "the arguments are not valid: mode is not a parameter"),
        (
            {"path": "file.txt/under", "content": ""},
            "`file.txt/under` cannot be opened as it was decided: not a directory",
        ),
    ],
)
async def test_what_cannot_be_written_is_said_and_nothing_is_left_behind(
    tmp_path: Path, args: dict[str, object], said: str
) -> None:
    root = workspace(tmp_path)
    (root / "sub").mkdir()
    (root / "file.txt").touch()

    result = await write_file().run(args, a_context(root, limits=limited(file_bytes=100)))

    assert told(result) == (False, said)
    assert sorted(os.listdir(root)) == ["file.txt", "sub"]


async def test_a_full_disk_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("old", "utf-8")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        result = await write_file().run({"path": "a.txt", "content": "x" * 5_000}, a_context(root))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)

    assert result.failed
    assert (root / "a.txt").read_text("utf-8") == "old"
    assert os.listdir(root) == ["a.txt"]

"""The watch of directories: bounded, and never through a link."""

from pathlib import Path

import pytest

from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.watch import (
    MAX_WATCHED,
    DirectoryChange,
    DirectoryState,
    DirectoryWatch,
    WatchedDirectory,
)


async def test_every_kind_of_change_is_noticed_once(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a").write_text("old")
    one = WatchedDirectory(Root("shop", str(tmp_path)), "/src")
    watch = DirectoryWatch()
    await watch.replace([one])
    found = [await watch.compare()]
    for change in (
        lambda: (tmp_path / "src/a").write_text("longer"),
        lambda: (tmp_path / "src/a").rename(tmp_path / "src/b"),
        lambda: (tmp_path / "src/b").chmod(0o700),
        (tmp_path / "src/b").unlink,
        (tmp_path / "src").rmdir,
        lambda: (tmp_path / "src").symlink_to(tmp_path.parent),
    ):
        change()
        found.append(await watch.compare())
    (tmp_path / "src").unlink()
    (tmp_path / "src").mkdir()
    found.append(await watch.compare())

    changed, gone = (DirectoryChange(one, state) for state in DirectoryState)
    assert [list(each) for each in found] == [
        *([], [changed], [changed], [changed], [changed], [gone], [], [changed])
    ]


async def test_a_page_watches_a_limited_number_of_directories(tmp_path: Path) -> None:
    root = Root("shop", str(tmp_path))
    watch = DirectoryWatch()
    await watch.replace([WatchedDirectory(root, f"/{number}") for number in range(MAX_WATCHED)])
    with pytest.raises(WorkbenchError) as refused:
        await watch.replace([WatchedDirectory(root, f"/{number}") for number in range(MAX_WATCHED + 1)])

    assert refused.value.reason is Reason.LARGE

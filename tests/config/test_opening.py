"""A file is opened by its real path: through no link, and without waiting for anybody."""

import os
from pathlib import Path

import pytest

from assent.config.opening import open_path, parent_of


def test_a_link_anywhere_on_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("text")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "b.txt").symlink_to("a.txt")

    os.close(open_path(f"{tmp_path}/real/a.txt", os.O_RDONLY))
    for path in ("link/a.txt", "real/b.txt"):
        with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
            open_path(f"{tmp_path}/{path}", os.O_RDONLY)


def test_directories_are_made_on_request(tmp_path: Path) -> None:
    for _ in range(2):
        with parent_of(f"{tmp_path}/a/b/c.txt", create=True) as (_, name):
            assert (name, (tmp_path / "a" / "b").is_dir()) == ("c.txt", True)

"""The submodules of an index are found as Git lists them."""

import subprocess
from pathlib import Path

import pytest

from assent.config.git_index import find_submodules
from assent.config.small_files import UnsafeFileError

COMMIT = "1" * 40


def run_git(directory: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=directory, check=True, capture_output=True)


def make_index(directory: Path, version: str, *paths: str) -> Path:
    run_git(directory, "init", "-q")
    (directory / "a.txt").write_text("a")
    (directory / "src").mkdir()
    (directory / "src" / "abc.txt").write_text("a" * 0xE000)
    run_git(directory, "add", ".")
    for path in paths:
        run_git(directory, "update-index", "--add", "--cacheinfo", f"160000,{COMMIT},{path}")
    run_git(directory, "update-index", "--index-version", version)
    return directory / ".git" / "index"


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("paths", [(), ("lib",), ("src/abcd", "src/abd", "vendor/a b", "z")])
def test_the_submodules_of_an_index_are_listed(tmp_path: Path, version: str, paths: tuple[str, ...]) -> None:
    assert find_submodules(str(make_index(tmp_path, version, *paths))) == paths


def test_an_old_index_is_read_once_and_again_after_a_change(tmp_path: Path) -> None:
    index = make_index(tmp_path, "2", "lib")
    subprocess.run(["touch", "-d", "2020-01-01", str(index)], check=True)

    assert find_submodules(str(index)) == find_submodules(str(index)) == ("lib",)
    run_git(tmp_path, "update-index", "--force-remove", "lib")
    assert find_submodules(str(index)) == ()


def test_a_missing_index_has_no_submodules(tmp_path: Path) -> None:
    assert find_submodules(str(tmp_path / "index")) == ()


@pytest.mark.parametrize(
    "content",
    [b"", b"DIRC", b"none\0\0\0\2\0\0\0\0", b"DIRC\0\0\0\x09\0\0\0\0", b"DIRC\0\0\0\2\0\0\0\1\0\0\xe0\0"],
)
def test_an_index_that_cannot_be_read_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)

    with pytest.raises(UnsafeFileError):
        find_submodules(str(tmp_path / "index"))


def test_an_index_that_names_another_file_is_an_error(tmp_path: Path) -> None:
    index = make_index(tmp_path, "2", "lib")
    run_git(tmp_path, "update-index", "--split-index")

    with pytest.raises(UnsafeFileError):
        find_submodules(str(index))


def test_an_index_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFileError):
        find_submodules(str(tmp_path))

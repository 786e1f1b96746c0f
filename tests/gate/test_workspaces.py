"""Paths of workspaces are compared and checked as text."""

import pytest

from assent.errors import InputError
from assent.gate.workspaces import check_root_path, is_below


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/a", "/a", True),
        ("/a/b", "/a", True),
        ("/ab", "/a", False),
        ("/", "/a", False),
        ("/a", "/", True),
        ("/a/../b", "/a", True),
    ],
)
def test_a_directory_is_inside_another_by_whole_names(path: str, root: str, expected: bool) -> None:
    assert is_below(path, root) is expected


@pytest.mark.parametrize(
    ("root", "expected"),
    [("/a/b/", "/a/b"), ("/a/../b", "/b"), ("//a//b/.", "/a/b"), ("/", "/"), ("//", "/"), ("/a/..", "/")],
)
def test_a_root_is_stored_in_one_spelling(root: str, expected: str) -> None:
    assert check_root_path(root) == expected


@pytest.mark.parametrize(
    "root", ["", "a", "./a", "~/a", "/a\0b", "/a\nb", "/\udc80", "/" + "a" * 5000, "C:\\a"]
)
def test_an_unusable_root_is_refused(root: str) -> None:
    with pytest.raises(InputError, match="absolute path"):
        check_root_path(root)

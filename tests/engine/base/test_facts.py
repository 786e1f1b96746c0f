"""The absolute path of a written path: directories, homes, anchors and unknown paths."""

import pytest

from assent.engine.base.facts import CallDirectories, Facts, PathUse, is_inside, normalize_path
from assent.engine.base.globs import UNKNOWN_MARK

DIRECTORIES = CallDirectories(roots=("/project", "/second"), cwd="/project/sub", home="/home/ana")
DIRECTORIES_WITHOUT_HOME = CallDirectories(roots=("/project",), cwd="/project")
CASE_INSENSITIVE_DIRECTORIES = CallDirectories(roots=("/Project",), cwd="/Project", case_sensitive=False)


@pytest.mark.parametrize(
    ("use", "absolute"),
    [
        (PathUse("/etc/passwd"), "/etc/passwd"),
        (PathUse("a.txt"), "/project/sub/a.txt"),
        (PathUse("../a.txt"), "/project/sub/../a.txt"),
        (PathUse(""), "/project/sub"),
        (PathUse("a.txt", "deep"), "/project/sub/deep/a.txt"),
        (PathUse("a.txt", "/tmp"), "/tmp/a.txt"),
        (PathUse("a.txt", "~/x"), "/home/ana/x/a.txt"),
        (PathUse("a.txt", "C:/x"), None),
        (PathUse("a.txt", UNKNOWN_MARK), None),
        (PathUse("~/a", tilde=True), "/home/ana/a"),
        (PathUse("~", tilde=True), "/home/ana"),
        (PathUse("~bob/a", tilde=True), None),
        (PathUse("~/a"), "/project/sub/~/a"),
        (PathUse("/src/a", anchored=True), "/project/src/a"),
        (PathUse("src/a", anchored=True), "/project/src/a"),
        (PathUse(f"src/{UNKNOWN_MARK}", anchored=True), None),
        (PathUse(UNKNOWN_MARK), None),
        (PathUse("C:\\x"), None),
        (PathUse("C:/x"), None),
        (PathUse("\\\\?\\C:\\x"), None),
        (PathUse("\\\\server\\share"), None),
        (PathUse("HKLM::x"), None),
        (PathUse("a::b"), None),
        (PathUse("10:30"), "/project/sub/10:30"),
        (PathUse("host:x"), "/project/sub/host:x"),
    ],
)
@pytest.mark.proves("T-27")
def test_a_written_path_becomes_absolute_or_stays_unknown(use: PathUse, absolute: str | None) -> None:
    assert use.to_absolute_path(DIRECTORIES) == absolute


def test_an_unknown_home_makes_a_path_unknown() -> None:
    assert PathUse("~/a", tilde=True).to_absolute_path(DIRECTORIES_WITHOUT_HOME) is None
    assert PathUse("a", "~").to_absolute_path(DIRECTORIES_WITHOUT_HOME) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/project/a/../b", "/project/b"),
        ("//project/b", "/project/b"),
        ("/project/cafe\u0301", "/project/caf\u00e9"),
        ("/Project", "/Project"),
        ("/project/a. ", "/project/a. "),
    ],
)
def test_rules_compare_one_spelling_of_a_path(path: str, expected: str) -> None:
    assert normalize_path(path, DIRECTORIES) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/Project/STRASSE", "/project/strasse"),
        ("/Project/Stra\u00dfe", "/project/strasse"),
        ("/Project/.ENV.", "/project/.env"),
        ("/Project/.git. ./config ", "/project/.git/config"),
        ("/Project/.../a", "/project/.../a"),
    ],
)
@pytest.mark.proves("T-27")
def test_without_letter_case_names_are_compared_without_case_and_final_dots(path: str, expected: str) -> None:
    assert normalize_path(path, CASE_INSENSITIVE_DIRECTORIES) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/project", True),
        ("/project/a", True),
        ("/second/a", True),
        ("/project/../etc", False),
        ("/projectile", False),
        ("/", False),
    ],
)
def test_the_workspace_is_its_roots_and_what_is_below(path: str, expected: bool) -> None:
    assert is_inside(path, DIRECTORIES) is expected


def test_a_root_may_be_the_whole_file_system() -> None:
    assert is_inside("/etc/passwd", CallDirectories(roots=("/",), cwd="/"))


def test_a_repository_is_not_trusted_by_default() -> None:
    assert not Facts(directories=DIRECTORIES).trusted_repository
    assert Facts(directories=DIRECTORIES).real == {}

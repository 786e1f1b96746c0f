"""Paths are resolved as the system would resolve them; what cannot be known is not guessed."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config import resolve as module
from assent.config.resolve import Unresolvable, expand, resolve


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("src/a.ts", "src/b.ts", "src/.hidden", "src/deep/c.ts", "docs/x.md", "docs/[y].md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "to-src").symlink_to("src")
    (tmp_path / "chain").symlink_to("to-src/deep")
    (tmp_path / "loop").symlink_to("loop2")
    (tmp_path / "loop2").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("/etc/new-file")
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "docs" / "linked").symlink_to("../src")
    return tmp_path


CASES = {
    "src/a.ts": "src/a.ts",
    "src/../docs/x.md": "docs/x.md",
    "to-src/a.ts": "src/a.ts",
    "chain/c.ts": "src/deep/c.ts",
    "chain/..": "src",
    "to-src/../docs": "docs",
    "src//./a.ts": "src/a.ts",
    "new/file": "new/file",
    "new/../src/new.ts": "src/new.ts",
    "new/../to-src/new.ts": "src/new.ts",
    "new/../../{name}/to-src": "src",
    "src/a.ts/below": "src/a.ts/below",
    "up/{name}/src": "src",
}


@pytest.mark.proves("T-27")
@pytest.mark.parametrize("written", CASES)
def test_links_and_dots_are_followed_to_the_end(tree: Path, written: str) -> None:
    path = f"{tree}/{written.format(name=tree.name)}"

    assert resolve(path) == f"{os.path.realpath(tree)}/{CASES[written]}"


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    ("written", "real"),
    [("out/passwd", "/etc/passwd"), ("dangling", "/etc/new-file"), ("new/../out/passwd", "/etc/passwd")],
)
def test_a_link_out_of_the_tree_is_seen_wherever_it_stands(tree: Path, written: str, real: str) -> None:
    assert resolve(f"{tree}/{written}") == real


@pytest.mark.proves("T-27")
def test_links_in_circles_have_no_real_path(tree: Path) -> None:
    with pytest.raises(Unresolvable):
        resolve(f"{tree}/loop/x")


@pytest.mark.proves("T-27")
def test_the_root_of_a_process_is_the_root(tree: Path) -> None:
    assert resolve("/proc/self/root/etc/passwd") == "/etc/passwd"
    assert resolve(f"/proc/{os.getpid()}/root{tree}/src") == f"{os.path.realpath(tree)}/src"


@pytest.mark.proves("T-27")
@pytest.mark.parametrize("path", ["/proc/self/cwd/x", "/proc/self/exe", "/dev/fd/0", "/dev/stdin"])
def test_what_differs_from_process_to_process_is_not_guessed(path: str) -> None:
    with pytest.raises(Unresolvable):
        resolve(path)


def test_more_dots_than_directories_end_at_the_root() -> None:
    assert resolve("/" + "../" * 50 + "etc") == "/etc"
    assert resolve("/") == "/"


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> str:
    base = tmp_path_factory.mktemp("linked")
    (base / "src" / "deep").mkdir(parents=True)
    (base / "a").mkdir()
    for name, target in (("to-src", "src"), ("chain", "to-src/deep"), ("out", "/etc")):
        (base / name).symlink_to(target)
    return str(base)


@given(
    parts=st.lists(st.sampled_from(["..", ".", "a", "src", "to-src", "chain", "new", "", "out"]), max_size=8)
)
def test_it_agrees_with_the_system_on_every_path_that_exists(linked: str, parts: list[str]) -> None:
    path = "/".join([linked, *parts])

    if os.path.exists(path):
        assert resolve(path) == os.path.realpath(path)


GLOBS = {
    "src/*.ts": ["src/a.ts", "src/b.ts"],
    "src/?.ts": ["src/a.ts", "src/b.ts"],
    "src/[!a].ts": ["src/b.ts"],
    "src/[^a].ts": ["src/b.ts"],
    "src/.*": ["src/.hidden"],
    "*/x.md": ["docs/x.md"],
    "src/**/c.ts": ["src/deep/c.ts"],
    "src/**": ["src", "src/a.ts", "src/b.ts", "src/deep", "src/deep/c.ts"],
    "do**/**": ["docs", "docs/[y].md", "docs/linked", "docs/x.md"],
    "nothing*": [],
    "to-src/*.ts": ["to-src/a.ts", "to-src/b.ts"],
    "src/a.ts/*": [],
}


@pytest.mark.parametrize("pattern", GLOBS)
def test_a_glob_stands_for_the_files_that_are_there(tree: Path, pattern: str) -> None:
    assert sorted(expand(f"{tree}/{pattern}")) == [f"{tree}/{name}" for name in GLOBS[pattern]]


@pytest.mark.parametrize("pattern", ["[[:alpha:]]*", "+(a|b)", "@(a)", "!(a)", "?(a)", "*(a)", "[=a=]"])
def test_patterns_that_shells_read_differently_are_not_guessed(tree: Path, pattern: str) -> None:
    with pytest.raises(Unresolvable):
        expand(f"{tree}/{pattern}")


def test_too_many_matches_are_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / f"file{number}").write_text("")

    monkeypatch.setattr(module, "MOST_MATCHES", 19)
    with pytest.raises(Unresolvable, match="matches too many files"):
        expand(f"{tmp_path}/*")


def test_a_directory_that_is_too_large_to_look_through_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        (tmp_path / f"file{number}").write_text("")

    monkeypatch.setattr(module, "MOST_ENTRIES", 10)
    with pytest.raises(Unresolvable, match="too large"):
        expand(f"{tmp_path}/*none*")

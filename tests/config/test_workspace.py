"""Facts about paths come from the disk; a path that cannot be resolved has no fact."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config import workspace as module
from assent.config.workspace import (
    UnresolvableError,
    directories_on_disk,
    directories_without_disk,
    expand_glob,
    facts_without_disk,
    gather_facts,
    is_case_sensitive,
    resolve_path,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work" / "src").mkdir(parents=True)
    (tmp_path / "work" / "src" / "a.ts").write_text("")
    (tmp_path / "work" / "link").symlink_to("/etc")
    (tmp_path / "work" / "loop").symlink_to("loop")
    return tmp_path / "work"


def trust_all(_directory: str) -> bool:
    return True


@pytest.mark.proves("T-27")
def test_each_path_is_resolved_to_its_real_path(root: Path) -> None:
    directories = directories_on_disk(str(root), [str(root)], "/home/user")
    wanted = [f"{root}/src/a.ts", f"{root}/link/passwd", f"{root}/src/*.ts", f"{root}/none*"]

    facts = gather_facts(directories, wanted, trusts=trust_all)

    assert facts.real == {
        f"{root}/src/a.ts": (f"{root}/src/a.ts",),
        f"{root}/link/passwd": ("/etc/passwd",),
        f"{root}/src/*.ts": (f"{root}/src/a.ts",),
        f"{root}/none*": (f"{root}/none*",),
    }


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "path", ["{root}/loop/x", "/proc/self/cwd/x", "{root}/a\0b", "{root}/src/a.ts/.", "/" + "a" * 5_000]
)
def test_a_path_that_cannot_be_resolved_has_no_fact(root: Path, path: str) -> None:
    directories = directories_on_disk(str(root), [str(root)], "/home/user")

    assert gather_facts(directories, [path.format(root=root)], trusts=trust_all).real == {}


def test_a_user_without_a_home_has_none_in_the_facts(root: Path) -> None:
    assert directories_on_disk(str(root), [str(root)], "").home == ""


def test_roots_are_resolved_to_real_paths(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)

    directories = directories_on_disk(str(root), [str(tmp_path / "alias"), str(root), "/etc"], "/home/user")

    assert directories.roots == (str(root), "/etc")


@pytest.mark.proves("T-32")
def test_a_command_that_enters_another_repository_needs_trust_in_both(root: Path) -> None:
    directories = directories_on_disk(str(root), [str(root)], "/home/user")
    trusted = {str(root)}

    assert gather_facts(directories, [], trusts=trusted.__contains__).trusted_repository is True
    assert gather_facts(directories, [f"{root}/src"], trusts=trusted.__contains__).trusted_repository is False
    assert (
        gather_facts(directories, [f"{root}/src/a.ts"], trusts=trusted.__contains__).trusted_repository
        is True
    )
    assert gather_facts(directories, [], trusts=set[str]().__contains__).trusted_repository is False


def test_a_place_without_disk_reads_no_files() -> None:
    directories = directories_without_disk("/project/", "/home/user")

    facts = facts_without_disk(directories, ["/project/a/../b", "/project/../etc"], trusted_repository=True)

    assert (directories.roots, directories.cwd, directories.home) == (("/project",), "/project", "/home/user")
    assert facts.real == {"/project/a/../b": ("/project/b",), "/project/../etc": ("/etc",)}
    assert facts.trusted_repository is True


def test_case_sensitivity_is_detected_without_writing(root: Path) -> None:
    before = sorted(root.iterdir())

    assert is_case_sensitive(str(root)) is not (root / "SRC").exists()
    assert sorted(root.iterdir()) == before


@pytest.mark.proves("T-27")
def test_a_case_insensitive_volume_is_detected(tmp_path: Path) -> None:
    # Two hard links to one file look like one file on a case-insensitive volume.
    (tmp_path / "name").write_text("")
    os.link(tmp_path / "name", tmp_path / "NAME")

    assert is_case_sensitive(str(tmp_path)) is False


def test_an_empty_directory_counts_as_case_sensitive(tmp_path: Path) -> None:
    (tmp_path / "123").mkdir()

    assert is_case_sensitive(str(tmp_path / "123")) is True
    assert is_case_sensitive(str(tmp_path / "missing")) is True


@pytest.fixture
def linked_tree(tmp_path: Path) -> Path:
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


RESOLVED_PATHS = {
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
@pytest.mark.parametrize("written", RESOLVED_PATHS)
def test_links_and_dots_are_followed_to_the_end(linked_tree: Path, written: str) -> None:
    path = f"{linked_tree}/{written.format(name=linked_tree.name)}"

    assert resolve_path(path) == f"{os.path.realpath(linked_tree)}/{RESOLVED_PATHS[written]}"


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    ("written", "real"),
    [("out/passwd", "/etc/passwd"), ("dangling", "/etc/new-file"), ("new/../out/passwd", "/etc/passwd")],
)
def test_a_link_out_of_the_tree_is_resolved_at_any_position(
    linked_tree: Path, written: str, real: str
) -> None:
    assert resolve_path(f"{linked_tree}/{written}") == real


@pytest.mark.proves("T-27")
def test_a_cycle_of_links_has_no_real_path(linked_tree: Path) -> None:
    with pytest.raises(UnresolvableError):
        resolve_path(f"{linked_tree}/loop/x")


@pytest.mark.proves("T-27")
def test_the_proc_root_link_is_the_root(linked_tree: Path) -> None:
    assert resolve_path("/proc/self/root/etc/passwd") == "/etc/passwd"
    assert (
        resolve_path(f"/proc/{os.getpid()}/root{linked_tree}/src") == f"{os.path.realpath(linked_tree)}/src"
    )


@pytest.mark.proves("T-27")
@pytest.mark.parametrize("path", ["/proc/self/cwd/x", "/proc/self/exe", "/dev/fd/0", "/dev/stdin"])
def test_other_proc_links_are_not_resolved(path: str) -> None:
    with pytest.raises(UnresolvableError):
        resolve_path(path)


def test_parent_directories_of_the_root_are_the_root() -> None:
    assert resolve_path("/" + "../" * 50 + "etc") == "/etc"
    assert resolve_path("/") == "/"


@pytest.fixture(scope="module")
def linked_directory(tmp_path_factory: pytest.TempPathFactory) -> str:
    base = tmp_path_factory.mktemp("linked")
    (base / "src" / "deep").mkdir(parents=True)
    (base / "a").mkdir()
    for name, target in (("to-src", "src"), ("chain", "to-src/deep"), ("out", "/etc")):
        (base / name).symlink_to(target)
    return str(base)


@given(
    parts=st.lists(st.sampled_from(["..", ".", "a", "src", "to-src", "chain", "new", "", "out"]), max_size=8)
)
def test_existing_paths_are_resolved_as_the_system_resolves_them(
    linked_directory: str, parts: list[str]
) -> None:
    path = "/".join([linked_directory, *parts])

    if os.path.exists(path):
        assert resolve_path(path) == os.path.realpath(path)


GLOB_MATCHES = {
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


@pytest.mark.parametrize("pattern", GLOB_MATCHES)
def test_a_glob_is_expanded_to_existing_files(linked_tree: Path, pattern: str) -> None:
    assert sorted(expand_glob(f"{linked_tree}/{pattern}")) == [
        f"{linked_tree}/{name}" for name in GLOB_MATCHES[pattern]
    ]


@pytest.mark.parametrize("pattern", ["[[:alpha:]]*", "+(a|b)", "@(a)", "!(a)", "?(a)", "*(a)", "[=a=]"])
def test_patterns_that_shells_expand_differently_are_refused(linked_tree: Path, pattern: str) -> None:
    with pytest.raises(UnresolvableError):
        expand_glob(f"{linked_tree}/{pattern}")


def test_a_glob_with_too_many_matches_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / f"file{number}").write_text("")

    monkeypatch.setattr(module, "MAX_MATCHES", 19)
    with pytest.raises(UnresolvableError, match="matches too many files"):
        expand_glob(f"{tmp_path}/*")


def test_a_glob_in_a_too_large_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / f"file{number}").write_text("")

    monkeypatch.setattr(module, "MAX_ENTRIES", 10)
    with pytest.raises(UnresolvableError, match="too large"):
        expand_glob(f"{tmp_path}/*none*")


@pytest.mark.parametrize(("mode", "inside"), [(0o700, True), (0o770, False)])
def test_a_directory_of_the_client_that_others_may_change_is_no_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: int, *, inside: bool
) -> None:
    own = tmp_path / f"claude-{os.getuid()}"
    (own / "-work" / "tasks").mkdir(parents=True)
    own.chmod(mode)
    path = str(own / "-work" / "tasks" / "a.output")
    monkeypatch.setattr(
        module, "_TEMPORARY_OF_USER", re.compile(re.escape(str(tmp_path)) + "/claude-([0-9]+)(?=/)")
    )
    facts = gather_facts(directories_on_disk("/", ["/srv"], ""), [path], trusts=trust_all)

    assert facts.real[path] == ((path,) if inside else (path, "/"))


@pytest.mark.parametrize("name", ["claude-1", "claude-4242424"])
def test_a_directory_of_another_user_or_of_nobody_is_no_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    (tmp_path / "claude-1").mkdir()
    monkeypatch.setattr(
        module, "_TEMPORARY_OF_USER", re.compile(re.escape(str(tmp_path)) + "/claude-([0-9]+)(?=/)")
    )
    path = str(tmp_path / name / "-work" / "a")

    facts = gather_facts(directories_on_disk("/", ["/srv"], ""), [path], trusts=trust_all)
    assert facts.real[path] == (path, "/")


def test_a_workspace_in_such_a_directory_stays_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = tmp_path / "claude-1" / "-work"
    root.mkdir(parents=True)
    monkeypatch.setattr(
        module, "_TEMPORARY_OF_USER", re.compile(re.escape(str(tmp_path)) + "/claude-([0-9]+)(?=/)")
    )

    facts = gather_facts(directories_on_disk(str(root), [str(root)], ""), [f"{root}/a"], trusts=trust_all)
    assert facts.real[f"{root}/a"] == (f"{root}/a",)

"""A repository's fingerprint changes with everything in it that can name a program to run."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config import repository as module
from assent.config.repository import (
    GitSetting,
    MalformedGitConfigError,
    Repository,
    find_repository,
    fingerprint,
    read_git_settings,
)


def git(directory: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    path.mkdir()
    git(path, "init", "-q")
    (path / "src").mkdir()
    (path / "src" / "a.txt").write_text("a")
    return path


def found(path: Path) -> Repository:
    repository = find_repository(str(path))
    assert repository is not None
    return repository


def test_a_repository_is_found_from_below(repo: Path) -> None:
    assert found(repo / "src") == Repository(str(repo), str(repo / ".git"), str(repo / ".git"))


def test_where_there_is_none_none_is_found(tmp_path: Path) -> None:
    assert find_repository(str(tmp_path)) is None


@pytest.mark.proves("T-32")
def test_a_bare_repository_in_a_directory_is_found_before_the_one_around_it(repo: Path) -> None:
    bare = repo / "src" / "innocent"
    bare.mkdir()
    git(bare, "init", "-q", "--bare")

    assert found(bare) == Repository(str(bare), str(bare), str(bare))
    assert found(bare / "objects").directory == str(bare)


def test_a_worktree_shares_the_configuration_of_its_repository(repo: Path, tmp_path: Path) -> None:
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "first")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))

    assert found(tmp_path / "tree") == Repository(
        str(tmp_path / "tree"), str(repo / ".git" / "worktrees" / "tree"), str(repo / ".git")
    )


def test_the_fingerprint_does_not_change_by_work(repo: Path) -> None:
    before = fingerprint(found(repo))

    (repo / "src" / "a.txt").write_text("b")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "more")

    assert fingerprint(found(repo)) == before is not None


def configure(key: str, value: str) -> Callable[[Path], None]:
    return lambda repo: git(repo, "config", key, value)


def write(name: str, text: str) -> Callable[[Path], None]:
    def change(repo: Path) -> None:
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)

    return change


def include(repo: Path) -> None:
    git(repo, "config", "include.path", "../extra.config")
    (repo / "extra.config").write_text("[core]\n\tfsmonitor = ./evil\n")


HOSTILE: dict[str, Callable[[Path], None]] = {
    "fsmonitor": configure("core.fsmonitor", "./evil"),
    "textconv": configure("diff.x.textconv", "./evil"),
    "external diff": configure("diff.external", "./evil"),
    "pager": configure("core.pager", "./evil"),
    "gpg program": configure("gpg.program", "./evil"),
    "ssh command": configure("core.sshCommand", "./evil"),
    "alias": configure("alias.st", "!./evil"),
    "filter": configure("filter.x.smudge", "./evil"),
    "hooks path": configure("core.hooksPath", "hooks"),
    "include": include,
    "attributes": write(".gitattributes", "* diff=x\n"),
    "own attributes": write(".git/info/attributes", "* diff=x\n"),
    "hook": write(".git/hooks/post-index-change", "#!/bin/sh\n"),
    "worktree configuration": write(".git/config.worktree", "[core]\n\tpager = x\n"),
    "submodule": write(".git/modules/lib/config", "[core]\n\tfsmonitor = ./evil\n"),
}


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_every_way_to_name_a_program_changes_the_fingerprint(
    repo: Path, change: Callable[[Path], None]
) -> None:
    before = fingerprint(found(repo))

    change(repo)

    assert fingerprint(found(repo)) not in (before, None)


@pytest.mark.proves("T-32")
def test_a_change_inside_an_included_file_counts(repo: Path) -> None:
    include(repo)
    before = fingerprint(found(repo))

    (repo / "extra.config").write_text("[core]\n\tfsmonitor = ./worse\n")

    assert fingerprint(found(repo)) != before


@pytest.mark.proves("T-32")
def test_a_hook_in_the_directory_that_the_configuration_names_counts(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".husky")
    before = fingerprint(found(repo))

    write(".husky/post-index-change", "./evil")(repo)

    assert fingerprint(found(repo)) != before


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("diff.x.textconv", "./tools/run.sh"),
        ("diff.external", "tools/run.sh --now"),
        ("core.fsmonitor", "./tools/run.sh"),
        ("filter.x.clean", "sh -c './tools/run.sh %f'"),
        ("alias.st", "!./tools/run.sh"),
        ("merge.x.driver", "python3 tools/run.sh %A"),
        ("submodule.x.update", "!tools/run.sh"),
    ],
)
def test_a_working_file_that_a_setting_names_as_a_program_counts(repo: Path, key: str, value: str) -> None:
    git(repo, "config", key, value)
    absent = fingerprint(found(repo))
    write("tools/run.sh", "echo a")(repo)
    before = fingerprint(found(repo))

    write("tools/run.sh", "echo b")(repo)

    assert len({absent, before, fingerprint(found(repo)), None}) == 4


@pytest.mark.proves("T-32")
def test_a_program_that_a_submodule_names_counts(repo: Path) -> None:
    write(".git/modules/lib/config", "[core]\n\tworktree = ../../../lib\n\tfsmonitor = ./run.sh\n")(repo)
    before = fingerprint(found(repo))

    write("lib/run.sh", "echo b")(repo)

    assert fingerprint(found(repo)) not in (before, None)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.pager", "less"),
        ("core.pager", "/usr/bin/less"),
        ("core.pager", "src/"),
        ("core.excludesFile", "notes.txt"),
        ("user.name", "./notes.txt"),
    ],
)
def test_a_working_file_that_no_setting_runs_does_not(repo: Path, key: str, value: str) -> None:
    git(repo, "config", key, value)
    before = fingerprint(found(repo))

    write("notes.txt", "b")(repo)

    assert fingerprint(found(repo)) == before is not None


@pytest.mark.proves("T-32")
def test_a_submodule_of_a_submodule_counts_and_what_it_stores_does_not(repo: Path) -> None:
    write(".git/modules/lib/HEAD", "ref: refs/heads/main\n")(repo)
    before = fingerprint(found(repo))

    write(".git/modules/lib/objects/config", "[core]\n\tfsmonitor = ./stored\n")(repo)
    stored = fingerprint(found(repo))
    write(".git/modules/lib/modules/inner/config", "[core]\n\tfsmonitor = ./evil\n")(repo)

    assert stored == before is not None
    assert fingerprint(found(repo)) not in (before, None)


def test_samples_are_no_hooks(repo: Path) -> None:
    before = fingerprint(found(repo))

    write(".git/hooks/post-index-change.sample", "./evil")(repo)

    assert fingerprint(found(repo)) == before


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "text",
    ["[core\n", "[include]\n\tpath = config\n", "[a]\n\tb = " + "x" * module.MAX_FILE_BYTES],
    ids=["malformed", "includes itself", "too large"],
)
def test_what_cannot_be_read_whole_has_no_fingerprint(repo: Path, text: str) -> None:
    (repo / ".git" / "config").write_text(text)

    assert fingerprint(found(repo)) is None


def test_more_files_than_anyone_needs_have_no_fingerprint(repo: Path) -> None:
    for number in range(module.MAX_FILES + 1):
        write(f".git/hooks/hook{number}", "x")(repo)

    assert fingerprint(found(repo)) is None


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("name", [".gitattributes", ".git/config.worktree", ".git/hooks/post-checkout"])
def test_what_could_keep_us_waiting_has_no_fingerprint(repo: Path, name: str) -> None:
    (repo / ".git" / "hooks").mkdir(exist_ok=True)
    os.mkfifo(repo / name)

    assert fingerprint(found(repo)) is None


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("[core]\n\thooksPath = .husky\n", [GitSetting("core", "hookspath", ".husky")]),
        ("[CORE] HooksPath=.husky # why\n", [GitSetting("core", "hookspath", ".husky")]),
        ('[include]\npath = "a b;c"\n', [GitSetting("include", "path", "a b;c")]),
        ('[includeIf "gitdir:~/x/"]\npath = p\n', [GitSetting("includeif", "path", "p")]),
        ("[core.sub]\nfsmonitor = ./x\n", [GitSetting("core", "fsmonitor", "./x")]),
        ("[a]\nb\n", [GitSetting("a", "b", "true")]),
        ("[a]\nb = one\\\n two\n", [GitSetting("a", "b", "one two")]),
        ('[a]\nb = x\\"z\\\\ \t# why\n', [GitSetting("a", "b", 'x"z\\')]),
        ("\ufeff[a]\r\nb = c\r\n", [GitSetting("a", "b", "c")]),
        ('[a]\nb = "" c\n', [GitSetting("a", "b", "c")]),
        ("# nothing\n; here\n\n", []),
        ('[a "b\\"]c"]\nd = e\n', [GitSetting("a", "d", "e")]),
    ],
)
def test_a_file_is_its_settings(text: str, settings: list[GitSetting]) -> None:
    assert read_git_settings(text.encode()) == settings


@pytest.mark.parametrize(
    "text",
    [
        "b = c",
        "[a\nb = c",
        '[a]\nb = "open\n',
        "[a]\nb = \\x\n",
        "[a]\n!b = c\n",
        "[a]\nb = c\\",
        "[a]\nb = c \\\n\n",
        "[a]\nb = c \\\n # why\n",
    ],
)
def test_what_git_would_refuse_is_refused(text: str) -> None:
    with pytest.raises(MalformedGitConfigError):
        read_git_settings(text.encode())


VALUE = st.text(alphabet='ab ;#"\\\t=[]', max_size=8)


@given(value=VALUE)
def test_it_agrees_with_git_on_every_value(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    path = tmp_path_factory.getbasetemp() / "config"
    path.write_text(f"[a]\n\tb = {value}\n", "utf-8")

    theirs = _git(path)
    try:
        ours = [setting.value for setting in read_git_settings(path.read_bytes())]
    except MalformedGitConfigError:
        ours = None

    # We may refuse what Git takes, because that only means no trust; never the other way round.
    assert ours is None or ours == theirs


def _git(path: Path) -> list[str] | None:
    command = ["git", "config", "--file", str(path), "--null", "--get-all", "a.b"]
    run = subprocess.run(command, capture_output=True, check=False)
    return run.stdout.decode().split("\0")[:-1] if run.returncode == 0 else None

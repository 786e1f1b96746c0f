"""The fingerprint of a repository changes with every file that can make Git run a program."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assent.config import repository as module
from assent.config.repository import (
    NO_TRUST,
    Repository,
    Trust,
    find_repository,
    load_trust,
    repository_fingerprint,
    save_trust,
)
from assent.errors import ConfigError


def run_git(directory: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def repo_path(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    path.mkdir()
    run_git(path, "init", "-q")
    (path / "src").mkdir()
    (path / "src" / "a.txt").write_text("a")
    return path


def find_repository_in(path: Path) -> Repository:
    repository = find_repository(str(path))
    assert repository is not None
    return repository


def test_a_repository_is_found_from_a_subdirectory(repo_path: Path) -> None:
    assert find_repository_in(repo_path / "src") == Repository(
        str(repo_path), str(repo_path / ".git"), str(repo_path / ".git")
    )


def test_outside_a_repository_none_is_found(tmp_path: Path) -> None:
    assert find_repository(str(tmp_path)) is None


@pytest.mark.proves("T-32")
def test_a_nested_bare_repository_is_found_before_the_outer_one(repo_path: Path) -> None:
    bare = repo_path / "src" / "innocent"
    bare.mkdir()
    run_git(bare, "init", "-q", "--bare")

    assert find_repository_in(bare) == Repository(str(bare), str(bare), str(bare))
    assert find_repository_in(bare / "objects").directory == str(bare)


def test_a_worktree_shares_the_configuration_of_its_repository(repo_path: Path, tmp_path: Path) -> None:
    run_git(repo_path, "add", ".")
    run_git(repo_path, "commit", "-qm", "first")
    run_git(repo_path, "worktree", "add", "-q", str(tmp_path / "tree"))

    assert find_repository_in(tmp_path / "tree") == Repository(
        str(tmp_path / "tree"), str(repo_path / ".git" / "worktrees" / "tree"), str(repo_path / ".git")
    )


def test_changes_of_working_files_do_not_change_the_fingerprint(repo_path: Path) -> None:
    before = repository_fingerprint(find_repository_in(repo_path))

    (repo_path / "src" / "a.txt").write_text("b")
    run_git(repo_path, "add", ".")
    run_git(repo_path, "commit", "-qm", "more")

    assert repository_fingerprint(find_repository_in(repo_path)) == before is not None


def set_git_config(key: str, value: str) -> Callable[[Path], None]:
    return lambda repo_path: run_git(repo_path, "config", key, value)


def make_file_writer(name: str, text: str) -> Callable[[Path], None]:
    def change_config(repo_path: Path) -> None:
        (repo_path / name).parent.mkdir(parents=True, exist_ok=True)
        (repo_path / name).write_text(text)

    return change_config


def include_file(repo_path: Path) -> None:
    run_git(repo_path, "config", "include.path", "../extra.config")
    (repo_path / "extra.config").write_text("[core]\n\tfsmonitor = ./evil\n")


PROGRAM_NAMING_CHANGES: dict[str, Callable[[Path], None]] = {
    "fsmonitor": set_git_config("core.fsmonitor", "./evil"),
    "textconv": set_git_config("diff.x.textconv", "./evil"),
    "external diff": set_git_config("diff.external", "./evil"),
    "pager": set_git_config("core.pager", "./evil"),
    "gpg program": set_git_config("gpg.program", "./evil"),
    "ssh command": set_git_config("core.sshCommand", "./evil"),
    "alias": set_git_config("alias.st", "!./evil"),
    "filter": set_git_config("filter.x.smudge", "./evil"),
    "hooks path": set_git_config("core.hooksPath", "hooks"),
    "include": include_file,
    "attributes": make_file_writer(".gitattributes", "* diff=x\n"),
    "own attributes": make_file_writer(".git/info/attributes", "* diff=x\n"),
    "hook": make_file_writer(".git/hooks/post-index-change", "#!/bin/sh\n"),
    "worktree configuration": make_file_writer(".git/config.worktree", "[core]\n\tpager = x\n"),
    "submodule": make_file_writer(".git/modules/lib/config", "[core]\n\tfsmonitor = ./evil\n"),
}


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("change", PROGRAM_NAMING_CHANGES.values(), ids=PROGRAM_NAMING_CHANGES)
def test_every_way_to_name_a_program_changes_the_fingerprint(
    repo_path: Path, change: Callable[[Path], None]
) -> None:
    before = repository_fingerprint(find_repository_in(repo_path))

    change(repo_path)

    assert repository_fingerprint(find_repository_in(repo_path)) not in (before, None)


@pytest.mark.proves("T-32")
def test_a_change_of_an_included_file_changes_the_fingerprint(repo_path: Path) -> None:
    include_file(repo_path)
    before = repository_fingerprint(find_repository_in(repo_path))

    (repo_path / "extra.config").write_text("[core]\n\tfsmonitor = ./worse\n")

    assert repository_fingerprint(find_repository_in(repo_path)) != before


@pytest.mark.proves("T-32")
def test_a_hook_in_the_configured_directory_changes_the_fingerprint(repo_path: Path) -> None:
    run_git(repo_path, "config", "core.hooksPath", ".husky")
    before = repository_fingerprint(find_repository_in(repo_path))

    make_file_writer(".husky/post-index-change", "./evil")(repo_path)

    assert repository_fingerprint(find_repository_in(repo_path)) != before


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
def test_a_working_file_that_a_setting_runs_changes_the_fingerprint(
    repo_path: Path, key: str, value: str
) -> None:
    run_git(repo_path, "config", key, value)
    absent = repository_fingerprint(find_repository_in(repo_path))
    make_file_writer("tools/run.sh", "echo a")(repo_path)
    before = repository_fingerprint(find_repository_in(repo_path))

    make_file_writer("tools/run.sh", "echo b")(repo_path)

    assert len({absent, before, repository_fingerprint(find_repository_in(repo_path)), None}) == 4


@pytest.mark.proves("T-32")
def test_a_program_of_a_submodule_changes_the_fingerprint(repo_path: Path) -> None:
    make_file_writer(
        ".git/modules/lib/config", "[core]\n\tworktree = ../../../lib\n\tfsmonitor = ./run.sh\n"
    )(repo_path)
    before = repository_fingerprint(find_repository_in(repo_path))

    make_file_writer("lib/run.sh", "echo b")(repo_path)

    assert repository_fingerprint(find_repository_in(repo_path)) not in (before, None)


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
def test_a_working_file_that_no_setting_runs_does_not_change_the_fingerprint(
    repo_path: Path, key: str, value: str
) -> None:
    run_git(repo_path, "config", key, value)
    before = repository_fingerprint(find_repository_in(repo_path))

    make_file_writer("notes.txt", "b")(repo_path)

    assert repository_fingerprint(find_repository_in(repo_path)) == before is not None


@pytest.mark.proves("T-32")
def test_configuration_of_a_nested_submodule_changes_the_fingerprint_and_its_objects_do_not(
    repo_path: Path,
) -> None:
    make_file_writer(".git/modules/lib/HEAD", "ref: refs/heads/main\n")(repo_path)
    before = repository_fingerprint(find_repository_in(repo_path))

    make_file_writer(".git/modules/lib/objects/config", "[core]\n\tfsmonitor = ./stored\n")(repo_path)
    stored = repository_fingerprint(find_repository_in(repo_path))
    make_file_writer(".git/modules/lib/modules/inner/config", "[core]\n\tfsmonitor = ./evil\n")(repo_path)

    assert stored == before is not None
    assert repository_fingerprint(find_repository_in(repo_path)) not in (before, None)


def test_sample_hooks_do_not_change_the_fingerprint(repo_path: Path) -> None:
    before = repository_fingerprint(find_repository_in(repo_path))

    make_file_writer(".git/hooks/post-index-change.sample", "./evil")(repo_path)

    assert repository_fingerprint(find_repository_in(repo_path)) == before


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "text",
    ["[core\n", "[include]\n\tpath = config\n", "[a]\n\tb = " + "x" * module.MAX_FILE_BYTES],
    ids=["malformed", "includes itself", "too large"],
)
def test_an_invalid_configuration_has_no_fingerprint(repo_path: Path, text: str) -> None:
    (repo_path / ".git" / "config").write_text(text)

    assert repository_fingerprint(find_repository_in(repo_path)) is None


def test_a_repository_with_too_many_files_has_no_fingerprint(repo_path: Path) -> None:
    for number in range(module.MAX_FINGERPRINT_FILES + 1):
        make_file_writer(f".git/hooks/hook{number}", "x")(repo_path)

    assert repository_fingerprint(find_repository_in(repo_path)) is None


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("name", [".gitattributes", ".git/config.worktree", ".git/hooks/post-checkout"])
def test_a_file_that_could_block_has_no_fingerprint(repo_path: Path, name: str) -> None:
    (repo_path / ".git" / "hooks").mkdir(exist_ok=True)
    os.mkfifo(repo_path / name)

    assert repository_fingerprint(find_repository_in(repo_path)) is None


@pytest.fixture
def trust_file(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir(mode=0o700)
    return tmp_path / "data" / "trust.json"


def test_without_a_trust_file_nothing_is_trusted(trust_file: Path) -> None:
    assert load_trust(str(trust_file)) is NO_TRUST


@pytest.mark.proves("T-19")
def test_the_trust_file_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "new" / "assent" / "trust.json"
    trust = Trust(files={"/a": "1"}, repositories={"/b": "2"})

    save_trust(str(path), trust)

    assert load_trust(str(path)) == trust
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["trust.json"]


@pytest.mark.proves("T-12")
def test_a_changed_file_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    trust = NO_TRUST.with_file(str(path), "digest")

    assert trust.trusts_file(str(path), "digest")
    assert not trust.trusts_file(str(path), "other")
    assert not trust.trusts_file(str(tmp_path / "elsewhere.toml"), "digest")
    assert not NO_TRUST.trusts_file(str(path), "digest")


@pytest.fixture
def repository_to_trust(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    path.mkdir()
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    return path


def trust_repository(path: Path) -> Trust:
    repository = find_repository(str(path))
    assert repository is not None
    return NO_TRUST.with_repository(repository)


@pytest.mark.proves("T-32")
def test_a_repository_is_not_trusted_until_a_person_trusts_it(repository_to_trust: Path) -> None:
    assert not NO_TRUST.trusts_directory(str(repository_to_trust))
    assert trust_repository(repository_to_trust).trusts_directory(str(repository_to_trust))


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "diff.x.textconv", "gpg.program", "core.hooksPath", "alias.st"]
)
def test_a_changed_configuration_ends_the_trust(repository_to_trust: Path, key: str) -> None:
    trust = trust_repository(repository_to_trust)

    subprocess.run(["git", "-C", str(repository_to_trust), "config", key, "./evil"], check=True)

    assert not trust.trusts_directory(str(repository_to_trust))


@pytest.mark.proves("T-32")
def test_trust_in_a_repository_does_not_apply_to_a_nested_one(repository_to_trust: Path) -> None:
    trust = trust_repository(repository_to_trust)
    subprocess.run(["git", "init", "-q", "--bare", str(repository_to_trust / "docs")], check=True)

    assert trust.trusts_directory(str(repository_to_trust))
    assert not trust.trusts_directory(str(repository_to_trust / "docs"))


def test_a_directory_without_a_repository_is_not_trusted(tmp_path: Path) -> None:
    assert not NO_TRUST.trusts_directory(str(tmp_path))


@pytest.mark.proves("T-32")
def test_a_repository_that_cannot_be_read_completely_cannot_be_trusted(repository_to_trust: Path) -> None:
    (repository_to_trust / ".git" / "config").write_text("[core")

    with pytest.raises(ConfigError, match="a change would not be noticed"):
        trust_repository(repository_to_trust)


@pytest.mark.proves("R-13")
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"files": {}}', '{"files": [], "repositories": {}}',
     '{"files": {"/a": 1}, "repositories": {}}', '{"files": {}, "files": {}, "repositories": {}}'],
)  # fmt: skip
def test_an_invalid_trust_file_is_an_error(trust_file: Path, text: str) -> None:
    trust_file.write_text(text)
    trust_file.chmod(0o600)

    with pytest.raises(ConfigError, match="to trust nothing"):
        load_trust(str(trust_file))


@pytest.mark.proves("R-13")
def test_a_truncated_trust_file_is_an_error(trust_file: Path) -> None:
    save_trust(str(trust_file), Trust(files={"/a": "1"}, repositories={"/b": "2"}))
    whole = trust_file.read_bytes().rstrip()

    for length in range(len(whole)):
        trust_file.write_bytes(whole[:length])
        with pytest.raises(ConfigError):
            load_trust(str(trust_file))


@pytest.mark.proves("T-19")
def test_a_trust_file_that_other_users_can_write_is_refused(trust_file: Path) -> None:
    trust_file.write_text(json.dumps({"files": {}, "repositories": {}}))
    trust_file.chmod(0o666)

    with pytest.raises(ConfigError, match="other users may write"):
        load_trust(str(trust_file))


def test_an_unwritable_trust_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="cannot be written"):
        save_trust(str(tmp_path / "file" / "trust.json"), NO_TRUST)

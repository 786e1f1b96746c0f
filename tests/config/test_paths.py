"""The configuration files of each layer are searched only where other users cannot create them."""

import os
from pathlib import Path

import pytest

from assent.config.paths import find_config_paths, find_root


def test_each_layer_has_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "src").mkdir()

    where = find_config_paths(str(tmp_path / "work" / "src"), {})

    assert where.managed_file == "/etc/assent/config.toml"
    assert where.user_file == f"{tmp_path}/home/.config/assent/config.toml"
    assert where.project_file == f"{tmp_path}/work/.assent/config.toml"
    assert where.local_file == f"{tmp_path}/work/.assent/config.local.toml"
    assert where.trust_file == f"{tmp_path}/home/.local/share/assent/trust.json"
    assert where.claude_files == (
        f"{tmp_path}/home/.claude/settings.json",
        f"{tmp_path}/work/.claude/settings.json",
        f"{tmp_path}/work/.claude/settings.local.json",
    )


def test_xdg_variables_move_the_users_directories(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": "/somewhere/config", "XDG_DATA_HOME": "/somewhere/data"}

    where = find_config_paths(str(tmp_path), environ)

    assert (where.user, where.data) == ("/somewhere/config/assent", "/somewhere/data/assent")


def test_a_relative_xdg_path_is_ignored(tmp_path: Path) -> None:
    here = find_config_paths(str(tmp_path), {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": ""})

    assert here == find_config_paths(str(tmp_path), {})


def test_only_existing_files_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work" / ".assent").mkdir(parents=True)
    (tmp_path / "work" / ".assent" / "config.toml").write_text("")
    (tmp_path / "work" / ".assent" / "config.local.toml").symlink_to("nowhere")

    where = find_config_paths(str(tmp_path / "work"), {})

    assert where.existing_files() == [where.project_file, where.local_file]


@pytest.mark.parametrize("marker", [".git", ".assent"])
def test_the_root_is_the_nearest_directory_with_a_marker(tmp_path: Path, marker: str) -> None:
    (tmp_path / "a" / marker).mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)

    assert find_root(str(tmp_path / "a" / "b" / "c"), "/home/user") == str(tmp_path / "a")


def test_a_worktree_whose_git_is_a_file_is_a_root(tmp_path: Path) -> None:
    (tmp_path / "tree" / "src").mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text("gitdir: /elsewhere\n")

    assert find_root(str(tmp_path / "tree" / "src"), "/home/user") == str(tmp_path / "tree")


def test_without_a_marker_the_directory_itself_is_the_root(tmp_path: Path) -> None:
    assert find_root(str(tmp_path), "/home/user") == str(tmp_path)
    assert find_root("/", "/home/user") == "/"


def test_a_repository_of_dotfiles_does_not_make_all_of_home_the_workspace(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".git").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (home / "notes").mkdir()

    assert find_root(str(home / "notes"), str(home)) == str(home / "notes")
    assert find_root(str(home), str(home)) == str(home)


@pytest.mark.proves("T-12")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_marker_of_another_user_does_not_enlarge_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "shared" / ".git").mkdir(parents=True)
    (tmp_path / "shared" / "mine").mkdir()
    os.chown(tmp_path / "shared" / ".git", 12_345, 12_345)

    assert find_root(str(tmp_path / "shared" / "mine"), "/home/user") == str(tmp_path / "shared" / "mine")


@pytest.mark.proves("T-12")
@pytest.mark.parametrize("home", ["relative", ".", "~"])
def test_a_user_without_a_home_has_no_user_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.chdir(tmp_path)
    (tmp_path / home / ".config" / "assent").mkdir(parents=True)
    (tmp_path / home / ".config" / "assent" / "config.toml").write_text('mode = "auto"')

    where = find_config_paths(str(tmp_path), {})

    assert (where.user_file, where.existing_files()) == ("/nonexistent/.config/assent/config.toml", [])

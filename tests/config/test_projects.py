"""Each project has its own policy; a changed file takes effect with the next call."""

import logging
from pathlib import Path

import pytest

from assent.config import projects as projects_module
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.projects import Projects
from assent.engine.policy.rule import RuleList
from assent.gate.workspaces import RegisteredWorkspace


@pytest.fixture
def own_paths(tmp_path: Path) -> ConfigPaths:
    for name in ("own", "home", "managed", "user", "data"):
        (tmp_path / name).mkdir()
    here = str(tmp_path / "own")
    return ConfigPaths(
        root=here,
        cwd=here,
        home=str(tmp_path / "home"),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "user"),
        data=str(tmp_path / "data"),
    )


@pytest.fixture
def projects(own_paths: ConfigPaths) -> Projects:
    return Projects(own_paths, PolicyLoader(own_paths, {}))


def sample_project(
    own_paths: ConfigPaths, name: str, text: str = "", *, remote: bool = False
) -> RegisteredWorkspace:
    root = Path(own_paths.root).with_name(name)
    (root / ".assent").mkdir(parents=True, exist_ok=True)
    file = root / ".assent/config.toml"
    file.unlink(missing_ok=True)
    file.write_text(text)
    return RegisteredWorkspace(id=name, root=str(root), remote=remote, by="ada")


def deny_rules_of(found: Projects, workspace: RegisteredWorkspace) -> list[str] | None:
    project = found.load(workspace)
    return None if project is None else [one.text for one in project.files("").rules.get(RuleList.DENY, ())]


def test_each_project_has_its_own_rules(own_paths: ConfigPaths, projects: Projects) -> None:
    left = sample_project(own_paths, "left", 'deny = ["Bash(a)"]')
    right = sample_project(own_paths, "right", 'deny = ["Bash(b)"]')

    assert (deny_rules_of(projects, left), deny_rules_of(projects, right)) == (["Bash(a)"], ["Bash(b)"])
    sample_project(own_paths, "left", 'deny = ["Bash(c)"]')
    assert (deny_rules_of(projects, left), deny_rules_of(projects, right)) == (["Bash(c)"], ["Bash(b)"])


def test_a_frozen_policy_does_not_change_with_the_file(own_paths: ConfigPaths, projects: Projects) -> None:
    workspace = sample_project(own_paths, "left", 'deny = ["Bash(a)"]')
    project = projects.load(workspace)
    assert project is not None
    frozen = project.files.freeze()

    sample_project(own_paths, "left", 'deny = ["Bash(c)"]')

    assert deny_rules_of(projects, workspace) == ["Bash(c)"]
    assert [one.text for one in frozen("").rules[RuleList.DENY]] == ["Bash(a)"]


def test_the_directories_of_a_project_follow_its_files(own_paths: ConfigPaths, projects: Projects) -> None:
    workspace = sample_project(own_paths, "left", 'mode = "default"')
    project = projects.load(workspace)
    assert project is not None
    before = project.directories()
    Path(own_paths.user, "config.toml").write_text(f'[workspace]\nroots = ["{own_paths.home}"]')
    Path(own_paths.user, "config.toml").chmod(0o600)

    assert projects.load(workspace) is project
    assert (before.roots, project.directories().roots) == (
        (workspace.root,),
        (workspace.root, own_paths.home),
    )
    assert project.directories() is project.directories()


def test_the_files_of_a_remote_project_are_not_read(own_paths: ConfigPaths, projects: Projects) -> None:
    assert deny_rules_of(projects, sample_project(own_paths, "far", 'deny = ["Bash(a)"]', remote=True)) == []


def test_an_invalid_file_is_logged_once_and_tried_again(
    own_paths: ConfigPaths, projects: Projects, caplog: pytest.LogCaptureFixture
) -> None:
    workspace = sample_project(own_paths, "left", "no TOML")
    with caplog.at_level(logging.WARNING):
        assert (deny_rules_of(projects, workspace), deny_rules_of(projects, workspace)) == (None, None)

    assert len(caplog.records) == 1
    sample_project(own_paths, "left", 'deny = ["Bash(a)"]')
    assert deny_rules_of(projects, workspace) == ["Bash(a)"]


def test_only_the_projects_that_were_used_last_stay_in_memory(
    own_paths: ConfigPaths, projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects_module, "MAX_PROJECTS", 2)
    three = [sample_project(own_paths, name, f'deny = ["Bash({name})"]') for name in ("a", "b", "c")]

    for workspace in (*three, *three):
        assert deny_rules_of(projects, workspace) == [f"Bash({workspace.id})"]

    assert [projects.find(one.root) is None for one in three] == [True, False, False]

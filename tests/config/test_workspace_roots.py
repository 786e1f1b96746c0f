"""Roots that may be registered, their proofs, and the deepest root that contains a directory."""

import os
from pathlib import Path

import pytest

from assent.config.paths import ConfigPaths
from assent.config.workspace_roots import check_project, check_root, find_workspace, write_proof
from assent.errors import InputError
from assent.gate.workspaces import CheckedRoot, RegisteredWorkspace, RootProof, WantedRoot


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConfigPaths:
    base = Path(os.path.realpath(tmp_path))
    for name in ("people/ana/.config/assent", "people/ana/project", "data/assent", "srv/app"):
        (base / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(base / "people/ana"))
    return ConfigPaths(
        root=str(base / "srv"),
        cwd=str(base / "srv"),
        home=str(base / "people/ana"),
        managed="/etc/assent",
        user=str(base / "people/ana/.config/assent"),
        data=str(base / "data/assent"),
    )


def check_local(root: Path | str, paths: ConfigPaths) -> CheckedRoot:
    with write_proof(str(root)) as proof:
        return check_root(WantedRoot(str(root), proof), paths)


def sample_workspace(root: Path | str, agent: str = "", *, remote: bool = False) -> RegisteredWorkspace:
    return RegisteredWorkspace(id=f"{agent}{root}", agent=agent, root=str(root), remote=remote, by="ada")


def workspace_base(paths: ConfigPaths) -> Path:
    return Path(paths.root).parent


def test_a_project_in_a_home_directory_may_be_registered(paths: ConfigPaths) -> None:
    project = workspace_base(paths) / "people/ana/project"

    assert check_local(project, paths) == CheckedRoot(str(project), remote=False)
    assert list(project.iterdir()) == []


def test_the_project_of_a_directory_is_its_repository(paths: ConfigPaths) -> None:
    project = workspace_base(paths) / "people/ana/project"
    (project / ".git").mkdir()
    (project / "src").mkdir()
    link = workspace_base(paths) / "srv/link"
    link.symlink_to(project / "src")

    assert check_project(str(link), paths) == CheckedRoot(str(project), remote=False)
    assert check_project(paths.root + "/app", paths) == CheckedRoot(paths.root + "/app", remote=False)
    for directory in (paths.home, "/", "app", str(project / "missing"), paths.data):
        with pytest.raises(InputError):
            check_project(directory, paths)


@pytest.mark.parametrize(
    ("root", "word"),
    [
        ("people/ana", "is the home directory"),
        ("people", "contains the home directory"),
        (".", "contains the home directory"),
        ("people/ana/.config", "Assent's own"),
        ("people/ana/.config/assent", "Assent's own"),
        ("data", "Assent's own"),
    ],
)
def test_a_home_directory_and_assents_own_directories_are_refused(
    paths: ConfigPaths, root: str, word: str
) -> None:
    with pytest.raises(InputError, match=word):
        check_local(workspace_base(paths) / root, paths)


def test_a_link_to_a_home_directory_is_refused(paths: ConfigPaths) -> None:
    link = workspace_base(paths) / "srv/home"
    link.symlink_to(paths.home)

    with pytest.raises(InputError, match="is the home directory"):
        check_local(link, paths)


@pytest.mark.parametrize("root", ["/", "/..", "/proc/self/root"])
def test_the_whole_machine_is_refused(paths: ConfigPaths, root: str) -> None:
    with pytest.raises(InputError):
        check_root(WantedRoot(root, RootProof(".assent-proof-" + "0" * 32, "0" * 64)), paths)


@pytest.mark.parametrize(
    "root", ["/", "/home", "/home/ana", "/Users", "/Users/ana", "/root", "/var/home/ana", "/var", "/export"]
)
def test_the_usual_home_directories_of_a_remote_machine_are_refused(paths: ConfigPaths, root: str) -> None:
    with pytest.raises(InputError, match="cannot be a workspace"):
        check_root(WantedRoot(root), paths)


@pytest.mark.parametrize("root", ["/home/ana/project", "/srv/app", "/root/app", "/workspace"])
def test_other_directories_of_a_remote_machine_may_be_registered(paths: ConfigPaths, root: str) -> None:
    assert check_root(WantedRoot(root), paths) == CheckedRoot(root, remote=True)


def test_a_root_without_a_proof_is_remote_even_if_it_exists_here(paths: ConfigPaths) -> None:
    assert check_root(WantedRoot(f"{paths.root}/app"), paths).remote


def test_a_file_or_a_missing_directory_is_no_local_root(paths: ConfigPaths) -> None:
    app = Path(paths.root, "app")
    (app / "file").write_text("x")
    with write_proof(str(app)) as proof:
        for name in ("file", "missing"):
            with pytest.raises(InputError, match="not a directory"):
                check_root(WantedRoot(str(app / name), proof), paths)


def test_a_proof_through_a_link_or_another_name_proves_nothing(paths: ConfigPaths) -> None:
    app, evil = Path(paths.root, "app"), Path(paths.root, "evil")
    evil.mkdir()
    with write_proof(str(evil)) as proof:
        (app / proof.file).symlink_to(evil / proof.file)
        _expect_unproven(app, proof, paths)
        (app / proof.file).unlink()
        os.link(evil / proof.file, app / proof.file)
        _expect_unproven(app, proof, paths)
        (app / proof.file).unlink()
        (app / proof.file).mkdir()
        _expect_unproven(app, proof, paths)
        (app / proof.file).rmdir()
        os.mkfifo(app / proof.file)
        _expect_unproven(app, proof, paths)


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "\n" + "0" * 63, "A" * 64, "x" * 64])
def test_a_proof_is_64_hexadecimal_digits_and_nothing_else(paths: ConfigPaths, text: str) -> None:
    app = Path(paths.root, "app")
    name = f".assent-proof-{'0' * 32}"
    (app / name).write_text(text)

    _expect_unproven(app, RootProof(name, text), paths)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "README", "../x", "sub/.assent-proof-" + "0" * 32, "/etc/hostname", "a\0b"]
)
def test_the_name_of_a_proof_cannot_leave_the_root(paths: ConfigPaths, name: str) -> None:
    _expect_unproven(Path(paths.root, "app"), RootProof(name, "0" * 64), paths)


def test_a_longer_file_is_no_proof(paths: ConfigPaths) -> None:
    app = Path(paths.root, "app")
    with write_proof(str(app)) as proof:
        with (app / proof.file).open("a") as file:
            file.write("0")
        _expect_unproven(app, proof, paths)


def test_a_directory_that_cannot_be_written_says_so(paths: ConfigPaths) -> None:
    with pytest.raises(InputError, match="cannot write to"), write_proof(f"{paths.root}/missing"):
        pass


def test_the_deepest_local_root_contains_a_directory(paths: ConfigPaths) -> None:
    app = Path(paths.root, "app")
    (app / "sub").mkdir()
    every = [
        sample_workspace(paths.root),
        sample_workspace(app),
        sample_workspace(app, "clerk"),
        sample_workspace("/srv"),
    ]

    assert find_workspace(f"{app}/sub", every, "/elsewhere") == sample_workspace(app, "clerk")
    assert find_workspace(f"{app}/sub/../..", every, "/elsewhere") == sample_workspace(paths.root)
    assert find_workspace(str(workspace_base(paths)), every, "/elsewhere") is None
    assert find_workspace("app", every, "/elsewhere") is None


def test_the_own_root_wins_over_a_root_that_contains_it(paths: ConfigPaths) -> None:
    app = Path(paths.root, "app")

    assert find_workspace(str(app), [sample_workspace(paths.root)], str(app)) is None
    assert find_workspace(str(app), [sample_workspace(app)], str(app)) is None
    assert find_workspace(str(app), [sample_workspace(app)], paths.root) == sample_workspace(app)


def test_a_remote_root_contains_a_directory_by_its_text(paths: ConfigPaths) -> None:
    remote = sample_workspace("/far/app", remote=True)

    assert find_workspace("/far/app", [remote], "/") == remote
    assert find_workspace("/far//app/./sub", [remote], "/far/app/sub") == remote
    assert find_workspace("/far/app/sub/..", [remote], "/") is None
    assert find_workspace("/far/apple", [remote], "/") is None


def _expect_unproven(root: Path, proof: RootProof, paths: ConfigPaths) -> None:
    with pytest.raises(InputError, match="not proven"):
        check_root(WantedRoot(str(root), proof), paths)

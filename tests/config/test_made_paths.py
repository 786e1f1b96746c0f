"""What conversations made outside of the workspace with a person's yes."""

import os
from pathlib import Path

import pytest

from assent.config import made_paths
from assent.config.made_paths import MadePaths
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.projects import DiskWorkspace
from assent.engine.base.tool import Call
from assent.gate.workspaces import RegisteredWorkspace

CALL = Call(tool="Bash", args={}, user="ana", agent="claude", conversation="c1")


def test_a_path_counts_after_it_was_made(tmp_path: Path) -> None:
    made, path = MadePaths(), tmp_path / "out.txt"

    made.note(CALL, [str(path)])
    assert made.existing(CALL) == ()
    path.write_text("a")
    assert made.existing(CALL) == (str(path),)


def test_what_was_there_before_was_not_made(tmp_path: Path) -> None:
    made, old, link = MadePaths(), tmp_path / "old.txt", tmp_path / "link"
    old.write_text("a")
    link.symlink_to("nowhere")

    made.note(CALL, [str(old), str(link)])
    assert made.existing(CALL) == ()


@pytest.mark.parametrize("field", ["user", "agent", "conversation"])
def test_another_conversation_user_or_agent_made_nothing(tmp_path: Path, field: str) -> None:
    made, path = MadePaths(), tmp_path / "a"
    made.note(CALL, [str(path)])
    path.mkdir()

    others = {"user": CALL.user, "agent": CALL.agent, "conversation": CALL.conversation, field: "x"}
    assert made.existing(Call(tool="Bash", args={}, **others)) == ()
    made.note(Call(tool="Bash", args={}), [str(tmp_path / "b")])
    (tmp_path / "b").mkdir()
    assert made.existing(Call(tool="Bash", args={})) == ()


def test_links_second_names_open_directories_and_foreign_files_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = MadePaths()
    paths = {name: tmp_path / name for name in ("link", "hard", "open", "pipe", "dir", "file")}
    made.note(CALL, [str(path) for path in paths.values()])
    (tmp_path / "target").write_text("a")
    paths["link"].symlink_to("target")
    os.link(tmp_path / "target", paths["hard"])
    paths["open"].mkdir()
    paths["open"].chmod(0o777)
    os.mkfifo(paths["pipe"])
    paths["dir"].mkdir(0o755)
    paths["file"].write_text("a")

    assert made.existing(CALL) == (str(paths["dir"]), str(paths["file"]))
    monkeypatch.setattr(os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
    assert made.existing(CALL) == ()


def test_the_oldest_paths_and_conversations_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made_paths, "MAX_PATHS", 2)
    monkeypatch.setattr(made_paths, "MAX_CONVERSATIONS", 1)
    made = MadePaths()
    made.note(CALL, [str(tmp_path / name) for name in "abc"])
    for name in "abc":
        (tmp_path / name).mkdir(0o755)

    assert made.existing(CALL) == (str(tmp_path / "b"), str(tmp_path / "c"))
    made.note(Call(tool="Bash", args={}, conversation="c2"), [str(tmp_path / "d")])
    assert made.existing(CALL) == ()


async def test_the_directories_of_a_call_have_what_its_conversation_made(tmp_path: Path) -> None:
    for name in ("own", "other", "home", "managed", "user", "data"):
        (tmp_path / name).mkdir()
    here = str(tmp_path / "own")
    where = ConfigPaths(
        root=here,
        cwd=here,
        home=str(tmp_path / "home"),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "user"),
        data=str(tmp_path / "data"),
    )
    disk = DiskWorkspace(where, PolicyLoader(where, {}))
    path = tmp_path / "out.txt"
    disk.record_made_paths(CALL, [str(path)])
    path.write_text("a")
    other = str(tmp_path / "other")
    there = Call(tool="Bash", args={}, user="ana", agent="claude", conversation="c1", cwd=other)
    local = RegisteredWorkspace(id="w", root=other, by="ada")
    remote = RegisteredWorkspace(id="w", root=other, by="ada", remote=True)

    assert (await disk.locate(CALL)).directories.made == (str(path),)
    assert (await disk.locate(Call(tool="Bash", args={}))).directories.made == ()
    assert (await disk.locate(there, [local])).directories.made == (str(path),)
    assert (await disk.locate(there, [remote])).directories.made == ()

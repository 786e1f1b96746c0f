"""Git's configuration is read as Git reads it, or not at all."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config.gitconfig import MalformedGitConfigError, Setting, read_settings


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("[core]\n\thooksPath = .husky\n", [Setting("core", "hookspath", ".husky")]),
        ("[CORE] HooksPath=.husky # why\n", [Setting("core", "hookspath", ".husky")]),
        ('[include]\npath = "a b;c"\n', [Setting("include", "path", "a b;c")]),
        ('[includeIf "gitdir:~/x/"]\npath = p\n', [Setting("includeif", "path", "p")]),
        ("[core.sub]\nfsmonitor = ./x\n", [Setting("core", "fsmonitor", "./x")]),
        ("[a]\nb\n", [Setting("a", "b", "true")]),
        ("[a]\nb = one\\\n two\n", [Setting("a", "b", "one two")]),
        ('[a]\nb = x\\"z\\\\ \t# why\n', [Setting("a", "b", 'x"z\\')]),
        ("\ufeff[a]\r\nb = c\r\n", [Setting("a", "b", "c")]),
        ("# nothing\n; here\n\n", []),
        ('[a "b\\"]c"]\nd = e\n', [Setting("a", "d", "e")]),
    ],
)
def test_a_file_is_its_settings(text: str, settings: list[Setting]) -> None:
    assert read_settings(text.encode()) == settings


@pytest.mark.parametrize(
    "text", ["b = c", "[a\nb = c", '[a]\nb = "open\n', "[a]\nb = \\x\n", "[a]\n!b = c\n", "[a]\nb = c\\"]
)
def test_what_git_would_refuse_is_refused(text: str) -> None:
    with pytest.raises(MalformedGitConfigError):
        read_settings(text.encode())


VALUE = st.text(alphabet='ab ;#"\\\t=[]', max_size=8)


@given(value=VALUE)
def test_it_agrees_with_git_on_every_value(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    path = tmp_path_factory.getbasetemp() / "config"
    path.write_text(f"[a]\n\tb = {value}\n", "utf-8")

    theirs = _git(path)
    try:
        ours = [setting.value for setting in read_settings(path.read_bytes())]
    except MalformedGitConfigError:
        ours = None

    # We may refuse what Git takes, because that only means no trust; never the other way round.
    assert ours is None or ours == theirs


def _git(path: Path) -> list[str] | None:
    command = ["git", "config", "--file", str(path), "--null", "--get-all", "a.b"]
    run = subprocess.run(command, capture_output=True, check=False)
    return run.stdout.decode().split("\0")[:-1] if run.returncode == 0 else None

"""The parser of Git configuration reads what Git reads, or refuses it."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config.git_settings import GitSetting, MalformedGitConfigError, read_git_settings


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("[core]\n\thooksPath = .husky\n", [GitSetting("core", "hookspath", ".husky")]),
        ("[CORE] HooksPath=.husky # why\n", [GitSetting("core", "hookspath", ".husky")]),
        ('[include]\npath = "a b;c"\n', [GitSetting("include", "path", "a b;c")]),
        ('[includeIf "gitdir:~/x/"]\npath = p\n', [GitSetting("includeif", "path", "p", "gitdir:~/x/")]),
        ("[core.sub]\nfsmonitor = ./x\n", [GitSetting("core", "fsmonitor", "./x", "sub")]),
        ("[a]\nb\n", [GitSetting("a", "b", "true")]),
        ("[a]\nb = one\\\n two\n", [GitSetting("a", "b", "one two")]),
        ('[a]\nb = x\\"z\\\\ \t# why\n', [GitSetting("a", "b", 'x"z\\')]),
        ("\ufeff[a]\r\nb = c\r\n", [GitSetting("a", "b", "c")]),
        ('[a]\nb = "" c\n', [GitSetting("a", "b", "c")]),
        ("# nothing\n; here\n\n", []),
        ('[a "b\\"]c"]\nd = e\n', [GitSetting("a", "d", "e", 'b"]c')]),
    ],
)
def test_the_settings_of_a_file_are_parsed(text: str, settings: list[GitSetting]) -> None:
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
def test_a_configuration_that_git_refuses_is_refused(text: str) -> None:
    with pytest.raises(MalformedGitConfigError):
        read_git_settings(text.encode())


GIT_VALUES = st.text(alphabet='ab ;#"\\\t=[]', max_size=8)


@given(value=GIT_VALUES)
def test_values_are_parsed_as_git_parses_them(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    path = tmp_path_factory.getbasetemp() / "config"
    path.write_text(f"[a]\n\tb = {value}\n", "utf-8")

    theirs = _read_with_git(path)
    try:
        ours = [setting.value for setting in read_git_settings(path.read_bytes())]
    except MalformedGitConfigError:
        ours = None

    # This parser may refuse what Git accepts, because that only prevents trust; never the reverse.
    assert ours is None or ours == theirs


def _read_with_git(path: Path) -> list[str] | None:
    command = ["git", "config", "--file", str(path), "--null", "--get-all", "a.b"]
    run = subprocess.run(command, capture_output=True, check=False)
    return run.stdout.decode().split("\0")[:-1] if run.returncode == 0 else None

"""The files of an installed hook: an environment that stays, and a program that answers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assent.cli import hook_files
from assent.cli.hook_files import (
    hook_program,
    is_temporary_environment,
    send_test_event,
    user_settings,
    write_program,
)
from assent.config.paths import ConfigPaths
from assent.errors import AssentError
from tests.cli.running import CommandPlace
from tests.contracts.tree import ROOT
from tools.pip_settings import read_uv_environment


@pytest.fixture
def paths(tmp_path: Path) -> ConfigPaths:
    root = tmp_path / "root"
    root.mkdir()
    return ConfigPaths(
        root=str(root),
        cwd=str(root),
        home=str(tmp_path),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "config"),
        data=str(tmp_path / "data" / "assent"),
    )


@pytest.mark.parametrize(
    ("prefix", "temporary"),
    [
        ("/home/ana/.cache/uv/archive-v0/x1", True),
        ("/opt/uv-cache/archive-v0/x1", True),
        ("/home/ana/.cache/pipx/1234", True),
        ("/home/ana/.local/share/uv/tools/assent", False),
        ("/home/ana/project/.venv", False),
        ("/usr", False),
    ],
)
def test_an_environment_for_one_run_is_recognized(prefix: str, temporary: bool) -> None:
    assert is_temporary_environment(prefix) is temporary


def test_the_program_answers(paths: ConfigPaths) -> None:
    write_program(paths, record_commands=False)

    send_test_event(hook_program(paths), paths.root)


@pytest.mark.parametrize("program", ["/nonexistent/assent", "echo no", "echo '{}'", "true", "false"])
def test_what_gives_no_answer_is_refused(paths: ConfigPaths, program: str) -> None:
    with pytest.raises(AssentError, match="the hook gives no"):
        send_test_event(program, paths.root)


def test_from_a_temporary_environment_the_hook_gets_a_permanent_one(
    paths: ConfigPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_files, "is_temporary_environment", lambda _: True)
    write_program(paths, record_commands=False)
    program = hook_program(paths)
    python, _, launcher = program.split()

    assert python.startswith(os.path.join(paths.data, "hook", "venv-"))
    assert launcher.startswith(paths.data)
    # Assent itself is installed here as a link to its source; everything that it needs is a copy.
    check = "import sys; sys.path[:] = [p for p in sys.path if 'python3' in p]; import click, tree_sitter_bash; print(click.__file__)"
    said = subprocess.run([python, "-I", "-c", check], capture_output=True, text=True, check=True).stdout
    assert said.startswith(paths.data)
    assert sys.prefix not in said


def test_the_client_may_keep_its_settings_elsewhere(
    paths: ConfigPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert user_settings(paths) == os.path.join(paths.home, ".claude", "settings.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    assert user_settings(paths) == "/elsewhere/settings.json"


def test_a_hook_that_uvx_installed_works_after_the_cache_of_uv_is_gone(tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    environ = {
        **os.environ,
        "UV_SYSTEM_CERTS": "1",
        **read_uv_environment(os.environ),
        "ASSENT_SKIP_WEB": "1",
    }
    build = [
        uv,
        "build",
        "--quiet",
        "--wheel",
        "--build-constraint",
        ROOT / "constraints.txt",
        "--out-dir",
        tmp_path,
    ]
    subprocess.run([*build, ROOT], env=environ, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    place, cache = CommandPlace(tmp_path), tmp_path / "uv-cache"

    install = [
        uv,
        "tool",
        "run",
        "--quiet",
        "--python",
        sys.executable,
        "--cache-dir",
        cache,
        "--from",
        wheel,
    ]
    subprocess.run(
        [*install, "assent", "hook", "install", "--yes"],
        cwd=place.root,
        env={**environ, "HOME": str(place.home)},
        check=True,
    )
    shutil.rmtree(cache)

    assert place.run("hook", "status").status == 0
